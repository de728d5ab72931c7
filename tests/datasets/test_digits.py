"""The embedded pictures of digits: labels, rules, parts, and that dependence pays."""

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from labelfield.datasets import broken_rules, digit_rules, load_digit_scenes
from labelfield.datasets.digits import LABEL_NAMES


def labels_of(digits):
    """The label set of a picture, by the words of the documentation."""
    present = set(digits)
    facts = {f"digit {d}": d in present for d in range(10)}
    facts["even"] = any(d % 2 == 0 for d in present)
    facts["odd"] = any(d % 2 == 1 for d in present)
    facts["prime"] = any(d in (2, 3, 5, 7) for d in present)
    facts["large"] = any(d >= 7 for d in present)
    facts["neighbours"] = any(d + 1 in present for d in present)
    facts["repeated"] = len(present) < 3
    return [int(facts[name]) for name in LABEL_NAMES]


def test_labels_follow_from_the_digits():
    data = load_digit_scenes(n_train=300, n_test=100)
    np.testing.assert_array_equal(data.Y, [labels_of(row) for row in data.truth["digits"]])
    assert data.label_names == LABEL_NAMES


def test_every_real_set_obeys_every_rule():
    Y = np.array([labels_of(digits) for digits in product(range(10), repeat=3)])
    assert not broken_rules(Y).any()


def test_rules_pin_down_the_real_sets():
    """Whatever obeys all rules is the label set of some picture."""
    real = {tuple(labels_of(digits)) for digits in product(range(10), repeat=3)}
    rng = np.random.default_rng(0)
    near = np.array([list(row) for row in real])[rng.integers(len(real), size=4000)]
    near ^= rng.random(near.shape) < 0.1
    obeys = broken_rules(near) == 0
    assert 0.1 < obeys.mean() < 0.9
    np.testing.assert_array_equal(obeys, [tuple(row) in real for row in near])


def test_each_rule_can_be_broken_alone():
    good = np.array([labels_of((0, 4, 9))])
    for rule in digit_rules()[:6]:
        bad = good.copy()
        bad[0, LABEL_NAMES.index(rule.name)] ^= 1
        assert not rule.holds(bad)[0]
        assert broken_rules(bad)[0] == 1
    empty = np.zeros((1, 16), dtype=int)
    assert not digit_rules()[6].holds(empty)[0]
    with pytest.raises(ValueError, match=r"shape \(n, 16\)"):
        broken_rules(empty[:, :3])
    with pytest.raises(ValueError, match="must hold 0 and 1"):
        broken_rules(empty + 2)


def test_parts_are_fixed_and_made_of_different_digits():
    whole = load_digit_scenes(n_train=50, n_test=20)
    train = load_digit_scenes(n_train=50, n_test=20, split="train")
    test = load_digit_scenes(n_train=50, n_test=20, split="test")
    np.testing.assert_array_equal(np.vstack([train.X, test.X]), whole.X)
    np.testing.assert_array_equal(np.vstack([train.Y, test.Y]), whole.Y)
    assert (load_digit_scenes(n_train=50, n_test=20, random_state=1).X != whole.X).any()

    def originals(part):
        images = load_digit_scenes(n_train=300, n_test=300, split=part, noise=0).truth["images"]
        return {cell.tobytes() for image in images for cell in np.hsplit(image, 3)}

    assert not originals("train") & originals("test")
    with pytest.raises(ValueError, match="split must be"):
        load_digit_scenes(split="valid")


def test_pictures_show_their_digits():
    data = load_digit_scenes(n_train=40, n_test=0, noise=0)
    bundled = load_digits()
    class_of = {(image / 16).tobytes(): d for image, d in zip(bundled.images, bundled.target)}
    for image, digits in zip(data.truth["images"], data.truth["digits"]):
        cells = [np.ascontiguousarray(cell) for cell in np.hsplit(image, 3)]
        assert [class_of[cell.tobytes()] for cell in cells] == list(digits)


def test_modelling_dependence_pays():
    train, test = load_digit_scenes(split="train"), load_digit_scenes(split="test")
    scale = StandardScaler().fit(train.X)
    X, new = scale.transform(train.X), scale.transform(test.X)
    scores = np.column_stack(
        [
            LogisticRegression(C=0.1, solver="liblinear").fit(X, y).decision_function(new)
            for y in train.Y.T
        ]
    )
    alone = (scores > 0).astype(int)
    seen = np.unique(train.Y, axis=0).astype(int)
    together = seen[np.argmax(scores @ seen.T, axis=1)]
    exact = [(sets == test.Y).all(axis=1).mean() for sets in (alone, together)]
    assert exact[0] < 0.3
    assert exact[1] > exact[0] + 0.2
    assert broken_rules(alone).mean() > 1
    assert broken_rules(together).sum() == 0
