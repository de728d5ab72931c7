"""The value network: the value that it learns, and what climbing it finds."""

import numpy as np
import pytest
from lab.comparators.dvn import DeepValueNetwork, relaxed_f1, value_odds
from lab.comparators.networks import as_tensor, from_arrays, hidden_features
from scipy.stats import spearmanr

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel
from labelfield.kernels.sets.bits import all_sets
from labelfield.metrics import METRICS

torch = pytest.importorskip("torch")


def test_the_value_of_a_set_is_its_f1():
    for truth in all_sets(3):
        for other in all_sets(3):
            value = relaxed_f1(as_tensor(other[None]), as_tensor(truth[None]))
            expected = METRICS["f1_samples"](truth[None], other[None])
            assert float(value[0]) == pytest.approx(expected)


def test_between_two_sets_the_value_lies_between():
    truth = torch.tensor([[1.0, 0.0]])
    assert float(relaxed_f1(torch.tensor([[0.5, 0.0]]), truth)[0]) == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def fitted():
    data = make_multilabel(n_samples=300, n_labels=4, random_state=0)
    model = DeepValueNetwork(n_hidden=16, n_epochs=25, learning_rate=0.01, random_state=0)
    return model.fit(data.X, data.Y), data


def test_values_follow_the_true_f1(fitted):
    model, data = fitted
    weights = from_arrays(model.weights_)
    features = hidden_features(weights, as_tensor(data.X[:40]))
    sets = np.random.default_rng(0).integers(0, 2, (40, 4))
    found = value_odds(weights, features, as_tensor(sets)).numpy()
    truth = relaxed_f1(as_tensor(sets), as_tensor(data.Y[:40])).numpy()
    assert spearmanr(found, truth)[0] > 0.5


def test_climbing_ends_higher_than_it_began(fitted):
    model, data = fitted
    weights = from_arrays(model.weights_)
    features = hidden_features(weights, as_tensor(data.X[:40]))
    found = as_tensor(model.predict_proba(data.X[:40]))
    start = value_odds(weights, features, torch.zeros_like(found))
    assert (value_odds(weights, features, found) >= start - 1e-4).all()
    share = max(data.Y.mean(), 1 - data.Y.mean())
    assert (model.predict(data.X) == data.Y).mean() > share + 0.05


def test_contract():
    keeps_promises(
        DeepValueNetwork(n_hidden=4, n_global=2, n_epochs=2, n_steps=3, random_state=0),
        check_constant_labels="two epochs teach nothing",
        check_one_row="two epochs teach nothing",
        check_label_permutation="first weights are drawn for the labels in their order",
    )
