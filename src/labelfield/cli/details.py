"""What a model can say about single rows: other sets, whether to accept, why."""

from collections.abc import Sequence
from typing import Any

from labelfield._names import join_names
from labelfield.cli.models import Said

__all__ = ["accept_rows", "name_sets", "other_sets", "reasons"]


def name_sets(sets: Any, names: tuple[str, ...]) -> list[list[str]]:
    """Return the names in each set."""
    return [[name for name, on in zip(names, row) if on] for row in sets]


def accept_rows(said: Said, accuracy: float) -> tuple[Any, str | None]:
    """Return which sets may skip review (n,), and the promise; None if the model cannot tell."""
    if not hasattr(said.classifier, "acceptance") or said.classifier.reviewed_rows_ is None:
        return None, None
    found = said.classifier.acceptance(accuracy)
    return said.confidence >= found.threshold, str(found)


def other_sets(said: Said, k: int) -> list[str] | None:
    """Return the k most probable sets beside the chosen one, as text, None without a joint."""
    if not hasattr(said.classifier, "predict_joint") or k == 0:
        return None
    import numpy as np

    joint = said.classifier.predict_joint(said.X)
    sets, log_probs = joint.top_k(k + 1)
    return [
        _listed(said, row, others, np.exp(probs).tolist() if joint.normalized else None)
        for row, others, probs in zip(said.sets, sets, log_probs)
    ]


def _listed(said: Said, chosen: Any, others: Any, probabilities: Any) -> str:
    rest = [j for j, other in enumerate(others) if (other != chosen).any()][: len(others) - 1]
    names = name_sets(others[rest], said.label_names)
    shown = [join_names(labels, "|") or "none" for labels in names]
    if probabilities is None:
        return "; ".join(shown)
    return "; ".join(f"{text} ({probabilities[j]:.3f})" for text, j in zip(shown, rest))


def reasons(said: Said, rows: Sequence[int]) -> list[dict[str, list[str]]]:
    """Return for each row, and each label of its set, what speaks for it: words and other labels.

    Only a model that explains itself has any.
    """
    from labelfield._gate.reading import take_rows
    from labelfield.evaluation.reasons import strongest_reasons

    rows = list(rows)
    return strongest_reasons(
        said.classifier, take_rows(said.X, rows), said.sets[rows], said.columns
    )
