"""A mixture of independent labels whose parts depend on the features."""

from functools import partial

import numpy as np
from sklearn.utils._param_validation import HasMethods

from labelfield._parameters import choice, declare, number, positive, rate, whole
from labelfield._progress import fit_steps
from labelfield._validation import as_generator, split_known
from labelfield.base import JointClassifier
from labelfield.decode import resolve
from labelfield.joints import MixtureJoint
from labelfield.metrics import f1_score, hamming_loss, jaccard_score, subset_accuracy
from labelfield.model_selection import stratified_split
from labelfield.models.mixture.boosted_parts import BoostedComponents, BoostedGate
from labelfield.models.mixture.boosting import BinnedRows
from labelfield.models.mixture.cloned_components import ClonedComponents
from labelfield.models.mixture.em import memberships, run_em
from labelfield.models.mixture.gates import ClonedGate, LogisticGate
from labelfield.models.mixture.logistic_components import LogisticComponents
from labelfield.models.mixture.shared_components import SharedComponents
from labelfield.models.mixture.starts import STARTS

__all__ = ["ConditionalBernoulliMixture"]

UPDATES = {"logistic": 15, "boosted": 10}
STRUCTURES = ("sparse", "dense", "shared")
MIN_ROWS_TO_VALIDATE = 5
SET_METRICS = {
    "subset_accuracy": subset_accuracy,
    "f1": partial(f1_score, average="instance"),
    "jaccard": partial(jaccard_score, average="instance"),
    "hamming_accuracy": lambda Y, Z: 1.0 - hamming_loss(Y, Z),
}


