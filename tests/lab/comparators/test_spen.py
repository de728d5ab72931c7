"""The energy network: its minima against another solver, and without its second part."""

import numpy as np
import pytest
from lab.comparators.spen import EnergyNetwork, energy, least_energy, local_scores
from scipy.optimize import minimize

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel

torch = pytest.importorskip("torch")


def test_minima_of_a_convex_energy_are_found():
    rng = np.random.default_rng(0)
    weights = {
        "C": torch.tensor(rng.normal(size=(3, 4))),
        "c": torch.tensor(rng.uniform(0.5, 2.0, 4)),
    }
    scores = torch.tensor(rng.normal(size=(5, 3)))
    found = least_energy(weights, scores, 2000, 0.3)
    for row in range(5):

        def of_one(y, row=row):
            return float(energy(weights, scores[[row]], torch.tensor(y[None]))[0])

        best = minimize(of_one, np.full(3, 0.5), bounds=[(0.0, 1.0)] * 3)
        np.testing.assert_allclose(found[row], best.x, atol=2e-3)


def test_without_units_for_whole_sets_labels_are_decided_alone():
    data = make_multilabel(n_samples=100, n_labels=4, random_state=0)
    model = EnergyNetwork(n_hidden=8, n_global=0, n_epochs=3, random_state=0).fit(data.X, data.Y)
    weights = {name: torch.as_tensor(value) for name, value in model.weights_.items()}
    scores = local_scores(weights, torch.as_tensor(data.X, dtype=torch.float32))
    np.testing.assert_array_equal(model.predict(data.X), scores.numpy() > 0)


def test_training_lowers_the_hinge_loss_and_learns_the_labels():
    data = make_multilabel(n_samples=300, n_labels=4, random_state=0)
    model = EnergyNetwork(n_hidden=16, n_epochs=15, learning_rate=0.01, random_state=0)
    model.fit(data.X, data.Y)
    assert model.trace_[-1] < model.trace_[0]
    share = max(data.Y.mean(), 1 - data.Y.mean())
    assert (model.predict(data.X) == data.Y).mean() > share + 0.05


def test_contract():
    keeps_promises(
        EnergyNetwork(n_hidden=4, n_global=2, n_epochs=2, n_steps=3, random_state=0),
        check_constant_labels="two epochs teach nothing",
        check_label_permutation="first weights are drawn for the labels in their order",
    )
