"""compare and report against the Python API."""

import json
import os
from pathlib import Path

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelfield import BinaryRelevance, LabelPowerset, MLkNN, load
from labelfield.datasets import load_dataset
from labelfield.evaluation import compare_models
from toy_files import LABELS, toy

METRICS = ("subset_accuracy", "hamming_loss", "f1_samples", "f1_macro", "f1_micro")


def test_compare_equals_the_api(folder, run_json):
    got = run_json("compare", "toy.arff", "--models", "br,lp", "--decoders", "subset,f1", "--cv", 3)
    X, Y = toy(80, seed=0)
    expected = compare_models(
        X,
        Y,
        {"br": BinaryRelevance(), "lp": LabelPowerset()},
        decoders=("subset", "f1"),
        metrics=METRICS,
        cv=3,
    )
    assert got["mean"] == expected["mean"]
    assert got["std"] == expected["std"]
    assert "answers" not in got
    assert got["ranks"]["f1_macro"]["average"] == expected["ranks"]["f1_macro"]["average"]


def test_standardized_fold_by_fold(folder, run_json):
    words = ["--models", "br", "--decoders", "own", "--cv", 3, "--metrics", "f1_micro"]
    got = run_json("compare", "toy.arff", *words, "--standardize", "--seed", 4)
    X, Y = toy(80, seed=0)
    model = make_pipeline(StandardScaler(), BinaryRelevance())
    expected = compare_models(
        X, Y, {"br": model}, decoders=("own",), metrics=("f1_micro",), cv=3, random_state=4
    )
    assert got["mean"] == expected["mean"]


def test_table_and_report(folder, run):
    printed = run(
        "compare",
        "toy.csv",
        "--label-columns",
        ",".join(LABELS),
        "--cv",
        2,
        "--models",
        "br,lp",
        "--report",
        "r.html",
    ).stdout
    assert "80 rows, 3 labels, 2 folds" in printed
    assert "critical difference" in printed
    assert printed.count("*") >= 5
    page = (folder / "r.html").read_text()
    for word in ("sand", "toy", "<svg"):
        assert word in page


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--models", "br,nope"], "No model is called 'nope'"),
        (["--decoders", "best"], "decoder must be one of"),
        (["--metrics", "speed"], "No measure is called 'speed'"),
        (["--metrics", ","], "--metrics names nothing"),
        (["--models", 'br,"lp'], "double quotes"),
        (["--models", ","], "--models names nothing"),
        (["--cv", 900], "900"),
        (["--report", "toy.arff", "--force"], "toy.arff is the input"),
        (["--tags", "tags"], "--tags does not apply to ARFF files"),
    ],
)
def test_wrong_arguments(words, told, folder, complaint):
    assert told in complaint("compare", "toy.arff", *words)


def test_interruption_keeps_finished_models(folder, run, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(LabelPowerset, "fit", interrupted)
    words = ["compare", "toy.arff", "--models", "br,lp", "--cv", 2]
    result = run(*words, "--json", code=130)
    found = json.loads(result.stdout)
    assert {entry["model"] for entry in found["results"]} == {"br"}
    assert "before these were finished: lp" in result.stderr
    assert "br" in run(*words, code=130).stdout
    assert run("compare", "toy.arff", "--models", "lp", code=130).stderr.strip() == "Interrupted."


def test_report_of_a_saved_model(folder, run, run_json):
    run("fit", "toy.arff", "--model", "lp", "--out", "m.lf")
    printed = run("report", "m.lf", "new.arff", "--out", "r.html").stdout
    assert "r.html" in printed
    assert "accepted at 95" in printed
    assert "LabelPowerset" in (folder / "r.html").read_text()
    numbers = run_json("report", "m.lf", "new.arff", "--out", "again.html")
    measured = run_json("evaluate", "m.lf", "new.arff")["metrics"]
    assert numbers["overall"]["subset_accuracy"] == measured["subset_accuracy"]
    assert numbers["out"] == "again.html"


@pytest.mark.parametrize("option", ["--accuracy", "--target"])
def test_the_wished_accuracy_of_a_report(folder, run, run_json, option):
    run("fit", "toy.arff", "--model", "lp", "--out", "m.lf")
    found = run_json("report", "m.lf", "new.arff", "--out", "r.html", option, "0.5")["automation"]
    assert "accepted at 50" in found["sentence"]


def test_report_shows_the_graph_of_the_model(folder, run, run_json):
    run("fit", "toy.arff", "--model", "crf", "--set", "min_count=1", "--out", "m.lf")
    graph = run_json("report", "m.lf", "new.arff", "--out", "r.html")["graph"]
    couplings = load(folder / "m.lf").label_graph_
    assert graph["title"] == couplings.title
    assert len(graph["links"]) + graph["dropped"] == len(couplings.pairs)


@pytest.mark.parametrize(("words", "chosen"), [((), True), (("--base", "logistic"), False)])
def test_compare_shows_the_default_model_beside_the_others(
    words, chosen, folder, run_json, monkeypatch
):
    monkeypatch.setattr("labelfield.auto.plan.N_TREES", 5)
    got = run_json("compare", "toy.arff", "--decoders", "subset", "--cv", 2, *words)
    names = {name.partition(",")[0] for name in got["mean"]}
    assert names == {"br", "lp", "pcc", *(["auto"] if chosen else [])}


@pytest.mark.data
@pytest.mark.parametrize("name", ["scene", "yeast"])
def test_compare_on_arff_files_equals_the_api(name, folder, run_json):
    if "LABELFIELD_DATA" not in os.environ:
        pytest.skip("LABELFIELD_DATA names no folder of data sets")
    home = Path(os.environ["LABELFIELD_DATA"], name)
    words = ["--models", "mlknn", "--decoders", "subset,f1", "--cv", 2]
    got = run_json("compare", home / f"{name}-train.arff.gz", "--xml", home / f"{name}.xml", *words)
    data = load_dataset(name, split="train")
    expected = compare_models(
        data.X, data.Y, {"mlknn": MLkNN()}, decoders=("subset", "f1"), metrics=METRICS, cv=2
    )
    assert got["mean"] == expected["mean"]
    assert run_json("compare", name, "--split", "train", *words)["mean"] == expected["mean"]