class ConditionalBernoulliMixture(JointClassifier):
    """CBM: p(y | x) = sum_k pi_k(x) prod_l p_k(y_l | x), fitted by EM.

    Labels are independent inside a component; which component a row belongs to depends on its
    features, and so the labels depend on each other. Best sets, marginals and the decision for F1
    are exact. With unknown labels (NaN in Y) the likelihood of the known ones is maximised.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Label learner of every component, in place of `components`; its fit must take sample
        weights.
    n_components : int, default=20
    components : {"logistic", "boosted"}, default="logistic"
        Logistic regressions, or boosted trees (LightGBM) that grow with every round.
    gate : scikit-learn classifier, optional
        Learner of the components' weights, with `predict_proba` and sample weights; by default of
        the same kind as `components`.
    structure : {"sparse", "dense", "shared"}, default="sparse"
        "sparse": a component learns from its own rows and only labels that vary among them;
        "dense": every component learns every label from all rows; "shared": one weight vector per
        label, and constants per component (logistic only).
    alpha, l1_ratio : float, float
        Strength of the penalty against the summed loss and the share of the l1 norm in it
        (logistic only; the gate's penalty is l2 throughout).
    n_updates : int, optional
        Solver updates, or trees, per round; by default 15, or 10 trees.
    max_leaves, learning_rate : int, float
        Leaves per tree and shrinkage (boosted only).
    max_features : "auto" or float, default="auto"
        Share of the features that each tree may use, drawn anew (boosted only). "auto" is the root
        of their number, at least ten, where they are dense, and all where they are sparse.
    init : {"mixture", "sets"}, default="mixture"
        First memberships: the best of ten Bernoulli mixtures of the training label sets, or the
        most frequent label sets, each with the rows nearest to it.
    max_iter : int, default=20
        Rounds of EM.
    tol : float, default=1e-3
        Tolerance of the solvers inside a round. EM ends when a round gains less than a thousandth
        of it.
    early_stopping : bool, default=True
        Choose the number of rounds by the decoder's metric on held-out training rows (by their
        log-likelihood if the decoder learns itself), then refit on all rows.
    validation_fraction, patience : float, int
        Share of the held-out rows, and how many rounds without improvement end the search.
    decoder : str or Decoder, default="subset"
    n_jobs : int, optional
        Clones of `estimator` fitted at once.
    random_state : int, RandomState or Generator, optional

    Attributes
    ----------
    n_components_ : int
        Components in use; with init="sets" no more than there are label sets.
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
    """

    _accepts_unknown = True
    _parameter_constraints = declare(
        "estimator",
        "alpha",
        "l1_ratio",
        "max_iter",
        "tol",
        "decoder",
        "n_jobs",
        "random_state",
        n_components=[whole(1)],
        components=[choice(*UPDATES)],
        gate=[HasMethods(["fit", "predict_proba"]), None],
        structure=[choice(*STRUCTURES)],
        n_updates=[whole(1), None],
        max_leaves=[whole(2)],
        learning_rate=[positive],
        max_features=[choice("auto"), number(0, 1, closed="right")],
        init=[choice(*STARTS)],
        early_stopping=["boolean"],
        validation_fraction=[rate],
        patience=[whole(1)],
    )

    def __init__(
        self,
        estimator=None,
        *,
        n_components=20,
        components="logistic",
        gate=None,
        structure="sparse",
        alpha=1.0,
        l1_ratio=0.0,
        n_updates=None,
        max_leaves=5,
        learning_rate=0.1,
        max_features="auto",
        init="mixture",
        max_iter=20,
        tol=1e-3,
        early_stopping=True,
        validation_fraction=0.2,
        patience=5,
        decoder="subset",
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_components = n_components
        self.components = components
        self.gate = gate
        self.structure = structure
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.n_updates = n_updates
        self.max_leaves = max_leaves
        self.learning_rate = learning_rate
        self.max_features = max_features
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.decoder = decoder
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X, Y):
        self._check_together(len(Y))
        rng = as_generator(self.random_state)
        with fit_steps(self, name="round of EM") as step:
            n_rounds = self.max_iter
            if self.early_stopping:
                n_rounds = self._choose_rounds(X, Y, rng, step)
            self.trace_ = self._run(X, Y, n_rounds, rng, step)
        self.n_iter_ = self.trace_.n_iter + 1
        self.n_active_ = self.components_.n_active()
        self.gate_.finish()
        self.components_.finish()

    def _choose_rounds(self, X, Y, rng, step):
        """Return the number of rounds that is best for held-out rows; sets their scores."""
        train, held_out = stratified_split(Y, test_size=self.validation_fraction, random_state=rng)
        self.validation_scores_ = scores = []

        def improved_lately():
            scores.append(self._score(X[held_out], Y[held_out]))
            return len(scores) - 1 - int(np.argmax(scores)) < self.patience

        self._run(X[train], Y[train], self.max_iter, rng, step, improved_lately)
        return 1 + int(np.argmax(scores))

    def _run(self, X, Y, n_rounds, rng, step, goes_on=None):
        """Fit a new gate and new components by EM; return its Trace."""
        self.gate_, self.components_ = self._make_parts()
        labels, known = split_known(Y)
        gamma = STARTS[self.init](labels, self.n_components, rng, known)
        self.n_components_ = gamma.shape[1]
        return run_em(
            self.gate_,
            self.components_,
            X,
            labels,
            gamma,
            known,
            tol=self.tol,
            max_iter=n_rounds,
            step=step,
            goes_on=goes_on,
        )

    def _score(self, X, Y):
        decoder = resolve(self.decoder)
        measure = None if decoder.needs_fit else SET_METRICS.get(decoder.metric)
        if measure is None:
            labels, known = split_known(Y)
            return float(memberships(self.gate_, self.components_, X, labels, known)[1].mean())
        answers = [
            decoder.decode(self._joint(X[rows]), empty_seen=self.empty_seen_)
            for rows in self._row_blocks(X)
        ]
        return float(measure(Y, np.concatenate(answers)))

    def _make_parts(self):
        """Return an unfitted gate and unfitted components."""
        boosted = self.components == "boosted"
        n_updates = UPDATES[self.components] if self.n_updates is None else self.n_updates
        rows = BinnedRows(
            max_leaves=self.max_leaves,
            learning_rate=self.learning_rate,
            max_features=self.max_features,
        )
        sparse = self.structure == "sparse"
        if self.estimator is not None:
            components = ClonedComponents(self.estimator, sparse=sparse, n_jobs=self.n_jobs)
        elif boosted:
            components = BoostedComponents(rows, sparse=sparse, n_trees=n_updates)
        elif self.structure == "shared":
            components = SharedComponents(alpha=self.alpha, n_updates=n_updates)
        else:
            components = LogisticComponents(
                sparse=sparse,
                alpha=self.alpha,
                l1_ratio=self.l1_ratio,
                n_updates=n_updates,
                tol=self.tol,
            )
        if self.gate is not None:
            return ClonedGate(self.gate), components
        if boosted and self.estimator is None:
            return BoostedGate(rows, n_trees=n_updates), components
        return LogisticGate(alpha=self.alpha, n_updates=n_updates, tol=self.tol), components

    def _check_together(self, n_rows):
        plain = self.components == "logistic" and self.estimator is None and self.l1_ratio == 0
        if self.structure == "shared" and not plain:
            raise ValueError(
                "structure='shared' needs logistic components with l1_ratio=0; "
                "choose structure='sparse' or 'dense'."
            )
        if self.early_stopping and n_rows < MIN_ROWS_TO_VALIDATE:
            raise ValueError(
                f"early_stopping holds out rows and needs at least {MIN_ROWS_TO_VALIDATE}; got "
                f"{n_rows}. Set early_stopping=False."
            )

    def _joint(self, X):
        return MixtureJoint(self.gate_.log_weights(X), self.components_.logits(X))

    def _bytes_per_row(self):
        return 24.0 * self.n_components_ * len(self.label_names_)
