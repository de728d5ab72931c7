"""Several chains in random orders."""

import numpy as np

from labelfield._gate.reading import take_rows
from labelfield._gate.validation import as_generator
from labelfield._parameters import STRENGTH, choice, declare, number, whole
from labelfield._progress import report_steps
from labelfield.base import WeightedJointClassifier
from labelfield.joints import IndependentJoint, SupportJoint
from labelfield.kernels.sets.bits import unique_sets
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.learners.class_weight import numbered_class_weight
from labelfield.models.chains.chain import ProbabilisticClassifierChain

__all__ = ["ClassifierChainEnsemble"]


class ClassifierChainEnsemble(WeightedJointClassifier):
    """ECC: chains in random orders that vote on each label, or on whole sets.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Cloned for every label of every chain; batched logistic regression by default.
    n_chains : int, default=10
    voting : {"label", "subset"}, default="label"
        "label": the chains' marginal probabilities are averaged, labels independent. "subset": the
        chains' probabilities of the label sets seen in training are averaged.
    subsample : float, default=1.0
        Share of the rows, drawn without replacement, that each chain learns from.
    alpha, l1_ratio, max_iter, tol : float or "auto", float, int, float
        Of the logistic regressions, see `BinaryRelevance`; "auto" takes the strength that is best
        for the first chain.
    class_weight : "balanced" or mapping, optional
        Weights of present and absent labels, see `BinaryRelevance`.
    n_draws : int, default=100
        Draws a chain behind marginal probabilities with more than 12 labels.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.
    n_jobs : int, optional
    random_state : int, RandomState or Generator, optional

    Attributes
    ----------
    chains_ : list of ProbabilisticClassifierChain
    sets_ : uint8 array of shape (M, L)
        The label sets seen in training.
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not), with the logistic default.

    References
    ----------
    Read, Pfahringer, Holmes, Frank (2011): Classifier chains for multi-label classification.
    Machine Learning 85.

    Examples
    --------
    >>> from labelfield import ClassifierChainEnsemble
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> ClassifierChainEnsemble(n_chains=3, random_state=0).fit(X, Y).predict(X[:3]).shape
    (3, 4)
    """

    _accepts_unknown = True
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
        n_chains=[whole(1)],
        voting=[choice("label", "subset")],
        subsample=[number(0, 1, closed="right")],
        n_draws=[whole(1)],
    )

    def __init__(
        self,
        estimator=None,
        *,
        n_chains=10,
        voting="label",
        subsample=1.0,
        alpha="auto",
        l1_ratio=0.0,
        class_weight=None,
        max_iter=1000,
        tol=1e-6,
        n_draws=100,
        decoder="subset",
        rules=None,
        on_violation="error",
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_chains = n_chains
        self.voting = voting
        self.subsample = subsample
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
        rng = as_generator(self.random_state)
        self.sets_ = self._listed_sets(Y)
        steps = report_steps(self, range(self.n_chains), total=self.n_chains, name="chain")
        self.chains_, alpha = [], self.alpha
        for _ in steps:
            self.chains_.append(self._fit_chain(X, Y, sample_weight, alpha, rng))
            if self.estimator is None:
                alpha = self.chains_[0].alpha_
        self.alpha_, self.strength_path_ = self.chains_[0].alpha_, self.chains_[0].strength_path_
        self.n_iter_ = max(chain.n_iter_ for chain in self.chains_)

    def _listed_sets(self, Y):
        complete = Y[~np.isnan(Y).any(axis=1)]
        if self.voting == "subset" and not len(complete):
            raise ValueError(
                "voting='subset' votes on label sets seen in training, but every row of Y holds "
                "NaN; use voting='label'."
            )
        return unique_sets(complete.astype(np.uint8))

    def _fit_chain(self, X, Y, weights, alpha, rng):
        chain = ProbabilisticClassifierChain(
            self.estimator,
            order=rng.permutation(Y.shape[1]),
            alpha=alpha,
            l1_ratio=self.l1_ratio,
            class_weight=numbered_class_weight(self),
            max_iter=self.max_iter,
            tol=self.tol,
            n_draws=self.n_draws,
            n_jobs=self.n_jobs,
        )
        if self.subsample == 1.0:
            return chain.fit(X, Y, weights)
        rows = np.sort(rng.permutation(len(Y))[: max(1, round(self.subsample * len(Y)))])
        weights = None if weights is None else weights[rows]
        return chain.fit(take_rows(X, rows), Y[rows], weights)

    def _joint(self, X):
        joints = (chain._joint(X) for chain in self.chains_)
        if self.voting == "label":
            marginals = sum(joint.marginals() for joint in joints) / self.n_chains
            return IndependentJoint.from_probabilities(np.clip(marginals, 0.0, 1.0))
        log_votes = np.stack([joint.restrict(self.sets_).log_weights for joint in joints])
        return SupportJoint(self.sets_, logsumexp(log_votes, axis=0) - np.log(self.n_chains))
