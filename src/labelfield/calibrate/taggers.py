"""Answers of taggers that live elsewhere: read into one matrix, and handed to models."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from labelfield._gate.reading import as_numbers
from labelfield.kernels.sets.logspace import clipped_logit

__all__ = ["TaggerColumns", "TaggerScores"]

ONLY = "scores"  # name of the one tagger where answers name none
SUREST = 1e-4  # log-odds as features stay within those of 1e-4 and 1 - 1e-4


@dataclass(frozen=True, eq=False)
class TaggerScores:
    """What taggers say about n rows and L labels.

    Attributes
    ----------
    scores : array of shape (n, T L)
        Probabilities, tagger by tagger; NaN where a label was not asked about.
    taggers, labels : tuple of T str, tuple of L str
    """

    scores: np.ndarray
    taggers: tuple
    labels: tuple

    @property
    def names(self):
        """Names of the columns: the label, after its tagger where there are several."""
        if len(self.taggers) == 1:
            return self.labels
        return tuple(f"{tagger}: {label}" for tagger in self.taggers for label in self.labels)

    @classmethod
    def read(cls, answers, labels=None, taggers=None):
        """Read one answer a row.

        Parameters
        ----------
        answers : sequence of n answers
            Each of them numbers, one for each label (a row of a matrix); or `{label: score}`, where
            a label that is missing or None was not asked about; or a list of tags; or several such
            lists (votes), each of which says no to the labels that it leaves out; or
            `{tagger: answer}` for several taggers side by side.
        labels : sequence of str, optional
            By default all that answers name, sorted; needed for rows of numbers. Others do not
            count.
        taggers : sequence of str, optional
            By default all that answers name, in the order of their appearance.

        Returns
        -------
        TaggerScores
            Scores of a tagger that leave [0, 1] anywhere are taken for log-odds. k of m votes are
            the probability (k + 1/2) / (m + 1).

        Examples
        --------
        >>> from labelfield.calibrate import TaggerScores
        >>> read = TaggerScores.read([{"sea": 0.9, "sun": 0.2}, {"sea": 0.4}])
        >>> read.labels, read.scores.tolist()
        (('sea', 'sun'), [[0.9, 0.2], [0.4, nan]])
        >>> votes = [["sea"], ["sea", "sun"], ["sea"]]
        >>> TaggerScores.read([{"model": votes, "rules": ["sun"]}]).scores.round(3).tolist()
        [[0.875, 0.375, 0.25, 0.75]]
        """
        if labels is None:
            labels = cls.named(answers)
        rows = [_by_tagger(answer) for answer in answers]
        found = dict.fromkeys(name for row in rows for name in row)
        taggers = tuple(found) or (ONLY,) if taggers is None else tuple(taggers)
        labels = tuple(str(label) for label in labels)
        if not labels:
            raise ValueError("answers name no label; give labels, one for each number of a row.")
        scores = np.full((len(rows), len(taggers), len(labels)), np.nan)
        position = {label: j for j, label in enumerate(labels)}
        for i, row in enumerate(rows):
            for t, tagger in enumerate(taggers):
                if row.get(tagger) is not None:
                    _read_one(row[tagger], position, scores[i, t], f"answer {i + 1}")
        for t in range(len(taggers)):
            one = scores[:, t]
            if np.isinf(one).any():
                raise ValueError(f"tagger {taggers[t]!r} has an infinite score.")
            if (one < 0.0).any() or (one > 1.0).any():
                scores[:, t] = expit(one)
        return cls(scores.reshape(len(rows), -1), taggers, labels)

    @staticmethod
    def named(answers):
        """Return all labels that answers name, sorted: tuple of str."""
        ones = (one for answer in answers for one in _by_tagger(answer).values())
        return tuple(sorted({name for one in ones for name in _named(one)}))


def _by_tagger(answer):
    """Return {tagger: answer}; an answer that names no tagger is that of the only one."""
    if isinstance(answer, Mapping) and answer:
        kinds = {isinstance(value, (Mapping, list, tuple)) for value in answer.values()}
        if kinds == {True}:
            return {str(name): one for name, one in answer.items()}
    return {ONLY: answer}


def _named(answer):
    """Return the labels that one tagger's answer names."""
    if isinstance(answer, Mapping):
        return [str(name) for name in answer]
    if answer is None or not isinstance(answer, (list, tuple)):
        return []
    return [name for one in _votes(answer) for name in one] if _lists_tags(answer) else []


