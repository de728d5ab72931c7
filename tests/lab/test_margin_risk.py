"""Risk by margins and the bound of theorem 3 (Q. Li 2017)."""

import numpy as np
import pytest
from lab.provenance import code_of
from lab.runner import compute
from lab.tasks.margin_risk import margin_losses, stability_bound
from lab.variants.mean_loss_corrlog import MeanLossCorrLog

from lab import cells_of, get_table
from labelfield import CorrelatedLogistic
from labelfield.datasets import make_correlated_discs
from labelfield.joints import IndependentJoint


def test_losses_by_listing_all_sets():
    rng = np.random.default_rng(0)
    joint = IndependentJoint(rng.normal(size=(40, 3)))
    truth = rng.integers(0, 2, size=(40, 3)).astype(np.uint8)
    every = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    expected = []
    for row in range(40):
        scores = {tuple(s): float(s @ joint.logits[row]) for s in every}
        mine = scores.pop(tuple(truth[row]))
        expected.append(min(1.0, max(0.0, 1.0 - (mine - max(scores.values())) / 0.7)))
    assert margin_losses(joint, truth, margin=0.7) == pytest.approx(expected)


def test_bound_is_the_printed_formula():
    n, strength = 500, 0.2
    printed = 32 / (strength * n) + (64 / strength + 1) * np.sqrt(np.log(10) / (2 * n))
    assert stability_bound(n, strength) == pytest.approx(printed)
    # L + L (L - 1) / 2 terms in place of two
    assert stability_bound(n, strength, n_labels=1) < printed
    assert stability_bound(n, strength, n_labels=8) > 17 * (printed - 1)


def test_strength_is_against_the_mean_loss():
    data = make_correlated_discs(150, 3, random_state=0)
    same = CorrelatedLogistic(
        objective="exact", alpha=1.5, l1_ratio=0.5, edge_l1_ratio=0.5, penalize_intercept=True
    )
    ours = MeanLossCorrLog(strength=0.01).fit(data.X, data.Y)
    assert ours.coef_ == pytest.approx(same.fit(data.X, data.Y).coef_)
    assert len(MeanLossCorrLog(strength=0.01, coupled=False).fit(data.X, data.Y).edges_) == 0


def test_cell_of_the_figure():
    cell = cells_of(get_table("qli2017-fig3.1"), columns=["2 labels, 100 rows"])[1]
    figures = compute(cell)["figures"]["own"]
    assert 0 < figures["zero_one_loss"] < 0.2
    assert figures["zero_one_loss"] <= figures["margin_risk"] < figures["printed_bound"]
    assert figures["margin_risk"] < figures["corrected_bound"]


def test_code_of_variants_counts():
    by_title = {}
    table = get_table("qli2017-fig3.1")
    for method in table.methods:
        by_title[method.title] = code_of(cells_of(table, methods=[method.title])[0])
    plain = cells_of(get_table("qli2017-3.6"), methods=["CorrLog"])[0]
    assert set(by_title.values()) != {code_of(plain)}
