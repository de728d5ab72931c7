"""Gradient-boosted trees (LightGBM)."""

import numpy as np
from scipy.special import expit, logit

from labelfield._gate.validation import as_generator
from labelfield._parameters import choice, declare, positive, rate, whole
from labelfield.calibrate.calibrators.base import PRIOR, SCORE, SetCalibrator
from labelfield.calibrate.calibrators.losses import kl_derivatives, kl_loss

__all__ = ["BoostedSetCalibrator"]

MIN_STOPPING_ROWS = 20  # with fewer rows to stop on, a fixed short run is safer
SHORT_RUN = 30


class BoostedSetCalibrator(SetCalibrator):
    """GB-MSE, GB-KL: boosted trees on score, cardinality, prior and encoding of the set.

    Parameters
    ----------
    loss : {"mse", "kl"}, default="mse"
        Square error, clipped to [0, 1], or cross-entropy.
    monotone : bool, default=True
        Whether confidence may only rise with the score and with the prior.
    max_iter : int, default=1000
        Most trees; boosting stops when `patience` trees have not helped the validation rows.
    max_leaf_nodes, learning_rate, min_samples_leaf : int, float, int
        Of the trees.
    validation_fraction : float, default=0.2
        Share of the rows (of the groups) that boosting is stopped on.
    patience : int, default=20
    random_state : int, Generator or None, default=0
        Draws the validation rows.
    n_jobs : int, default=1

    Attributes
    ----------
    n_iter_ : int
        Number of trees.
    trees_ : str
        The trees in LightGBM's text form, which saved models hold safely.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import BoostedSetCalibrator
    >>> score = np.linspace(0, 1, 400)
    >>> U = np.column_stack([score, np.ones(400), np.zeros(400)])
    >>> v = np.random.default_rng(0).random(400) < score**2
    >>> c = BoostedSetCalibrator().fit(U, v).predict(U)
    >>> bool((np.diff(c) >= 0).all())
    True
    """

    _parameter_constraints = declare(
        "max_iter",
        "random_state",
        "n_jobs",
        loss=[choice("mse", "kl")],
        monotone=["boolean"],
        max_leaf_nodes=[whole(2)],
        learning_rate=[positive],
        min_samples_leaf=[whole(1)],
        validation_fraction=[rate],
        patience=[whole(1)],
    )

    def __init__(
        self,
        *,
        loss="mse",
        monotone=True,
        max_iter=1000,
        max_leaf_nodes=10,
        learning_rate=0.1,
        min_samples_leaf=5,
        validation_fraction=0.2,
        patience=20,
        random_state=0,
        n_jobs=1,
    ):
        self.loss = loss
        self.monotone = monotone
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.learning_rate = learning_rate
        self.min_samples_leaf = min_samples_leaf
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, U, targets, weights, groups):
        validation = self._validation_rows(groups)
        mean = float(np.average(targets[~validation], weights=weights[~validation]))
        kl = self.loss == "kl"
        self.start_ = float(logit(np.clip(mean, 0.01, 0.99))) if kl else mean
        booster = self._boost(U, targets, weights, validation)
        self.n_iter_ = booster.best_iteration or booster.current_iteration()
        self.trees_ = booster.model_to_string(num_iteration=self.n_iter_)

    def _predict(self, U):
        import lightgbm as lgb

        trees = lgb.Booster(model_str=self.trees_)
        raw = self.start_ + trees.predict(U, raw_score=True, num_threads=self.n_jobs)
        return expit(raw) if self.loss == "kl" else raw

    def _validation_rows(self, groups):
        names, member = np.unique(groups, return_inverse=True)
        rank = as_generator(self.random_state).permutation(len(names))
        validation = (rank < round(self.validation_fraction * len(names)))[member]
        enough = validation.sum() >= MIN_STOPPING_ROWS and not validation.all()
        return validation if enough else np.zeros(len(groups), dtype=bool)

    def _boost(self, U, targets, weights, validation):
        import lightgbm as lgb

        def data(rows, reference=None):
            return lgb.Dataset(
                U[rows],
                targets[rows],
                weight=weights[rows],
                init_score=np.full(int(rows.sum()), self.start_),
                reference=reference,
                params=self._parameters(U.shape[1]),
                free_raw_data=False,
            )

        train = data(~validation)
        if not validation.any():
            short = min(SHORT_RUN, self.max_iter)
            return lgb.train(self._parameters(U.shape[1]), train, num_boost_round=short)
        return lgb.train(
            self._parameters(U.shape[1]),
            train,
            num_boost_round=self.max_iter,
            valid_sets=[data(validation, train)],
            feval=_mean_kl if self.loss == "kl" else None,
            callbacks=[lgb.early_stopping(self.patience, verbose=False)],
        )

    def _parameters(self, n_columns):
        parameters = {
            "objective": _kl_objective if self.loss == "kl" else "regression",
            "metric": "None" if self.loss == "kl" else "l2",
            "boost_from_average": False,
            "num_leaves": self.max_leaf_nodes,
            "learning_rate": self.learning_rate,
            "min_data_in_leaf": self.min_samples_leaf,
            "feature_pre_filter": False,
            "deterministic": True,
            "force_col_wise": True,
            "num_threads": self.n_jobs,
            "verbosity": -1,
        }
        if self.monotone:
            rising = np.isin(np.arange(n_columns), (SCORE, PRIOR))
            parameters["monotone_constraints"] = rising.astype(int).tolist()
        return parameters


def _kl_objective(z, data):
    gradient, curvature = kl_derivatives(z, data.get_label())
    weights = _weights(data)
    return gradient * weights, curvature * weights


def _mean_kl(z, data):
    loss = np.average(kl_loss(z, data.get_label()), weights=_weights(data))
    return "kl", float(loss), False


def _weights(data):
    weights = data.get_weight()  # None where all are 1
    return np.ones(data.num_data()) if weights is None else weights
