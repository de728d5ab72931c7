"""Label log-odds of any classifier: of rows it has not seen in training, and of new rows."""

import numpy as np
from sklearn.base import clone

from labelfield.kernels.logspace import clipped_logit
from labelfield.model_selection import MultilabelStratifiedKFold

__all__ = ["LogOddsSource", "check_source"]


def check_source(estimator):
    """Refuse an `estimator` argument that cannot give label probabilities."""
    given = isinstance(estimator, str) and estimator == "precomputed"
    if not given and not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"estimator={estimator!r} has no predict_proba; give a classifier that has one, or "
            "'precomputed' with the label probabilities in place of X."
        )


class LogOddsSource:
    """Log-odds (n, L) of the labels, from a classifier or from given probabilities.

    Parameters
    ----------
    estimator : classifier with `predict_proba` or "precomputed"
        A multi-label classifier, of ours or of scikit-learn; or "precomputed": X itself holds the
        label probabilities, of training rows as their model would have given them unseen.
    n_splits : int
        Folds for the log-odds of training rows.
    """

    def __init__(self, estimator, n_splits):
        check_source(estimator)
        self.estimator = estimator
        self.n_splits = n_splits

    def fit_transform(self, X, Y):
        """Fit on all rows; return the log-odds (n, L) that held-out rows would get."""
        self.n_labels = Y.shape[1]
        if isinstance(self.estimator, str):
            self.classifier = None
            return self.transform(X)
        log_odds = self._out_of_fold(X, Y)
        self.classifier = _fit_clone(self.estimator, X, Y)
        return log_odds

    def transform(self, X):
        """Return the log-odds (n, L) of new rows."""
        if self.classifier is not None:
            return _classifier_log_odds(self.classifier, X, self.n_labels)
        P = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        if P.shape[1] != self.n_labels or P.min() < 0 or P.max() > 1:
            raise ValueError(
                f"estimator='precomputed' reads X as probabilities of {self.n_labels} labels; got "
                f"shape {P.shape} and values from {P.min():g} to {P.max():g}."
            )
        return clipped_logit(P)

    def _out_of_fold(self, X, Y):
        if len(Y) < 2:
            raise ValueError(
                f"estimator={self.estimator!r} is judged on held-out rows and needs at least 2; "
                f"got {len(Y)}."
            )
        n_splits = min(self.n_splits, len(Y))
        folds = MultilabelStratifiedKFold(n_splits, shuffle=True, random_state=0)
        log_odds = np.empty(Y.shape)
        for train, test in folds.split(X, Y):
            fitted = _fit_clone(self.estimator, X[train], Y[train])
            log_odds[test] = _classifier_log_odds(fitted, X[test], Y.shape[1])
        return log_odds


def _classifier_log_odds(classifier, X, n_labels):
    p = classifier.predict_proba(X)
    if isinstance(p, list):  # scikit-learn's way: one array and one list of classes per label
        pairs = zip(p, classifier.classes_)
        p = np.stack([q @ (np.asarray(classes) == 1) for q, classes in pairs], axis=1)
    elif n_labels == 1 and p.shape[1] != 1:
        p = (p @ (np.asarray(classifier.classes_) == 1))[:, None]
    return clipped_logit(p)


def _fit_clone(estimator, X, Y):
    """Fit a clone; a single label goes as a 1-d target, which every classifier takes."""
    return clone(estimator).fit(X, Y[:, 0] if Y.shape[1] == 1 else Y)
