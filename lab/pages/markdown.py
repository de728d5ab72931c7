"""Pages of results, written from the stored cells."""

import math
import re
from pathlib import Path
from typing import Any

from lab.pages.pictures import draw_curves, find_curves, is_figure
from lab.pages.progress import is_complete, list_progress, number_reasons
from lab.pages.summary import summarize
from lab.published import TABLES
from lab.store import Store
from labelfield._names import visible
from labelfield.io._aside import write_aside

__all__ = [
    "DRAWN",
    "MARKS",
    "WRITTEN",
    "escape_cell",
    "format_figure",
    "is_comparison",
    "overview",
    "render_index",
    "render_rows",
    "render_table",
    "write_results",
]

MARKS = {"within": "≈", "better": "▲", "worse": "▼", "not comparable": "·"}
LEGEND = (
    "Ours, then the published figure in brackets; ± is the standard deviation over repetitions. "
    "≈ within one deviation of the print, ▲ better, ▼ worse, · measured on other data than the "
    "print, so not judged."
)
CELL_ESCAPES = str.maketrans({"\\": "\\\\", "|": "\\|", "`": "\\`", "<": "&lt;"})
OURS = "own-"  # how tables of our own begin
OWN_LEGEND = "± is the standard deviation over repetitions."
WRITTEN = "<!-- Written by `python -m lab reproduce`; do not edit. -->"
DRAWN = WRITTEN.replace("reproduce", "draw")


def write_results(store: Store, folder) -> list[Path]:
    """Write a page for every table that has finished cells, and an index of all tables.

    Parameters
    ----------
    store : Store
    folder : path
        Made if needed; pages and pictures of the same names are replaced.

    Returns
    -------
    paths : list of Path
        The files written, the index first.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pages, pictures = {}, {}
    for table in TABLES.values():
        summary = summarize(table, store)
        if has_results(summary):
            drawn = f"images/{table.id}.svg"  # by `python -m lab draw`
            picture = drawn if (folder / drawn).exists() else None
            pages[f"{table.id}.md"] = render_table(summary, picture)
            for metric in _drawn(summary):
                pictures[_picture(summary, metric)] = draw_curves(summary, metric)
    there = {path.stem for path in folder.glob("*.md")}  # drawn, or of cells that were not kept
    ids = {name.removesuffix(".md") for name in pages} | there
    index = render_index(list_progress(store), ids, _drawn_elsewhere(folder), cost_of(store))
    texts = {"index.md": index, **pages, **pictures}
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        with write_aside(folder / name) as file:
            file.write(text)
    return [folder / name for name in texts]


def cost_of(store: Store) -> str:
    """Return how many cells are stored and what they took, in words."""
    seconds = [store.read(key).get("seconds", 0.0) for key in store]
    hours = sum(seconds) / 3600
    return (
        f"{len(seconds)} cells are stored; they took {hours:.1f} CPU hours. "
        "`python -m lab reproduce ID` computes a table anew."
    )


def has_results(summary: dict[str, Any]) -> bool:
    """Return whether any cell of a summarised table is finished."""
    return any(row["cells"][0] for column in summary["columns"] for row in column["rows"])


def _drawn_elsewhere(folder: Path) -> dict[str, str]:
    """Return the titles of drawn figures that no table stands for, by id, as their pages say."""
    found = {}
    for path in sorted(folder.glob("*.md")):
        lines = path.read_text(encoding="utf-8").splitlines()
        if lines[:1] == [DRAWN] and path.stem not in TABLES:
            found[path.stem] = lines[2].removeprefix(f"# {path.stem}: ")
    return found


def render_index(
    rows: list[dict[str, Any]],
    with_page: set[str],
    drawn: dict[str, str] | None = None,
    cost: str = "",
) -> str:
    """Return the list of all tables, with links to those that have a page, drawings and cost."""
    reasons, marks = number_reasons(rows)
    linked = [
        [
            f"[{row['id']}]({row['id']}.md)" if row["id"] in with_page else row["id"],
            row["title"],
            row["cells"],
            mark,
        ]
        for row, mark in zip(rows, marks)
    ]
    lines = [WRITTEN, "", "# Results", "", f"{count_complete(rows)} {cost}".rstrip(), ""]
    lines += render_rows(["table", "what it shows", "cells", "lacks"], linked)
    if reasons:
        lines += ["", "What the numbers stand for:", ""]
        lines += [f"{i}. {escape_cell(reason)}" for i, reason in enumerate(reasons, start=1)]
    if drawn:
        shown = [[f"[{id}]({id}.md)", title] for id, title in drawn.items()]
        lines += ["", "Figures that show a fitted model:", ""]
        lines += render_rows(["figure", "what it shows"], shown)
    return "\n".join(lines) + "\n"


def count_complete(rows: list[dict[str, Any]]) -> str:
    """Return how many tables and figures of the documents are complete, in words."""
    of_documents = [row for row in rows if not row["id"].startswith(OURS)]
    runnable = [row for row in of_documents if row["total"] > row["without_data"]]
    complete = sum(map(is_complete, runnable))
    return (
        f"Of the {len(runnable)} tables and figures of the [documents](references.md) that can be "
        f"computed here {complete} are complete: they lack nothing but cells of data that we do "
        "not have."
    )


def render_table(summary: dict[str, Any], picture: str | None = None) -> str:
    """Return a table's page, with a picture of a drawing if there is one."""
    lines = [WRITTEN, "", f"# {summary['id']}: {summary['title']}", ""]
    legend = OWN_LEGEND if is_comparison(summary) else LEGEND
    lines += [f"{_sentence(summary['status'])} {_sentence(summary['made'])}", "", legend, ""]
    lines += [f"- {note}" for note in summary["notes"]]
    if picture is not None:
        lines += ["", f"![{escape_cell(summary['title'])}]({picture})"]
    for metric in _drawn(summary):
        shown = f"{summary['title']}: {metric['title']}"
        lines += ["", f"![{escape_cell(shown)}]({_picture(summary, metric)})"]
    if is_comparison(summary):
        lines += _render_overviews(summary)
    for column in summary["columns"]:
        lines += ["", *_render_column(summary, column)]
    for metric, ranks in summary["ranks"].items():
        lines += ["", *_render_ranks(_title_of(summary, metric), ranks)]
    return "\n".join(lines) + "\n"


