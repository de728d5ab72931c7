"""Joint distributions built on what the base learners say: the members of the pool."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import expit

from labelfield.calibrate import PrecomputedProbabilities
from labelfield.joints import IndependentJoint, SupportJoint
from labelfield.learners import SetLogit, SetStack
from labelfield.models.field.correlated_logistic import CorrelatedLogistic
from labelfield.models.field.pairwise_crf import PairwiseCRF
from labelfield.models.mixture.conditional_mixture import ConditionalBernoulliMixture

__all__ = [
    "MAX_ENUMERATED",
    "PRODUCT",
    "FieldMember",
    "Member",
    "MixtureMember",
    "ProductMember",
    "SetLogitMember",
    "SetMember",
]

PRODUCT = "product of "  # before the name of log-odds: a score of sets
MAX_ENUMERATED = 8  # labels of a field on all sets; more of them on the sets seen in training
N_COMPONENTS = 20  # of a mixture
MANY_COMPONENTS = 50  # where they take little time: by labels, and rows x labels
MAX_LABELS_OF_MANY = 20
MAX_CELLS_OF_MANY = 50_000
N_ROUNDS = 6
FIELD_TOLERANCE = 1e-3  # at 1e-6 the held-out likelihood of five sets changes by less than .0001


class Member(ABC):
    """A joint distribution that is learned from evidence about rows the bases have not seen."""

    def __init__(self, name):
        self.name = name

    @abstractmethod
    def fit(self, evidence, data, rows):
        """Learn from the evidence about the training rows `rows` of the data."""

    @abstractmethod
    def joint(self, evidence):
        """Return the joint of the rows that the evidence is about."""


class ProductMember(Member):
    """Independent labels with the given log-odds."""

    def __init__(self, name, source):
        super().__init__(name)
        self.source = source

    def fit(self, evidence, data, rows):
        """Do nothing: there is nothing to learn."""
        return self

    def joint(self, evidence):
        """Return the product of the labels."""
        return IndependentJoint(evidence.log_odds[self.source])


class FieldMember(Member):
    """A pairwise field of labels on log-odds: exact for few labels, else on the sets seen."""

    def __init__(self, name, source, alpha=1.0):
        super().__init__(name)
        self.source = source
        self.alpha = alpha

    def fit(self, evidence, data, rows):
        """Fit the field on top of the log-odds."""
        Y, sample_weight = data.labels_of(rows), data.weight_of(rows)
        few = Y.shape[1] <= MAX_ENUMERATED and Y.dtype == np.uint8
        model = CorrelatedLogistic if few else PairwiseCRF
        self.field = model(
            PrecomputedProbabilities(),
            alpha=self.alpha,
            tol=FIELD_TOLERANCE,
            cv=2,
            decoder="subset",
        )
        self.field.fit(expit(evidence.log_odds[self.source]), Y, sample_weight)
        return self

    def joint(self, evidence):
        """Return the field of each row."""
        return self.field.predict_joint(expit(evidence.log_odds[self.source]))


class MixtureMember(Member):
    """A mixture of independent labels whose components scale and shift log-odds."""

    def __init__(self, name, source):
        super().__init__(name)
        self.source = source

    def fit(self, evidence, data, rows):
        """Fit the mixture on top of the log-odds."""
        Y, sample_weight = data.labels_of(rows), data.weight_of(rows)
        self.mixture = ConditionalBernoulliMixture(
            PrecomputedProbabilities(),
            structure="shared",
            n_components=_n_components(*data.Y.shape),
            max_iter=N_ROUNDS,
            early_stopping=False,
            cv=2,
            random_state=data.seed,
        )
        self.mixture.fit(expit(evidence.log_odds[self.source]), Y, sample_weight)
        return self

    def joint(self, evidence):
        """Return the mixture of each row."""
        return self.mixture.predict_joint(expit(evidence.log_odds[self.source]))


def _n_components(n_rows, n_labels):
    few = n_labels <= MAX_LABELS_OF_MANY and n_rows * n_labels <= MAX_CELLS_OF_MANY
    return MANY_COMPONENTS if few else N_COMPONENTS


class SetMember(Member):
    """A conditional logit over the listed sets on some of their scores.

    Parameters
    ----------
    name : str
    sources : tuple of str
        Scores of sets by the name of who gives them, beside "prior" (how often a set was seen) and
        "product of NAME" (independent labels with the log-odds of "stack" or a base).
    """

    def __init__(self, name, sources):
        super().__init__(name)
        self.sources = sources
        free = tuple(m for m, name in enumerate(sources) if name == "prior")
        self.stack = SetStack(free=free, warm_start=True)

    def fit(self, evidence, data, rows):
        """Fit the weights of the scores."""
        self.sets = data.listed.sets
        scores = self._scores(evidence)
        truth, weight = data.listed.of_row[rows], data.weight_of(rows)
        self.stack.fit(scores, truth, evidence.possible(), weight)
        return self

    def joint(self, evidence):
        """Return the distribution of each row over the listed sets."""
        log_weights = self.stack.transform(self._scores(evidence), evidence.possible())
        return SupportJoint(self.sets, log_weights)

    def _scores(self, evidence):
        return [self._score(name, evidence) for name in self.sources]

    def _score(self, name, evidence):
        if name == "prior":
            return evidence.log_prior()
        if name.startswith(PRODUCT):
            log_odds = evidence.log_odds[name.removeprefix(PRODUCT)]
            return IndependentJoint(log_odds).log_scores_of(self.sets)
        return evidence.of_sets[name]


class SetLogitMember(Member):
    """A softmax over the listed sets on log-odds, with a slope and a shift for every label."""

    def __init__(self, name, source):
        super().__init__(name)
        self.source = source

    def fit(self, evidence, data, rows):
        """Fit slopes, shifts and the constants of the sets."""
        truth, weight = data.listed.of_row[rows], data.weight_of(rows)
        log_odds, possible = evidence.log_odds[self.source], evidence.possible()
        self.logit = SetLogit().fit(log_odds, truth, data.listed.sets, possible, weight)
        return self

    def joint(self, evidence):
        """Return the distribution of each row over the listed sets."""
        log_weights = self.logit.transform(evidence.log_odds[self.source], evidence.possible())
        return SupportJoint(self.logit.sets.astype(np.uint8), log_weights)
