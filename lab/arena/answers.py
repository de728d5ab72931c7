"""What a fitted model says about n rows, in the one shape that decisions are taken from."""

from functools import cached_property
from typing import Any

import numpy as np

from lab.arena.decisions import fill_empty
from labelfield.decode import resolve
from labelfield.joints import IndependentJoint, Joint

__all__ = ["Answer", "JointAnswer", "ListedAnswer", "OwnAnswer"]


class Answer:
    """Marginal probabilities, label sets for a decoder, and probabilities of label sets."""

    def marginals(self) -> np.ndarray:
        """Return P(y_l = 1): (n, L)."""
        raise NotImplementedError

    def sets(self, decoder: str, empty_seen: bool) -> np.ndarray:
        """Return the sets (n, L) that are best for a decoder's metric."""
        raise NotImplementedError

    def log_prob(self, Y: np.ndarray) -> np.ndarray:
        """Return log p(Y) of one set per row: (n, L) -> (n,)."""
        raise NotImplementedError


class JointAnswer(Answer):
    """The answer of a model with a joint distribution.

    Parameters
    ----------
    joint : Joint
    """

    def __init__(self, joint: Joint):
        self.joint = joint

    @classmethod
    def of_marginals(cls, P: np.ndarray) -> "JointAnswer":
        """Return the answer of a model that knows labels one by one: their product."""
        return cls(IndependentJoint.from_probabilities(np.clip(P, 0.0, 1.0)))

    def marginals(self):
        return self.joint.marginals()

    def sets(self, decoder, empty_seen):
        chosen = resolve(decoder).decode(self.joint, empty_seen=empty_seen)
        return fill_empty(chosen, self.marginals, empty_seen)

    def log_prob(self, Y):
        if self.joint.normalized:
            return self.joint.log_prob(Y)
        return IndependentJoint.from_probabilities(self.marginals()).log_prob(Y)


class ListedAnswer(JointAnswer):
    """The answer of a model elsewhere: marginals (n, L), and the sets it decided on itself.

    Sets it gives no probability for get the product of the marginals.
    """

    def __init__(self, P: np.ndarray, sets: dict[str, np.ndarray]):
        super().__init__(JointAnswer.of_marginals(P).joint)
        self.own_sets = sets

    def sets(self, decoder, empty_seen):
        if decoder not in self.own_sets:
            return super().sets(decoder, empty_seen)
        return fill_empty(self.own_sets[decoder], self.marginals, empty_seen)


class OwnAnswer(JointAnswer):
    """The answer of a classifier that decides for every metric itself.

    Parameters
    ----------
    model : fitted classifier with `predict(X, decoder=)` and `predict_joint`
    X : array or CSR matrix (n, d)
    """

    def __init__(self, model: Any, X: Any):
        self.model, self.X = model, X

    @cached_property
    def joint(self) -> Joint:
        """The joint distribution, computed when it is needed."""
        return self.model.predict_joint(self.X)

    def sets(self, decoder, empty_seen):
        chosen = self.model.predict(self.X, decoder=decoder)
        return fill_empty(np.asarray(chosen, dtype=np.uint8), self.marginals, empty_seen)

    def confidence(self) -> np.ndarray | None:
        """Return the model's own confidence in its sets for exact match (n,), if it has one."""
        if not hasattr(self.model, "predict_confidence"):
            return None
        return np.asarray(self.model.predict_confidence(self.X))
