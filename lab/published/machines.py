"""Rows that the tables of two documents have in common: Q. Li (2017) and Tan and others (2015)."""

from lab.table import Method, Model, Search

__all__ = ["MACHINE_STRENGTHS", "SOLVED", "SOLVED_NOTE", "machines"]

MACHINE_STRENGTHS = (1e-4, 1e-3, 1e-2)  # of margin machines, against the mean loss
SOLVED = {"tol": 1e-4, "max_iter": 2000}
SOLVED_NOTE = (
    "Margin machines are solved to a duality gap of 1e-4: at the library's default of .01 labels "
    "near the margin hang on the order in which the solver visits the rows, hence on rounding."
)


def machines(metric: str) -> tuple[Method, Method, Method]:
    """Return MMOC, PLEM and CGM, their settings chosen by a measure on a fifth of the rows."""

    def tuned(title: str, model: Model, scale: str, **grid: tuple) -> Method:
        return Method(title, model, scale=scale, search=Search(grid, metric, folds=1))

    return (
        tuned(
            "MMOC",
            Model("lab.comparators.mmoc.MaxMarginCoding"),
            "standard",
            C=(0.01, 0.1, 1.0, 10.0, 100.0),
            balance=(0.0, 1.0),
            alpha=(1.0, 10.0, 100.0, 1000.0, 10_000.0),
        ),
        tuned("PLEM", Model("plem"), "standard", alpha=(1.0, 10.0, 100.0, 1000.0, 10_000.0)),
        tuned("CGM", Model("cgm", SOLVED), "unit", alpha=MACHINE_STRENGTHS, min_gain=(0.0, 0.01)),
    )
