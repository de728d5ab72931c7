"""Options of joints are refused by name."""

import numpy as np
import pytest

from labelfield.joints import ChainJoint, IsingJoint, MixtureJoint, RBMJoint

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
