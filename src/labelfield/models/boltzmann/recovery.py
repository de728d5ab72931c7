"""The E step: fill in labels that are not known."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from labelfield import kernels
from labelfield.joints.base import block_rows

__all__ = ["STARTS", "Known", "climb"]

STARTS = ("meanfield", "bias", "paper")


@dataclass(frozen=True)
class Known:
    """Which labels of some rows are known, and what is believed of the others.

    Attributes
    ----------
    Y : (n, L) uint8 array
        Labels, 0 where not known.
    free : (n, L) bool array
        Where they are not known.
    silent : bool
        Whether a label is not known because it was not named: absent labels never are, present
        ones are not with probability `missing_rate`. Otherwise it is not known by chance.
    """

    Y: np.ndarray
    free: np.ndarray
    silent: bool = False

    @classmethod
    def read(cls, Y, positives_only):
        """Read labels (n, L) from the gate, where NaN (or, with positives_only, 0) is unknown."""
        known = ~np.isnan(Y) if Y.dtype.kind == "f" else np.ones(Y.shape, dtype=bool)
        labels = np.where(known, Y, 0).astype(np.uint8)
        if positives_only:
            known = labels == 1
        return cls(labels, ~known, bool(positives_only))

    @classmethod
    def nothing(cls, n_rows, n_labels):
        """Return rows of which no label is known."""
        return cls(
            np.zeros((n_rows, n_labels), dtype=np.uint8), np.ones((n_rows, n_labels), dtype=bool)
        )

    @property
    def any_free(self):
        """Whether anything is to be recovered."""
        return bool(self.free.any())

    def offset(self, missing_rate):
        """Return what being unknown adds to the log-odds of a label.

        P(present | not named) / P(absent | not named) is the model's odds times the probability
        that a present label is not named.
        """
        return np.log(missing_rate) if self.silent and missing_rate is not None else 0.0

    def rates(self, missing_rate):
        """Return how often each label is present: (L,), within (0, 1)."""
        n_known = len(self.Y) if self.silent else np.maximum((~self.free).sum(axis=0), 1)
        rates = self.Y.sum(axis=0) / n_known
        if self.silent and missing_rate is not None:
            rates = rates / (1.0 - missing_rate)
        edge = 0.5 / (len(self.Y) + 1)
        return np.clip(rates, edge, 1.0 - edge)

    def complete(self, P, missing_rate):
        """Fill in labels by their probabilities P (n, L): uint8 (n, L).

        Those likelier than not; but where a share of the present labels is believed not to be
        named, the likeliest ones in that number, of whatever probability.
        """
        if not self.silent or missing_rate is None:
            return np.where(self.free, P > 0.5, self.Y).astype(np.uint8)
        labels = self.Y.copy()
        wanted = round(np.count_nonzero(self.Y) * missing_rate / (1.0 - missing_rate))
        unknown = np.flatnonzero(self.free)
        order = np.argsort(-P.flat[unknown], kind="stable")[:wanted]
        labels.flat[unknown[order]] = 1
        return labels

    def as_targets(self):
        """Return the labels as `Joint.condition` takes them: NaN where not known."""
        return np.where(self.free, np.nan, self.Y)


def climb(unary, bias, coupling, hidden_bias, pair, known, *, start, flips, current=None):
    """Return label sets (n, L) near the best of F by projected gradient steps, equation (13).

    Parameters
    ----------
    unary : (n, L) array
        Labels' own terms, the bias (L,) among them.
    coupling, hidden_bias, pair : arrays of shape (L, J), (J,) and (L, L) or None
    known : Known
    start : {"meanfield", "bias", "paper"}
        Where to begin: mean field; sigmoid(unary); sigmoid(unary - bias).
    flips : bool
        Whether single labels are flipped at the end while that helps.
    current : (n, L) array, optional
        Begin there instead, unless start is "meanfield".
    """
    answer = np.empty(unary.shape, dtype=np.uint8)
    for rows in block_rows(len(unary), 80.0 * (unary.shape[1] + len(hidden_bias))):
        free, own = known.free[rows], unary[rows]
        first = expit(own - bias if start == "paper" else own)
        if current is not None and start != "meanfield":
            first = current[rows].astype(float)
        first = np.where(free, first, known.Y[rows])
        machine = (own, coupling, hidden_bias, pair)
        if start == "meanfield":
            first = kernels.fields.rbm.mean_field(first, free, *machine)
        ends, _ = kernels.fields.rbm.ascend(first, free, *machine)
        sets = (ends > 0.5).astype(np.uint8)
        if flips:
            none = np.zeros((0, 0))
            kernels.fields.rbm.greedy_flips(
                sets, free, *machine[:3], none if pair is None else pair
            )
        answer[rows] = sets
    return answer
