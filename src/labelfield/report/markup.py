"""Text that is escaped unless it was built here: the only way this package writes HTML and SVG."""

from collections.abc import Iterable
from html import escape
from typing import Any

__all__ = ["Markup", "tag"]

VOID = frozenset({"br", "hr", "img", "input", "meta"})


class Markup(str):
    """A string that is already HTML; `tag` escapes every other string."""

    __slots__ = ()


def tag(name: str, *content: Any, **attributes: Any) -> Markup:
    """Return an element; strings inside are escaped, `Markup` is kept, None is left out.

    Parameters
    ----------
    name : str
    *content : str, number, Markup, None, or an iterable of these
    **attributes
        `_` becomes `-` and a trailing `_` is dropped, so `class_="x", stroke_width=2` works.
        None and False leave the attribute out, True gives an empty one.

    Returns
    -------
    Markup

    Examples
    --------
    >>> from labelfield.report.markup import tag
    >>> tag("p", "1 < 2, ", tag("b", "yes"), class_="note")
    '<p class="note">1 &lt; 2, <b>yes</b></p>'
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{inside(content)}</{name}>")


def inside(content: Any) -> Markup:
    """Return content as markup: escaped, joined, None left out."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, Iterable) and not isinstance(content, str):
        return Markup("".join(inside(part) for part in content))
    return Markup(escape(str(content)))


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.removesuffix("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return f' {name}="{escape(text)}"'