def _drawn(summary: dict[str, Any]) -> list[dict[str, str]]:
    """Return the measures that have something to draw."""
    if not is_figure(summary):
        return []
    return [metric for metric in summary["metrics"] if find_curves(summary, metric["name"])]


def _picture(summary: dict[str, Any], metric: dict[str, str]) -> str:
    return f"images/{summary['id']}-{metric['name'].replace('_', '-')}.svg"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def is_comparison(summary: dict[str, Any]) -> bool:
    """Return whether a summarised table ranks rows over data sets beside no published figure."""
    figures = (
        figure
        for column in summary["columns"]
        for row in column["rows"]
        for figure in row["figures"].values()
    )
    return bool(summary["ranks"]) and all(figure["published"] is None for figure in figures)


def overview(summary: dict[str, Any], metric: str) -> tuple[list[str], list[list[str]]]:
    """Return heading and lines of one measure: data sets below each other, ranks last."""
    titles = [row["title"] for row in summary["columns"][0]["rows"]]
    lines = []
    for column in summary["columns"]:
        figures = [row["figures"][metric] for row in column["rows"]]
        lines.append(
            [column["title"], *(format_figure(figure, summary["digits"]) for figure in figures)]
        )
    if metric in summary["ranks"]:
        average = summary["ranks"][metric]["average"]
        ranks = [f"{average[title]:.2f}" if title in average else "-" for title in titles]
        lines.append([f"average rank ({summary['ranks'][metric]['columns']} data sets)", *ranks])
    return ["", *titles], lines


def _render_overviews(summary: dict[str, Any]) -> list[str]:
    lines = []
    for metric in summary["metrics"]:
        heading, rows = overview(summary, metric["name"])
        lines += ["", f"## {metric['title'][:1].upper()}{metric['title'][1:]}", ""]
        lines += render_rows(heading, rows)
    return lines


