"""Any classifier as a base learner."""

from labelfield._gate.reading import take_rows
from labelfield.auto.bases.base import FoldwiseBase
from labelfield.auto.evidence import Scores
from labelfield.kernels.sets.logspace import clipped_logit
from labelfield.learners import label_probabilities
from labelfield.learners.clones import fit_clone

__all__ = ["ClassifierBase"]


class ClassifierBase(FoldwiseBase):
    """Any multi-label classifier with `predict_proba`, on X as it came."""

    def __init__(self, name, classifier):
        super().__init__(name)
        self.classifier = classifier

    def fit_rows(self, data, rows):
        """Fit a clone; a single label goes as a 1-d target."""
        Y = data.filled[rows]
        X = take_rows(data.features.raw, rows)
        model = fit_clone(
            self.classifier, X, Y[:, 0] if Y.shape[1] == 1 else Y, data.weight_of(rows)
        )
        return model, Y.shape[1]

    def scores_by(self, model, features):
        """Return the log-odds of the label probabilities."""
        classifier, n_labels = model
        return Scores(clipped_logit(label_probabilities(classifier, features.raw, n_labels)))
