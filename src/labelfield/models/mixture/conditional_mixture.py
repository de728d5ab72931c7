"""A mixture of independent labels whose parts depend on the features."""

from functools import partial
from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import HasMethods

from labelfield._gate.blocks import BlockSource
from labelfield._gate.reading import take_rows
from labelfield._gate.validation import as_generator, split_known
from labelfield._namespaces import to_host
from labelfield._parameters import FOLDS, STRENGTH, choice, declare, whole
from labelfield._progress import fit_steps
from labelfield.base import WeightedJointClassifier
from labelfield.decode import resolve
from labelfield.joints import MixtureJoint
from labelfield.learners import LogOddsSource
from labelfield.learners.rows import SourceRows, as_rows
from labelfield.model_selection import stratified_split
from labelfield.models.mixture.adjusted_components import AdjustedComponents
from labelfield.models.mixture.cloned_components import ClonedComponents
from labelfield.models.mixture.em import run_em
from labelfield.models.mixture.gates import ClonedGate
from labelfield.models.mixture.scores import score_joint
from labelfield.models.mixture.settings import (
    COMPONENTS,
    BoostedTrees,
    EarlyStopping,
    LogisticRegressions,
)
from labelfield.models.mixture.starts import STARTS, first_memberships, weight_of_rows
from labelfield.models.mixture.streamed import RoundCheckpoint, score_rows

__all__ = ["ConditionalBernoulliMixture"]

STRUCTURES = ("sparse", "dense", "shared")
MIN_ROWS_TO_VALIDATE = 5
GATE_ALPHA = 5.0  # of a gate on log-odds
MOST_SURE = 15.0


