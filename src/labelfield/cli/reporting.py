"""Comparisons as tables and reports."""

from labelfield.cli import console

__all__ = ["print_comparison", "report_comparison", "seen_sentence", "warn_if_seen"]

MANY = 0.1  # rows that happen to be alike do no harm


def print_comparison(found: dict, name: str) -> None:
    """Print figures and average ranks, a row per model and decoder."""
    metrics = found["metrics"]
    arrow = {True: "↑", False: "↓"}
    titles = [f"{metric['title']} {arrow[metric['greater_is_better']]}" for metric in metrics]
    best = {metric["name"]: _best_mean(found, metric) for metric in metrics}
    console.print_table(
        ["model", "decoder", *titles, "fit s"],
        [
            (
                entry["model"],
                entry["decoder"],
                *(_cell(entry["figures"][name], best[name]) for name in best),
                f"{entry['fit_seconds']:.2f}",
            )
            for entry in found["results"]
        ],
        title=f"{name}: {found['rows']} rows, {found['labels']} labels, {found['folds']} folds",
        caption="* best of the column; ↑ higher is better, ↓ lower is better; ± deviation of folds",
        text_columns=2,
    )
    if len(found["results"]) > 1:
        _print_ranks(found)


def seen_sentence(said) -> str | None:
    """Say how many of the rows the model was fitted to; None if few."""
    if said.seen < MANY:
        return None
    return (
        f"About {said.seen:.0%} of these rows were in the training data: the figures say little "
        "about new rows."
    )


def warn_if_seen(said) -> None:
    """Warn on stderr where a model is judged on rows it was fitted to."""
    sentence = seen_sentence(said)
    if sentence:
        console.note(f"Warning: {sentence}")


def _best_mean(found: dict, metric: dict) -> float:
    means = [entry["figures"][metric["name"]]["mean"] for entry in found["results"]]
    return max(means) if metric["greater_is_better"] else min(means)


def _cell(figure: dict, best: float) -> str:
    spread = "" if figure["deviation"] is None else f" ± {figure['deviation']:.3f}"
    return f"{figure['mean']:.3f}{spread}{'*' if figure['mean'] == best else ' '}"


def _print_ranks(found: dict) -> None:
    ranks = [found["ranks"][metric["name"]] for metric in found["metrics"]]
    console.print_table(
        ["model", "decoder", *(metric["title"] for metric in found["metrics"])],
        [
            (entry["model"], entry["decoder"], *(f"{one['average'][row]:.2f}" for one in ranks))
            for row, entry in enumerate(found["results"])
        ],
        title="Average ranks over the folds, 1 is best",
        caption=f"critical difference {ranks[0]['critical_difference']:.2f}: ranks closer than "
        "this do not differ significantly (Nemenyi, 5 %)",
        text_columns=2,
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
