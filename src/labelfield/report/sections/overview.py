"""The opening of the page: the sentence for those who decide, and the key figures."""

from collections.abc import Mapping
from typing import Any

from labelfield.report.formatting import count, decimal, percent
from labelfield.report.markup import Markup, tag
from labelfield.report.tables import tile

__all__ = ["overview"]


def overview(summary: Mapping[str, Any]) -> Markup:
    """Return the opening: the sentence for those who decide, and the key figures."""
    automation, data, overall = summary["automation"], summary["data"], summary["overall"]
    if automation is None:
        claim = (
            f"{percent(overall['subset_accuracy'])} of the label sets are predicted exactly.",
            "This model states no confidence in its sets, so none can be accepted on its word.",
        )
    else:
        claim = automation["sentence"], automation["detail"]
    tiles = [
        tile(count(data["rows"]), "rows"),
        tile(count(data["labels"]), "labels"),
        tile(percent(overall["subset_accuracy"], 1), "sets exactly right"),
        tile(decimal(overall["f1_samples"]), "F1 of a row"),
        tile(decimal(overall["f1_macro"]), "F1 of a label"),
        tile(decimal(overall["hamming_loss"]), "Hamming loss"),
    ]
    return tag(
        "section",
        tag("p", claim[0], class_="claim"),
        tag("p", claim[1], class_="detail"),
        tag("dl", tiles, class_="tiles"),
        id="overview",
        aria_label="At a glance",
    )
