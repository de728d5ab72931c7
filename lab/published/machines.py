"""Rows that the tables of two documents have in common: Q. Li (2017) and Tan and others (2015)."""

from lab.table import Method, Model, Search

__all__ = ["MACHINE_STRENGTHS", "machines"]

MACHINE_STRENGTHS = (1e-4, 1e-3, 1e-2)  # of margin machines, against the mean loss


def machines(metric: str) -> tuple[Method, Method, Method]:
    """Return MMOC, PLEM and CGM, their settings chosen by a measure on a fifth of the rows."""

    def tuned(title, id, scale, **grid):
        return Method(title, Model(id), scale=scale, search=Search(grid, metric, folds=1))

    return (
        tuned(
            "MMOC",
            "lab.comparators.mmoc.MaxMarginCoding",
            "standard",
            C=(0.01, 0.1, 1.0, 10.0, 100.0),
            balance=(0.0, 1.0),
            alpha=(1.0, 10.0, 100.0, 1000.0, 10_000.0),
        ),
        tuned("PLEM", "plem", "standard", alpha=(1.0, 10.0, 100.0, 1000.0, 10_000.0)),
        tuned("CGM", "cgm", "unit", alpha=MACHINE_STRENGTHS, min_gain=(0.0, 0.01)),
    )
