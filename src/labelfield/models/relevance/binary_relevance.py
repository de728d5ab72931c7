"""One classifier per label."""

from labelfield._progress import with_callbacks
from labelfield._validation import split_known, validate_fit, validate_weights
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.learners.conditional import fit_labels

__all__ = ["BinaryRelevance"]


class BinaryRelevance(JointClassifier):
    """BR: one classifier per label, labels independent given x.

    The baseline of multi-label learning. By default all labels are fitted together as one batched
    logistic regression; pass any scikit-learn classifier to fit clones of it instead. Unknown
    labels (NaN in Y) are left out of their label's problem.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Cloned for every label. Probabilities come from its `predict_proba`, or from the logistic
        function of its `decision_function`.
    alpha : float, default=1.0
        Strength of the penalty against the summed loss: 1 / C of scikit-learn's
        LogisticRegression.
    l1_ratio : float, default=0.0
        Share of the l1 norm in the penalty.
    max_iter, tol : int, float
        When the logistic solver stops.
    decoder : str or Decoder, default="hamming"
        The decision that `predict` takes.
    n_jobs : int, optional
        Clones fitted at once.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
        Weights, with the logistic default only.
    label_names_ : array of shape (L,)

    Examples
    --------
    >>> from labelfield import BinaryRelevance
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> model = BinaryRelevance().fit(X, Y)
    >>> model.predict_proba(X[:2]).shape
    (2, 4)
    >>> model.predict(X[:2], decoder="f1").shape
    (2, 4)
    """

    def __init__(
        self,
        estimator=None,
        *,
        alpha=1.0,
        l1_ratio=0.0,
        max_iter=1000,
        tol=1e-3,
        decoder="hamming",
        n_jobs=None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        """Fit a classifier per label.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        y : array, CSR matrix or data frame of shape (n, L), 0, 1 or NaN (unknown)
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        X, Y = validate_fit(self, X, y, accept_unknown=True)
        labels, known = split_known(Y)
        self.problems_ = fit_labels(
            self.estimator,
            X,
            labels,
            known=known,
            sample_weight=validate_weights(sample_weight, X),
            n_jobs=self.n_jobs,
            alpha=self.alpha,
            l1_ratio=self.l1_ratio,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        if self.estimator is None:
            self.coef_ = self.problems_.coef.T
            self.intercept_ = self.problems_.intercept
        self.n_iter_ = self.problems_.n_iter
        return self._learn_decoder(X, Y)

    def _joint(self, X):
        return IndependentJoint(self.problems_.log_odds(X))
