"""One classifier per label."""

from labelfield._gate.validation import split_known
from labelfield._parameters import STRENGTH, at_least, declare
from labelfield.base import WeightedJointClassifier
from labelfield.joints import IndependentJoint
from labelfield.learners.class_weight import entry_weights
from labelfield.learners.conditional import fit_labels

__all__ = ["BinaryRelevance"]


class BinaryRelevance(WeightedJointClassifier):
    """BR: one classifier per label, labels independent given x.

    The baseline of multi-label learning. By default all labels are fitted together as one batched
    logistic regression; pass any scikit-learn classifier to fit clones of it instead. Unknown
    labels (NaN in Y) are left out of their label's problem.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Cloned for every label. Probabilities come from its `predict_proba`, or from the logistic
        function of its `decision_function`. For blocks of rows: BlockBagging(classifier).
    alpha : float or "auto", default="auto"
        Strength of the penalty against the summed loss: 1 / C of scikit-learn's
        LogisticRegression. "auto" tries strengths on folds of the training rows and takes the one
        for all labels under which the held-out rows are most likely.
    l1_ratio : float, default=0.0
        Share of the l1 norm in the penalty.
    class_weight : "balanced" or mapping, optional
        Weights of present and absent labels. "balanced" makes both sides of every label weigh the
        same; {label: weight} weighs a label, by name or number, where it is present, and
        {label: {0: weight, 1: weight}} both sides. For a 1-d target {class: weight}. Probabilities
        are then those of rows so weighted.
    max_iter, tol : int, float
        When the logistic solver stops.
    decoder : str or Decoder, default="subset"
        The decision that `predict` takes.
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.
    min_weight : float, default=0.0
        Weights of the logistic default below this size are dropped after the fit: above 0 `coef_`
        is a sparse matrix, which is how very many labels fit into memory.
    n_jobs : int, optional
        Threads of the logistic fit and of its predictions, or clones fitted at once.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
        Weights, with the logistic default only.
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not), with the logistic default.
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

    _accepts_unknown = True
    _spares_twins = True
    _follows_tensors = True
    _takes_blocks = _estimator_takes_blocks = True
    _takes_sparse_labels = True
    _parameter_constraints = declare(
        "estimator",
        "l1_ratio",
        "class_weight",
        "max_iter",
        "tol",
        "decoder",
        "on_violation",
        "rules",
        "n_jobs",
        alpha=STRENGTH,
        min_weight=[at_least(0)],
    )
    min_weight = 0.0  # of models saved before there was such an argument

    def __init__(
        self,
        estimator=None,
        *,
        alpha="auto",
        l1_ratio=0.0,
        class_weight=None,
        max_iter=1000,
        tol=1e-6,
        decoder="subset",
        rules=None,
        on_violation="error",
        min_weight=0.0,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation
        self.min_weight = min_weight
        self.n_jobs = n_jobs

    def _fit(self, X, Y, sample_weight=None):
        labels, known = split_known(Y)
        self.problems_ = fit_labels(
            self.estimator,
            X,
            labels,
            known=known,
            sample_weight=entry_weights(self, labels, known, sample_weight),
            n_jobs=self.n_jobs,
            alpha=self.alpha,
            l1_ratio=self.l1_ratio,
            max_iter=self.max_iter,
            tol=self.tol,
            min_weight=self.min_weight,
        )
        if self.estimator is None:
            self.coef_ = self.problems_.coef.T
            self.intercept_ = self.problems_.intercept
        self.alpha_, self.strength_path_ = self.problems_.alpha, self.problems_.path
        self.n_iter_ = self.problems_.n_iter

    def _computes_on_tensors(self):
        return super()._computes_on_tensors() and not (self.l1_ratio or self.min_weight)

    def _joint(self, X):
        return IndependentJoint(self.problems_.log_odds(X))

    def _feature_weights(self):
        weights = self.problems_.feature_weights
        return weights.toarray() if self.min_weight and self.estimator is None else weights
