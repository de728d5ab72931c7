"""Chains of classifiers, each of which sees the labels before it."""

import numpy as np

from labelfield._gate.reading import as_numbers, count_rows, take_rows
from labelfield._gate.validation import as_generator, split_known
from labelfield._parameters import STRENGTH, choice, declare, whole
from labelfield.base import WeightedJointClassifier
from labelfield.joints import ChainJoint
from labelfield.joints.conditionals import Conditionals
from labelfield.learners.class_weight import entry_weights
from labelfield.learners.conditional import expected_labels, fit_labels

__all__ = ["ClassifierChain", "ProbabilisticClassifierChain"]


class ClassifierChain(WeightedJointClassifier):
    """CC: each label's classifier sees the features and the labels before it in the chain.

    The most probable set is searched greedily, one label after the other, as is usual;
    `ProbabilisticClassifierChain` searches for the truly best one. The default logistic chain is
    fitted in one go for all labels. Unknown labels (NaN in Y) are left out of their label's problem
    and stand as features of later ones with the probability that binary relevance gives them.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Cloned for every label; batched logistic regression by default. Of a pipeline only the
        last step is cloned: it sees the labels beside what the other steps make of X.
    order : array of label indices, "random" or None
        The order of the labels in the chain; that of the columns of Y by default.
    alpha, l1_ratio, max_iter, tol : float or "auto", float, int, float
        Of the logistic regressions, see `BinaryRelevance`.
    class_weight : "balanced" or mapping, optional
        Weights of present and absent labels, see `BinaryRelevance`.
    n_draws : int, default=1000
        Draws behind marginal probabilities with more than 12 labels.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.
    n_jobs : int, optional
        Threads of the logistic chain's predictions, or clones fitted at once.
    random_state : int, RandomState or Generator, optional
        For `order="random"`.

    Attributes
    ----------
    order_ : array of shape (L,)
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not), with the logistic default.

    References
    ----------
    Read, Pfahringer, Holmes, Frank (2011): Classifier chains for multi-label classification.
    Machine Learning 85.

    Examples
    --------
    >>> from labelfield import ClassifierChain
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> ClassifierChain().fit(X, Y).predict(X[:3]).shape
    (3, 4)
    """

    _accepts_unknown = True
    _spares_twins = True
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
        "random_state",
        alpha=STRENGTH,
        order=[choice("random"), "array-like", None],
        n_draws=[whole(1)],
    )

    def __init__(
        self,
        estimator=None,
        *,
        order=None,
        alpha="auto",
        l1_ratio=0.0,
        class_weight=None,
        max_iter=1000,
        tol=1e-6,
        n_draws=1000,
        decoder="subset",
        rules=None,
        on_violation="error",
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.order = order
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_draws = n_draws
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X, Y, sample_weight=None):
        labels, known = split_known(Y)
        self.order_ = self._chain_order(Y.shape[1])
        position = np.argsort(self.order_)
        options = {"parents": position[:, None] < position[None, :]}
        if known is not None:
            alone = self._fit_problems(X, labels, known, sample_weight)
            options["parent_values"] = expected_labels(labels, known, alone.log_odds(X))
        self.problems_ = self._fit_problems(X, labels, known, sample_weight, **options)
        self.alpha_, self.strength_path_ = self.problems_.alpha, self.problems_.path
        self.n_iter_ = self.problems_.n_iter

    def _fit_problems(self, X, labels, known, sample_weight, **options):
        return fit_labels(
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
            **options,
        )

    def _chain_order(self, n_labels):
        if self.order is None:
            return np.arange(n_labels)
        if isinstance(self.order, str):
            return as_generator(self.random_state).permutation(n_labels)
        wanted = f"the numbers 0..{n_labels - 1}, each once"
        order = as_numbers(self.order, "order", wanted)
        if order.ndim != 1 or not np.array_equal(np.sort(order), np.arange(n_labels)):
            raise ValueError(f"order must hold {wanted}; got {self.order!r}.")
        return order.astype(np.intp)

    def _joint(self, X):
        return self._chain_joint(X, max_beam=1)

    def _feature_weights(self):
        return self.problems_.feature_weights

    def _chain_joint(self, X, max_beam):
        options = {"max_beam": max_beam, "n_draws": self.n_draws}
        if self.estimator is not None:
            return ChainJoint(ClonedChain(X, self.problems_, self.order_), self.order_, **options)
        logits = np.asarray(X @ self.problems_.coef) + self.problems_.intercept
        return ChainJoint.linear(logits, self.problems_.coupling.T, self.order_, **options)


class ProbabilisticClassifierChain(ClassifierChain):
    """PCC: a classifier chain whose best set is searched for with a beam that proves its answer.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Cloned for every label; batched logistic regression by default.
    max_beam : int, default=1024
        The widest beam tried for rows whose best set is not proven with a narrower one.
    order, alpha, l1_ratio, class_weight, max_iter, tol, n_draws, decoder, n_jobs, random_state
        See `ClassifierChain`.

    References
    ----------
    Dembczynski, Cheng, Hullermeier (2010): Bayes optimal multilabel classification via
    probabilistic classifier chains. ICML.

    Examples
    --------
    >>> from labelfield import ProbabilisticClassifierChain
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> model = ProbabilisticClassifierChain().fit(X, Y)
    >>> bool(model.predict_joint(X[:3]).certified().all())
    True
    """

    _parameter_constraints = ClassifierChain._parameter_constraints | {"max_beam": [whole(1)]}

    def __init__(
        self,
        estimator=None,
        *,
        max_beam=1024,
        order=None,
        alpha="auto",
        l1_ratio=0.0,
        class_weight=None,
        max_iter=1000,
        tol=1e-6,
        n_draws=1000,
        decoder="subset",
        rules=None,
        on_violation="error",
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(
            estimator,
            order=order,
            alpha=alpha,
            l1_ratio=l1_ratio,
            class_weight=class_weight,
            max_iter=max_iter,
            tol=tol,
            n_draws=n_draws,
            decoder=decoder,
            rules=rules,
            on_violation=on_violation,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.max_beam = max_beam

    def _joint(self, X):
        return self._chain_joint(X, self.max_beam)


class ClonedChain(Conditionals):
    """What a chain joint asks of clones: log-odds of one position given the labels before it."""

    def __init__(self, X, problems, order):
        self.X = problems.encode(X)
        self.problems = problems
        self.order = order

    def __len__(self):
        return count_rows(self.X)

    def log_odds(self, position, rows, earlier):
        Y = np.zeros((len(rows), len(self.order)), dtype=np.uint8)
        Y[:, self.order[:position]] = earlier
        X = take_rows(self.X, rows)
        return self.problems.label_log_odds(self.order[position], X, Y)
