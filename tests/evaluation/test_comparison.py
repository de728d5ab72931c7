"""The comparison engine gives what the Python API gives by hand."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelfield import BinaryRelevance, LabelPowerset, RandomLabelsets
from labelfield.datasets import make_multilabel
from labelfield.evaluation import compare_models
from labelfield.evaluation.statistics import average_ranks, critical_difference
from labelfield.metrics import METRICS
from labelfield.model_selection import MultilabelStratifiedKFold

DATA = make_multilabel(n_samples=90, n_features=5, n_labels=3, random_state=1)
FOLDS = KFold(3, shuffle=True, random_state=0)


def entry(found, model, decoder):
    return next(
        one for one in found["results"] if (one["model"], one["decoder"]) == (model, decoder)
    )


def test_figures_equal_those_by_hand():
    models = {
        "BR": make_pipeline(StandardScaler(), BinaryRelevance(alpha=1.0)),
        "LP": LabelPowerset(alpha=1.0),
    }
    metrics = ("subset_accuracy", "f1_samples", "roc_auc_macro")
    found = compare_models(
        DATA.X, DATA.Y, models, decoders=("subset", "f1"), metrics=metrics, cv=FOLDS
    )
    for name, model in models.items():
        for decoder in ("subset", "f1"):
            for metric in metrics:
                values = []
                for train, test in FOLDS.split(DATA.X):
                    fitted = model.fit(DATA.X[train], DATA.Y[train])
                    needs_sets = METRICS[metric].needs == "sets"
                    output = (
                        fitted.predict(DATA.X[test], decoder=decoder)
                        if needs_sets
                        else fitted.predict_proba(DATA.X[test])
                    )
                    values.append(METRICS[metric](DATA.Y[test], output))
                figures = entry(found, name, decoder)["figures"][metric]
                np.testing.assert_allclose(figures["values"], values, rtol=1e-9)
                assert figures["mean"] == pytest.approx(np.mean(values))
                assert figures["deviation"] == pytest.approx(np.std(values, ddof=1))
                assert found["mean"][f"{name}, {decoder}"][metric] == figures["mean"]


def test_one_fit_per_fold_serves_all_decoders(monkeypatch):
    fits = []
    plain_fit = BinaryRelevance.fit

    def counted(self, X, Y, sample_weight=None):
        fits.append(len(Y))
        return plain_fit(self, X, Y, sample_weight)

    monkeypatch.setattr(BinaryRelevance, "fit", counted)
    compare_models(DATA.X, DATA.Y, {"BR": BinaryRelevance(alpha=1.0)}, cv=3)
    assert len(fits) == 3


def test_interruption_keeps_the_finished_models_if_asked(monkeypatch):
    def interrupted(self, X, Y):
        raise KeyboardInterrupt

    models = {"BR": BinaryRelevance(alpha=1.0), "LP": LabelPowerset(alpha=1.0)}
    expected = compare_models(DATA.X, DATA.Y, {"BR": models["BR"]}, cv=3)
    monkeypatch.setattr(LabelPowerset, "fit", interrupted)
    found = compare_models(DATA.X, DATA.Y, models, cv=3, keep_finished=True)
    assert found["unfinished"] == ["LP"]
    assert found["mean"] == expected["mean"]
    with pytest.raises(KeyboardInterrupt):
        compare_models(DATA.X, DATA.Y, models, cv=3)
    with pytest.raises(KeyboardInterrupt):
        compare_models(DATA.X, DATA.Y, {"LP": models["LP"]}, cv=3, keep_finished=True)


def test_answers_are_out_of_fold_in_the_order_of_the_rows():
    found = compare_models(
        DATA.X, DATA.Y, {"LP": LabelPowerset(alpha=1.0)}, decoders=("subset",), cv=FOLDS
    )
    answers = found["answers"]["LP"]
    for train, test in FOLDS.split(DATA.X):
        model = LabelPowerset(alpha=1.0).fit(DATA.X[train], DATA.Y[train])
        sets = model.predict(DATA.X[test])
        joint = model.predict_joint(DATA.X[test])
        np.testing.assert_array_equal(answers["sets"]["subset"][test], sets)
        np.testing.assert_allclose(
            answers["confidence"]["subset"][test], np.exp(joint.log_prob(sets)), rtol=1e-9
        )
        np.testing.assert_allclose(answers["marginals"][test], joint.marginals(), rtol=1e-9)


def test_ranks_are_over_the_folds():
    models = {"BR": BinaryRelevance(alpha=1.0), "LP": LabelPowerset(alpha=1.0)}
    found = compare_models(DATA.X, DATA.Y, models, decoders=("subset", "hamming"), cv=FOLDS)
    scores = np.array([one["figures"]["hamming_loss"]["values"] for one in found["results"]]).T
    ranks = found["ranks"]["hamming_loss"]
    np.testing.assert_allclose(ranks["average"], average_ranks(scores, greater_is_better=False))
    assert ranks["critical_difference"] == pytest.approx(critical_difference(4, 3))


def test_classifiers_from_elsewhere_are_measured_with_their_own_decision():
    found = compare_models(
        DATA.X,
        DATA.Y,
        {"kNN": KNeighborsClassifier(3)},
        metrics=("f1_micro", "roc_auc_micro"),
        cv=FOLDS,
    )
    (one,) = found["results"]
    assert one["decoder"] == "own"
    train, test = next(FOLDS.split(DATA.X))
    model = KNeighborsClassifier(3).fit(DATA.X[train], DATA.Y[train])
    by_hand = METRICS["f1_micro"](DATA.Y[test], model.predict(DATA.X[test]))
    assert one["figures"]["f1_micro"]["values"][0] == pytest.approx(by_hand)
    assert found["ranks"]["f1_micro"]["critical_difference"] is None


def test_a_decoder_that_learns_is_fitted_inside_the_fold():
    found = compare_models(
        DATA.X,
        DATA.Y,
        {"BR": BinaryRelevance(alpha=1.0)},
        decoders=("hamming", "threshold_f1_macro"),
        cv=FOLDS,
    )
    train, test = next(FOLDS.split(DATA.X))
    model = BinaryRelevance(alpha=1.0, decoder="threshold_f1_macro").fit(
        DATA.X[train], DATA.Y[train]
    )
    by_hand = METRICS["f1_macro"](DATA.Y[test], model.predict(DATA.X[test]))
    figures = entry(found, "BR", "threshold_f1_macro")["figures"]["f1_macro"]
    assert figures["values"][0] == pytest.approx(by_hand)


def test_an_int_asks_for_stratified_folds():
    models = {"LP": LabelPowerset(alpha=1.0)}
    folds = MultilabelStratifiedKFold(4, shuffle=True, random_state=5)
    asked = compare_models(DATA.X, DATA.Y, models, cv=4, random_state=5)
    given = compare_models(DATA.X, DATA.Y, models, cv=list(folds.split(DATA.X, DATA.Y)))
    assert asked["mean"] == given["mean"]
    assert asked["folds"] == 4


def test_random_models_are_reproducible_and_parallel_runs_agree():
    models = {"RAkEL": RandomLabelsets(set_size=2, alpha=1.0), "LP": LabelPowerset(alpha=1.0)}
    first = compare_models(DATA.X, DATA.Y, models, cv=FOLDS)
    calls = []
    with parallel_config(backend="threading"):
        second = compare_models(
            DATA.X, DATA.Y, models, cv=FOLDS, n_jobs=2, progress=lambda *call: calls.append(call)
        )
    assert first["mean"] == second["mean"]
    assert [call[0] for call in calls] == list(range(7))


def test_overlapping_tests_give_figures_but_no_answers():
    cv = ShuffleSplit(2, test_size=0.5, random_state=0)
    found = compare_models(DATA.X, DATA.Y, {"LP": LabelPowerset(alpha=1.0)}, cv=cv)
    assert found["answers"] is None
    assert len(found["results"][0]["figures"]["f1_micro"]["values"]) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": {}}, "models is empty"),
        ({"decoders": ()}, "decoders is empty"),
        ({"decoders": ("best",)}, "'best'"),
        ({"metrics": ("accuracy!",)}, "'accuracy!'"),
    ],
)
def test_bad_names_are_refused(change, message):
    arguments = {"models": {"BR": BinaryRelevance(alpha=1.0)}, **change}
    with pytest.raises(ValueError, match=message):
        compare_models(DATA.X, DATA.Y, **arguments)


def test_thresholds_that_a_model_has_learned_are_used():
    from labelfield import LabelSetClassifier
    from labelfield.evaluation import answer

    data = make_multilabel(n_samples=90, n_labels=4, random_state=0)
    model = LabelSetClassifier(budget="quick").fit(data.X, data.Y)
    name = "threshold_f1_macro"
    found = answer(model, data.X, (name,), confidence=True)
    np.testing.assert_array_equal(found.sets[name], model.predict(data.X, decoder=name))
    with pytest.raises(ValueError, match="not learned yet"):
        answer(BinaryRelevance(alpha=0.1).fit(data.X, data.Y), data.X, (name,))
