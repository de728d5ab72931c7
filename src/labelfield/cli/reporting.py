"""Comparisons as tables and reports."""

from labelfield.cli import console

__all__ = ["print_comparison", "report_comparison"]


def print_comparison(found: dict, name: str) -> None:
    """Print a row per model and decoder, the best figure of each metric marked."""
    metrics = found["metrics"]
    best = {metric["name"]: _best_mean(found, metric) for metric in metrics}
    rows = []
    for entry in found["results"]:
        cells = []
        for metric in metrics:
            figure = entry["figures"][metric["name"]]
            star = "*" if figure["mean"] == best[metric["name"]] else " "
            deviation = figure["deviation"]
            spread = "" if deviation is None else f" ± {deviation:.4f}"
            cells.append(f"{figure['mean']:.4f}{spread}{star}")
        rows.append((entry["model"], entry["decoder"], *cells, f"{entry['fit_seconds']:.2f}"))
    arrow = {True: "↑", False: "↓"}
    titles = [f"{m['title']} {arrow[m['greater_is_better']]}" for m in metrics]
    console.print_table(
        ["model", "decoder", *titles, "fit s"],
        rows,
        title=f"{name}: {found['rows']} rows, {found['labels']} labels, {found['folds']} folds",
        caption="* best of the column; ↑ higher is better, ↓ lower is better",
        text_columns=2,
    )
    _print_ranks(found)


def _best_mean(found: dict, metric: dict) -> float:
    means = [entry["figures"][metric["name"]]["mean"] for entry in found["results"]]
    return max(means) if metric["greater_is_better"] else min(means)


def _print_ranks(found: dict) -> None:
    if len(found["results"]) < 2:
        return
    names = [entry["name"] for entry in found["results"]]
    for metric in found["metrics"]:
        ranks = found["ranks"][metric["name"]]
        order = sorted(zip(ranks["average"], names))
        listed = ", ".join(f"{name} {rank:.2f}" for rank, name in order)
        console.text(
            f"Ranks by {metric['title']}: {listed} "
            f"(critical difference {ranks['critical_difference']:.2f})"
        )


def report_comparison(found: dict, data, path) -> None:
    """Write the report of a comparison; it looks closely at the best by the first metric."""
    from labelfield.report import build_comparison_report, write_report

    summary = build_comparison_report(
        found,
        data.Y,
        metric=found["metrics"][0]["name"],
        label_names=data.label_names,
        dataset=data.name,
        n_features=data.X.shape[1],
    )
    write_report(summary, path)
