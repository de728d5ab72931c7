"""The arena: one line a set, model and fold; fair inner folds; limits, failures and resuming."""

import json
import time
from dataclasses import replace

import numpy as np
import pytest
from lab.arena import rows, tuning
from lab.arena.contest import Terms, is_done, run_contest
from lab.arena.folders import read_folder
from lab.arena.lines import Lines
from lab.arena.rows import ROWS, Row, make_rows
from lab.arena.standings import standings
from sklearn.dummy import DummyClassifier

from labelfield import BinaryRelevance, JointStacking, LabelPowerset
from toy_files import toy, write_arff, write_svmlight, write_tags, write_xml


def stacked(setting, seed):
    members = [("one by one", BinaryRelevance(alpha=1.0)), ("sets", LabelPowerset(alpha=1.0))]
    return JointStacking(members, cv=2, random_state=seed)


def asleep(setting, seed):
    time.sleep(60)


def broken(setting, seed):
    raise ValueError("no luck\nat all")


TOY_ROWS = {
    row.id: row
    for row in (
        Row(
            "br",
            "BR",
            lambda setting, seed: BinaryRelevance(**setting),
            ({"alpha": 0.1}, {"alpha": 9.0}),
        ),
        Row("lp", "LP", lambda setting, seed: LabelPowerset(alpha=1.0)),
        Row("prior", "prior", lambda setting, seed: DummyClassifier()),
        Row("stack", "stack", stacked, self_tuned=True),
        Row("broken", "broken", broken),
        Row("asleep", "asleep", asleep),
        Row("too-big", "too big", asleep, why_absent=lambda n: f"{n} rows are too many"),
    )
}


@pytest.fixture
def mulan(tmp_path):
    """A folder with ARFF and XML, in one file."""
    folder = tmp_path / "shore"
    folder.mkdir()
    write_arff(folder / "shore.arff", *toy(90, 0))
    write_xml(folder / "shore.xml")
    return folder


@pytest.fixture
def tickets(tmp_path):
    """A folder with a training and a test CSV file with a column of tags."""
    folder = tmp_path / "tickets"
    folder.mkdir()
    write_tags(folder / "train.csv", *toy(60, 1))
    write_tags(folder / "test.csv", *toy(30, 2))
    return folder


@pytest.fixture
def toy_rows(monkeypatch):
    monkeypatch.setattr("lab.arena.make_rows", lambda budget: TOY_ROWS)


def fight(folder, names, lines, **terms):
    entrant = read_folder(folder, folds=terms.get("folds"))
    return run_contest([entrant], [TOY_ROWS[name] for name in names], lines, Terms(**terms))


def test_one_line_a_set_model_and_fold(mulan, tickets, folder, toy_rows, run):
    words = ("arena", mulan, tickets, "--tags", "tags", "--tag-separator", ";")
    done = run(*words, "--models", "br,lp", "--page", "arena.md")
    records = [json.loads(line) for line in (folder / "arena.jsonl").read_text().splitlines()]
    found = [(one["set"], one["model"], one["protocol"], one["fold"]) for one in records]
    five = [("shore", model, "5 folds", fold) for model in ("br", "lp") for fold in range(5)]
    assert found == [*five, *(("tickets", model, "standard", 0) for model in ("br", "lp"))]
    assert [one["rows"] for one in records[-2:]] == [[60, 30], [60, 30]]
    for one in records:
        assert set(one["seconds"]) == {"search", "fit", "predict"}
        assert {"version", "commit", "chosen", "calibration"} <= set(one)
        assert sum(one["calibration"]["rows"]) == one["rows"][1]
        assert one["figures"]["subset_accuracy"] > 0.5
    assert "average ranks" in done.stdout
    page = (folder / "arena.md").read_text()
    assert "## shore, 5 folds" in page
    assert "## tickets, standard split" in page
    assert "Nemenyi" in page


def test_folds_are_those_of_scikit_learn_with_the_seed(mulan):
    from sklearn.model_selection import KFold

    entrant = read_folder(mulan, folds=3)
    cuts = entrant.cuts(3, seed=2)
    expected = KFold(3, shuffle=True, random_state=2).split(np.zeros(90))
    for cut, (train, test) in zip(cuts, expected):
        np.testing.assert_array_equal(cut.train, train)
        np.testing.assert_array_equal(cut.test, test)


