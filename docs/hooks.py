"""What is done while the site is built: list public names, read docstrings, draw formulas."""

import html
import re
from importlib import import_module

import griffe
from latex2mathml.converter import convert

import labelfield

PUBLIC = re.compile(r"<!-- public names of (.+?) -->")
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
BESIDE = re.compile(r"<mi>(?:log|exp|tanh)</mi>(?!<mo)")  # names that touch what follows
CHOICES = re.compile(r"^( *[\w, ]+ : )\{([^{}]*)\}", re.MULTILINE)


class PlainChoices(griffe.Extension):
    """Keep griffe from taking the first of `{"a", "b"}, default="b"` for the default."""

    def on_object(self, *, obj, **_):
        """Take the braces away, so that the line is read to its end."""
        if obj.docstring:
            obj.docstring.value = CHOICES.sub(r"\1\2", obj.docstring.value)


def names_in(home):
    """Return the public names of a module of labelfield and below, as dotted paths."""
    own = getattr(import_module(f"labelfield.{home}"), "__all__", [])
    homes = {name: home for name in own if not name.isupper()} | {
        name: where
        for name, where in labelfield._HOME_OF.items()
        if f"{where}.".startswith(f"{home}.")
    }
    return [f"labelfield.{homes[name]}.{name}" for name in sorted(homes, key=str.lower)]


def bases_of(paths):
    """Return the classes without a public name whose methods public classes inherit."""
    named = {path.rpartition(".")[2] for path in [*paths, *names_in("base")]}
    found = set()
    for path in paths:
        home, _, name = path.rpartition(".")
        for base in getattr(getattr(import_module(home), name), "__mro__", ()):
            ours = base.__module__.startswith("labelfield.") and base.__name__ not in named
            if ours and any(not member.startswith("_") for member in vars(base)):
                found.add(f"{base.__module__}.{base.__name__}")
    return sorted(found)


def on_page_markdown(markdown, **_):
    """Write an entry for mkdocstrings in place of every name that a reference page asks for."""

    def entries(asked):
        paths = [path for home in asked[1].split() for path in names_in(home)]
        return "\n\n".join(f"::: {path}" for path in [*paths, *bases_of(paths)])

    return PUBLIC.sub(entries, markdown)


def on_page_content(content, **_):
    """Turn formulas, which are LaTeX so far, into MathML, which browsers draw themselves."""

    def mathml(found):
        kind, latex = found.groups()
        display = "block" if kind == "div" else "inline"
        drawn = convert(html.unescape(latex).strip(), display=display)
        return BESIDE.sub(r'\g<0><mspace width="0.17em"/>', drawn)

    return FORMULA.sub(mathml, content)
