"""One binary problem per label, on the features and chosen other labels.

`fit_labels` returns problems with `log_odds(X, Y)`: log-odds (n, L) of all labels given x and, as
far as they are features, the labels Y. Binary relevance, chains and dependent relevance differ only
in which labels are features of which: `parents[i, j]` says that label i is a feature of label j.
"""

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from scipy.special import expit
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from labelfield._gate.blocks import BlockSource
from labelfield._gate.reading import column_names, count_rows, take_rows
from labelfield._namespaces import to_host
from labelfield.kernels.sets.logspace import clipped_logit
from labelfield.learners.clones import fit_clone, refuse_weights
from labelfield.learners.linear import linear_scores
from labelfield.learners.logistic import LogisticLearner
from labelfield.learners.strengths.path import settle_strength

__all__ = [
    "ClonedProblems",
    "LinearProblems",
    "append_columns",
    "constant_label",
    "expected_labels",
    "fit_labels",
    "own_weights",
    "split_pipeline",
]


def fit_labels(
    estimator,
    X,
    Y,
    *,
    parents=None,
    parent_values=None,
    known=None,
    sample_weight=None,
    n_jobs=None,
    **logistic,
):
    """Fit every label's problem: one batched logistic regression, or a clone per label.

    Parameters
    ----------
    estimator : scikit-learn classifier or None
        Of a pipeline with parents only the last step is cloned, and sees the parents beside what
        the other steps, fitted once, make of X.
    X : array or CSR matrix (n, d); with an estimator anything of n rows that it takes
        BlockSource without an estimator, or with one that learns from blocks (BlockBagging).
    Y : uint8 array or, without an estimator or from blocks, CSR matrix (n, L)
    parents : bool array (L, L), optional
    parent_values : array (n, L), optional
        What the labels are as features; Y by default. See `expected_labels`.
    known : bool array (n, L), optional
        Entries of Y to learn from; the others are ignored.
    sample_weight : array (n,) or (n, L), optional
    logistic : arguments of LogisticLearner
        `alpha` may be "auto", see `settle_strength`.
    """
    if estimator is not None:
        return ClonedProblems.fit(
            estimator, X, Y, parents, parent_values, known, sample_weight, n_jobs
        )
    weights = sample_weight
    if known is not None:
        weights = to_host(known).astype(np.float64)
        if sample_weight is not None:
            weights *= sample_weight.reshape(len(weights), -1)
    return LinearProblems.fit(X, Y, parents, parent_values, weights, n_jobs=n_jobs, **logistic)


def own_weights(weights, label):
    """Return the weights (n,) of a label out of those of rows (n,) or of entries (n, L)."""
    return weights if weights.ndim == 1 else weights[:, label]


def expected_labels(Y, known, log_odds):
    """Return the labels where they are known and their probability elsewhere: (n, L).

    What stands for an unknown label where it is a feature of others. log_odds (n, L).
    """
    return np.where(known, Y, expit(log_odds))


def split_pipeline(estimator):
    """Return the steps before the last one as a pipeline, or None, and the last one."""
    if isinstance(estimator, Pipeline) and len(estimator) > 1:
        return estimator[:-1], estimator[-1]
    return None, estimator


class LinearProblems:
    """All labels in one logistic fit: log-odds = X @ coef + Y @ coupling + intercept.

    `alpha` is the strength of their penalty, `path` the StrengthPath if it was chosen.
    """

    def __init__(self, learner, d, coupled, path):
        self.coef = learner.coef_[:d, ...]
        self.coupling = learner.coef_[d:] if coupled else None
        self.intercept = learner.intercept_
        self.n_iter = learner.n_iter_
        self.trace = learner.trace_
        self.alpha = learner.alpha
        self.path = path

    @classmethod
    def fit(cls, X, Y, parents, parent_values, sample_weight, **logistic):
        d, mask = X.shape[1], None
        if parents is not None:
            mask = np.concatenate([np.ones((d, Y.shape[1]), dtype=bool), parents])
            X = append_columns(X, Y if parent_values is None else parent_values)
        options = {"mask": mask, "l1_ratio": logistic.get("l1_ratio", 0.0)}
        options["n_jobs"] = logistic.get("n_jobs")
        alpha, path = settle_strength(logistic["alpha"], X, Y, sample_weight, **options)
        learner = LogisticLearner(**(logistic | {"alpha": alpha}))
        learner.fit(X, Y, sample_weight=sample_weight, mask=mask)
        return cls(learner, d, parents is not None, path)

    @property
    def feature_weights(self):
        """Weights (L, d) of the features."""
        return self.coef.T

    def log_odds(self, X, Y=None):
        base = linear_scores(X, self.coef, self.intercept)
        return base if self.coupling is None else base + Y @ self.coupling


