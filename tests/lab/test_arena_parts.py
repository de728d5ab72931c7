"""The parts of the arena against slow twins: calibration by chance, floor, empty sets, lines."""

import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from lab.arena.decisions import CUTS, apply_cut, fill_empty, learn_cut
from lab.arena.features import encode
from lab.arena.isolation import call_apart
from lab.arena.lines import Lines
from lab.arena.page import render_page, time_lines
from lab.arena.rows import make_rows, temper
from lab.arena.standings import calibration_errors, standings
from lab.arena.tuning import calibration_bins, set_log_likelihood
from scipy import sparse

from labelfield import LabelPowerset, TableEncoder
from labelfield.datasets import Dataset
from labelfield.kernels.sets.bits import all_sets
from labelfield.metrics import expected_calibration_error, f1_score, subset_accuracy
from toy_files import toy


def parts_of(confidence, right, n_parts=3):
    return [calibration_bins(confidence[k::n_parts], right[k::n_parts]) for k in range(n_parts)]


def test_pooled_calibration_error_is_that_of_all_rows():
    rng = np.random.default_rng(0)
    confidence = rng.beta(2, 2, size=500)
    right = rng.random(500) < confidence**2
    error, _ = calibration_errors(parts_of(confidence, right))
    assert error == pytest.approx(expected_calibration_error(confidence, right), abs=1e-6)


@pytest.mark.parametrize("n", [200, 2000])
def test_calibration_error_by_chance_is_that_of_simulated_truth(n):
    rng = np.random.default_rng(1)
    confidence = rng.beta(2, 1, size=n)
    drawn = [expected_calibration_error(confidence, rng.random(n) < confidence) for _ in range(400)]
    _, by_chance = calibration_errors(parts_of(confidence, np.ones(n, dtype=bool)))
    assert by_chance == pytest.approx(np.mean(drawn), rel=0.06)


def test_floored_likelihood_is_that_of_a_distribution():
    rng = np.random.default_rng(2)
    train = (rng.random((30, 4)) < [0.9, 0.5, 0.1, 0.0]).astype(np.uint8)
    sets = all_sets(4)
    p = np.zeros(16)
    p[:5] = 0.2  # a law on listed sets
    with np.errstate(divide="ignore"):
        floored = set_log_likelihood(np.log(p), sets, train)
    assert np.isfinite(floored).all()
    assert np.exp(floored).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(np.exp(floored[:5]), 0.2, atol=2e-3)


def test_empty_sets_are_answered_only_if_seen():
    sets = np.array([[0, 0, 0], [0, 1, 0]], dtype=np.uint8)
    scores = np.array([[0.1, 0.2, 0.3], [0.9, 0.1, 0.1]])
    np.testing.assert_array_equal(fill_empty(sets, lambda: scores, True), sets)
    filled = fill_empty(sets, lambda: scores, False)
    np.testing.assert_array_equal(filled, [[0, 0, 1], [0, 1, 0]])
    assert not sets[0].any()


def test_cut_is_the_best_of_all():
    rng = np.random.default_rng(3)
    P = rng.random((200, 3))
    Y = (rng.random((200, 3)) < P**2).astype(np.uint8)
    for measure, metric in (("subset_accuracy", subset_accuracy), ("f1_samples", f1_score)):
        options = {} if metric is subset_accuracy else {"average": "samples"}
        found = [metric(Y, apply_cut(P, cut, True), **options) for cut in CUTS]
        cut = learn_cut(measure, P, Y, True)
        assert metric(Y, apply_cut(P, cut, True), **options) == max(found)
    cuts = learn_cut("f1_macro", P, Y, True)
    assert cuts.shape == (3,)


def test_temperature_raises_probabilities_to_a_power():
    X, Y = toy(80, 4)
    joint = LabelPowerset(alpha=1.0).fit(X, Y).predict_joint(X[:9])
    np.testing.assert_allclose(temper(joint, 1.0).log_weights, joint.log_weights)
    squared = np.exp(joint.log_weights) ** 2
    np.testing.assert_allclose(
        np.exp(temper(joint, 0.5).log_weights),
        squared / squared.sum(axis=1, keepdims=True),
        rtol=1e-9,
    )


