"""demo and datasets: what a stranger runs first."""

import numpy as np
import pytest

from labelfield import BinaryRelevance, LabelSetClassifier, MultilabelStratifiedKFold
from labelfield.cli.commands import demo
from labelfield.datasets import broken_rules, load_digit_scenes


def test_demo_tells_why_dependence_pays(folder, few_digits, run):
    (folder / "labelfield-report.html").write_text("of an earlier demo")
    printed = run("demo").stdout
    words = ("binary relevance", "label power set", "Why dependence pays", "LabelSetClassifier")
    for word in words:
        assert word in printed
    assert (folder / "labelfield-report.html").as_uri() in printed
    page = (folder / "labelfield-report.html").read_text()
    for word in ("digit 7", "neighbours", "<svg", "sets that break a rule"):
        assert word in page


def test_demo_figures_are_those_of_the_api(folder, few_digits, run_json):
    plain, powerset, chosen = run_json("demo")["models"]
    train, test = few_digits(split="train"), few_digits(split="test")
    model = BinaryRelevance(alpha=demo.ALPHA).fit(train.X, train.Y)
    sets = model.predict(test.X, decoder="subset")
    assert plain["subset_accuracy"] == (sets == test.Y).all(axis=1).mean()
    assert plain["contradictions"] == (broken_rules(sets) > 0).mean()
    assert plain["hamming_loss"] == pytest.approx(
        np.mean((model.predict_proba(test.X) > 0.5) != test.Y)
    )
    assert powerset["contradictions"] == 0.0
    assert powerset["subset_accuracy"] > 1.5 * plain["subset_accuracy"]
    ours = LabelSetClassifier(budget="quick").fit(train.X, train.Y).predict(test.X)
    assert chosen["subset_accuracy"] == (ours == test.Y).all(axis=1).mean()


def test_penalty_is_chosen_on_training_rows():
    """No figure of the test pictures had a say in it."""
    data = load_digit_scenes(split="train")
    folds = list(MultilabelStratifiedKFold(3, shuffle=True, random_state=0).split(data.X, data.Y))

    def likelihood(alpha):
        fits = [BinaryRelevance(alpha=alpha).fit(data.X[i], data.Y[i]) for i, _ in folds]
        joints = [fit.predict_joint(data.X[j]) for fit, (_, j) in zip(fits, folds)]
        return np.mean([g.log_prob(data.Y[j]).mean() for g, (_, j) in zip(joints, folds)])

    grid = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
    assert max(grid, key=likelihood) == demo.ALPHA


def test_demo_asks_before_replacing_another_file(folder, few_digits, complaint):
    (folder / "mine.html").write_text("mine")
    assert "mine.html exists" in complaint("demo", "--out", "mine.html")
    assert (folder / "mine.html").read_text() == "mine"


def test_list_of_data_sets(run, run_json):
    assert "digits" in run("datasets").stdout
    rows = run_json("datasets")
    assert rows[0]["name"] == "digits"
    assert {"scene", "yeast"} <= {row["name"] for row in rows}


def test_one_data_set(run, run_json):
    printed = run("datasets", "show", "digits", "--split", "test").stdout
    assert "digit 7" in printed
    shown = run_json("datasets", "show", "digits", "--split", "test")
    data = load_digit_scenes(split="test")
    assert shown["statistics"]["instances"] == 500
    assert shown["frequencies"] == pytest.approx(dict(zip(data.label_names, data.Y.mean(axis=0))))


def test_unknown_data_set(complaint):
    assert "No data set is called 'digitz'" in complaint("datasets", "show", "digitz")


def test_known_data_by_name_in_other_commands(folder, few_digits, run, run_json):
    run("fit", "digits", "--split", "train", "--model", "br", "--out", "m.lf")
    measured = run_json("evaluate", "m.lf", "digits", "--split", "test")
    assert measured["rows"] == 100
    train, test = few_digits(split="train"), few_digits(split="test")
    sets = BinaryRelevance().fit(train.X, train.Y).predict(test.X)
    assert measured["metrics"]["hamming_loss"] == pytest.approx((sets != test.Y).mean())
