"""How every figure is headed in tables: the measures of all cells, and those of single tasks."""

from lab.measures import MEASURES, Measure

__all__ = ["HEADINGS"]

RISK = (
    Measure("margin_risk", "risk", False),
    Measure("margin_risk_train", "risk, training rows", None),
    Measure("printed_bound", "bound as printed", None),
    Measure("corrected_bound", "bound, corrected", None),
)
NAMED = (
    *(Measure(f"precision_at_{k}", f"P@{k}", True) for k in (1, 3, 5)),
    *(Measure(f"propensity_precision_at_{k}", f"PSP@{k}", True) for k in (1, 3, 5)),
)
HEADINGS: dict[str, Measure] = {
    **MEASURES,
    **{measure.name: measure for measure in (*RISK, *NAMED)},
}