def test_a_line_without_its_end_does_not_count(tmp_path):
    lines = Lines(tmp_path / "deep" / "lines.jsonl")
    assert lines.read() == []
    lines.append({"a": 1})
    with lines.path.open("ab") as file:
        file.write(b'{"a": 2')
    assert lines.read() == [{"a": 1}]
    lines.append({"a": 3})
    assert lines.read() == [{"a": 1}, {"a": 3}]


def test_a_broken_line_is_named(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text('{"a": 1}\nno json\n{"a": 2}\n')
    with pytest.raises(ValueError, match="line 2"):
        Lines(path).read()


def start_and_wait(path):
    """Start a process that would outlive this one, and wait."""
    import subprocess

    started = subprocess.Popen(["sleep", "60"])
    Path(path).write_text(str(started.pid))
    time.sleep(60)


def work_for_ever():
    while True:
        pass


def test_the_limit_counts_cpu_seconds():
    told = call_apart(work_for_ever, limit=1.0)
    assert told == {"unfinished": "stopped after 1 CPU seconds", "limit": 1.0}


def test_the_limit_ends_what_was_started_too(tmp_path, monkeypatch):
    monkeypatch.setattr("lab.arena.isolation.PATIENCE", 1)
    path = tmp_path / "pid"
    told = call_apart(start_and_wait, path, limit=3.0)
    assert told == {"unfinished": "stopped after 3 CPU seconds", "limit": 3.0}
    pid = int(path.read_text())
    for _ in range(50):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    raise AssertionError(f"process {pid} is still there")


def ask_for_nearly_all_memory():
    n_bytes = int(0.9 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return {"length": len(np.zeros(n_bytes, dtype=np.uint8))}  # asked for, never written to


def test_a_process_that_wants_too_much_memory_is_told():
    assert "GiB of memory" in call_apart(ask_for_nearly_all_memory)["error"]


def test_a_process_that_dies_is_told():
    told = call_apart(os._exit, 7)
    assert "exit code 7" in told["error"]


def test_columns_are_scaled_by_what_the_training_part_holds():
    X = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, 2.0], [9.0, 5.0]])
    categories = {"kind": ("low", "middle", "high", "top", "odd", "last")}
    Y = np.eye(4, 2, dtype=np.uint8)
    data = Dataset(X, Y, ("size", "kind"), ("x", "y"), categories=categories)
    train, test = encode(data, np.array([0, 1, 2]), np.array([3]))
    assert train.shape == (3, 4)  # indicators of the three kinds seen, and the size
    np.testing.assert_allclose(train.mean(axis=0), 0.0, atol=1e-12)
    assert train[2, 3] == pytest.approx(np.mean(train[:2, 3]))  # a hole: the median
    np.testing.assert_allclose(test[0, :3], train[:, :3].min(axis=0))  # a kind never seen
    thin = Dataset(sparse.csr_matrix(np.nan_to_num(X)), Y, ("a", "b"), ("x", "y"))
    train, test = encode(thin, np.array([0, 1, 2]), np.array([3]))
    np.testing.assert_allclose(train.toarray(), [[1 / 3, 0], [1, 0.5], [0, 1]])
    np.testing.assert_allclose(test.toarray(), [[3.0, 2.5]])


def test_frames_go_through_the_encoder_of_tables():
    frame = pd.DataFrame({"size": [1.0, 2.0, np.nan, 5.0, 4.0, 3.0], "kind": list("aabbba")})
    data = Dataset(frame, np.eye(6, 2, dtype=np.uint8), ("size", "kind"), ("x", "y"))
    train, test = encode(data, np.arange(5), np.array([5]))
    encoder = TableEncoder(random_state=0).fit(frame[:5])
    np.testing.assert_array_equal(train, encoder.transform(frame[:5]))
    np.testing.assert_array_equal(test, encoder.transform(frame[5:]))


