"""Boosted trees with our own gradients: one binning of the rows, many ensembles on it."""

import numpy as np
import scipy.sparse as sp

__all__ = ["BinnedRows", "Ensemble"]

PARAMETERS = {
    "objective": "none",
    "metric": "none",
    "boost_from_average": False,
    "deterministic": True,
    "feature_pre_filter": False,
    "force_col_wise": True,
    "min_data_in_leaf": 5,
    "min_sum_hessian_in_leaf": 0.1,  # rows predicted with certainty teach a leaf nothing
    "num_threads": 1,
    "seed": 0,
    "verbosity": -1,
}
FEWEST = 10


class BinnedRows:
    """The training rows as LightGBM stores them, binned on first use.

    Each tree may use a share `max_features` of the features, drawn anew; "auto" is the root of
    their number, but ten, if they are dense, and all if they are sparse (each is then of use to
    few rows only).
    """

    def __init__(self, *, max_leaves, learning_rate, max_features):
        self.parameters = {
            **PARAMETERS,
            "num_leaves": max_leaves,
            "learning_rate": learning_rate,
        }
        self.max_features = max_features
        self.data = None

    def bin(self, X):
        """Bin the rows X (n, d) unless they are binned already."""
        import lightgbm

        if self.data is None:
            share = self.max_features
            if share == "auto":
                n_features = X.shape[1]
                many = 1.0 if sp.issparse(X) else max(np.sqrt(n_features), FEWEST) / n_features
                share = min(many, 1.0)
            self.parameters["feature_fraction"] = share
            self.n_rows = X.shape[0]
            self.data = lightgbm.Dataset(X, params=self.parameters, free_raw_data=True).construct()

    def new_ensemble(self, n_outputs=1):
        """Return an ensemble without trees."""
        return Ensemble(self, n_outputs)

    def release(self):
        """Let go of the binned rows."""
        self.data = None


class Ensemble:
    """Trees for one or several outputs that grow on given gradients.

    While growing it carries the scores of the training rows; after `freeze` it is text,
    from which the trees are rebuilt when first used.
    """

    def __init__(self, rows, n_outputs):
        import lightgbm

        parameters = {**rows.parameters, "num_class": n_outputs}
        self.n_outputs = n_outputs
        self.text = None
        self._booster = lightgbm.Booster(parameters, rows.data)
        self.scores = np.zeros((rows.n_rows, n_outputs))

    def grow(self, gradients, n_trees):
        """Add `n_trees` trees per output along `gradients(scores) -> (gradient, hessian)`."""

        def flat_gradients(flat, data):
            self._keep(flat)
            return tuple(part.T.ravel() for part in gradients(self.scores))

        def keep_scores(flat, data):
            self._keep(flat)
            return "kept", 0.0, True

        for _ in range(n_trees):
            if self._booster.update(fobj=flat_gradients):
                break
        self._booster.eval_train(keep_scores)

    def _keep(self, flat):
        self.scores = np.reshape(flat, (len(self.scores), self.n_outputs), order="F").copy()

    def freeze(self):
        """Keep the trees as text only."""
        self.text = self._booster.model_to_string()
        self.scores = self._booster = None

    def predict(self, X):
        """Return the summed trees: (n, n_outputs)."""
        if self._booster is None:
            import lightgbm

            self._booster = lightgbm.Booster(model_str=self.text)
        raw = self._booster.predict(X, raw_score=True, num_threads=1)
        return np.asarray(raw).reshape(X.shape[0], self.n_outputs)

    def __getstate__(self):
        if self.text is None:
            self.freeze()
        return {"n_outputs": self.n_outputs, "text": self.text}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.scores = self._booster = None
