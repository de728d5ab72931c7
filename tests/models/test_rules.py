"""Models with rules: what they answer, learn from, refuse and store."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    ClassifierChain,
    ClassifierChainEnsemble,
    ConditionalBernoulliMixture,
    ConditionalGraphicalLasso,
    ConditionalRBM,
    CorrelatedLogistic,
    IndependentJoint,
    JointStacking,
    LabelPowerset,
    LabelRules,
    LogLinearLasso,
    PairwiseCRF,
    ProbabilisticClassifierChain,
    RandomLabelsets,
    SetReranker,
    load,
)
from labelfield.datasets import make_multilabel
from labelfield.learners import label_probabilities

NAMES = ["a", "b", "c", "d"]
RULES = LabelRules(NAMES).implies("a", "b").exclusive("c", "d")
DATA = make_multilabel(n_samples=120, n_labels=4, random_state=0)
X, Y = DATA.X, DATA.Y
MODELS = {
    "relevance": BinaryRelevance(),
    "greedy chain": ClassifierChain(),
    "chain": ProbabilisticClassifierChain(),
    "chains": ClassifierChainEnsemble(n_chains=2, random_state=0),
    "powerset": LabelPowerset(alpha=1.0),
    "labelsets": RandomLabelsets(random_state=0),
    "mixture": ConditionalBernoulliMixture(n_components=3, max_iter=5, random_state=0),
    "field": CorrelatedLogistic(),
    "crf": PairwiseCRF(),
    "graphical lasso": ConditionalGraphicalLasso(),
    "log-linear": LogLinearLasso(),
    "rbm": ConditionalRBM(n_hidden=2, max_iter=3, random_state=0),
    "stack": JointStacking([("br", BinaryRelevance()), ("lp", LabelPowerset(alpha=1.0))], cv=2),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_answers_of_every_model_keep_the_rules(model, tmp_path):
    fitted = clone(model).set_params(rules=RULES, on_violation="drop").fit(X, Y)
    bound, free = fitted.predict_joint(X), fitted._joint(X)
    np.testing.assert_allclose(bound.marginals(), free.given_rules(RULES).marginals())
    for decoder in (None, "subset", "hamming", "f1", "jaccard", "top_k"):
        assert RULES.keeps(fitted.predict(X, decoder=decoder)).all()
    p = fitted.predict_proba(X)
    assert (p[:, 0] <= p[:, 1] + 1e-12).all()
    assert (p[:, 2] + p[:, 3] <= 1.0 + 1e-12).all()
    fitted.save(tmp_path / "model.lf")
    again = load(tmp_path / "model.lf")
    assert again.rules == again.rules_ == RULES
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


def test_rows_that_break_rules_are_refused_mended_dropped_or_kept():
    broken = RULES.check(Y).broken
    weight = np.linspace(1.0, 2.0, len(Y))
    with pytest.raises(ValueError, match=f"row {np.flatnonzero(broken)[0]} of Y.*on_violation"):
        BinaryRelevance(rules=RULES).fit(X, Y)
    dropped = BinaryRelevance(rules=RULES, on_violation="drop").fit(X, Y, sample_weight=weight)
    plain = BinaryRelevance().fit(X[~broken], Y[~broken], sample_weight=weight[~broken])
    np.testing.assert_allclose(dropped.coef_, plain.coef_)
    kept = BinaryRelevance(rules=RULES, on_violation="keep").fit(X, Y)
    np.testing.assert_allclose(kept.coef_, BinaryRelevance().fit(X, Y).coef_)
    implied = LabelRules(NAMES).implies("a", "b")
    closed = BinaryRelevance(rules=implied, on_violation="close").fit(X, Y)
    np.testing.assert_allclose(closed.coef_, BinaryRelevance().fit(X, implied.closure(Y)).coef_)
    with pytest.raises(ValueError, match="even with the labels that they imply"):
        BinaryRelevance(rules=RULES, on_violation="close").fit(X, Y)
    with pytest.raises(ValueError, match="none is left"):
        BinaryRelevance(rules=RULES, on_violation="drop").fit(X[broken], Y[broken])
    with pytest.raises(ValueError, match="on_violation"):
        BinaryRelevance(rules=RULES, on_violation="mend").fit(X, Y)
    with pytest.raises(ValueError, match="rules"):
        BinaryRelevance(rules="a implies b").fit(X, Y)


def test_rules_find_their_labels_by_name():
    frame = pd.DataFrame(Y[:, ::-1], columns=NAMES[::-1])
    turned = BinaryRelevance(rules=RULES, on_violation="keep").fit(X, frame)
    assert RULES.keeps(turned.predict(X)[:, ::-1]).all()
    plain = BinaryRelevance(rules=RULES, on_violation="keep").fit(X, Y)
    np.testing.assert_allclose(turned.predict_proba(X)[:, ::-1], plain.predict_proba(X))
    thresholds = BinaryRelevance(rules=RULES, on_violation="keep", decoder="threshold_f1_macro")
    assert RULES.keeps(thresholds.fit(X, frame).predict(X)[:, ::-1]).all()
    with pytest.raises(ValueError, match="there is no label 'a'"):
        BinaryRelevance(rules=RULES).fit(X, pd.DataFrame(Y, columns=["A", "b", "c", "d"]))
    with pytest.raises(ValueError, match="about 4 labels, not 3"):
        BinaryRelevance(rules=RULES).fit(X, Y[:, :3])
    contradiction = RULES.at_least(1, "a").forbids("a", "b")
    with pytest.raises(ValueError, match="contradict each other"):
        BinaryRelevance(rules=contradiction, on_violation="keep").fit(X, Y)


def test_confidence_and_routes_are_about_sets_that_keep_the_rules():
    ruled = BinaryRelevance(rules=RULES, on_violation="keep", decoder="subset")
    for wrapper in (CalibratedSetClassifier(ruled, cv=2), SetReranker(ruled, cv=2)):
        fitted = wrapper.fit(X, Y)
        assert RULES.keeps(fitted.predict(X)).all()
        assert fitted.predict_joint(X).rules == RULES
        assert len(fitted.route(X, accuracy=0.1).accept) == len(X)


@pytest.mark.parametrize("cv", [2, "prefit", 0.4])
@pytest.mark.parametrize("wrapper", [CalibratedSetClassifier, SetReranker])
def test_calibrators_keep_rules_that_their_estimator_does_not_know(wrapper, cv, tmp_path):
    free = KNeighborsClassifier(3).fit(X, Y)
    assert not RULES.keeps(free.predict(X)).all()
    fitted = wrapper(free, cv=cv, rules=RULES, on_violation="drop").fit(X, Y)
    for decoder in (None, "subset", "hamming", "f1"):
        assert RULES.keeps(fitted.predict(X, decoder=decoder)).all()
    assert fitted.predict_joint(X).rules == RULES
    p = fitted.predict_proba(X)
    assert (p[:, 0] <= p[:, 1] + 1e-12).all()
    assert len(fitted.route(X, accuracy=0.001).accept) == len(X)
    with pytest.raises(ValueError, match="of Y breaks the rule"):
        wrapper(free, cv=cv, rules=RULES).fit(X, Y)
    sets = fitted.predict(X)
    kept = RULES.keeps(free.predict(X))
    if wrapper is CalibratedSetClassifier and cv == "prefit":
        np.testing.assert_array_equal(sets[kept], free.predict(X)[kept])
        joint = IndependentJoint.from_probabilities(label_probabilities(free, X, 4))
        best = joint.given_rules(RULES).mode()
        np.testing.assert_array_equal(sets[~kept], best[~kept])


def test_calibrated_rules_are_saved(tmp_path):
    model = CalibratedSetClassifier(BinaryRelevance(), cv=2, rules=RULES, on_violation="keep")
    model.fit(X, Y).save(tmp_path / "model.lf")
    again = load(tmp_path / "model.lf")
    assert again.rules_ == RULES
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_incomplete_labels_with_rules():
    Z = Y.astype(float)
    Z[::3, 1] = np.nan
    fitted = BinaryRelevance(rules=RULES, on_violation="drop").fit(X, Z)
    assert RULES.keeps(fitted.predict(X)).all()
    implied = LabelRules(NAMES).implies("a", "b")
    assert BinaryRelevance(rules=implied, on_violation="close").fit(X, Z).rules_ == implied