def test_fewer_training_rows_are_drawn_from_the_fold_and_named(mulan, tmp_path):
    lines = Lines(tmp_path / "lines.jsonl")
    entrant = read_folder(mulan, folds=3)
    terms = Terms(folds=3, n_rows=30)
    run_contest([entrant], [TOY_ROWS["br"]], lines, terms)
    whole = entrant.cuts(3, 0)
    for record, cut, full in zip(lines.read(), terms.cuts(entrant), whole):
        assert record["rows"] == [30, 30]
        assert record["protocol"] == "3 folds, 30 training rows"
        assert set(cut.train) < set(full.train)
        np.testing.assert_array_equal(cut.test, full.test)
    (shown,) = standings(lines.read())["sets"]
    assert shown["title"] == "shore, 3 folds, 30 training rows"
    assert shown["models"][0]["folds"] == [3, 3]
    assert Terms(folds=3, n_rows=60).cuts(entrant)[0].protocol == "3 folds"


def test_folds_override_the_standard_split(tickets):
    arguments = {"tags": "tags", "tag_separator": ";"}
    cuts = read_folder(tickets, folds=3, arguments=arguments).cuts(3, seed=0)
    assert [cut.protocol for cut in cuts] == ["3 folds"] * 3
    assert sum(len(cut.test) for cut in cuts) == 90


def test_every_row_sees_the_same_inner_folds(mulan, monkeypatch, tmp_path):
    monkeypatch.setattr("lab.arena.contest.call_apart", lambda f, *a, limit: f(*a))
    monkeypatch.setattr("lab.arena.contest._warm_up", lambda row, sparse: {})
    seen = {}
    for row in make_rows().values():
        if row.self_tuned:
            continue
        trained = seen.setdefault(row.id, [])

        def fit(setting, X, Y, seed, trained=trained):
            trained.append((X.tobytes(), Y.tobytes()))
            return LabelPowerset(alpha=1.0).fit(X, Y)

        # everything of the row but what is fitted
        spy = replace(row, settings=row.settings[:1], why_absent=lambda n: "")
        object.__setattr__(spy, "fit", fit)
        object.__setattr__(spy, "ask", TOY_ROWS["lp"].ask)
        lines = Lines(tmp_path / f"{row.id}.jsonl")
        run_contest([read_folder(mulan, folds=2)], [spy], lines, Terms(folds=2))
    first = seen["logistic"]
    assert len(first) == 2 * (tuning.INNER_FOLDS + 1)
    assert len(seen) > 10
    for name, trained in seen.items():
        assert trained == first, name


@pytest.mark.parametrize("name", [name for name in ROWS if name not in ("boomer", "ours")])
def test_every_row_runs(name, mulan, monkeypatch, tmp_path):
    monkeypatch.setattr(rows, "N_TREES", 3)
    row = make_rows()[name]
    middle = len(row.settings) // 2
    row = replace(row, settings=row.settings[middle : middle + 1])
    lines = Lines(tmp_path / "out.jsonl")
    entrant = replace(read_folder(mulan), n_train=60)
    assert run_contest([entrant], [row], lines, Terms()) == 0
    assert lines.read()[0]["figures"]["subset_accuracy"] > 0.5


def test_settings_and_cuts_never_see_the_test_part(mulan, monkeypatch):
    entrant = read_folder(mulan)
    cut = entrant.cuts(5, 0)[0]
    X, Y = np.asarray(entrant.data.X), entrant.data.Y
    parts = (X[cut.train], Y[cut.train], X[cut.test])
    one = tuning.measure_row(TOY_ROWS["br"], *parts, Y[cut.test], 0)
    other = tuning.measure_row(TOY_ROWS["br"], *parts, 1 - Y[cut.test], 0)
    assert one["chosen"] == other["chosen"]
    assert one["figures"] != other["figures"]


def test_resume_computes_only_what_is_missing(mulan, folder, toy_rows, run, complaint):
    run("arena", mulan, "--models", "br", "--folds", 3)
    told = complaint("arena", mulan, "--models", "br", "--folds", 3)
    assert "--resume" in told
    path = folder / "arena.jsonl"
    text = path.read_text()
    path.write_text("".join(text.splitlines(keepends=True)[:2]) + text.splitlines()[2][:40])
    done = run("arena", mulan, "--models", "br,lp", "--folds", 3, "--resume")
    assert [line.split(":")[0] for line in done.stderr.strip().splitlines()] == [
        "shore, br, fold 2",
        *(f"shore, lp, fold {fold}" for fold in range(3)),
    ]
    kept = [{**json.loads(line), "seconds": 0} for line in path.read_text().splitlines()]
    assert kept[:3] == [{**json.loads(line), "seconds": 0} for line in text.splitlines()]


