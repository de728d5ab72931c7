"""A conditional restricted Boltzmann machine that learns from incomplete labels."""

import numpy as np

from labelfield import kernels
from labelfield._gate.validation import as_generator, validate_predict
from labelfield._parameters import at_least, choice, declare, number, rate, whole
from labelfield.base import JointClassifier
from labelfield.joints import RBMJoint
from labelfield.kernels.sets.bits import unique_sets
from labelfield.learners.rows.design import as_design
from labelfield.models.boltzmann.arguments import check_labels, mean_norm, read_labels
from labelfield.models.boltzmann.recovery import Known, climb
from labelfield.models.boltzmann.relatedness import LabelRelatedness
from labelfield.models.boltzmann.settings import ContrastiveDivergence, LabelRecovery
from labelfield.models.boltzmann.training import train
from labelfield.optim import Trace

__all__ = ["ConditionalRBM"]

MAX_STARTS = 2000


class ConditionalRBM(JointClassifier):
    """CRBM: labels tied together by hidden units, learned from complete or incomplete labels.

    p(y | x) ~ sum_h exp(y . (W x + b) + y . G h + c . h), learned by contrastive divergence.
    Labels that are not known are filled in while learning: drawn given the known ones, or set to
    the best guess (Viterbi EM, as published).

    Parameters
    ----------
    n_hidden : int, default=50
        Hidden units J.
    alpha : float, default=0.01
        Strength of the l2 penalty on W and G against the summed log-likelihood. Features are
        divided by the root of their mean squared row norm first.
    positives_only : bool, default=False
        Whether a 0 in Y means "not named" rather than "absent". NaN always is unknown.
    missing_rate : float in (0, 1), optional
        With `positives_only`, the probability that a present label is not named. Without such a
        belief, as published, almost nothing is recovered. The data do not tell it: compare some
        rows with complete ones.
    recovery : {"sample", "viterbi", None} or LabelRecovery, default="sample"
        How labels that are not known are filled in while learning: drawn anew in every epoch given
        the others; set to the best guess every few epochs; left at 0.
    sparsity : float, default=0.0
        What every present label costs when labels are recovered or predicted.
    relatedness : LabelRelatedness or (L, L) array, optional
        What is known from elsewhere about which labels belong together.
    relatedness_weight : float, default=0.1
        Adds this times y . relatedness y when labels are recovered or predicted.
    training : ContrastiveDivergence, optional
        Chains, steps and batches of learning, its defaults by default.
    max_iter : int, default=25
        Epochs.
    inference : {"gibbs", "mean_field"}, default="gibbs"
        Where probabilities of more than 16 labels come from, see `RBMJoint`.
    n_draws : int, default=50
        Draws of the hidden units behind these probabilities.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
        W and b, for features as they came.
    coupling_, hidden_bias_ : arrays of shape (L, J) and (J,)
        G and c.
    recovered_ : uint8 array of shape (n, L)
        The training labels with the unknown ones filled in: those likelier than not; with a
        `missing_rate`, the likeliest ones, as many as are believed not to be named.
    trace_ : Trace
        Cross-entropy of the reconstructed labels per epoch.

    References
    ----------
    Li, Zhao, Guo (2015): Conditional restricted Boltzmann machines for multi-label learning with
    incomplete labels. AISTATS.

    Examples
    --------
    >>> from labelfield import ConditionalRBM
    >>> from labelfield.datasets import hide_labels, make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> holed = hide_labels(data.Y, 0.3, how="entries", random_state=0)
    >>> model = ConditionalRBM(n_hidden=5, random_state=0).fit(data.X, holed)
    >>> model.recovered_.shape
    (200, 4)
    >>> model.predict_proba(data.X[:2]).shape
    (2, 4)
    """

    _accepts_unknown = True
    _wants_centred = True
    _parameter_constraints = declare(
        "alpha",
        "max_iter",
        "decoder",
        "on_violation",
        "rules",
        "random_state",
        n_hidden=[whole(0)],
        positives_only=["boolean"],
        missing_rate=[rate, None],
        recovery=[choice("sample", "viterbi"), LabelRecovery, None],
        sparsity=[at_least(0)],
        relatedness=[LabelRelatedness, "array-like", None],
        relatedness_weight=[number()],
        training=[ContrastiveDivergence, None],
        inference=[choice("gibbs", "mean_field")],
        n_draws=[whole(1)],
    )

    def __init__(
        self,
        *,
        n_hidden=50,
        alpha=0.01,
        positives_only=False,
        missing_rate=None,
        recovery="sample",
        sparsity=0.0,
        relatedness=None,
        relatedness_weight=0.1,
        training=None,
        max_iter=25,
        inference="gibbs",
        n_draws=50,
        decoder="subset",
        rules=None,
        on_violation="error",
        random_state=None,
    ):
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.positives_only = positives_only
        self.missing_rate = missing_rate
        self.recovery = recovery
        self.sparsity = sparsity
        self.relatedness = relatedness
        self.relatedness_weight = relatedness_weight
        self.training = training
        self.max_iter = max_iter
        self.inference = inference
        self.n_draws = n_draws
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation
        self.random_state = random_state

    def _fit(self, X, Y):
        self._pair = check_labels(self, Y)
        known = Known.read(Y, self.positives_only)
        rng = as_generator(self.random_state)
        scale = mean_norm(X)
        weights, labels, losses = train(self, X / scale, known, rng)
        self.coef_ = np.ascontiguousarray(weights.coef.T) / scale
        self.intercept_ = weights.bias
        self.coupling_, self.hidden_bias_ = weights.coupling, weights.hidden_bias
        self.trace_, self.n_iter_ = Trace(losses, "max_iter"), self.max_iter
        sets = unique_sets(labels)
        self.sets_ = sets[np.sort(rng.permutation(len(sets))[:MAX_STARTS])]
        self._seed = int(rng.integers(2**31))
        self.recovered_ = labels
        if LabelRecovery.read(self.recovery).how == "sample" and known.any_free:
            self.recovered_ = known.complete(self._recover_proba(X, known), self.missing_rate)

    def recover(self, X, y=None):
        """Return the best guess at whole label sets by a climb, equation (13); see `LabelRecovery`.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        y : array, CSR matrix or data frame of shape (n, L), optional
            Known labels of these rows, read as in `fit`; by default none is known.

        Returns
        -------
        Y : uint8 array of shape (n, L)
        """
        X = validate_predict(self, X)
        known = self._read(y, X.shape[0])
        unary = self._unary(X) + known.offset(self.missing_rate)
        machine = self.intercept_, self.coupling_, self.hidden_bias_, self._pair
        recovery = LabelRecovery.read(self.recovery)
        return climb(unary, *machine, known, start=recovery.start, flips=recovery.flips)

    def recover_proba(self, X, y):
        """Return the probability of every label given the known labels of the same row.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        y : array, CSR matrix or data frame of shape (n, L)
            Known labels, read as in `fit`.

        Returns
        -------
        P : array of shape (n, L), 0 or 1 where a label is known
        """
        X = validate_predict(self, X)
        return self._recover_proba(X, self._read(y, X.shape[0]))

    def decision_function(self, X):
        """Return the log-odds of each label given the most probable values of all others.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)

        Returns
        -------
        scores : array of shape (n, L); (n,) for a 1-d training target
        """
        scores = self._by_blocks(X, _log_odds_at_mode)
        return scores[:, 0] if self._target.one_dimensional else scores

    def _read(self, y, n_rows):
        n_labels = len(self.label_names_)
        if y is None:
            return Known.nothing(n_rows, n_labels)
        return Known.read(read_labels(y, (n_rows, n_labels)), self.positives_only)

    def _recover_proba(self, X, known):
        joint = self._machine(self._unary(X) + known.offset(self.missing_rate))
        return joint.condition(known.as_targets()).marginals()

    def _unary(self, X):
        return as_design(X).matmul(self.coef_.T) + (self.intercept_ - self.sparsity)

    def _machine(self, unary):
        return RBMJoint(
            unary,
            self.coupling_,
            self.hidden_bias_,
            pair=self._pair,
            starts=self.sets_,
            inference=self.inference,
            n_draws=self.n_draws,
            random_state=self._seed,
        )

    def _joint(self, X):
        return self._machine(self._unary(X))

    def _feature_weights(self):
        return self.coef_

    def _bytes_per_row(self):
        return 16.0 * len(self.label_names_) * self.n_draws


def _log_odds_at_mode(joint):
    mode = joint.mode()
    pair = np.zeros((0, 0)) if joint.pair is None else joint.pair
    machine = joint.unary, joint.coupling, joint.hidden_bias, pair
    gains = kernels.fields.rbm.flip_gains(mode, *machine)
    return np.where(mode == 1, -gains, gains)
