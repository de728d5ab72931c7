"""Options of joints are refused by name."""

import numpy as np
import pytest

from labelfield.joints import (
    ChainJoint,
    IndependentJoint,
    IsingJoint,
    MixtureJoint,
    RBMJoint,
)

MAKERS = {
    "ChainJoint": lambda **options: ChainJoint.linear([[0.0, 0.0]], np.zeros((2, 2)), **options),
    "IsingJoint": lambda **options: IsingJoint(np.zeros((1, 2)), [(0, 1)], [1.0], **options),
    "MixtureJoint": lambda **options: MixtureJoint(
        np.zeros((1, 1)), np.zeros((1, 1, 2)), **options
    ),
    "RBMJoint": lambda **options: RBMJoint(
        np.zeros((1, 2)), np.zeros((2, 1)), np.zeros(1), **options
    ),
}


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("ChainJoint", "max_beam", 0),
        ("ChainJoint", "n_draws", 2.5),
        ("ChainJoint", "random_state", -1),
        ("IsingJoint", "damping", 1.0),
        ("IsingJoint", "damping", np.nan),
        ("IsingJoint", "max_iter", "many"),
        ("IsingJoint", "n_draws", 0),
        ("IsingJoint", "random_state", None),
        ("IsingJoint", "schedule", "random"),
        ("IsingJoint", "tol", np.nan),
        ("MixtureJoint", "max_visits", 0),
        ("RBMJoint", "n_draws", 0),
        ("RBMJoint", "random_state", "seed"),
    ],
)
def test_wrong_options_are_refused_by_name(kind, name, value):
    with pytest.raises(ValueError, match=f"The {name!r} parameter of {kind} must be"):
        MAKERS[kind](**{name: value})


@pytest.mark.parametrize("size", [1e8, 1e17, 1.7e308])
@pytest.mark.parametrize("kind", ["independent", "mixture", "chain", "ising", "rbm"])
def test_log_odds_near_overflow_give_the_probabilities_of_certain_labels(kind, size):
    far = {
        "independent": lambda z: IndependentJoint(z),
        "mixture": lambda z: MixtureJoint(np.log([[0.5, 0.5]]), np.stack([z, z], axis=1)),
        "chain": lambda z: ChainJoint.linear(z, np.zeros((3, 3))),
        "ising": lambda z: IsingJoint(z, [(0, 1), (1, 2)], [0.0, 0.0]),
        "rbm": lambda z: RBMJoint(z, np.zeros((3, 1)), np.zeros(1)),
    }[kind]
    joint = far(np.array([[size, 0.3, -size]]))
    p = 1.0 / (1.0 + np.exp(-0.3))
    np.testing.assert_allclose(joint.marginals(), [[1.0, p, 0.0]], rtol=1e-12)
    sets = np.array([[[1, 1, 0], [1, 0, 0], [0, 1, 0]]])
    np.testing.assert_allclose(np.exp(joint.log_prob(sets)), [[p, 1 - p, 0.0]], rtol=1e-12)
    np.testing.assert_array_equal(joint.mode(), [[1, 1, 0]])
    shifted = joint.tilt([[1e8, 0.0, -1e8]])
    np.testing.assert_allclose(shifted.marginals(), joint.marginals(), rtol=1e-12)


@pytest.mark.parametrize("size", [1e10, 1.7e308, np.inf, np.nan])
def test_couplings_near_overflow_are_refused_by_name(size):
    with pytest.raises(ValueError, match="coupling must be finite, of size 1e\\+09 at most"):
        IsingJoint(np.zeros((1, 2)), [(0, 1)], [size])
    with pytest.raises(ValueError, match="hidden_bias must be finite"):
        RBMJoint(np.zeros((1, 2)), np.zeros((2, 1)), [size])