def test_interrupt_keeps_finished_lines(mulan, folder, toy_rows, run, monkeypatch):
    calls = []

    def impatient(function, *arguments, limit):
        calls.append(limit)
        if len(calls) == 3:  # after the warm-up and the first fold
            raise KeyboardInterrupt
        return function(*arguments)

    monkeypatch.setattr("lab.arena.contest.call_apart", impatient)
    told = run("arena", mulan, "--models", "br", "--limit", 9, code=130).stderr
    assert "--resume" in told.splitlines()[-1]
    assert calls == [9.0, 9.0, 9.0]
    assert len(Lines(folder / "arena.jsonl").read()) == 1


def test_failures_and_limits_are_recorded_and_others_go_on(
    mulan, folder, toy_rows, run, monkeypatch
):
    monkeypatch.setattr("lab.arena.isolation.PATIENCE", 1.0)
    words = ("arena", mulan, "--folds", 2, "--models", "broken,too-big,asleep,br", "--limit", 5)
    done = run(*words, code=1)
    records = Lines(folder / "arena.jsonl").read()
    assert [one.get("error") for one in records[:2]] == ["ValueError: no luck at all"] * 2
    assert [one.get("absent") for one in records[2:4]] == ["45 rows are too many"] * 2
    assert [one.get("unfinished") for one in records[4:6]] == ["stopped after 5 CPU seconds"] * 2
    assert all("figures" in one for one in records[6:])
    assert "ValueError: no luck at all: broken (0 of 2 folds)" in done.stdout
    summary = json.loads(run("arena", "--json").stdout)
    folds = {model["title"]: model["folds"] for model in summary["sets"][0]["models"]}
    assert folds == {"broken": [0, 2], "too-big": [0, 2], "asleep": [0, 2], "br": [2, 2]}


def test_what_is_tried_again():
    stopped = {"tried": 6, "unfinished": "stopped", "limit": 9.0}
    assert is_done({"tried": 6, "figures": {}}, 9.0, 6)
    assert is_done({"tried": 6, "absent": "too many rows"}, 9.0, 6)
    assert is_done(stopped, 9.0, 6)
    assert not is_done(stopped, 10.0, 6)
    assert not is_done(stopped, None, 6)
    assert not is_done({"tried": 6, "error": "no luck"}, 9.0, 6)
    assert not is_done({"tried": 4, "figures": {}}, 9.0, 6)
    assert not is_done({"figures": {}}, 9.0, 6)


def test_self_tuned_and_marginal_models_are_measured(mulan, tmp_path):
    lines = Lines(tmp_path / "out.jsonl")
    assert fight(mulan, ["stack", "prior"], lines, folds=2) == 0
    stack, prior = lines.read()[::2]
    assert stack["seconds"]["search"] == pytest.approx(0.0, abs=0.05)
    assert stack["figures"]["log_likelihood"] > prior["figures"]["log_likelihood"]
    assert stack["chosen"]["subset_accuracy"]["decision"] == "subset"
    assert stack["chosen"]["f1_macro"]["decision"] == "f1"  # it has learned no thresholds


def test_absent_front_door_is_told(monkeypatch):
    monkeypatch.setattr(rows, "labelfield", object())
    assert "LabelSetClassifier" in make_rows("best")["ours"].why_absent(100)


def test_kernel_machines_stop_at_their_size():
    guard = make_rows()["powerset-svm"].why_absent
    assert guard(6000) == ""
    assert "6001" in guard(6001)


def test_unknown_model_is_refused(mulan, folder, complaint):
    assert "nonsense" in complaint("arena", mulan, "--models", "nonsense")


def test_nothing_to_show(folder, run):
    assert "arena.jsonl" in run("arena", code=2).stderr


def test_svmlight_parts_share_labels_and_columns(tmp_path):
    X, Y = toy(40, 3)
    Y[:20, 2] = 0
    write_svmlight(tmp_path / "toy-train.svm", X[:20], Y[:20])
    write_svmlight(tmp_path / "toy-test.svm", X[20:], Y[20:])
    entrant = read_folder(tmp_path)
    assert entrant.n_train == 20
    order = [entrant.data.label_names.index(str(label)) for label in range(3)]
    np.testing.assert_array_equal(entrant.data.Y[:, order], Y)
    np.testing.assert_allclose(entrant.data.X.toarray(), X)
