"""Where climbs end on real labels."""

import os

import pytest
from lab.scaling import FeatureScaler

from labelfield import ConditionalRBM, ContrastiveDivergence, LabelRecovery
from labelfield.datasets import load_dataset

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not os.environ.get("LABELFIELD_DATA"), reason="LABELFIELD_DATA names no folder"
    ),
]


@pytest.fixture(scope="module")
def parts():
    train, test = (load_dataset("yeast", split=split) for split in ("train", "test"))
    scaler = FeatureScaler(scale="mean-norm").fit(train.X)
    return scaler.transform(train.X), train.Y, scaler.transform(test.X)[:400]


def test_climbs_from_the_mean_field_reach_the_most_probable_sets(parts):
    X, Y, X_test = parts
    training = ContrastiveDivergence(centered=False, persistent=False, coupling_scale=0.01)
    model = ConditionalRBM(n_hidden=20, training=training, random_state=0).fit(X, Y)
    mode = model.predict_joint(X_test).mode()

    def agreement(start):
        found = model.set_params(recovery=LabelRecovery(start=start)).recover(X_test)
        return (found == mode).all(axis=1).mean()

    assert agreement("meanfield") >= 0.80
    assert agreement("meanfield") > agreement("bias") > agreement("paper")


def test_climbs_from_training_sets_too_reach_nearly_all_of_them(parts):
    X, Y, X_test = parts
    joint = ConditionalRBM(n_hidden=20, random_state=0).fit(X, Y).predict_joint(X_test)
    assert (joint.climb() == joint.mode()).all(axis=1).mean() >= 0.95
