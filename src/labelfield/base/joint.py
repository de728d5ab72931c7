"""One fit, and decisions from a joint."""

from abc import ABC, abstractmethod
from functools import partial
from operator import methodcaller
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from labelfield._gate.blocks import comes_in_blocks
from labelfield._gate.cluster import dask_blocks, is_dask
from labelfield._gate.far_features import refuse_far_features
from labelfield._gate.reading import count_rows, take_rows
from labelfield._gate.validation import (
    label_evidence,
    validate_fit,
    validate_known,
    validate_predict,
)
from labelfield._namespaces import HOST, namespace, place_of
from labelfield._progress import with_callbacks
from labelfield.base.blocks import enter_blocks
from labelfield.base.lazy import lazy_answers, lazy_joints
from labelfield.base.multi_label import MultiLabelClassifier
from labelfield.base.parts import cut_for_threads, join_rows, names_of_sets
from labelfield.decode import resolve
from labelfield.joints import explain_set
from labelfield.joints.base import block_rows
from labelfield.kernels.sets.logspace import clipped_logit, logit
from labelfield.model_selection import MultilabelStratifiedKFold
from labelfield.optim.executors import in_order
from labelfield.rules.mending import mend_rows
from labelfield.rules.twins import find_twins, without_twins

__all__ = ["JointClassifier"]


