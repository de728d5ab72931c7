"""Sets of label sets that hold the truth with a stated probability."""

from dataclasses import dataclass

import numpy as np

from labelfield._gate.reading import as_numbers
from labelfield.promise.evidence import check_rates

__all__ = ["Alternatives", "least_log_prob", "list_alternatives"]


@dataclass(frozen=True, eq=False)
class Alternatives:
    """For each row the label sets among which the truth is.

    Attributes
    ----------
    sets : list of n uint8 arrays of shape (k_i, L)
        Most probable first, at least one each.
    probabilities : list of n arrays of shape (k_i,)
    nothing_excluded : bool array of shape (n,)
        Rows where the list would be longer than `max_sets`: what is listed are the best sets only,
        and every other set counts as listed too.
    coverage : float
        The promise: over new rows from the same source, and over the choice of the reviewed rows,
        the truth is listed (or nothing is excluded) with at least this probability.
    least : float
        Sets of at least this probability are listed.
    exact : bool
        Whether the promise is exact, or approximate because rows were predicted out of fold.
    """

    sets: list
    probabilities: list
    nothing_excluded: np.ndarray
    coverage: float
    least: float
    exact: bool

    def __len__(self):
        return len(self.sets)

    @property
    def sizes(self):
        """Number of listed sets; infinite where nothing is excluded: (n,)."""
        lengths = np.array([len(sets) for sets in self.sets], dtype=float)
        return np.where(self.nothing_excluded, np.inf, lengths)

    def covers(self, truth):
        """Return whether the truth (n, L) is listed, or nothing is excluded: bool (n,)."""
        listed = [(sets == row).all(axis=1).any() for sets, row in zip(self.sets, truth)]
        return np.array(listed, dtype=bool) | self.nothing_excluded

    def summary(self, truth=None):
        """Return coverage (given the truth), mean size where sets are excluded, share flagged."""
        sizes = self.sizes[~self.nothing_excluded]
        found = {
            "size": float(sizes.mean()) if len(sizes) else np.nan,
            "flagged": float(self.nothing_excluded.mean()) if len(self) else np.nan,
        }
        if truth is not None:
            found["coverage"] = float(self.covers(truth).mean())
        return found


def least_log_prob(log_prob, coverage):
    """Return from which log-probability on sets are listed, so that the truth is one of them.

    Parameters
    ----------
    log_prob : array of shape (n,)
        Of the true sets of rows that the joint has not seen; -inf where it is no possible answer.
    coverage : float in (0, 1)

    Returns
    -------
    least : float
        -inf (list all sets) where the rows are too few.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.promise import least_log_prob
    >>> p = np.arange(1, 20) / 20
    >>> float(np.exp(least_log_prob(np.log(p), coverage=0.9)).round(2))
    0.1
    """
    log_prob = as_numbers(log_prob, "log_prob").astype(float)
    if log_prob.ndim != 1 or np.isnan(log_prob).any():
        raise ValueError("log_prob must have shape (n,), without NaN.")
    check_rates(coverage=coverage)
    rank = int(np.ceil((len(log_prob) + 1) * coverage - 1e-9))
    if rank > len(log_prob):
        return -np.inf
    return float(np.sort(log_prob)[::-1][rank - 1])


def list_alternatives(joint, least, max_sets, allow_empty=True):
    """Return the sets of at least a log-probability, or the best ones and that nothing is excluded.

    Parameters
    ----------
    joint : Joint of n rows
    least : float
    max_sets : int
    allow_empty : bool, default=True
        Whether the empty set is a possible answer.

    Returns
    -------
    sets, log_prob : lists of n arrays (k_i, L) and (k_i,)
    nothing_excluded : bool (n,)
        Also where the search for the best sets could not prove that none is missing.
    """
    sets, log_probs = [], []
    flagged = np.empty(len(joint), dtype=bool)
    for rows, block in joint.blocks(16.0 * (max_sets + 1) * joint.n_labels):
        found = block._ranked(max_sets + 1, allow_empty)
        listed = found.log_prob >= least
        left = 1.0 - np.exp(found.log_prob).sum(axis=1)  # no other set has more than all of them
        open_end = (found.rest >= least) & (left >= np.exp(least))
        unproven = ~found.proven & (left >= np.exp(least))
        flagged[rows] = (listed.sum(axis=1) > max_sets) | (listed[:, -1] & open_end) | unproven
        for one, log_prob, keep in zip(found.sets, found.log_prob, listed):
            keep = keep.copy()
            keep[0] = True
            sets.append(one[keep][:max_sets])
            log_probs.append(log_prob[keep][:max_sets])
    return sets, log_probs, flagged
