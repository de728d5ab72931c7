"""The classifier to begin with: it chooses models, strengths and weights by itself."""

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from labelfield._gate.reading import count_rows, take_rows
from labelfield._parameters import FOLDS, choice, declare, instance, positive
from labelfield._progress import fit_parts
from labelfield.auto.evidence import Evidence, in_order
from labelfield.auto.features import FeatureViews, is_matrix
from labelfield.auto.judging import judge
from labelfield.auto.layers import LEAST_GAIN, Layers
from labelfield.auto.learning import learn_bases, prepare
from labelfield.auto.plan import BUDGETS, plan_bases
from labelfield.auto.pooling import learn_pooling
from labelfield.base import WeightedJointClassifier
from labelfield.calibrate import SetConfidenceMixin
from labelfield.decode import DECODERS, resolve
from labelfield.encode import TableEncoder
from labelfield.joints import PooledJoint
from labelfield.models.stacking.weights import kept_weights
from labelfield.promise import ReviewedRows

__all__ = ["LabelSetClassifier"]

LEARNED = ("threshold_f1_macro", "threshold_f1_micro", "threshold_f1_samples", "tilted_subset")
MAX_EVIDENCE = 100_000_000  # numbers that a decision of LEARNED is learned from


class LabelSetClassifier(SetConfidenceMixin, WeightedJointClassifier):
    """Label sets, their probabilities and how far to trust them, without choosing a model.

    Several base learners (logistic regressions, a kernel machine, trees; more with a larger
    budget) are fitted to folds, so that every training row is judged by learners that have
    not seen it. On their log-odds and their scores of whole label sets, joint distributions are
    built: independent labels, a field of label pairs, a mixture, a log-linear pool over the label
    sets of the training data. The answer is the mean of these, with the weights that are most
    likely for the held-out rows.

    X may be a matrix of numbers, dense or sparse, or what people have: a data frame with numbers,
    categories, dates, text and missing values, or a list of texts; see `TableEncoder`.

    Parameters
    ----------
    metric : str or Decoder, default="subset"
        What `predict` decides for: "subset" (the most probable set), "tilted_subset" (exact match,
        with what held-out rows say against that), "f1", "hamming", "jaccard", "top_k" or
        thresholds such as "threshold_f1_macro". `predict(X, decoder=...)` overrides it.
    budget : {"quick", "balanced", "best"} or float, default="balanced"
        "quick": logistic regressions and the label sets seen in training; "balanced": also a
        kernel machine, trees, a field of label pairs and a mixture; "best": also boosted trees, and
        more trees. A number of CPU seconds: learners are added, best value first, for as long as
        they fit.
    extra_bases : sequence of (name, classifier), default=()
        Further base learners: multi-label classifiers with `predict_proba`, given X as it came.
    encoder : TableEncoder, optional
        How X becomes numbers where it is a table or text; by default each column is taken for what
        it looks like. `view` and `random_state` of it do not count.
    cv : int, splitter or list of (train, test), default=5
        The folds; give them where rows belong together, see `MultilabelStratifiedGroupKFold`.
    rules : LabelRules, optional
        Rules between the labels: every answer keeps them.
    on_violation : {"error", "close", "keep", "drop"}, default="error"
        What becomes of training rows that break a rule.
    n_jobs : int, optional
        Threads of trees, boosting and matrix products; None is one.
    random_state : int, Generator or None, default=0

    Attributes
    ----------
    leaderboard_ : Leaderboard
        Members, bases and the whole with their out-of-fold log-likelihood, exact match, F1,
        Hamming loss, weight and CPU seconds; prints as a table.
    weights_ : dict of str -> float
        Weights of the members that are used; with 1000 rows or more, a gate may change them in
        every row, see `predict_joint(X).log_weights`.
    reviewed_rows_ : ReviewedRows or None
        Out-of-fold rows that `route` and `predict_alternatives` rest on: approximate promises.

    Examples
    --------
    >>> from labelfield import LabelSetClassifier
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=300, n_labels=4, random_state=0)
    >>> model = LabelSetClassifier(budget="quick").fit(data.X, data.Y)
    >>> model.predict(data.X[:2]).shape
    (2, 4)
    >>> sets, log_prob = model.predict_joint(data.X[:2]).top_k(3)
    >>> model.predict_confidence(data.X[:2]).shape
    (2,)
    """

    _accepts_unknown = True
    _encodes = False  # whether X is handed to the encoder as it came
    _gate = None  # files of models without one do not tell
    _parameter_constraints = declare(
        "n_jobs",
        "on_violation",
        "random_state",
        "rules",
        metric=[choice(*DECODERS), instance("decode")],
        budget=[choice(*BUDGETS), positive],
        extra_bases=[list, tuple],
        encoder=[TableEncoder, None],
        cv=FOLDS,
    )

    def __init__(
        self,
        metric="subset",
        *,
        budget="balanced",
        extra_bases=(),
        encoder=None,
        cv=5,
        rules=None,
        on_violation="error",
        n_jobs=None,
        random_state=0,
    ):
        self.metric = metric
        self.budget = budget
        self.extra_bases = extra_bases
        self.encoder = encoder
        self.cv = cv
        self.rules = rules
        self.on_violation = on_violation
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def __repr__(self, N_CHAR_MAX=700):
        words = super().__repr__(N_CHAR_MAX)
        board = getattr(self, "leaderboard_", None)
        return words if board is None else f"{words}\n{board.in_words()}"

    def _html_repr(self):
        """Show scikit-learn's diagram and, once fitted, the leaderboard below it."""
        board = getattr(self, "leaderboard_", None)
        return super()._html_repr() + ("" if board is None else board._repr_html_())

    def _enter(self, X, y, weight=None):
        self._encodes = self.encoder is not None or not is_matrix(X)
        return super()._enter(X, y, weight)

    def _inner_estimators(self):
        return [TableEncoder()] if self._encodes else []

    def _fit(self, X, Y, sample_weight=None):
        with threadpool_limits(effective_n_jobs(self.n_jobs), user_api="blas"):
            self._learn(X, Y, sample_weight)

    def _learn(self, X, Y, sample_weight):
        encoder = self.encoder or TableEncoder()
        self._views = FeatureViews(encoder if self._encodes else None)
        data = prepare(self, X, Y, sample_weight)
        plan = plan_bases(data.features, data.Y.shape[1], self.budget, self.extra_bases)
        with fit_parts(self, total=len(plan) + 1) as part:
            self._bases, evidence, seconds = learn_bases(plan, data, self.budget, part)
            with part("label dependence", total=None):
                self._learn_joints(evidence, data, seconds)

    def _learn_joints(self, evidence, data, seconds):
        """Learn the members of the pool, their weights and the decision from held-out rows."""
        least_gain = -np.inf if self.budget == "best" else LEAST_GAIN
        self._layers = Layers(thorough=self.budget != "quick", least_gain=least_gain)
        joints = self._layers.fit(evidence, data)
        weights, self._gate, pools = learn_pooling(joints, evidence, data)
        if self.rules_ is not None:
            pools = [pool.given_rules(self.rules_) for pool in pools]
        self.weights_ = kept_weights(weights, list(weights.values()))
        self._counts = data.listed.counts(np.arange(len(data.Y)))[None]
        self._choose_decision(pools, data)
        self.leaderboard_ = judge(
            evidence, joints, pools, weights, data, seconds | self._layers.seconds
        )

    def _choose_decision(self, pools, data):
        """Fit the decoder if it learns; keep the confidence of its sets and whether they are right.

        All on pools of rows that nothing behind them has seen; a decoder that learns is fitted to
        the other folds for these.
        """
        decoder = resolve(self.metric)
        largest = int(np.nansum(data.Y, axis=1).max(initial=0))
        complete = ~np.isnan(data.Y).any(axis=1)
        seen = in_order(data.folds, [decoder.evidence(pool, largest) for pool in pools])
        truth = np.nan_to_num(data.Y).astype(np.uint8)
        confidence, log_prob, answers = np.empty(len(truth)), np.empty(len(truth)), truth.copy()
        for (train, test), pool in zip(data.folds, pools):
            own = clone(decoder).fit(seen[train], data.Y[train]) if decoder.needs_fit else decoder
            sets = own.decode(pool, empty_seen=self.empty_seen_)
            confidence[test] = np.exp(pool.log_prob(sets))
            answers[test], log_prob[test] = sets, pool.log_prob(truth[test])
        self._fitted_decoder = clone(decoder).fit(seen, data.Y) if decoder.needs_fit else decoder
        self.reviewed_rows_ = None
        if complete.any():
            log_prob, sure = self._possible(log_prob, truth)[complete], confidence[complete]
            self.reviewed_rows_ = ReviewedRows.of(
                sure, answers[complete], truth[complete], log_prob, others=sure, exact=False
            )
        self._learn_other_decisions(pools, data, largest)

    def _learn_other_decisions(self, pools, data, largest):
        """Learn the decisions that need held-out rows, so that `predict` can be asked for them."""
        marginals = in_order(data.folds, [pool.marginals() for pool in pools])
        self._learned = {}
        for name in LEARNED:
            decoder, seen = resolve(name), marginals
            if name == "tilted_subset":
                if marginals.size * decoder.n_candidates > MAX_EVIDENCE:
                    continue
                parts = [decoder.evidence(pool, largest) for pool in pools]
                seen = in_order(data.folds, parts)
            self._learned[name] = decoder.fit(seen, data.Y)

    def _decoder_of(self, decoder):
        """Return the decoder asked for; what decoders learn was learned with the model."""
        if isinstance(decoder, str) and decoder in self._learned:
            return self._learned[decoder]
        return super()._decoder_of(decoder)

    def _learn_decoder(self, X, Y, cv=5, sample_weight=None):
        """Do nothing: `_choose_decision` has done it on the folds of the fit."""

    def confidence_of(self, X, sets):
        X = self._enter_new(X)
        sets = self._read_known_sets(sets, count_rows(X))
        parts = [
            np.exp(self._bound_joint(take_rows(X, rows)).log_prob(sets[rows]))
            for rows in self._row_blocks(X)
        ]
        return np.concatenate(parts)

    confidence_of.__doc__ = SetConfidenceMixin.confidence_of.__doc__

    def _joint(self, X):
        features = self._views.transform(X)
        evidence = Evidence(self._counts, np.zeros(count_rows(X), dtype=int))
        for name, base in self._bases.items():
            evidence.add(name, base.scores(features))
        self._layers.complete(evidence)
        members = self._layers.members
        joints = [members[name].joint(evidence) for name in self.weights_]
        pool = PooledJoint(joints, list(self.weights_.values()), names=list(self.weights_))
        if self._gate is None:
            return pool
        return self._gate.pool(pool, members["independent"].joint(evidence), evidence.possible())

    def linear_part(self, X):
        """Return what the logistic regressions among the bases see and how they weigh it.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        weights, features, names : array (L, d), array or CSR matrix (n, d), array of d str
            In terms of the log-odds of each label: words of a text, scaled numbers.

        Examples
        --------
        >>> from labelfield import LabelSetClassifier
        >>> texts = ["warm sea", "cold snow", "warm sun", "snow and ice"] * 10
        >>> Y = [[1, 0], [0, 1], [1, 0], [0, 1]] * 10
        >>> model = LabelSetClassifier(budget="quick").fit(texts, Y)
        >>> weights, features, names = model.linear_part(["snow"])
        >>> str(names[(weights[1] * features.toarray()[0]).argmax()])
        'text: snow'
        """
        X = self._enter_new(X)
        if "linear" not in self._bases:
            raise ValueError("the logistic regressions were left out of this fit; see leaderboard_")
        features = self._views.transform(X).linear
        names = self._views.feature_names(getattr(self, "feature_names_in_", None))
        weights = self._bases["linear"].model.coef_.T
        return weights, features, names

    def _bytes_per_row(self):
        cells = self._counts.shape[1] + len(self.label_names_)
        tables = 8.0 * cells * (4 + len(self._bases) + len(self.weights_))
        return tables + sum(base.bytes_per_row() for base in self._bases.values())