class JointClassifier(MultiLabelClassifier, ABC):
    """Base of models that give a joint distribution: write `_fit` and `_joint`.

    `fit` checks the arguments and the data, calls `_fit`, and fits the decoder if that one learns
    (thresholds). `predict`, `predict_proba` and `predict_joint` are inherited too.
    """

    _parameter_constraints: ClassVar[dict] = {}
    _wants_centred = False  # whether features far from zero, compared with their spread, do harm
    _accepts_unknown = False  # whether NaN in Y is an unknown label to `_fit`, or refused
    _takes_blocks = False  # whether `_fit` reads X in passes over blocks, a BlockSource
    _estimator_takes_blocks = False  # whether `_fit` leaves blocks to an `estimator` that can
    _hands_blocks_on = False  # whether `_fit` gives blocks to its `_inner_estimators`
    _takes_sparse_labels = False  # whether a sparse Y reaches `_fit` as CSR matrix
    _spares_twins = False  # whether labels of which `_fit` knows nothing are left to the rules
    rules, on_violation, rules_ = None, "error", None  # of models without these arguments

    @with_callbacks
    def fit(self, X, y=None):
        """Fit the model.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Where an inner estimator reads it, anything with n rows that it takes, such as texts.
            Without `y` blocks (X, y) or (X, y, weight) that can be read again and again, where
            the model takes them: see `labelfield.datasets.open_blocks`.
        y : array, CSR matrix or data frame of shape (n, L), or n lists of tags
            0 or 1; NaN (unknown) where the model says that it takes it. Tags are texts, also joined
            as in "rain;fog" (see `split_tags`); their names are kept in `label_names_`, as those of
            columns are.

        Returns
        -------
        self
        """
        X, Y, _ = self._follow_rules(*self._enter(X, y))
        self._fit(X, self._worth_learning(Y))
        self._learn_decoder(X, Y)
        return self

    def _enter(self, X, y, weight=None):
        """Refuse wrong arguments and data; return X (n, d) and Y (n, L) as `_fit` gets them."""
        self._validate_params()
        if is_dask(X):
            return enter_blocks(self, dask_blocks(X, y, weight))
        if y is None and comes_in_blocks(X):
            return enter_blocks(self, X)
        hand_through = bool(self._inner_estimators())
        X, Y = validate_fit(
            self,
            X,
            y,
            accept_unknown=self._accepts_unknown,
            hand_through=hand_through,
            keep_sparse=self._takes_sparse_labels and self.rules is None and not hand_through,
        )
        if self._wants_centred and not hand_through:
            refuse_far_features(self, X)
        return X, Y

    def _enter_new(self, X):
        """Compare new rows X with those of `fit`; return them as `_joint` gets them."""
        return validate_predict(self, X, hand_through=bool(self._inner_estimators()))

    def _follow_rules(self, X, Y, weights=None):
        """Return the rows to learn from, and their weights, as `on_violation` has it.

        Sets `rules_`, the rules in the order of the labels.
        """
        if self.rules is None:
            self.rules_ = None
            return X, Y, weights
        self.rules_ = self.rules.for_labels(self.label_names_)
        self.rules_.require_satisfiable()
        Y, kept = mend_rows(self.rules_, Y, self.on_violation)
        if kept.all():
            return X, Y, weights
        weights = None if weights is None else weights[kept]
        return take_rows(X, np.flatnonzero(kept)), Y[kept], weights

    def _worth_learning(self, Y):
        """Return Y (n, L) with NaN for labels that equal, or are the opposite of, an earlier one.

        Their log-odds are then 0, and the rules alone decide them; learned a second time they
        would count the same evidence twice.
        """
        if self.rules_ is None or not self._spares_twins or self.on_violation == "keep":
            return Y
        return without_twins(find_twins(self.rules_.rules, self.rules_.n_labels), Y)

    def _bound_joint(self, X):
        """Return the joint of checked rows X (n, d) given the rules, if there are any."""
        joint = self._joint(X)
        return joint if self.rules_ is None else joint.given_rules(self.rules_)

    @abstractmethod
    def _fit(self, X, Y):
        """Learn from checked rows X (n, d) and labels Y (n, L): solve and store.

        X is float, dense or CSR, or as it came where there are `_inner_estimators`: then rows are
        chosen by `take_rows`. Y is uint8, or float with NaN where a label is unknown; where
        `_takes_sparse_labels` says so, a sparse Y is a CSR matrix of uint8.
        """

    @abstractmethod
    def _joint(self, X):
        """Return the joint of checked rows X (n, d)."""

    def _blocks_need(self):
        """Return what must be changed for a fit to blocks, None where nothing has to be."""
        return

    def _bytes_per_row(self):
        """Return about how much memory the joint of one row takes, to bound that of many."""
        return 64.0 * len(self.label_names_)

    def _row_blocks(self, X):
        """Cut the rows of X into slices whose joints fit into a bounded memory."""
        place = place_of(X)
        blocks = list(block_rows(count_rows(X), self._bytes_per_row(), place))
        return blocks if place is not HOST else cut_for_threads(blocks, len(self.label_names_))

    def _by_blocks(self, X, answer):
        """Return `answer(joint)` of all rows of X (n, d), computed block by block."""
        if is_dask(X):
            return lazy_answers(self, X, answer)
        X = self._enter_new(X)
        blocks = self._row_blocks(X)
        # inner estimators have threads of their own
        alone = place_of(X) is not HOST or self._inner_estimators()
        n_threads = 1 if alone else effective_n_jobs(getattr(self, "n_jobs", None))

        def answer_block(rows):
            part = X if len(blocks) == 1 else take_rows(X, rows)
            return answer(self._bound_joint(part))

        return join_rows(in_order(answer_block, blocks, min(n_threads, len(blocks))), blocks)

    def predict_joint(self, X):
        """Return the distribution over label sets of each row.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)

        Returns
        -------
        joint : Joint
            A batch of n distributions: `joint.marginals()`, `joint.top_k(5)`, `joint.log_prob(Y)`.
        """
        if is_dask(X):
            return lazy_joints(self, X)
        return self._bound_joint(self._enter_new(X))

    def predict(self, X, decoder=None):
        """Return the label set of each row that is best for the decoder's metric.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        decoder : str or Decoder, optional
            Decide for another metric than the constructor's `decoder`, without refitting.

        Returns
        -------
        Y : array or CSR matrix of shape (n, L), as the training target was; (n,) for a 1-d one
        """
        check_is_fitted(self)
        chosen = self._decoder_of(decoder)

        def decide(joint):
            return self._like_target(chosen.decode(joint, empty_seen=self.empty_seen_))

        return self._by_blocks(X, decide)

    def _answer(self, X):
        """Return sets (n, L), confidence (n,), None if unknown, and the joint, computed once."""
        joint = self.predict_joint(X)
        sets = self._decoder_of(None).decode(joint, empty_seen=self.empty_seen_)
        return sets, np.exp(joint.log_prob(sets)) if joint.normalized else None, joint

    def _decoder_of(self, decoder):
        """Return the decoder that `predict` is asked to use, the model's own if it is None."""
        return self._fitted_decoder if decoder is None else resolve(decoder)

    def predict_names(self, X, decoder=None):
        """Return the names of the labels in the predicted set of each row.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        decoder : str or Decoder, optional
            As in `predict`.

        Returns
        -------
        names : list of n tuples of str

        Examples
        --------
        >>> from labelfield import BinaryRelevance
        >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] * 10
        >>> tags = [["rain"], ["wind"], ["rain", "wind"]] * 10
        >>> BinaryRelevance(alpha=0.1).fit(X, tags).predict_names(X[:3])
        [('rain',), ('wind',), ('rain', 'wind')]
        """
        predicted = self.predict(X, decoder)
        if not sp.issparse(predicted):
            predicted = self._read_sets(predicted, predicted.shape[0], "sets")[0]
        return names_of_sets(predicted, self.label_names_)

    def predict_proba(self, X):
        """Return P(y_l = 1) of every label: (n, L); (n, 2) for a 1-d training target."""
        marginals = self._by_blocks(X, methodcaller("marginals"))
        if self._target.one_dimensional:
            return namespace(marginals).concat([1.0 - marginals, marginals], axis=1)
        return marginals

    def decision_function(self, X):
        """Return the log-odds of every label, finite also where a probability is 0 or 1.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)

        Returns
        -------
        scores : array of shape (n, L); (n,) for a 1-d training target
        """
        marginals = self._by_blocks(X, methodcaller("marginals"))
        xp = namespace(marginals)
        kinds = xp.finfo(marginals.dtype)
        largest = 1.0 - 0.5 * float(kinds.eps)  # the number before 1
        p = xp.clip(marginals, float(kinds.smallest_normal), largest)
        scores = logit(p)
        return scores[:, 0] if self._target.one_dimensional else scores

    def explain(self, X, sets=None, *, n_rivals=3, feature_names=None):
        """Say why each row has its label set.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        sets : array or CSR matrix of shape (n, L), optional
            The sets to explain; those of `predict` if not given.
        n_rivals : int, default=3
            How many of the most probable other sets to name.
        feature_names : sequence of d str, optional
            By default the columns of a data frame, or x0, x1, ...

        Returns
        -------
        explanations : list of n SetExplanation
            For every label its log-odds given the rest of the set, as a sum of what the features
            and the other labels add; components or members that carry the set; other sets. Where
            log-odds are linear in the features, down to these. Each prints as text; `to_dict`
            gives plain data.

        Examples
        --------
        >>> from labelfield import BinaryRelevance
        >>> from labelfield.datasets import make_multilabel
        >>> data = make_multilabel(n_samples=100, n_features=3, n_labels=2, random_state=0)
        >>> why = BinaryRelevance().fit(data.X, data.Y).explain(data.X[:1])[0]
        >>> [name for name, _ in why.reasons[0].features][-1]
        'constant'
        """
        chosen = self.predict(X) if sets is None else sets
        X = self._enter_new(X)
        sets, _ = self._read_sets(chosen, count_rows(X), "sets")
        weights = self._feature_weights()
        columns = getattr(self, "feature_names_in_", None)
        if feature_names is not None:
            columns = feature_names
        if weights is not None and columns is None:
            columns = np.array([f"x{j}" for j in range(X.shape[1])])
        joint, names = self._bound_joint(X), self.label_names_
        explanations = []
        for i, labels in enumerate(sets):
            features = None
            if weights is not None:
                x = X[i].toarray()[0] if sp.issparse(X) else X[i]
                there = np.flatnonzero(x)  # the few words of a text, out of all
                features = weights[:, there], x[there], columns[there]
            why = explain_set(
                joint, i, labels=labels, names=names, n_rivals=n_rivals, features=features
            )
            explanations.append(why)
        return explanations

    def _feature_weights(self):
        """Return weights (L, d) of the features in the labels' own log-odds, None if not linear."""
        return

    def predict_given(self, X, known, *, missing_rate=0.02, wrong_rate=0.02):
        """Return P(y_l = 1 | x, the other labels of the row) of every label.

        The other labels are evidence of the given reliability: a present label is marked 0 with
        probability `missing_rate`, an absent one 1 with probability `wrong_rate`. What is known of
        a label itself does not enter its own answer.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        known : array, CSR matrix or data frame of shape (n, L)
            1, 0 or NaN (unknown).
        missing_rate, wrong_rate : float, float in (0, 1)

        Returns
        -------
        P : array of shape (n, L)
        """
        X = self._enter_new(X)
        marks = validate_known(known, (count_rows(X), len(self.label_names_)))
        answer = np.empty(marks.shape)
        for rows in self._row_blocks(X):
            log_odds = label_evidence(marks[rows], missing_rate, wrong_rate)
            given = self._bound_joint(take_rows(X, rows)).tilt(log_odds).marginals()
            answer[rows] = expit(clipped_logit(given) - log_odds)
        return answer

    def _learn_decoder(self, X, Y, cv=5, sample_weight=None):
        """Resolve the decoder and, where it learns from data, fit it to out-of-fold joints."""
        decoder = resolve(self.decoder)
        if decoder.needs_fit:
            Y = Y.toarray() if sp.issparse(Y) else Y
            evidence = self._out_of_fold_evidence(decoder, X, Y, cv, sample_weight)
            decoder = clone(decoder).fit(evidence, Y)
        self._fitted_decoder = decoder

    def _out_of_fold_evidence(self, decoder, X, Y, n_splits, sample_weight):
        """Return what a decoder learns from, about rows that the model has not seen: (n, ...)."""
        if len(Y) < 2:
            raise ValueError(
                f"decoder={self.decoder!r} learns on held-out rows and needs at least 2 of them; "
                f"got {len(Y)}."
            )
        plain = clone(self).set_params(decoder="hamming")
        if self.rules_ is not None:
            plain.set_params(rules=self.rules_)  # the labels of a part have no names
        read = partial(decoder.evidence, max_size=int(np.nansum(Y, axis=1).max()))
        folds = MultilabelStratifiedKFold(min(n_splits, len(Y)), shuffle=True, random_state=0)
        evidence = None
        for train, test in folds.split(X, Y):
            given = {} if sample_weight is None else {"sample_weight": sample_weight[train]}
            fitted = clone(plain).fit(take_rows(X, train), Y[train], **given)
            part = fitted._by_blocks(take_rows(X, test), read)
            if evidence is None:
                evidence = np.empty((len(Y), *part.shape[1:]))
            evidence[test] = part
        return evidence
