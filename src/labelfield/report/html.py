"""The page: one file that needs nothing else, not even a network."""

import os
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from labelfield import __version__
from labelfield.io._aside import write_aside
from labelfield.report.formatting import count
from labelfield.report.markup import Markup, inside, tag
from labelfield.report.sections import SECTIONS, overview

__all__ = ["render_html", "write_report"]


def render_html(summary: Mapping[str, Any]) -> str:
    """Return the page of a summary.

    Parameters
    ----------
    summary : mapping
        What `build_report` returns.

    Returns
    -------
    str
        A whole HTML document. Names of labels, models and rows are escaped, and the page's own
        policy lets no script run but the one it came with and no request leave.

    Examples
    --------
    >>> from labelfield.report import build_report, render_html
    >>> page = render_html(build_report([[1, 0], [0, 1]], [[1, 0], [0, 0]], dataset="a < b"))
    >>> "a &lt; b" in page, "://" in page
    (True, False)
    """
    script = _template("report.js")
    parts = {key: (title, body(summary)) for key, (title, body) in SECTIONS.items()}
    shown = {key: part for key, part in parts.items() if part[1] is not None}
    return _filled(
        "report.html",
        policy=_policy(script),
        title=f"{summary['dataset']}: {summary['model']}",
        dataset=summary["dataset"],
        model=summary["model"],
        rows=count(summary["evaluated_rows"]),
        style=Markup(_template("report.css")),
        script=Markup(script),
        links=inside(tag("a", title, href=f"#{key}") for key, (title, _) in shown.items()),
        overview=overview(summary),
        sections=inside(
            tag("section", tag("h2", title), body, id=key) for key, (title, body) in shown.items()
        ),
        notes=inside(tag("li", note) for note in summary["notes"]),
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


def _template(name: str) -> str:
    return (files("labelfield.report") / "templates" / name).read_text(encoding="utf-8")


def _filled(name: str, **values: Any) -> str:
    return Template(_template(name)).substitute(
        {key: inside(value) for key, value in values.items()}
    )


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
