"""The page: one file that needs nothing else, not even a network."""

import os
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from labelfield._names import visible
from labelfield._version import __version__
from labelfield.io._aside import write_aside
from labelfield.report import figures
from labelfield.report.formatting import count, decimal, percent, signed

__all__ = ["SECTIONS", "render_html", "write_report"]

# Each section is the template of that name; one that renders to nothing is left out.
SECTIONS = {
    "data": "The data",
    "comparison": "Comparison of models",
    "leaderboard": "Members of the model",
    "labels": "Label by label",
    "sets": "Set by set",
    "confidence": "Confidence",
    "rules": "Broken rules",
    "graph": "Label graph",
    "examples": "Examples",
}


def render_html(summary: Mapping[str, Any]) -> str:
    """Return the page of a summary.

    Parameters
    ----------
    summary : mapping
        What `build_report` returns.

    Returns
    -------
    str
        A whole HTML document. Names of labels, models and rows are escaped, control characters
        in them are written out, and the page's own policy lets no script run but the one it came
        with and no request leave.

    Examples
    --------
    >>> from labelfield.report import build_report, render_html
    >>> page = render_html(build_report([[1, 0], [0, 1]], [[1, 0], [0, 0]], dataset="a < b"))
    >>> "a &lt; b" in page, "://" in page
    (True, False)
    """
    templates = _templates()
    summary = _visible(summary)
    bodies = {key: templates.get_template(f"{key}.html").render(summary) for key in SECTIONS}
    script = _read("report.js")
    return templates.get_template("report.html").render(
        summary,
        sections=[
            {"key": key, "title": SECTIONS[key], "body": Markup(body)}
            for key, body in bodies.items()
            if body.strip()
        ],
        policy=_policy(script),
        style=_read("report.css"),
        script=script,
        version=__version__,
    )


def write_report(summary: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write the page of a summary; the file is there whole or not at all.

    Parameters
    ----------
    summary : mapping
        What `build_report` returns.
    path : str or path
        Its folder must exist; a file of that name is replaced.

    Returns
    -------
    Path

    Examples
    --------
    >>> from labelfield.report import build_report, write_report
    >>> write_report(build_report([[1, 0], [0, 1]], [[1, 0], [0, 0]]), "report.html").name
    'report.html'
    """
    path = Path(path)
    page = render_html(summary)
    with write_aside(path) as file:
        file.write(page)
    return path


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("labelfield.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    # `count` writes a number out here; the length of a list is jinja's `length`.
    environment.filters |= {
        "count": count,
        "decimal": decimal,
        "percent": percent,
        "signed": signed,
    }
    environment.globals["figures"] = figures
    return environment


def _visible(part: Any) -> Any:
    """Return a part of the summary with the control characters of its texts written out."""
    if isinstance(part, Mapping):
        return {key: _visible(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_visible(value) for value in part]
    return visible(part, keep="\n\t") if isinstance(part, str) else part


def _read(name: str) -> Markup:
    return Markup((files("labelfield.report") / "templates" / name).read_text(encoding="utf-8"))


def _policy(script: str) -> str:
    """Allow this script, inline styles and inline pictures; forbid everything else."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    rules = {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest}'",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
    }
    return "; ".join(f"{kind} {allowed}" for kind, allowed in rules.items())
