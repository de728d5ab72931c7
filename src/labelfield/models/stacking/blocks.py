"""Members of a pool fitted to blocks of rows, and judged on blocks that they have not seen."""

import numpy as np

from labelfield._gate.reading import count_rows, take_rows
from labelfield.base.weighted_blocks import fit_to_blocks
from labelfield.learners.checkpoint import Checkpoint

__all__ = ["log_prob_of_folds"]


def log_prob_of_folds(model, source, weight, folds):
    """Return what a model says of the sets of rows that it has not seen: (n,), NaN if never asked.

    With a checkpoint the answers of every fold are kept, and a fit that is started again goes on
    with the fold in which it was killed.
    """
    answers = np.full(source.shape[0], np.nan)
    for number, (train, test) in enumerate(folds):
        solve = source.count_solve()
        key = f"{source.fingerprint} {solve} {model!r} fold {number} of {len(folds)}"
        watch = Checkpoint(source.checkpoint_of(solve), key)
        kept = watch.resume()
        if kept is None:
            trained = np.zeros(source.shape[0])
            trained[train] = weight[train]
            fitted = fit_to_blocks(model, source, trained)
            kept = {"objective": _log_prob(fitted, source, test)}
            watch.step(kept)
        else:
            source.count_solve()  # of the fit that is done
        answers[test] = kept["objective"]
    return answers


def _log_prob(model, source, chosen):
    """Return the log-probabilities of the sets of chosen rows (m,), in their order."""
    wanted, found = np.zeros(source.shape[0], dtype=bool), np.empty(source.shape[0])
    wanted[chosen] = True
    first = 0
    for X, *_ in source.blocks:
        last = first + count_rows(X)
        inside = np.flatnonzero(wanted[first:last])
        if len(inside):
            new, numbers = model._enter_new(take_rows(X, inside)), first + inside
            for rows in model._row_blocks(new):
                joint = model._bound_joint(take_rows(new, rows))
                if not joint.normalized:
                    raise ValueError("its joint has no probabilities, only scores")
                sets = source.Y[numbers[rows]].toarray().astype(np.float64)
                found[numbers[rows]] = joint.log_evidence(sets)
        first = last
    return found[chosen]
