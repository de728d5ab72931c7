"""LSF: probabilities of label and set size, estimated directly, for the decision by F1."""

import numpy as np

from labelfield._gate.reading import count_rows
from labelfield._parameters import declare, positive
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.learners import MultinomialLearner
from labelfield.learners.conditional import fit_labels

__all__ = ["DirectSizes", "SizedLabels"]


class DirectSizes(JointClassifier):
    """LSF: P(y_l = 1, |y| = s | x) = P(y_l = 1 | x) P(|y| = s | x, y_l = 1), without a joint.

    The first factor is a logistic regression, the second a multinomial one on the rows that have
    the label. Decisions for F1 need no more; those by other measures see independent labels.
    P(no label | x) is a logistic regression too, zero where every training row has a label.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of all penalties.
    max_iter, tol : int, float
    decoder : str or Decoder, default="f1"

    References
    ----------
    Waegeman, Dembczynski, Jachnik, Cheng, Hullermeier (2014): On the Bayes-optimality of
    F-measure maximizers. JMLR 15. The factors are those of C. Li (2019), section 3.7.2.

    Examples
    --------
    >>> from lab.comparators.lsf import DirectSizes
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> DirectSizes().fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare("max_iter", "tol", "decoder", alpha=[positive])

    def __init__(self, *, alpha=1.0, max_iter=1000, tol=1e-6, decoder="f1"):
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder

    def _fit(self, X, Y):
        options = {"alpha": self.alpha, "max_iter": self.max_iter, "tol": self.tol}
        sizes = Y.sum(axis=1, dtype=int)
        self.max_size_ = max(int(sizes.max()), 1)
        self.labels_ = fit_labels(None, X, Y, **options)
        is_empty = (sizes == 0).astype(np.uint8)[:, None]
        self.empty_ = fit_labels(None, X, is_empty, **options) if is_empty.any() else None
        self.sizes_ = [
            _SizeGiven(X[rows], sizes[rows], options)
            for rows in (np.flatnonzero(Y[:, label]) for label in range(Y.shape[1]))
        ]

    def _joint(self, X):
        logits = self.labels_.log_odds(X)
        present = IndependentJoint(logits).marginals()
        by_size = np.zeros((*logits.shape, self.max_size_))
        for label, size in enumerate(self.sizes_):
            by_size[:, label, size.seen - 1] = present[:, [label]] * size.probabilities(X)
        empty = np.zeros((len(logits), 1))
        if self.empty_ is not None:
            empty = IndependentJoint(self.empty_.log_odds(X)).marginals()
        return SizedLabels(logits, by_size, empty[:, 0])

    def _bytes_per_row(self):
        return 32.0 * len(self.label_names_) * self.max_size_


class _SizeGiven:
    """The size of a set that has some label, as far as rows with that label tell."""

    def __init__(self, X, sizes, options):
        self.seen, codes = np.unique(sizes, return_inverse=True)
        self.learner = None
        if not len(self.seen):
            self.seen = np.array([1])
        if len(self.seen) > 1:
            targets = np.eye(len(self.seen))[codes.ravel()]
            self.learner = MultinomialLearner(**options).fit(X, targets)

    def probabilities(self, X):
        """Return the probabilities of the sizes seen: (n, S)."""
        if self.learner is None:
            return np.ones((count_rows(X), 1))
        return np.exp(self.learner.log_proba(X))


class SizedLabels(IndependentJoint):
    """Independent labels whose P(y_l = 1, |y| = s) are given: by_size (n, L, S), empty (n,)."""

    _row_arrays = ("logits", "by_size", "empty")
    _sizes_first = False

    def __init__(self, logits, by_size, empty):
        super().__init__(logits)
        self.by_size, self.empty = by_size, empty

    @property
    def exact(self):
        return False

    def size_marginals(self, max_size=None):
        n_sizes = self._n_sizes(max_size)
        answer = np.zeros((*self.logits.shape, n_sizes))
        n_kept = min(n_sizes, self.by_size.shape[2])
        answer[..., :n_kept] = self.by_size[..., :n_kept]
        return answer

    def size_table(self, negligible=0.0):
        return self.by_size, self.empty