def test_models_are_counted_that_a_row_compares():
    rows = make_rows()
    assert rows["powerset-svm"].n_tried == 5 * 6
    assert rows["chains"].n_tried == 6 * 2
    assert rows["ours"].n_tried == 1


def test_standings_take_the_last_line_and_one_seed():
    def line(model, exact, **more):
        calibration = {"rows": [2], "confidence": [1.0], "right": [1.0], "variance": [0.5]}
        figures = dict.fromkeys(
            ("f1_samples", "hamming_loss", "f1_macro", "f1_micro", "log_likelihood"), 0.5
        )
        return {
            "set": "a",
            "model": model,
            "tried": 6,
            "protocol": "standard",
            "fold": 0,
            "seed": 0,
            "rows": [4, 2],
            "features": 3,
            "labels": 2,
            "digest": "0",
            "figures": {"subset_accuracy": exact, **figures},
            "calibration": calibration,
            "seconds": {"search": 1.0, "fit": 0.5, "predict": 0.25},
            **more,
        }

    records = [
        line("logistic", 0.1),
        line("logistic", 0.2),
        line("logistic", 0.9, seed=1),
        line("mlknn", 0.4),
        *(line(model, exact, set="b") for model, exact in (("logistic", 0.3), ("mlknn", 0.1))),
    ]
    found = standings(records)
    first = found["sets"][0]["models"][0]
    assert first["figures"]["subset_accuracy"]["mean"] == 0.2
    assert first["gaps"] == []
    (earlier,) = standings([line("logistic", 0.1, tried=4)])["sets"][0]["models"]
    assert earlier["gaps"] == ["settings chosen from another grid than today's"]
    both = standings([record for record in records if record["model"] == "logistic"], seed=None)
    assert both["sets"][0]["models"][0]["figures"]["subset_accuracy"]["mean"] == 0.55
    assert standings(records, seed=None)["sets"][0]["models"][1]["folds"] == [1, 2]
    assert first["figures"]["cpu_seconds"]["mean"] == 1.75
    ranks = found["ranks"]["subset_accuracy"]["all_models"]["average"]
    assert ranks == {"logistic regression per label": 1.5, "ML-kNN": 1.5}
    assert found["ranks"]["subset_accuracy"]["all_sets"] is None
    assert found["ranks"]["subset_accuracy"]["all_tried"] is None
    gap = {**line("mlknn", 0.0, set="c"), "unfinished": "stopped", "limit": 1.0}
    del gap["figures"]
    with_gap = standings([*records, line("logistic", 0.1, set="c"), gap])["ranks"]
    ranks = with_gap["subset_accuracy"]["all_tried"]["average"]
    assert ranks["logistic regression per label"] == pytest.approx(4 / 3)
    assert ranks["ML-kNN"] == pytest.approx(5 / 3)
    alone = standings([*records, line("logistic", 0.1, set="c")])["ranks"]["subset_accuracy"]
    assert alone["all_tried"] is None  # ML-kNN was not tried on c
    (seeds,) = found["seeds"]
    assert [means["subset_accuracy"] for means in seeds["means"].values()] == [0.2, 0.9]
    page = render_page(found)
    assert "| a, standard split, logistic regression per label | 0.200 / 0.550 |" in page


def test_seconds_are_shown_beside_those_of_the_strongest_other_model():
    def model(title, exact, seconds):
        means = {"subset_accuracy": exact, "cpu_seconds": seconds}
        return {"title": title, "figures": {name: {"mean": mean} for name, mean in means.items()}}

    ours = model("LabelSetClassifier, balanced", 0.5, 3.0)
    strong, weak = model("forest", 0.4, 2.0), model("logistic", 0.3, 0.1)
    unfinished = {"title": "power set", "figures": {}}
    sets = [
        {"title": "a", "models": [weak, ours, strong, unfinished]},
        {"title": "b", "models": [weak, strong]},
        {"title": "c", "models": [ours, unfinished]},
    ]
    assert time_lines({"sets": sets})[1] == [["a", "3.0", "forest", "2.0", "1.50"]]
