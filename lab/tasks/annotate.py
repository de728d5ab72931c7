"""Annotate songs with tags, and find songs by tag."""

from typing import Any

import numpy as np

from lab.protocol import Part
from lab.tasks.fitting import fit_and_answer
from labelfield.metrics import average_precision, precision_at_k, roc_auc

__all__ = ["annotate", "measure_annotation"]

DIVERSITY = 1.25
TAGS_PER_SONG = 10


def annotate(cell: Any, part: Part) -> dict[str, Any]:
    """Return the measures of annotation and of retrieval."""
    answers, costs = fit_and_answer(cell, part, part.test.X, scores=True)
    figures = measure_annotation(part.test.Y, answers.scores)
    return {"figures": dict.fromkeys(answers.sets, figures), **costs}


def measure_annotation(truth: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """Measure tags by the protocol of the music experiments.

    Each tag's score is lowered by 1.25 times its mean, each song gets the 10 tags of highest score;
    precision and recall are per tag, then averaged. A tag never given counts with its frequency as
    precision. Retrieval ranks the songs of each tag; tags without a song are left out.

    Parameters
    ----------
    truth, scores : arrays of shape (n, L)
    """
    lowered = scores - DIVERSITY * scores.mean(axis=0)
    best = np.argsort(-lowered, axis=1, kind="stable")[:, :TAGS_PER_SONG]
    given = np.zeros(truth.shape, dtype=bool)
    np.put_along_axis(given, best, True, axis=1)
    kept = truth.any(axis=0)
    truth, given, scores = truth[:, kept] == 1, given[:, kept], scores[:, kept]
    hits, n_given, n_true = (truth & given).sum(axis=0), given.sum(axis=0), truth.sum(axis=0)
    precision = np.where(n_given > 0, hits / np.maximum(n_given, 1), truth.mean(axis=0)).mean()
    recall = (hits / n_true).mean()
    by_tag = truth.T.astype(np.uint8), scores.T
    return {
        "annotation_precision": float(precision),
        "annotation_recall": float(recall),
        "annotation_f1": float(2 * precision * recall / max(precision + recall, 1e-300)),
        **{f"retrieval_p{k}": float(precision_at_k(*by_tag, k=k)) for k in (3, 5, 10)},
        "retrieval_map": float(average_precision(*by_tag, average="samples")),
        "retrieval_auc": float(roc_auc(*by_tag, average="samples")),
    }
