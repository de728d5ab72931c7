"""The restorers of the lab, small enough for the tests."""

from lab.restorers import RESTORERS, MixedKNNImputer

TINY = {
    "forest": {"n_estimators": 3, "max_iter": 2, "random_state": 0},
    "mice": {"max_iter": 2, "random_state": 0},
    "two-stage": {"estimator": MixedKNNImputer(), "random_state": 0},
}


def tiny_restorers():
    """One of each."""
    return [made(**TINY.get(id, {})) for id, made in RESTORERS.items()]