def _lists_tags(answer):
    """Whether this is a list of tags, or of lists of tags, and no row of numbers."""
    return all(
        isinstance(one, str)
        or (isinstance(one, (list, tuple)) and all(isinstance(tag, str) for tag in one))
        for one in answer
    )


def _votes(answer):
    return answer if answer and not isinstance(answer[0], str) else [answer]


def _read_one(answer, position, row, where):
    """Fill a row (L,) with what one tagger says."""
    if isinstance(answer, Mapping):
        for name, score in answer.items():
            if score is not None and str(name) in position:
                row[position[str(name)]] = _number(score, where, name)
    elif isinstance(answer, (list, tuple)) and _lists_tags(answer):
        votes = _votes(answer)
        counts = np.zeros(len(row))
        for vote in votes:
            for name in set([vote] if isinstance(vote, str) else vote):
                if name in position:
                    counts[position[name]] += 1
        row[:] = (counts + 0.5) / (len(votes) + 1.0)
    else:
        numbers = as_numbers(answer, where).astype(float)
        if numbers.shape != row.shape:
            raise ValueError(
                f"{where} must hold {len(row)} numbers, one for each label; got {numbers.shape}."
            )
        row[:] = numbers


def _number(score, where, name):
    if not isinstance(score, Real):
        raise ValueError(f"{where}: the score of {name!r} must be a number; got {score!r}.")
    return float(score)


class TaggerColumns(TransformerMixin, BaseEstimator):
    """Takes the columns of one tagger, or all, and fills those that were not asked about.

    A missing score becomes the share of rows that have the label. Put it before
    `PrecomputedProbabilities`, or with `log_odds` before a model that learns from the scores.

    Parameters
    ----------
    tagger : int, optional
        Number of the tagger; None takes all columns.
    log_odds : bool, default=False
        Whether to give log-odds instead of probabilities.

    Attributes
    ----------
    rates_ : array of shape (L,)

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import make_pipeline, PrecomputedProbabilities
    >>> from labelfield.calibrate import TaggerColumns
    >>> scores = np.array([[0.9, 0.2], [0.6, np.nan]] * 10)
    >>> model = make_pipeline(TaggerColumns(), PrecomputedProbabilities())
    >>> model.fit(scores, np.array([[1, 0], [1, 1]] * 10)).predict_proba(scores[:2])
    array([[0.9, 0.2],
           [0.6, 0.5]])
    """

    def __init__(self, tagger=None, *, log_odds=False):
        self.tagger = tagger
        self.log_odds = log_odds

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X, y):
        """Learn the share of rows with each label.

        Parameters
        ----------
        X : array of shape (n, T L), NaN where not asked
        y : array of shape (n, L)

        Returns
        -------
        self
        """
        y = np.asarray(y, dtype=float)
        known = ~np.isnan(y)
        self.rates_ = (np.where(known, y, 0.0).sum(axis=0) + 0.5) / (known.sum(axis=0) + 1.0)
        n_columns = as_numbers(X, "X").shape[1]
        if n_columns % len(self.rates_):
            raise ValueError(
                f"X must hold one score for each tagger and label: got {n_columns} columns for "
                f"{len(self.rates_)} labels."
            )
        self.n_features_in_ = n_columns
        return self

    def transform(self, X):
        """Return the columns without gaps: (n, L) of one tagger, (n, T L) of all."""
        check_is_fitted(self)
        X = as_numbers(X, "X").astype(float)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} columns; got shape {X.shape}.")
        n_labels = len(self.rates_)
        if self.tagger is not None:
            X = X[:, self.tagger * n_labels : (self.tagger + 1) * n_labels]
        rates = np.tile(self.rates_, X.shape[1] // n_labels)
        filled = np.where(np.isnan(X), rates, X)
        return clipped_logit(np.clip(filled, SUREST, 1.0 - SUREST)) if self.log_odds else filled
