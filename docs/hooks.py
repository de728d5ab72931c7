"""Write the reference page from docstrings while the site is built."""

import inspect

import labelfield

MARK = "<!-- reference -->"


def reference():
    """Return the reference of all public names as markdown."""
    parts = []
    for name in labelfield.__all__:
        item = getattr(labelfield, name)
        is_error = isinstance(item, type) and issubclass(item, Exception)
        signature = name if is_error else f"{name}{inspect.signature(item)}"
        parts.append(f"## {name}\n\n```text\n{signature}\n```\n\n{_indented(inspect.getdoc(item))}")
    return "\n\n".join(parts)


def _indented(text):
    return "\n".join(f"    {line}" for line in text.splitlines())


def on_page_markdown(markdown, **_):
    return markdown.replace(MARK, reference())
