import numpy as np
import pytest
import scipy.sparse as sp

from labelfield.metrics import label_propensities, named_precision, precision_at_k


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.random((40, 9)) < 0.3, rng.random((40, 9))


@pytest.mark.parametrize("k", [1, 3, 9])
def test_precision_is_that_of_the_scores(data, k):
    Y, scores = data
    named = np.argsort(-scores, axis=1)[:, :k]
    for truth in (Y, sp.csr_matrix(Y)):
        assert named_precision(truth, named) == pytest.approx(precision_at_k(Y, scores, k=k))


@pytest.mark.parametrize("k", [1, 3])
def test_propensity_scores_are_those_of_the_definition(data, k):
    Y, scores = data
    p = label_propensities(Y, a=0.6, b=2.6)
    n = len(Y)
    c = (np.log(n) - 1) * 3.6**0.6
    np.testing.assert_allclose(p, 1 / (1 + c * np.exp(-0.6 * np.log(Y.sum(axis=0) + 2.6))))
    named = np.argsort(-scores, axis=1)[:, :k]
    gained = best = 0.0
    for row in range(n):
        gained += sum(1 / p[label] for label in named[row] if Y[row, label])
        best += sum(sorted(1 / p[Y[row]], reverse=True)[:k])
    assert named_precision(Y, named, propensity=p) == pytest.approx(gained / best)


def test_wrong_arguments_say_what_is_wrong(data):
    Y, _ = data
    for labels, message in [
        (np.zeros((40, 2)), "twice in a row"),
        (np.full((40, 1), 9), "from 0 to 8"),
        (np.zeros(40), "give \\(n, k\\)"),
        (np.zeros((3, 1)), "for n = 40"),
    ]:
        with pytest.raises(ValueError, match=message):
            named_precision(Y, labels)
    with pytest.raises(ValueError, match="propensity must be"):
        named_precision(Y, np.zeros((40, 1)), propensity=np.zeros(9))