def _render_column(summary: dict[str, Any], column: dict[str, Any]) -> list[str]:
    metrics = summary["metrics"]
    lines = [f"## {column['title']}", ""]
    if column["note"]:
        lines += [f"{column['note'][:1].upper()}{column['note'][1:]}.", ""]
    if not any(_shown(figure) for row in column["rows"] for figure in row["figures"].values()):
        return [*lines, "Nothing computed and nothing printed."]
    rows = []
    for row in column["rows"]:
        figures = [
            format_figure(row["figures"][metric["name"]], summary["digits"]) for metric in metrics
        ]
        count = f"{row['cells'][0]}/{row['cells'][1]}" if row["cells"][1] else "-"
        rows.append([row["title"], *figures, count])
    lines += render_rows(["", *(metric["title"] for metric in metrics), "cells"], rows)
    remarks = [line for row in column["rows"] for line in _remarks(row)]
    lines += ["", *remarks] if remarks else []
    return lines + _render_tests(summary, column["tests"])


def _remarks(row: dict[str, Any]) -> list[str]:
    """Return what a reader of a row's figures has to know, as items of a list."""
    title, ends = row["title"], ", ".join(row["at_ends"])
    lines = [f"- {title} failed: {escape_cell(error)}" for error in row["errors"]]
    lines += [f"- {title}: {reason}" for reason in row["unfinished"]]
    return lines + ([f"- {title} chose the end of its grid: {ends}"] if ends else [])


def _shown(figure: dict[str, Any]) -> bool:
    return figure["ours"] is not None or figure["published"] is not None


def _render_tests(summary: dict[str, Any], tests: list[dict[str, Any]]) -> list[str]:
    if not tests:
        return []
    lines = [
        "",
        f"{summary['reference']} against each row, paired t-test at 5 % (p; Wilcoxon's p):",
    ]
    lines.append("")
    for title in dict.fromkeys(test["row"] for test in tests):
        found = [
            f"{_title_of(summary, test['metric'])} {test['verdict']} "
            f"({test['t_p']:.3g}; {test['wilcoxon_p']:.3g})"
            for test in tests
            if test["row"] == title
        ]
        lines.append(f"- {title}: " + ", ".join(found))
    return lines


def _render_ranks(title: str, ranks: dict[str, Any]) -> list[str]:
    best_first = sorted(ranks["average"].items(), key=lambda item: item[1])
    p = ranks["friedman_p"]
    tested = "" if math.isnan(p) else f" Friedman's p {p:.3g}."
    return [
        f"Average ranks by {title} over {ranks['columns']} data sets: "
        + ", ".join(f"{name} {rank:.2f}" for name, rank in best_first)
        + f".{tested} Critical difference {ranks['critical_difference']:.2f}.",
    ]


def _title_of(summary: dict[str, Any], metric: str) -> str:
    return next(one["title"] for one in summary["metrics"] if one["name"] == metric)


def format_figure(figure: dict[str, Any], digits: int) -> str:
    """Return one entry: ours, the mark, and the print in brackets.

    Examples
    --------
    >>> from lab.pages.markdown import format_figure
    >>> ours = {"mean": 0.0941, "deviation": 0.005}
    >>> print_ = {"mean": 0.095, "deviation": 0.007}
    >>> format_figure({"ours": ours, "published": print_, "mark": "within"}, digits=3)
    '0.094 ± 0.005 ≈ (0.095 ± 0.007)'
    """
    parts = []
    if figure["ours"] is not None:
        parts += [_format(figure["ours"], digits), MARKS.get(figure["mark"], "")]
    if figure["published"] is not None:
        parts.append(f"({_format(figure['published'], digits)})")
    return " ".join(filter(None, parts)) or "-"


def _format(pair: dict[str, Any], digits: int) -> str:
    if pair["mean"] is None:
        return "unreadable"
    mean = f"{pair['mean']:.{digits}f}"
    if pair["deviation"] is None:
        return mean
    return f"{mean} ± {pair['deviation']:.{digits}f}"


def render_rows(heading: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    return [_line(heading), "|---" * len(heading) + "|", *map(_line, rows)]


def _line(cells: list[str]) -> str:
    return "|" + "".join(f" {escape_cell(cell)} |" if cell else " |" for cell in cells)


def escape_cell(text: str) -> str:
    r"""Return text that stays in its cell of a table and is read as it is written.

    Examples
    --------
    >>> from lab.pages.markdown import escape_cell
    >>> print(escape_cell("a|b <i>"))
    a\|b &lt;i>
    """
    return visible(re.sub(r"\s*[\r\n]\s*", " ", text)).translate(CELL_ESCAPES)
