"""AdaBoost.MH: one question to a row per round, with an answer for every label."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from labelfield._parameters import declare, whole
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint

__all__ = ["JointBoosting", "question_errors"]

N_THRESHOLDS = 16  # of a feature, at its quantiles
BLOCK = 1000  # columns that are looked at together


class JointBoosting(JointClassifier):
    """AdaBoost.MH with real votes (BoosTexter): stumps that all labels share.

    A round asks one question of the rows: is a feature above a threshold? Both answers vote for or
    against every label, by half the log-odds of the label among the rows as they are weighted; the
    question with the least exponential loss over all labels is taken. Of a word that few rows have
    the only threshold is zero: is it there?

    Parameters
    ----------
    n_rounds : int, default=300
    decoder : str or Decoder, default="hamming"

    Attributes
    ----------
    features_, thresholds_ : arrays of shape (Q,)
        The questions that were asked.
    votes_, base_ : arrays of shape (Q, L) and (L,)
        What "yes" adds to a label's score, and where it begins.
    trace_ : list of float
        The exponential loss after each round, a bound of the Hamming loss.

    References
    ----------
    Schapire, Singer (2000): BoosTexter: a boosting-based system for text categorization. Machine
    Learning 39.

    Examples
    --------
    >>> from lab.comparators.adaboost_mh import JointBoosting
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> JointBoosting(n_rounds=20).fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare("decoder", n_rounds=[whole(1)])

    def __init__(self, *, n_rounds=300, decoder="hamming"):
        self.n_rounds = n_rounds
        self.decoder = decoder

    def _fit(self, X, Y):
        self.features_, self.thresholds_ = _questions(X)
        answers = self._ask(X)
        told, by_question = answers.T.tocsr(), answers.tocsc()
        self.votes_, self.base_ = np.zeros((answers.shape[1], Y.shape[1])), np.zeros(Y.shape[1])
        weights = np.full(Y.shape, 1.0 / Y.size)
        self.trace_, loss = [], 1.0
        for _ in range(self.n_rounds):
            errors, yes, no = question_errors(told, weights, Y, smoothing=1.0 / Y.size)
            best = int(errors.argmin())
            self.base_ += no[best]
            self.votes_[best] += yes[best] - no[best]
            vote = np.where(by_question[:, [best]].toarray() > 0, yes[best], no[best])
            weights *= np.exp(np.where(Y == 1, -vote, vote))
            loss *= weights.sum()
            weights /= weights.sum()
            self.trace_.append(float(loss))
        asked = self.votes_.any(axis=1)
        asked[0] |= not asked.any()
        self.features_, self.thresholds_ = self.features_[asked], self.thresholds_[asked]
        self.votes_ = self.votes_[asked]

    def _ask(self, X):
        """Return whether rows are above the thresholds: CSR (n, Q)."""
        X = sp.csc_matrix(X) if sp.issparse(X) else X
        parts = [
            sp.csc_matrix(
                _dense(X, self.features_[part]) > self.thresholds_[part], dtype=np.float64
            )
            for part in gen_batches(len(self.features_), BLOCK)
        ]
        return sp.hstack(parts, format="csr")

    def _joint(self, X):
        return IndependentJoint(2.0 * (self._ask(X) @ self.votes_ + self.base_))


def _questions(X):
    """Return features and thresholds (Q,): the quantiles that differ."""
    X = sp.csc_matrix(X) if sp.issparse(X) else X
    levels = np.arange(1, N_THRESHOLDS + 1) / (N_THRESHOLDS + 1)
    found = [
        np.unique(column)
        for part in gen_batches(X.shape[1], BLOCK)
        for column in np.quantile(_dense(X, part), levels, axis=0).T
    ]
    return np.repeat(np.arange(X.shape[1]), [len(one) for one in found]), np.concatenate(found)


def _dense(X, columns):
    return X[:, columns].toarray() if sp.issparse(X) else X[:, columns]


def question_errors(told, weights, Y, smoothing):
    """Return the exponential loss (Q,) of each question, and its votes for yes and no (Q, L).

    told (Q, n) are the answers of the rows, weights (n, L) those of rows and labels.
    """
    L = Y.shape[1]
    both = np.concatenate([weights * Y, weights * (1 - Y)], axis=1)
    yes = told @ both
    no = np.maximum(both.sum(axis=0) - yes, 0.0)
    errors = sum(2.0 * np.sqrt(one[:, :L] * one[:, L:]).sum(axis=1) for one in (yes, no))
    votes = (0.5 * np.log((one[:, :L] + smoothing) / (one[:, L:] + smoothing)) for one in (yes, no))
    return errors, *votes
