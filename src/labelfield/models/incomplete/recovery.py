"""Finding labels that are missing or wrong in a data set."""

from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, clone

from labelfield._gate.reading import take_rows
from labelfield._gate.validation import label_evidence, split_known, validate_fit
from labelfield.kernels.sets.logspace import clipped_logit
from labelfield.model_selection import MultilabelStratifiedKFold

__all__ = ["Recovery", "Suspect", "recover"]

KINDS = ("all", "missing", "unknown", "wrong")


class Suspect(NamedTuple):
    """A label that probably differs from its mark.

    `observed` is 0, 1 or NaN (unknown); `probability` is that of the label being present. The kind
    is "missing" (marked 0, probably present), "wrong" (marked 1, probably absent) or "unknown" (not
    marked, to be filled in).
    """

    row: int
    label: str
    observed: float
    probability: float
    kind: str


@dataclass(frozen=True, eq=False, repr=False)
class Recovery:
    """What `recover` found.

    Attributes
    ----------
    labels : uint8 array of shape (n, L)
        The marks as they are, with unknown labels filled in where present is likelier than absent.
        With `positives_only` zeros count as unknown.
    probabilities : array of shape (n, L)
        Probability that each label is present, given the features, all other marks of the row and
        its own mark, by a model that has not seen the row.
    observed : array of shape (n, L)
        The marks: 0, 1 or NaN.
    label_names : array of shape (L,)
    judged : bool array of shape (n, L), all True by default
        Where the rows that the model learned from hold the label both as 0 and as 1. A label that
        occurs in one row only cannot be judged there: to a model that has never seen it, it is
        always a mistake. Such marks are no suspects.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.models.incomplete.recovery import Recovery
    >>> marks = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> found = Recovery(marks, np.array([[0.9, 0.7], [0.8, 0.1]]), marks, np.array(["a", "b"]))
    >>> found.suspects(1)
    [Suspect(row=1, label='b', observed=1.0, probability=0.1, kind='wrong')]
    >>> found
    Recovery(rows=2, labels=2, not judged: 0 of 4 marks)
    """

    labels: np.ndarray
    probabilities: np.ndarray
    observed: np.ndarray
    label_names: np.ndarray
    judged: np.ndarray | None = None

    def __post_init__(self):
        if self.judged is None:
            object.__setattr__(self, "judged", np.ones(self.observed.shape, dtype=bool))

    def __repr__(self):
        n_rows, n_labels = self.observed.shape
        n_marks = int((~np.isnan(self.observed)).sum())
        return (
            f"Recovery(rows={n_rows}, labels={n_labels}, "
            f"not judged: {self.n_not_judged} of {n_marks} marks)"
        )

    @property
    def n_not_judged(self):
        """Number of marks that could not be judged."""
        return int((~self.judged & ~np.isnan(self.observed)).sum())

    def suspects(self, n=None, *, kind="all"):
        """Return the labels most likely to differ from their marks, worst first.

        Parameters
        ----------
        n : int, optional
            How many; all by default.
        kind : {"all", "missing", "unknown", "wrong"}
            Those marked 0 ("missing"), not marked ("unknown"), marked 1 ("wrong"), or "all" that
            have a mark.

        Returns
        -------
        list of Suspect
        """
        doubt = self._doubt(kind)
        order = np.argsort(-doubt, axis=None, kind="stable")[: int((doubt >= 0).sum())][:n]
        return [self._suspect(*entry) for entry in zip(*np.unravel_index(order, doubt.shape))]

    def of_row(self, row, *, kind="all"):
        """Return the suspects of one row, worst first."""
        doubt = self._doubt(kind)[row]
        order = np.argsort(-doubt, kind="stable")[: int((doubt >= 0).sum())]
        return [self._suspect(row, label) for label in order]

    def _doubt(self, kind):
        """Return the probability of another mark (n, L), -1 for other kinds and not judged."""
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
        p = self.probabilities
        doubt = np.full(p.shape, -1.0)
        if kind in ("all", "missing"):
            doubt = np.where(self.observed == 0, p, doubt)
        if kind in ("all", "wrong"):
            doubt = np.where(self.observed == 1, 1.0 - p, doubt)
        if kind == "unknown":
            doubt = np.where(np.isnan(self.observed), p, doubt)
        return np.where(self.judged, doubt, -1.0)

    def _suspect(self, row, label):
        mark = self.observed[row, label]
        kind = "unknown" if np.isnan(mark) else "wrong" if mark else "missing"
        name, p = str(self.label_names[label]), float(self.probabilities[row, label])
        return Suspect(int(row), name, float(mark), p, kind)


