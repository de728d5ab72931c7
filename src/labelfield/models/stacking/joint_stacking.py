"""A pool of joint models, weighted by what they say about rows they have not seen."""

import time
import warnings

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import _BaseComposition

from labelfield._gate.blocks import BlockSource
from labelfield._gate.cluster import ClusterSource
from labelfield._gate.reading import take_rows
from labelfield._gate.validation import split_known
from labelfield._parameters import FOLDS, declare
from labelfield._progress import fit_steps
from labelfield.base import WeightedJointClassifier
from labelfield.base.weighted_blocks import fit_to_blocks, learns_from_blocks
from labelfield.joints import PooledJoint
from labelfield.learners.clones import fit_clone
from labelfield.model_selection import held_out_folds
from labelfield.models.stacking.blocks import log_prob_of_folds
from labelfield.models.stacking.weights import (
    exact_match_weights,
    held_out_log_prob,
    kept_weights,
    likelihood_weights,
    mean_log_likelihood,
)

__all__ = ["JointStacking"]

N_CANDIDATES = 5  # best sets of each member that compete for the exact match


class JointStacking(WeightedJointClassifier, _BaseComposition):
    """A pool of joint models: p(y | x) = sum_m w_m p_m(y | x), in the spirit of StackingClassifier.

    The weights maximise the likelihood of the training labels under members that have not seen
    them: every member is fitted once per fold. Members without weight are dropped and the others
    fitted again to all rows. The pool is a distribution over label sets as its members are, so that
    every decoder decides from it as exactly as from them.

    A member that cannot be fitted is left out with a warning. With unknown labels (NaN in Y) the
    likelihood is that of the known ones, and members that do not take NaN are left out.

    Parameters
    ----------
    estimators : list of (str, classifier)
        Joint models of labelfield with the names of the members.
    cv : int, splitter or list of (train, test), default=5
        Folds of the out-of-fold probabilities.
    weighting : {"likelihood", "exact_match"}, default="likelihood"
        What the weights are chosen for. "exact_match" goes on from the likelihood weights as long
        as the number of training rows whose best set is right rises.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.
    random_state : int, RandomState, Generator or None, default=0
        Deals the rows into folds.

    Attributes
    ----------
    weights_ : dict of str to float
        Weights of the members in use; they sum to one.
    estimators_ : dict of str to classifier
        The members in use, fitted to all rows.
    leaderboard_ : list of dict
        For every member its name, out-of-fold mean log-likelihood, weight and seconds, best first.

    Examples
    --------
    >>> from labelfield import BinaryRelevance, JointStacking, LabelPowerset
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=300, n_labels=4, random_state=0)
    >>> members = [("independent", BinaryRelevance()), ("sets", LabelPowerset())]
    >>> model = JointStacking(members).fit(data.X, data.Y)
    >>> abs(sum(model.weights_.values()) - 1.0) < 1e-12
    True
    >>> model.predict(data.X[:2], decoder="f1").shape
    (2, 4)
    """

    _takes_blocks = _hands_blocks_on = True
    _accepts_unknown = True
    _parameter_constraints = declare(
        "decoder",
        "on_violation",
        "rules",
        "random_state",
        cv=FOLDS,
        estimators=[list],
        weighting=[StrOptions({"likelihood", "exact_match"})],
    )

    def __init__(
        self,
        estimators,
        *,
        cv=5,
        weighting="likelihood",
        decoder="subset",
        rules=None,
        on_violation="error",
        random_state=0,
    ):
        self.estimators = estimators
        self.cv = cv
        self.weighting = weighting
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation
        self.random_state = random_state

    def get_params(self, deep=True):
        """Return the parameters, those of the members too: `name__parameter`."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params):
        """Set parameters, also of members (`name__parameter`) and whole members (`name`)."""
        self._set_params("estimators", **params)
        return self

    def _inner_estimators(self):
        return [pair[-1] for pair in self.estimators if isinstance(pair, tuple)]

    def _blocks_need(self):
        strange = [name for name, model in self.estimators if not learns_from_blocks(model)]
        if strange:
            return f"leave out {strange[0]!r}, which does not"
        return None if self.weighting == "likelihood" else "choose weighting='likelihood'"

    def _fit(self, X, Y, sample_weight=None):
        self._check_estimators(Y)
        if isinstance(X, BlockSource):
            self._fit_blocks(X, Y, np.ones(Y.shape[0]) if sample_weight is None else sample_weight)
            return
        folds = held_out_folds(Y, self.cv, self.random_state)
        joints, seconds = self._fit_out_of_fold(X, Y, sample_weight, folds)
        log_prob = held_out_log_prob(joints, Y, folds)
        weights = likelihood_weights(log_prob, sample_weight)
        if self.weighting == "exact_match":
            weights = self._tune(joints, Y, folds, weights)
        counted = np.ones(len(Y)) if sample_weight is None else sample_weight
        rows = counted > 0  # others may be impossible to a member: 0 times minus infinity
        self._rank(list(joints), log_prob[rows], weights, seconds, counted[rows])
        self.weights_ = kept_weights(joints, weights)
        members = dict(self.estimators)
        self.estimators_ = {
            name: fit_clone(members[name], X, Y, sample_weight) for name in self.weights_
        }

    def _fit_blocks(self, source, Y, weight):
        """Fit members to blocks; of what they say about rows one number a row is kept."""
        if isinstance(source, ClusterSource):
            raise ValueError(
                "JointStacking reads blocks here, not on a cluster; give blocks from disk, or fit "
                "its members on the cluster and pool their joints with PooledJoint."
            )
        rows = np.flatnonzero(weight)
        folds = held_out_folds(Y[rows], self.cv, self.random_state)
        folds = [(rows[train], rows[test]) for train, test in folds]
        columns, seconds = [], {}
        with fit_steps(self, total=len(self.estimators), name="member") as step:
            for name, model in self.estimators:
                started = time.process_time()
                with step():
                    columns.append(log_prob_of_folds(model, source, weight, folds)[rows])
                seconds[name] = time.process_time() - started
        log_prob, names = np.stack(columns, axis=1), [name for name, _ in self.estimators]
        weights = likelihood_weights(log_prob, weight[rows])
        self._rank(names, log_prob, weights, seconds, weight[rows])
        self.weights_ = kept_weights(names, weights)
        members = dict(self.estimators)
        self.estimators_ = {
            name: fit_to_blocks(members[name], source, weight) for name in self.weights_
        }

    def _check_estimators(self, Y):
        if not self.estimators:
            raise ValueError("estimators is empty; give (name, classifier) pairs.")
        for pair in self.estimators:
            if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
                raise ValueError(f"estimators must hold (name, classifier) pairs; got {pair!r}.")
        self._validate_names([name for name, _ in self.estimators])
        for name, model in self.estimators:
            if not hasattr(model, "predict_joint"):
                raise ValueError(
                    f"estimators: {name!r} has no predict_joint, so that its sets have no "
                    "probabilities to pool; wrap it, for example as BinaryRelevance(classifier), "
                    "and make pipelines by labelfield.make_pipeline."
                )
        if Y.shape[0] < 2:
            raise ValueError(
                "Members are judged on rows they have not seen: "
                f"n_samples={Y.shape[0]} cannot be split."
            )

    def _fit_out_of_fold(self, X, Y, sample_weight, folds):
        """Return each member's joints of the test rows of the folds, and its seconds."""
        joints, seconds, problems = {}, {}, {}
        with fit_steps(self, total=len(self.estimators), name="member") as step:
            for name, model in self.estimators:
                started = time.process_time()
                with step():
                    try:
                        joints[name] = _joints_of_folds(model, X, Y, sample_weight, folds)
                    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                        problems[name] = str(error)
                seconds[name] = time.process_time() - started
        if not joints:
            reasons = "; ".join(f"{name}: {why}" for name, why in problems.items())
            raise ValueError(f"No member could be fitted. {reasons}")
        for name, why in problems.items():
            warnings.warn(
                f"Member {name!r} is left out of the pool, it failed: {why}",
                RuntimeWarning,
                stacklevel=4,
            )
        return joints, seconds

    def _tune(self, joints, Y, folds, start):
        """Return weights for the exact match, from best sets of completely known rows."""
        log_prob, right = [], []
        for number, (_, test) in enumerate(folds):
            members = [parts[number] for parts in joints.values()]
            labels, known = split_known(Y[test])
            rows = np.arange(len(test)) if known is None else np.flatnonzero(known.all(axis=1))
            members, truth = [joint.take(rows) for joint in members], labels[rows]
            sets = [joint.top_k(N_CANDIDATES, allow_empty=self.empty_seen_)[0] for joint in members]
            listed = np.concatenate([_filled(part, N_CANDIDATES) for part in sets], axis=1)
            scores = np.stack([joint.log_prob(listed) for joint in members], axis=2)
            log_prob.append(scores)
            right.append((listed == truth[:, None]).all(axis=2))
        return exact_match_weights(np.concatenate(log_prob), np.concatenate(right), start)

    def _rank(self, names, log_prob, weights, seconds, sample_weight):
        rows = [
            {
                "member": name,
                "log_likelihood": float(np.average(log_prob[:, m], weights=sample_weight)),
                "weight": float(weights[m]),
                "seconds": seconds[name],
            }
            for m, name in enumerate(names)
        ]
        self.leaderboard_ = sorted(rows, key=lambda row: -row["log_likelihood"])
        self.log_likelihood_ = mean_log_likelihood(log_prob, weights, sample_weight)

    def _joint(self, X):
        joints = [model.predict_joint(X) for model in self.estimators_.values()]
        return PooledJoint(joints, list(self.weights_.values()), names=list(self.weights_))

    def _bytes_per_row(self):
        return sum(model._bytes_per_row() for model in self.estimators_.values())


def _joints_of_folds(model, X, Y, sample_weight, folds):
    joints = []
    for train, test in folds:
        weight = None if sample_weight is None else sample_weight[train]
        fitted = fit_clone(model, take_rows(X, train), Y[train], weight)
        joint = fitted.predict_joint(take_rows(X, test))
        if not joint.normalized:
            raise ValueError("its joint has no probabilities, only scores")
        joints.append(joint)
    return joints


def _filled(sets, k):
    """Return k sets per row, the first again where there are fewer: (n, j, L) -> (n, k, L)."""
    return np.concatenate([sets, np.repeat(sets[:, :1], k - sets.shape[1], axis=1)], axis=1)
