"""Label log-odds of any classifier: of rows it has not seen in training, and of new rows."""

import numpy as np
from sklearn.utils import get_tags

from labelfield._gate.reading import take_rows
from labelfield._gate.validation import split_known
from labelfield.kernels.sets.logspace import clipped_logit
from labelfield.learners.clones import fit_clone
from labelfield.learners.conditional import fit_labels
from labelfield.model_selection import held_out_folds

__all__ = ["LogOddsSource", "check_source", "label_probabilities"]


def check_source(estimator):
    """Refuse an `estimator` argument that cannot give label probabilities."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"estimator={estimator!r} has no predict_proba; give a classifier that has one, or "
            "PrecomputedProbabilities() with label probabilities in place of X."
        )


class LogOddsSource:
    """Log-odds (n, L) of the labels from any classifier.

    Parameters
    ----------
    estimator : classifier with `predict_proba`
        Of ours or of scikit-learn; one of single labels is cloned for every label.
    cv : int, splitter or list of (train, test)
        Folds for the log-odds of training rows.
    """

    def __init__(self, estimator, cv):
        check_source(estimator)
        self.estimator = estimator
        self.cv = cv

    def fit_transform(self, X, Y, sample_weight=None):
        """Fit on all rows; return the log-odds (n, L) that held-out rows would get.

        sample_weight (n,), optional.
        """
        if len(Y) < 2:
            raise ValueError(
                f"estimator={self.estimator!r} is judged on held-out rows: "
                f"n_samples={len(Y)} cannot be split."
            )
        self.n_labels = Y.shape[1]
        log_odds = np.empty(Y.shape)
        for train, test in held_out_folds(Y, self.cv):
            weight = None if sample_weight is None else sample_weight[train]
            self.classifier = self._fit(take_rows(X, train), Y[train], weight)
            log_odds[test] = self.transform(take_rows(X, test))
        self.classifier = self._fit(X, Y, sample_weight)
        return log_odds

    def transform(self, X):
        """Return the log-odds (n, L) of new rows."""
        if hasattr(self.classifier, "log_odds"):
            return self.classifier.log_odds(X)
        return clipped_logit(label_probabilities(self.classifier, X, self.n_labels))

    def _fit(self, X, Y, sample_weight):
        if Y.shape[1] == 1:  # a 1-d target, which every classifier takes
            return fit_clone(self.estimator, X, Y[:, 0], sample_weight)
        if _takes_label_sets(self.estimator):
            return fit_clone(self.estimator, X, Y, sample_weight)
        labels, known = split_known(Y)
        return fit_labels(self.estimator, X, labels, known=known, sample_weight=sample_weight)


def label_probabilities(classifier, X, n_labels):
    """Return P(y_l = 1 | x) of a fitted classifier in any of scikit-learn's shapes: (n, L)."""
    p = classifier.predict_proba(X)
    if isinstance(p, list):  # one array and one list of classes per label
        pairs = zip(p, classifier.classes_)
        return np.stack([q @ (np.asarray(classes) == 1) for q, classes in pairs], axis=1)
    if n_labels == 1 and p.shape[1] != 1:
        return (p @ (np.asarray(classifier.classes_) == 1))[:, None]
    return np.asarray(p)


def _takes_label_sets(estimator):
    """Return whether an indicator matrix can be the target; also where nothing is said."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return True
    tags = get_tags(estimator).classifier_tags
    return tags is None or tags.multi_label