def recover(
    X,
    Y,
    model,
    *,
    positives_only=False,
    missing_rate=0.1,
    wrong_rate=0.02,
    cv=5,
    random_state=0,
):
    """Complete labels and list those that are likely missing or wrong.

    Every row is judged by a clone of the model fitted to other rows, given the other marks of the
    row: a label that usually comes with those marked is more likely than its features alone say.
    A label is judged in the rows whose model has seen it present and absent; how many marks were
    not judged is said by the result.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
    Y : array, CSR matrix or data frame of shape (n, L), 0, 1 or NaN (unknown)
    model : classifier of labelfield
        Anything with `predict_given`: every model that gives a joint.
    positives_only : bool, default=False
        Read 0 as "not marked": such labels are filled in. A row without any mark is then no
        evidence, and no model learns from it.
    missing_rate : float in (0, 1), default=0.1
        How often a present label is marked 0. It shifts the probabilities of labels marked 0 and
        hardly changes their order.
    wrong_rate : float in (0, 1), default=0.02
        How often an absent label is marked 1.
    cv : int, default=5
        Parts of the rows; each is judged by the model fitted to the others.
    random_state : int, RandomState or Generator, default=0
        For the parts.

    Returns
    -------
    Recovery

    Examples
    --------
    >>> from labelfield import PairwiseCRF, recover
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> Y = data.Y.copy()
    >>> Y[7] = 1 - Y[7]
    >>> found = recover(data.X, Y, PairwiseCRF())
    >>> found.suspects(1)[0].kind
    'missing'
    """
    if isinstance(model, type) or not hasattr(model, "predict_given"):
        raise ValueError(
            f"model={model!r} is no object that has predict_given; give a classifier of labelfield "
            "that has a joint, such as PairwiseCRF()."
        )
    if not isinstance(positives_only, (bool, np.bool_)):
        raise ValueError(f"positives_only={positives_only!r} must be True or False.")
    reader = LabelRecovery()
    X, marks = validate_fit(reader, X, Y, accept_unknown=True, hand_through=True)
    rates = {"missing_rate": missing_rate, "wrong_rate": wrong_rate}
    own = label_evidence(marks, **rates)
    if positives_only:  # the model is one of marks, of which there are 1 - missing_rate per label
        own = np.where(marks == 0, logit(missing_rate), own)
    labels, known = split_known(marks)
    usable = labels.any(axis=1) if positives_only else np.ones(len(labels), dtype=bool)
    if known is not None:
        usable &= known.any(axis=1)
    given, judged = np.empty(marks.shape), np.empty(marks.shape, dtype=bool)
    for train, test in _parts(marks, cv, random_state):
        train = train[usable[train]]
        if not len(train):
            raise ValueError("Y marks no label in the rows to learn from; give more marked rows.")
        fitted = clone(model).fit(take_rows(X, train), marks[train])
        given[test] = fitted.predict_given(take_rows(X, test), marks[test], **rates)
        judged[test] = (marks[train] == 1).any(axis=0) & (marks[train] == 0).any(axis=0)
    p = expit(clipped_logit(given) + own)
    open_labels = np.isnan(marks.astype(float)) | (positives_only & (marks == 0))
    completed = np.where(open_labels, p > 0.5, labels).astype(np.uint8)
    return Recovery(completed, p, marks.astype(float), reader.label_names_, judged)


class LabelRecovery(BaseEstimator):
    """Holds what the gate for data stores."""


def _parts(marks, cv, random_state):
    if not isinstance(cv, Integral) or cv < 2 or len(marks) < 2:
        raise ValueError(
            f"recover judges rows by models fitted to others: cv={cv!r} and n_samples={len(marks)} "
            "must both be whole numbers of at least 2."
        )
    folds = MultilabelStratifiedKFold(min(cv, len(marks)), shuffle=True, random_state=random_state)
    return folds.split(marks, marks)
