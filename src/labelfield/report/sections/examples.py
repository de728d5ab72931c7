"""The section with rows worth looking at."""

from collections.abc import Mapping
from typing import Any

from labelfield.report.formatting import percent
from labelfield.report.markup import Markup, tag
from labelfield.report.tables import label_set

__all__ = ["examples_section"]


def examples_section(summary: Mapping[str, Any]) -> Markup:
    """Return rows worth looking at."""
    groups = {
        "worst": (
            "Worst mistakes",
            "Wrong although the model was sure: errors of the model, or of the labels.",
        ),
        "surest": ("Surest hits", "Right, with the highest confidence."),
        "unsure": ("Review first", "The least sure of all sets."),
    }
    return tag(
        "div",
        [
            tag(
                "div",
                tag("h3", title),
                tag("p", explanation),
                tag(
                    "div",
                    [_example(example) for example in summary["examples"][key]],
                    class_="cards",
                ),
            )
            for key, (title, explanation) in groups.items()
            if summary["examples"][key]
        ],
    )


def _example(example: Mapping[str, Any]) -> Markup:
    verdict = "right" if not example["wrong"] else f"{example['wrong']} wrong"
    return tag(
        "article",
        tag("img", src=example["picture"], alt=f"row {example['id']}")
        if example["picture"]
        else None,
        tag(
            "header",
            tag("strong", f"Row {example['id']}"),
            tag("span", f"{'✓' if not example['wrong'] else '✗'} {verdict}", class_="verdict"),
            None
            if example["confidence"] is None
            else tag("span", f"{percent(example['confidence'])} sure"),
        ),
        tag(
            "dl",
            tag("dt", "predicted"),
            tag(
                "dd",
                label_set(example["predicted"], missed=example["missed"], added=example["added"]),
            ),
            tag("dt", "true"),
            tag("dd", label_set(example["true"])),
        ),
        class_="card",
    )
