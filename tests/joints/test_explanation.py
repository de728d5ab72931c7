import numpy as np
import pytest

from labelfield import FactorGraph, IsingJoint
from labelfield.joints import explain_set


@pytest.fixture(scope="module")
def joint():
    rng = np.random.default_rng(0)
    graph = FactorGraph(5, [(0, 1), (1, 2), (3, 4), (0, 2, 4)])
    return IsingJoint(rng.normal(size=(3, 5)), graph, 2 * rng.normal(size=(3, 4)))


@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize("labels", [None, [1, 1, 1, 0, 1], [0, 0, 0, 0, 0]])
def test_log_odds_of_a_label_are_what_flipping_it_costs(joint, row, labels):
    why = explain_set(joint, row, labels=labels)
    one = joint.take(np.array([row]))
    chosen = one.mode()[0] if labels is None else np.array(labels, dtype=np.uint8)
    assert why.score == pytest.approx(one.log_score(chosen[None])[0])
    for reason in why.reasons:
        k = int(reason.label[1:])
        with_label, without = chosen.copy(), chosen.copy()
        with_label[k], without[k] = 1, 0
        scores = one.log_score(np.stack([with_label, without])[None])[0]
        assert reason.log_odds == pytest.approx(scores[0] - scores[1])
        assert reason.present == chosen[k]


def test_the_best_set_holds_the_labels_with_positive_log_odds(joint):
    for reason in explain_set(joint, 1).reasons:
        assert (reason.log_odds > 0) == reason.present


@pytest.mark.parametrize(
    "wrong",
    [{"labels": [1, 0]}, {"labels": [2, 0, 0, 0, 0]}, {"names": ["a"]}, {"row": 3}, {"row": -1}],
)
def test_arguments_are_checked(joint, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        explain_set(joint, **wrong)


def test_a_joint_without_couplings_is_refused(joint):
    listed = joint.restrict(np.eye(5, dtype=np.uint8))
    with pytest.raises(ValueError, match="SupportJoint"):
        explain_set(listed)
