"""F1 decisions from tables of label and size that held-out rows have corrected."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression

from labelfield import (
    BinaryRelevance,
    CalibratedF1Decoder,
    CalibratedSetClassifier,
    ConditionalBernoulliMixture,
    F1Decoder,
    IndependentJoint,
    LabelPowerset,
    load,
    save,
)
from labelfield.datasets import load_dataset, make_multilabel
from labelfield.kernels.sets.gfm import maximize_f1
from labelfield.metrics import f1_score


def biased_rows(n, seed, power):
    """Return a product law whose probabilities are a power of the true ones, and its labels."""
    rng = np.random.default_rng(seed)
    p = rng.random((n, 4)) ** 2
    Y = (rng.random((n, 4)) < p).astype(np.uint8)
    return IndependentJoint.from_probabilities(p**power), Y


@given(st.integers(0, 1000), st.integers(11, 39))
@settings(max_examples=20, deadline=None)
def test_without_enough_positives_it_is_the_plain_decision(seed, n):
    joint, Y = biased_rows(n, seed, power=3.0)
    decoder = CalibratedF1Decoder(min_positive=n).fit(joint.size_marginals(4), Y)
    assert len(decoder.cells_) == 0
    np.testing.assert_array_equal(decoder.decode(joint), F1Decoder().decode(joint))


def test_curves_are_isotonic_regressions_of_frequent_cells():
    joint, Y = biased_rows(600, 0, power=4.0)
    table = joint.size_marginals(4)
    decoder = CalibratedF1Decoder(min_positive=30).fit(table, Y)
    size = Y.sum(axis=1)
    cells = [(label, s) for label in range(4) for s in (1, 2, 3, 4)]
    counts = {(label, s): int((Y[:, label] & (size == s)).sum()) for label, s in cells}
    assert {tuple(cell) for cell in decoder.cells_} == {c for c in counts if counts[c] >= 30}
    corrected = table.copy()
    for label, s in decoder.cells_:
        hit = (Y[:, label] == 1) & (size == s)
        curve = IsotonicRegression(out_of_bounds="clip").fit(table[:, label, s - 1], hit)
        corrected[:, label, s - 1] = curve.predict(table[:, label, s - 1])
    expected, _ = maximize_f1(corrected, joint.size_distribution()[:, 0])
    np.testing.assert_array_equal(decoder.decode(joint), expected)


def test_biased_probabilities_are_put_right_on_new_rows():
    joint, Y = biased_rows(2000, 0, power=4.0)
    decoder = CalibratedF1Decoder(allow_empty=False).fit(joint.size_marginals(4), Y)
    assert decoder.gain_ > 3 * decoder.gain_error_
    new, Y_new = biased_rows(2000, 1, power=4.0)
    plain = f1_score(Y_new, F1Decoder(allow_empty=False).decode(new), average="samples")
    assert f1_score(Y_new, decoder.decode(new), average="samples") > plain + 0.01


def test_true_probabilities_stay():
    joint, Y = biased_rows(400, 3, power=1.0)
    decoder = CalibratedF1Decoder().fit(joint.size_marginals(4), Y)
    assert len(decoder.cells_) == 0
    assert decoder.gain_ <= decoder.gain_error_


@pytest.mark.parametrize(
    "model",
    [
        BinaryRelevance(decoder=CalibratedF1Decoder(margin=-9.0, min_positive=5)),
        ConditionalBernoulliMixture(
            n_components=2,
            max_iter=2,
            random_state=0,
            decoder=CalibratedF1Decoder(margin=-9.0, min_positive=5),
        ),
        CalibratedSetClassifier(
            LabelPowerset(alpha=1.0), cv=2, decoder=CalibratedF1Decoder(margin=-9.0, min_positive=5)
        ),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_learn_it_in_fit_and_save_it(model, tmp_path):
    data = make_multilabel(n_samples=200, n_labels=3, random_state=0)
    model.fit(data.X, data.Y)
    assert len(model._fitted_decoder.cells_)
    save(model, tmp_path / "model.lf")
    answer = load(tmp_path / "model.lf").predict(data.X)
    np.testing.assert_array_equal(answer, model.predict(data.X))
    assert f1_score(data.Y, answer, average="samples") > 0.5


def test_bad_input():
    joint, Y = biased_rows(30, 0, power=1.0)
    table = joint.size_marginals(4)
    with pytest.raises(NotFittedError, match="curves of this CalibratedF1Decoder are not learned"):
        CalibratedF1Decoder().decode(joint)
    with pytest.raises(ValueError, match=r"P must have shape \(n, L, S\)"):
        CalibratedF1Decoder().fit(joint.marginals(), Y)
    with pytest.raises(ValueError, match="unknown labels"):
        CalibratedF1Decoder().fit(table, np.where(Y, 1.0, np.nan))
    with pytest.raises(ValueError, match="'cv' parameter"):
        CalibratedF1Decoder(cv=1).fit(table, Y)


@pytest.mark.data
@pytest.mark.skipif(not os.environ.get("LABELFIELD_DATA"), reason="LABELFIELD_DATA is not set")
@pytest.mark.parametrize("name", ["emotions", "medical"])
def test_small_data_are_not_harmed(name):
    train, test = (load_dataset(name, split=split) for split in ("train", "test"))
    model = BinaryRelevance(decoder=CalibratedF1Decoder()).fit(train.X, train.Y)
    plain = f1_score(test.Y, model.predict(test.X, decoder="f1"), average="samples")
    assert f1_score(test.Y, model.predict(test.X), average="samples") > plain - 0.005
