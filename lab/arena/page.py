"""The table of the arena, for the terminal and as a page."""

import math
from typing import Any

from lab.arena.standings import SHOWN, WAYS
from lab.measures import MEASURES
from lab.pages.markdown import escape_cell, render_rows

__all__ = [
    "SEEDS",
    "TIMES",
    "gap_lines",
    "model_lines",
    "rank_lines",
    "render_page",
    "seed_lines",
    "tests_in_words",
    "time_lines",
]

WRITTEN = "<!-- Written by `python -m lab arena`; do not edit. -->"
TITLES = {name: MEASURES[name].title for name in SHOWN} | {
    "subset_accuracy": "exact match",
    "f1_samples": "F1",
}
DIGITS = {"hamming_loss": 4, "cpu_seconds": 1}
LEGEND = (
    "Means over folds. Every measure is answered by the setting and the decision that are best for "
    "it on the inner folds. ECE is that of the confidence in the set for exact match, all folds "
    "taken together; beside it what a perfectly calibrated model with the same confidences would "
    "show by chance. CPU seconds are those of choosing the settings, fitting and predicting, per "
    "fold. Bold: the best of a column."
)
TIMES = (
    "CPU seconds of LabelSetClassifier against those of the other model with the best exact match, "
    "with its settings chosen on the inner folds and fitted once more."
)
SEEDS = "Means over the folds of the first seed / means of the seeds."


def render_page(summary: dict[str, Any]) -> str:
    """Return the page of a summary."""
    lines = [WRITTEN, "", "# Arena results", "", LEGEND]
    for way, words in WAYS.items():
        heading, rows = rank_lines(summary, way)
        if rows:
            lines += ["", f"## Average ranks: {words[0].lower()}{words[1:]}", ""]
            lines += [*render_rows(heading, rows), "", tests_in_words(summary, way)]
    heading, rows = seed_lines(summary)
    if rows:
        lines += ["", "## Other folds", "", SEEDS, "", *render_rows(heading, rows)]
    heading, rows = time_lines(summary)
    if rows:
        lines += ["", "## Time", "", TIMES, "", *render_rows(heading, rows)]
    for one in summary["sets"]:
        lines += ["", f"## {escape_cell(one['title'])}", ""]
        lines += [f"{one['rows']} rows, {one['features']} features, {one['labels']} labels.", ""]
        heading, rows = model_lines(one, bold="**{}**")
        lines += render_rows(heading, rows)
        gaps = gap_lines(one)
        lines += ["", *(f"- {escape_cell(gap)}" for gap in gaps)] if gaps else []
    return "\n".join(lines) + "\n"


def model_lines(one: dict[str, Any], bold: str = "{}") -> tuple[list[str], list[list[str]]]:
    """Return heading and lines of a data set: a model a line, the best first by exact match."""
    best = {name: _best(one, name) for name in SHOWN}
    models = sorted(
        one["models"],
        key=lambda model: -model["figures"].get("subset_accuracy", {"mean": -1.0})["mean"],
    )
    rows = []
    for model in models:
        cells = []
        for name in SHOWN:
            if not model["figures"]:
                cells.append("-")
                continue
            mean = model["figures"][name]["mean"]
            text = f"{mean:.{DIGITS.get(name, 3)}f}"
            cells.append(bold.format(text) if mean == best[name] else text)
        rows.append([model["title"], *cells, "{}/{}".format(*model["folds"])])
    return ["", *(TITLES[name] for name in SHOWN), "folds"], rows


def _best(one: dict[str, Any], name: str) -> float | None:
    means = [model["figures"][name]["mean"] for model in one["models"] if model["figures"]]
    direction = MEASURES[name].greater_is_better
    if direction is None or not means:
        return None
    return max(means) if direction else min(means)


def rank_lines(summary: dict[str, Any], way: str) -> tuple[list[str], list[list[str]]]:
    """Return heading and lines of average ranks, best by exact match first; no lines without."""
    ranks = {name: both[way] for name, both in summary["ranks"].items() if both[way]}
    if not ranks:
        return [], []
    average = {name: found["average"] for name, found in ranks.items()}
    titles = sorted(average["subset_accuracy"], key=average["subset_accuracy"].get)
    rows = [[title, *(f"{average[name][title]:.2f}" for name in ranks)] for title in titles]
    return ["", *(TITLES[name] for name in ranks)], rows


def tests_in_words(summary: dict[str, Any], way: str) -> str:
    """Return what the tests say about average ranks."""
    ranks = {name: both[way] for name, both in summary["ranks"].items()}
    some = next(iter(ranks.values()))
    found = [
        f"{TITLES[name]} {one['friedman_p']:.2g}"
        for name, one in ranks.items()
        if not math.isnan(one["friedman_p"])
    ]
    friedman = f" Friedman's p: {', '.join(found)}." if found else ""
    return (
        f"{some['columns']} sets, {len(some['average'])} models; average ranks further apart than "
        f"{some['critical_difference']:.2f} differ at 5 % (Nemenyi).{friedman}"
    )


def seed_lines(summary: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return heading and lines of models on the folds of several seeds; no lines without."""
    rows = []
    for one in summary["seeds"]:
        by_seed = list(one["means"].values())
        cells = []
        for name in SHOWN:
            values = [means[name] for means in by_seed]
            digits = DIGITS.get(name, 3)
            cells.append(f"{values[0]:.{digits}f} / {sum(values) / len(values):.{digits}f}")
        seeds = ", ".join(map(str, one["means"]))
        rows.append([f"{one['title']}, {one['model']}", *cells, seeds])
    return ["", *(TITLES[name] for name in SHOWN), "seeds"], rows


def time_lines(summary: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return heading and lines of our CPU seconds beside the strongest other model's, by set."""
    heading = ["", "LabelSetClassifier", "strongest other", "its CPU s", "ratio"]
    rows = []
    for one in summary["sets"]:
        found = {model["title"]: model["figures"] for model in one["models"] if model["figures"]}
        ours = [title for title in found if title.startswith("LabelSetClassifier")]
        others = [title for title in found if title not in ours]
        for title in ours if others else ():
            best = max(others, key=lambda other: found[other]["subset_accuracy"]["mean"])
            spent, its = (found[name]["cpu_seconds"]["mean"] for name in (title, best))
            rows.append([one["title"], f"{spent:.1f}", best, f"{its:.1f}", f"{spent / its:.2f}"])
    return heading, rows


def gap_lines(one: dict[str, Any]) -> list[str]:
    """Return why models have no figures on a data set, or earlier ones."""
    models: dict[str, list[str]] = {}
    for model in one["models"]:
        for gap in model["gaps"]:
            finished, n_folds = model["folds"]
            folds = "" if finished == n_folds else f" ({finished} of {n_folds} folds)"
            models.setdefault(gap, []).append(model["title"] + folds)
    return [f"{gap}: {'; '.join(named)}" for gap, named in models.items()]