class ConditionalBernoulliMixture(WeightedJointClassifier):
    """CBM: p(y | x) = sum_k pi_k(x) prod_l p_k(y_l | x), fitted by EM.

    Labels are independent inside a component; which component a row belongs to depends on its
    features, and so the labels depend on each other. Best sets, marginals and the decision for F1
    are exact. With unknown labels (NaN in Y) the likelihood of the known ones is maximised.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Label learner of every component, in place of `components`; its fit must take sample
        weights. With structure="shared", any classifier with `predict_proba`.
    n_components : int, default=20
    components : {"logistic", "boosted"}, LogisticRegressions or BoostedTrees, default="logistic"
        Logistic regressions, or boosted trees (LightGBM) that grow with every round; the classes
        say more about them than the words.
    gate : scikit-learn classifier, optional
        Learner of the components' weights, with `predict_proba` and sample weights; by default of
        the same kind as `components`.
    structure : {"sparse", "dense", "shared"}, default="sparse"
        "sparse": a component learns from its own rows and only labels that vary among them;
        "dense": every component learns every label from all rows; "shared": components differ only
        in how they adjust one learner per label. That is a weight vector, adjusted by constants
        (logistic only), or `estimator`, whose out-of-fold log-odds every component scales and
        shifts, and which are all that the gate sees.
    alpha : float or "auto", default="auto"
        Strength of the penalty against the summed loss (logistic only); "auto" is the best one of
        logistic regressions without components, see `BinaryRelevance`. With a shared `estimator`
        it is that of the gate, and "auto" is 5.
    cv : int, splitter or list of (train, test), default=4
        Folds for the log-odds of a shared `estimator`.
    init : {"mixture", "sets"}, default="mixture"
        First memberships: the best of ten Bernoulli mixtures of the training label sets, or the
        most frequent label sets, each with the rows nearest to it.
    max_iter : int, default=20
        Rounds of EM.
    tol : float, default=1e-3
        Tolerance of the solvers inside a round. EM ends when a round gains less than a thousandth
        of it.
    early_stopping : bool or EarlyStopping, default=True
        Choose the number of rounds by the decoder's metric on held-out training rows (by their
        log-likelihood if the decoder learns itself), then refit on all rows. `EarlyStopping` says
        how many rows and rounds that takes.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.
    n_jobs : int, optional
        Threads of predictions, or clones of `estimator` fitted at once.
    random_state : int, RandomState or Generator, optional

    Attributes
    ----------
    n_components_ : int
        Components in use; with init="sets" no more than there are label sets.
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not).
    trace_ : Trace
        Minus the penalised mean log-likelihood after each round.
    n_iter_ : int
        Rounds done.
    validation_scores_ : list of float
        Score of the held-out rows after each round, with early stopping.
    n_active_ : int
        Label learners in use; K x L without structure.

    References
    ----------
    Li, Wang, Pavlu, Aslam (2016): Conditional Bernoulli mixtures for multi-label classification.
    ICML.

    Examples
    --------
    >>> from labelfield import ConditionalBernoulliMixture
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> model = ConditionalBernoulliMixture(n_components=3, random_state=0).fit(X, Y)
    >>> model.predict(X[:2], decoder="f1").shape
    (2, 4)
    >>> model.predict_joint(X[:2]).n_components
    3

    Components that share trees:

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> trees = RandomForestClassifier(20, min_samples_leaf=3, random_state=0)
    >>> model = ConditionalBernoulliMixture(trees, structure="shared", random_state=0)
    >>> model.fit(X, Y).predict(X[:2]).shape
    (2, 4)
    """

    _takes_blocks = True
    _accepts_unknown = True
    _wants_centred = True
    _source = None  # of shared log-odds; files of earlier models do not tell
    _parameter_constraints = declare(
        "estimator",
        "max_iter",
        "tol",
        "decoder",
        "on_violation",
        "rules",
        "n_jobs",
        "random_state",
        alpha=STRENGTH,
        cv=FOLDS,
        n_components=[whole(1)],
        components=[choice(*COMPONENTS), LogisticRegressions, BoostedTrees],
        gate=[HasMethods(["fit", "predict_proba"]), None],
        structure=[choice(*STRUCTURES)],
        init=[choice(*STARTS)],
        early_stopping=["boolean", EarlyStopping],
    )

    def __init__(
        self,
        estimator=None,
        *,
        n_components=20,
        components="logistic",
        gate=None,
        structure="sparse",
        alpha="auto",
        cv=4,
        init="mixture",
        max_iter=20,
        tol=1e-3,
        early_stopping=True,
        decoder="subset",
        rules=None,
        on_violation="error",
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_components = n_components
        self.components = components
        self.gate = gate
        self.structure = structure
        self.alpha = alpha
        self.cv = cv
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _computes_on_tensors(self):
        learner = COMPONENTS.get(self.components, self.components)
        plain = isinstance(learner, LogisticRegressions) and not learner.l1_ratio
        parts = self.estimator is None and self.gate is None and self.structure != "shared"
        return plain and parts

    def _shares_estimator(self):
        return self.structure == "shared" and self.estimator is not None

    def _inner_estimators(self):
        if self._shares_estimator():
            return [self.estimator]
        if self.estimator is None or self.gate is None:
            return []
        return [self.estimator, self.gate]

    def _blocks_need(self):
        if self.estimator is not None:
            return "leave out `estimator`"
        learner = COMPONENTS.get(self.components, self.components)
        if self.gate is not None:
            return "leave out `gate`"
        if not isinstance(learner, LogisticRegressions) or learner.l1_ratio:
            return "choose components='logistic'"
        return "choose structure='sparse' or 'dense'" if self.structure == "shared" else None

    def _fit(self, X, Y, sample_weight=None):
        self._check_together(Y.shape[0])
        rng = as_generator(self.random_state)
        self.alpha_, self.strength_path_, self._source = None, None, None
        if self._shares_estimator():
            self.alpha_ = GATE_ALPHA if self.alpha == "auto" else self.alpha
            self._source = LogOddsSource(self.estimator, self.cv)
            X = _cut_off(self._source.fit_transform(X, Y, sample_weight))
        elif not self._inner_estimators():
            learner = COMPONENTS.get(self.components, self.components)
            self.alpha_, self.strength_path_ = learner.settle_strength(
                self.alpha, X, Y, sample_weight
            )
        source = X if isinstance(X, BlockSource) else None
        if source is not None:
            self._check_seed(source)
            X = as_rows(source, n_jobs=self.n_jobs)
        with fit_steps(self, name="round of EM") as step:
            n_rounds = self.max_iter
            if self.early_stopping:
                n_rounds = self._choose_rounds(X, Y, sample_weight, rng, step)
            self.trace_ = self._run(X, Y, sample_weight, n_rounds, rng, step)
        self.n_iter_ = self.trace_.n_iter + 1
        self.n_active_ = self.components_.n_active()
        for part in (self.gate_, self.components_):
            part.finish()
            if source is not None:
                part.widen(source.used, source.shape[1])

    def _choose_rounds(self, X, Y, weight, rng, step):
        """Return the number of rounds that is best for held-out rows; sets their scores."""
        limits = EarlyStopping() if self.early_stopping is True else self.early_stopping
        times = np.ones(Y.shape[0]) if weight is None else weight
        counting = np.flatnonzero(times)
        share = {"test_size": limits.validation_fraction, "random_state": rng}
        parts = stratified_split(take_rows(to_host(Y), counting), **share)
        train, held_out = (counting[part] for part in parts)
        self.validation_scores_ = scores = []

        def improved_lately():
            found = to_host(self._score(X, Y, held_out))
            scores.append(float(np.average(found, weights=times[held_out])))
            return len(scores) - 1 - int(np.argmax(scores)) < limits.patience

        self._run(X, Y, weight, self.max_iter, rng, step, train, improved_lately)
        return 1 + int(np.argmax(scores))

    def _run(self, X, Y, weight, n_rounds, rng, step, rows=slice(None), goes_on=None):
        """Fit a new gate and new components by EM to some rows; return its Trace."""
        elsewhere = isinstance(X, SourceRows)
        self.gate_, self.components_ = self._make_parts(self.alpha_, streamed=elsewhere)
        if not elsewhere:
            X, Y = take_rows(X, rows), take_rows(Y, rows)
            weight = None if weight is None else weight[rows]
        labels, known = split_known(Y)
        watch = None
        if elsewhere:
            weight = weight_of_rows(rows, weight, Y.shape[0])
            scores = [] if goes_on is None else self.validation_scores_
            watch = RoundCheckpoint(X, self._checkpoint_key(n_rounds), scores)
        gamma = first_memberships(
            STARTS[self.init], to_host(labels), self.n_components, rng, to_host(known), weight
        )
        self.n_components_ = gamma.shape[1]
        return run_em(
            self.gate_,
            self.components_,
            X,
            labels,
            gamma,
            known,
            weight,
            tol=self.tol,
            max_iter=n_rounds,
            step=step,
            goes_on=goes_on,
            watch=watch,
        )

    def _checkpoint_key(self, n_rounds):
        """Return what a fit that is started again must have in common with this one."""
        names = ("n_components", "components", "structure", "init", "tol", "early_stopping")
        settings = {name: getattr(self, name) for name in (*names, "decoder", "random_state")}
        return f"mixture, {n_rounds} rounds, alpha {self.alpha_}, {settings}"

    def _check_seed(self, source):
        if source.checkpoint is not None and not isinstance(self.random_state, Integral):
            raise ValueError(
                f"random_state={self.random_state!r} cannot be had again when a fit goes on from "
                "a checkpoint; give a whole number, or blocks without checkpoint."
            )

    def _score(self, X, Y, rows):
        """Return what is to be maximised for every row, 0 where it says nothing: (m,)."""
        score = partial(score_joint, decoder=resolve(self.decoder), empty_seen=self.empty_seen_)
        if isinstance(X, SourceRows):
            return score_rows(X, Y, rows, self.gate_, self.components_, score)
        X, Y = take_rows(X, rows), take_rows(Y, rows)
        scores = [
            score(self._mixture(take_rows(X, block)), to_host(take_rows(Y, block)))
            for block in self._row_blocks(X)
        ]
        return np.concatenate([*map(to_host, scores)])

    def _make_parts(self, alpha, *, streamed=False):
        """Return an unfitted gate and unfitted components."""
        learner = COMPONENTS.get(self.components, self.components)
        structure = "sparse" if self._shares_estimator() else self.structure
        gate, components = learner.make_parts(
            structure=structure, alpha=alpha, tol=self.tol, streamed=streamed
        )
        if self._shares_estimator():
            components = AdjustedComponents()
        elif self.estimator is not None:
            sparse = self.structure == "sparse"
            components = ClonedComponents(self.estimator, sparse=sparse, n_jobs=self.n_jobs)
        return gate if self.gate is None else ClonedGate(self.gate), components

    def _check_together(self, n_rows):
        if self.early_stopping and n_rows < MIN_ROWS_TO_VALIDATE:
            raise ValueError(
                f"early_stopping holds out rows and needs at least {MIN_ROWS_TO_VALIDATE}; got "
                f"{n_rows}. Set early_stopping=False."
            )

    def _joint(self, X):
        return self._mixture(X if self._source is None else _cut_off(self._source.transform(X)))

    def _mixture(self, X):
        """Return the joint of rows as gate and components see them."""
        return MixtureJoint(self.gate_.log_weights(X), self.components_.logits(X))

    def _bytes_per_row(self):
        return 24.0 * self.n_components_ * len(self.label_names_)


def _cut_off(log_odds):
    """Return log-odds within what is worth telling apart."""
    return np.clip(log_odds, -MOST_SURE, MOST_SURE)
