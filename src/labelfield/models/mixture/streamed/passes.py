"""Passes of EM over rows that lie elsewhere, and the file that its rounds are kept in."""

from functools import partial

import numpy as np

from labelfield.joints import MixtureJoint
from labelfield.learners.rows import Targets

__all__ = ["RoundCheckpoint", "score_rows"]


def score_rows(rows, Y, chosen, gate, components, score):
    """Return `score(joint, Y)` (m,) of the chosen rows (m,) of Y (n, L), computed where they lie.

    rows : SourceRows
    score : callable that can be sent to other processes
    """
    marks = np.zeros((Y.shape[0], 1))
    marks[chosen] = 1.0
    found = np.full(Y.shape[0], np.nan)
    function = partial(_block_scores, gate=gate, components=components, score=score)
    for block, (inside, values) in rows.with_targets(Targets.of(Y), marks).each(function):
        found[block.start + inside] = values
    return found[chosen]


def _block_scores(block, gate, components, score):
    inside = np.flatnonzero(block.weight[:, 0])
    if not len(inside):
        return inside, np.empty(0)
    X, Y = block.design.X[inside], block.targets.take(inside).dense()
    return inside, score(MixtureJoint(gate.log_weights(X), components.logits(X)), Y)


class RoundCheckpoint:
    """Keeps the rounds of EM in a file; what was kept inside a round goes with its end.

    Parameters
    ----------
    rows : SourceRows
    key : str
        What the rounds belong to.
    scores : list of float
        Of held-out rows, one for every round; filled up when EM goes on from a file.
    """

    def __init__(self, rows, key, scores):
        self.source, self.scores = rows.source, scores
        self.watch = rows.watch(key)
        self.first = self.source.n_solves

    def resume(self):
        """Return the arrays of the file, None where there is none."""
        kept = self.watch.resume() if self.watch is not None else None
        if kept is not None:
            self.scores.extend(kept["scores"].tolist())
            self.source.n_solves = int(kept["n_solves"])
        return kept

    def step(self, state):
        """Keep arrays by name."""
        if self.watch is not None:
            given = {"scores": np.array(self.scores), "n_solves": np.array(self.source.n_solves)}
            self.watch.step(state | given)
            self.source.finish(self.first)
