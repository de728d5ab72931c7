"""Which base learners the data and the budget allow."""

import time
from dataclasses import dataclass
from numbers import Real

import numpy as np
import scipy.sparse as sp

from labelfield.auto.bases import (
    BoostedBase,
    ClassifierBase,
    ForestBase,
    KernelBase,
    LassoBase,
    LinearBase,
    SvmBase,
)
from labelfield.auto.bases.kernel import MAX_LANDMARKS
from labelfield.learners.trees.row_forest import grows_dense

__all__ = ["BUDGETS", "Clock", "plan_bases"]

BUDGETS = ("quick", "balanced", "best")
OWN_NAMES = frozenset(
    [
        "linear",
        "lasso",
        "kernel",
        "forest",
        "boosted",
        "stack",
        "independent",
        "field",
        "mixture",
        "sets",
        "set logit",
        "product",
        "prior",
        "pool",
    ]
)
N_TREES = 60  # of each fold
N_TREES_BEST = 200
MAX_LASSO_WORK = 3e7  # entries of X x labels
MAX_KERNEL_WORK = 4e10  # rows x landmarks x features
MAX_KERNEL_ROWS = 20_000  # their features are a dense table of rows and landmarks
MAX_RANKED_COLUMNS = 1000
MAX_FOREST_ROWS = 100_000  # every tree has a leaf for nearly every row
MAX_SPARSE_FOREST_ROWS = 20_000
MANY_ROWS = 20_000  # beyond, half the trees do
WIDE = 10_000  # sparse features beyond which logistic regressions are slow, and no better
MAX_LABEL_FITS = 200  # labels with a boosted model each


@dataclass
class Clock:
    """CPU seconds of this process since it was made, against what may be used."""

    allowed: float
    started: float

    @classmethod
    def start(cls, budget):
        """Start for a budget: a number of CPU seconds, or a name, which sets no limit."""
        return cls(float(budget) if isinstance(budget, Real) else np.inf, time.process_time())

    def has_time_for(self, base, data):
        """Tell whether a base learner would be done in time."""
        if np.isinf(self.allowed):
            return True
        left = self.allowed - (time.process_time() - self.started)
        return left > 0 and base.estimated_seconds(data) <= left


def plan_bases(features, n_labels, budget, extra_bases=()):
    """Return the base learners to try, best value first.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.auto.features import FeatureViews
    >>> from labelfield.auto.plan import plan_bases
    >>> features = FeatureViews().fit_transform(np.arange(20.0).reshape(10, 2))
    >>> [base.name for base in plan_bases(features, 3, "balanced")]
    ['linear', 'kernel', 'forest']
    """
    _check_extra(extra_bases)
    thorough = budget == "best" or isinstance(budget, Real)
    bases = [(SvmBase if _is_wide(features.linear) else LinearBase)("linear")]
    if budget != "quick":
        if _lasso_can_pay(features.linear, n_labels):
            bases.append(LassoBase("lasso"))
        if _kernel_can_pay(features.kernel):
            bases.append(KernelBase("kernel", _scalings(features.kernel)))
        if _forest_can_pay(features.trees):
            n_trees = N_TREES_BEST if budget == "best" else N_TREES
            many = features.trees.shape[0] > MANY_ROWS
            bases.append(ForestBase("forest", n_trees // 2 if many else n_trees))
        if thorough and n_labels <= MAX_LABEL_FITS:
            bases.append(BoostedBase("boosted"))
    return bases + [ClassifierBase(name, classifier) for name, classifier in extra_bases]


def _check_extra(extra_bases):
    """Refuse what is no list of names and classifiers."""
    names = []
    for pair in extra_bases:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
            raise ValueError(f"extra_bases must hold (name, classifier) pairs; got {pair!r}.")
        name, classifier = pair
        if isinstance(classifier, type) or not hasattr(classifier, "predict_proba"):
            raise ValueError(
                f"extra_bases: {name!r} is {classifier!r}, which has no predict_proba; give an "
                "unfitted classifier that has one."
            )
        if name in (*OWN_NAMES, *names):
            raise ValueError(f"extra_bases: the name {name!r} is taken; give another one.")
        names.append(name)


def _is_wide(X):
    return sp.issparse(X) and X.shape[1] > WIDE


def _lasso_can_pay(X, n_labels):
    return sp.issparse(X) and not _is_wide(X) and X.nnz * n_labels <= MAX_LASSO_WORK


def _kernel_can_pay(X):
    n, d = X.shape
    work = 0 if sp.issparse(X) else n * min(n, MAX_LANDMARKS) * d
    return n <= MAX_KERNEL_ROWS and work <= MAX_KERNEL_WORK


def _scalings(X):
    if sp.issparse(X):
        return ("unit", "rare")
    if X.shape[1] <= MAX_RANKED_COLUMNS:
        return ("standard", "ranks", "squares")
    return ("standard", "squares")


def _forest_can_pay(X):
    on_table = grows_dense(X) or not sp.issparse(X)
    return X.shape[0] <= (MAX_FOREST_ROWS if on_table else MAX_SPARSE_FOREST_ROWS)