class ClonedProblems:
    """A clone of any scikit-learn classifier per label."""

    n_iter = 1
    alpha = path = None
    encoder = None  # also of models saved before there were encoders
    feature_weights = None

    def __init__(self, estimators, parents, encoder=None):
        self.estimators = estimators
        self.parents = parents
        self.encoder = encoder

    @classmethod
    def fit(cls, estimator, X, Y, parents, parent_values, known, sample_weight, n_jobs):
        refuse_weights(estimator, sample_weight)
        n_labels, encoder, coupled = Y.shape[1], None, parents is not None
        parents = parents if coupled else np.zeros((n_labels, n_labels), dtype=bool)
        if isinstance(X, BlockSource):
            return cls(estimator._fit_labels(X, Y, parents, sample_weight), parents)
        if coupled:
            encoder, estimator = split_pipeline(estimator)
        if encoder is not None:
            encoder = clone(encoder)
            X = encoder.fit_transform(X, Y)
        values = Y if parent_values is None else parent_values

        def fit_one(j):
            rows = slice(None) if known is None else np.flatnonzero(known[:, j])
            features = append_columns(take_rows(X, rows), values[rows][:, parents[:, j]])
            weight = None if sample_weight is None else own_weights(sample_weight, j)[rows]
            return _fit_label(estimator, features, Y[rows, j], weight)

        fitted = Parallel(n_jobs=n_jobs)(delayed(fit_one)(j) for j in range(n_labels))
        return cls(fitted, parents, encoder)

    def encode(self, X):
        """Return X (n, ...) as `label_log_odds` wants it."""
        return X if self.encoder is None else self.encoder.transform(X)

    def log_odds(self, X, Y=None):
        X = self.encode(X)
        columns = [self.label_log_odds(j, X, Y) for j in range(len(self.estimators))]
        return np.stack(columns, axis=1)

    def label_log_odds(self, j, X, Y=None):
        """Return the log-odds of label j given the labels in Y (n, L): (n,). X is encoded."""
        chosen = self.parents[:, j]
        features = append_columns(X, Y[:, chosen]) if chosen.any() else X
        return _log_odds(self.estimators[j], features)


class ConstantLabel:
    """Stands for a label that was always absent or always present among the rows seen."""

    def __init__(self, n_absent, n_present):
        self.log_odds = float(np.log((n_present + 0.5) / (n_absent + 0.5)))


def constant_label(y, weight):
    """Return a ConstantLabel where the rows with weight (n,) agree on a label (n,), or None."""
    present = float(weight @ y)
    absent = float(weight.sum()) - present
    return ConstantLabel(absent, present) if present <= 0 or absent <= 0 else None


def _fit_label(estimator, X, y, sample_weight):
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    constant = constant_label(y, weight)
    return fit_clone(estimator, X, y, sample_weight) if constant is None else constant


def _log_odds(fitted, X):
    if isinstance(fitted, ConstantLabel):
        return np.full(count_rows(X), fitted.log_odds)
    if hasattr(fitted, "predict_proba"):
        return clipped_logit(fitted.predict_proba(X)[:, 1])
    if hasattr(fitted, "decision_function"):
        return fitted.decision_function(X)
    return clipped_logit(fitted.predict(X).astype(np.float64))


def append_columns(X, columns):
    """Return X with more columns on the right: sparse if X is, a frame if X is.

    Numbers keep the dtype of X where it is one of floats.
    """
    if columns.shape[1] == 0:
        return X
    if isinstance(X, BlockSource):
        return X.joined(columns)
    if column_names(X) is not None:
        return _append_to_frame(X, columns)
    if len(getattr(X, "shape", ())) != 2:
        raise ValueError(
            "Labels become features beside those of X, but X has no columns; give estimator as a "
            "pipeline that makes some, such as make_pipeline(TfidfVectorizer(), classifier)."
        )
    dtype = X.dtype if X.dtype.kind == "f" else np.float64 if X.dtype.kind in "biu" else object
    if sp.issparse(X):
        return sp.hstack([X, sp.csr_matrix(columns, dtype=dtype)], format="csr")
    columns = columns.toarray() if sp.issparse(columns) else columns
    return np.concatenate([X.astype(dtype), columns.astype(dtype)], axis=1)


def _append_to_frame(frame, columns):
    import narwhals as nw

    frame = nw.from_native(frame, eager_only=True)
    frame = frame.rename({name: str(name) for name in frame.columns})
    prefix = "label_"
    while any(name.startswith(prefix) for name in frame.columns):
        prefix = f"_{prefix}"
    added = [
        nw.new_series(f"{prefix}{j}", column, backend=frame.implementation)
        for j, column in enumerate(columns.astype(np.float64).T)
    ]
    return frame.with_columns(added).to_native()
