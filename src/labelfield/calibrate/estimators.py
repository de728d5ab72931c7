"""What wrappers ask of any classifier: a joint and label sets."""

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from labelfield._parameters import declare
from labelfield.base import WeightedJointClassifier
from labelfield.joints import IndependentJoint
from labelfield.learners import label_probabilities

__all__ = ["PrecomputedProbabilities", "joint_of", "sets_of", "under_rules"]


class PrecomputedProbabilities(WeightedJointClassifier):
    """Stands for a model that lives elsewhere: X holds its label probabilities.

    Wrap it to calibrate or rerank the sigmoids of a neural network or the answers of a service:
    wherever a wrapper asks for X, give the matrix of probabilities.

    Parameters
    ----------
    decoder : str or Decoder, default="subset"
        How the model's own set is read from its probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import CalibratedSetClassifier, PrecomputedProbabilities
    >>> rng = np.random.default_rng(0)
    >>> P = rng.random((400, 3))
    >>> Y = (rng.random((400, 3)) < P).astype(int)
    >>> model = CalibratedSetClassifier(PrecomputedProbabilities()).fit(P, Y)
    >>> model.predict_confidence(P[:5]).shape
    (5,)
    """

    _parameter_constraints = declare("decoder")

    def __init__(self, *, decoder="subset"):
        self.decoder = decoder

    _accepts_unknown = True

    def _fit(self, X, Y, sample_weight=None):
        if X.shape[1] != Y.shape[1]:
            raise ValueError(
                f"X must hold one probability per label: got {X.shape[1]} columns for "
                f"{Y.shape[1]} labels."
            )
        self._joint(X)  # refuses what is no probability

    def _joint(self, X):
        return IndependentJoint.from_probabilities(X.toarray() if sp.issparse(X) else X)


def joint_of(estimator, X, n_labels):
    """Return the joint of a fitted classifier; independent labels where it has only marginals."""
    if hasattr(estimator, "predict_joint"):
        return estimator.predict_joint(X)
    if isinstance(estimator, Pipeline) and hasattr(estimator[-1], "predict_joint"):
        return estimator[-1].predict_joint(estimator[:-1].transform(X))
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"estimator={estimator!r} has neither predict_joint nor predict_proba, so there is no "
            "probability of a set to start from."
        )
    return IndependentJoint.from_probabilities(label_probabilities(estimator, X, n_labels))


def under_rules(joint, sets, rules):
    """Return the joint given the rules, if any, and its best sets where sets (n, L) break them."""
    if rules is None:
        return joint, sets
    bound = joint.given_rules(rules)
    return bound, np.where(rules.keeps(sets)[:, None], sets, bound.mode())


def sets_of(estimator, X):
    """Return the label sets (n, L) that a fitted classifier predicts."""
    sets = estimator.predict(X)
    sets = sets.toarray() if sp.issparse(sets) else np.asarray(sets)
    return (sets if sets.ndim == 2 else sets[:, None]).astype(np.uint8)
