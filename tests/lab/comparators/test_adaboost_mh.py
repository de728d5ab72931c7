"""AdaBoost.MH against the loop of its paper, its bound, and a problem of one question."""

import numpy as np
import pytest
import scipy.sparse as sp
from lab.comparators.adaboost_mh import JointBoosting

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel


def by_the_book(X, Y, n_rounds):
    """Return the scores (n, L) of training rows with questions x > 0, one round after another."""
    n, L = Y.shape
    sign = 2 * Y.astype(int) - 1
    D = np.full((n, L), 1 / (n * L))
    scores = np.zeros((n, L))
    for _ in range(n_rounds):
        best = None
        for feature in range(X.shape[1]):
            present = X[:, feature] > 0
            Z, votes = 0.0, np.zeros((n, L))
            for block in (present, ~present):
                for label in range(L):
                    plus = D[block & (sign[:, label] > 0), label].sum()
                    minus = D[block & (sign[:, label] < 0), label].sum()
                    Z += 2 * np.sqrt(plus * minus)
                    votes[block, label] = 0.5 * np.log((plus + 1 / (n * L)) / (minus + 1 / (n * L)))
            if best is None or best[0] - 1e-12 > Z:
                best = Z, votes
        scores += best[1]
        D *= np.exp(-sign * best[1])
        D /= D.sum()
    return scores


@pytest.mark.parametrize("seed", range(3))
def test_rounds_are_those_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((40, 6)) < 0.4).astype(float)
    Y = ((X[:, :3] + rng.random((40, 3))) > 0.9).astype(np.uint8)
    model = JointBoosting(n_rounds=5).fit(sp.csr_matrix(X), Y)
    scores = model.predict_joint(sp.csr_matrix(X)).logits / 2.0
    np.testing.assert_allclose(scores, by_the_book(X, Y, 5), atol=1e-9)


def test_the_exponential_loss_bounds_the_hamming_loss_and_falls():
    data = make_multilabel(n_samples=150, n_labels=4, random_state=0)
    model = JointBoosting(n_rounds=60).fit(data.X, data.Y)
    scores = model.predict_joint(data.X).logits / 2.0
    loss = np.exp(np.where(data.Y == 1, -scores, scores)).mean()
    assert model.trace_[-1] == pytest.approx(loss, rel=1e-6)
    assert (model.predict(data.X) != data.Y).mean() <= loss
    assert (np.diff(model.trace_) < 1e-12).all()
    assert model.trace_[-1] < 0.7 * model.trace_[0]


def test_one_threshold_is_found():
    x = np.linspace(0.0, 1.0, 101)
    Y = np.column_stack([x > 0.53, x <= 0.53]).astype(np.uint8)
    model = JointBoosting(n_rounds=1).fit(np.column_stack([np.sin(99 * x), x]), Y)
    assert model.features_.tolist() == [1]
    assert abs(model.thresholds_[0] - 0.53) < 0.03
    assert (model.predict(np.column_stack([x, x]))[[0, -1]] == [[0, 1], [1, 0]]).all()


def test_contract():
    keeps_promises(JointBoosting(n_rounds=30))
