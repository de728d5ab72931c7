"""fit, predict and evaluate on files of every format, against the Python API."""

import csv

import numpy as np
import pytest

import labelfield
from labelfield import BinaryRelevance, LabelPowerset, load, registry
from labelfield.cli.models import DEFAULT_MODEL
from labelfield.io import read_header
from labelfield.metrics import METRICS
from toy_files import FEATURES, LABELS, toy, write_arff, write_csv, write_svmlight

SOURCES = {
    "arff": ["toy.arff"],
    "arff-xml": ["toy.arff", "--xml", "toy.xml"],
    "arff-count": ["toy.arff", "--labels", "-3"],
    "csv": ["toy.csv", "--label-columns", "sea,sun,sand"],
    "prefix": ["toy.csv", "--label-prefix", "s"],
    "tags": ["toy-tags.csv", "--tags", "tags", "--tag-separator", ";"],
    "svmlight": ["toy.svm"],
}


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("source", SOURCES)
def test_every_format_gives_the_model_of_the_api(source, folder, run):
    result = run("fit", *SOURCES[source], "--model", "lp", "--alpha", 0.5, "--out", "m.lf")
    assert "Fitted LabelPowerset on 80 rows, 4 features and 3 labels" in result.stdout
    X, Y = toy(80, seed=0)
    model = load(folder / "m.lf")
    order = [sorted(LABELS).index(name) for name in LABELS] if source == "tags" else [0, 1, 2]
    expected = LabelPowerset(alpha=0.5).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X)[:, order], expected, atol=1e-6)
    if source != "svmlight":
        assert set(model.label_names_) == set(LABELS)
        assert read_header(folder / "m.lf").notes["feature_names"] == list(FEATURES)


def test_predictions_are_those_of_the_api(folder, run):
    run("fit", "toy.arff", "--model", "lp", "--out", "m.lf")
    result = run("predict", "m.lf", "new.arff", "--out", "p.csv")
    assert "Predicted 30 rows with LabelPowerset" in result.stdout
    X, Y = toy(80, seed=0)
    new = toy(30, seed=1)[0]
    model = LabelPowerset().fit(X, Y)
    joint = model.predict_joint(new)
    sets = model.predict(new)
    rows = rows_of(folder / "p.csv")
    probabilities = [f"p({name})" for name in LABELS]
    assert list(rows[0]) == ["labels", "confidence", "alternatives", *probabilities]
    best, log_probs = joint.top_k(3)
    for row, labels, others, logs in zip(rows, sets, best, log_probs, strict=True):
        listed = [part.split(" (") for part in row["alternatives"].split("; ")]
        wanted = [
            ("|".join(n for n, on in zip(LABELS, other) if on) or "none", f"{np.exp(log):.3f})")
            for other, log in zip(others, logs)
            if (other != labels).any()
        ]
        assert [tuple(part) for part in listed] == wanted[:2]
    for row, labels, proba, sure in zip(
        rows, sets, joint.marginals(), np.exp(joint.log_prob(sets)), strict=True
    ):
        assert row["labels"] == "|".join(n for n, on in zip(LABELS, labels) if on)
        assert float(row["confidence"]) == pytest.approx(sure, abs=1e-6)
        assert [float(row[f"p({n})"]) for n in LABELS] == pytest.approx(proba.tolist(), abs=1e-6)


def test_parquet_holds_lists_of_labels(folder, run):
    parquet = pytest.importorskip("pyarrow.parquet")
    run("fit", "toy.arff", "--out", "m.lf")
    run("predict", "m.lf", "new.arff", "--out", "p.parquet")
    run("predict", "m.lf", "new.arff", "--out", "p.csv")
    table = parquet.read_table(folder / "p.parquet").to_pydict()
    rows = rows_of(folder / "p.csv")
    assert ["|".join(names) for names in table["labels"]] == [row["labels"] for row in rows]
    assert table["p(sea)"] == [float(row["p(sea)"]) for row in rows]


def test_another_decoder_at_prediction(folder, run):
    run("fit", "toy.arff", "--model", "lp", "--decoder", "hamming", "--out", "m.lf")
    run("predict", "m.lf", "new.arff", "--decoder", "subset", "--out", "p.csv")
    X, Y = toy(80, seed=0)
    sets = LabelPowerset(decoder="subset").fit(X, Y).predict(toy(30, seed=1)[0])
    assert [row["labels"] for row in rows_of(folder / "p.csv")] == [
        "|".join(n for n, on in zip(LABELS, labels) if on) for labels in sets
    ]


def test_features_are_found_by_name(folder, run):
    """Other column order, labels missing or unknown: the same predictions."""
    run("fit", "toy.csv", "--label-columns", "sea,sun,sand", "--out", "m.lf")
    run("predict", "m.lf", "new.csv", "--out", "a.csv")
    rows = rows_of(folder / "new.csv")
    with (folder / "turned.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["noise", "id", "grain", "yellow", "blue"])
        writer.writeheader()
        for number, row in enumerate(rows):
            writer.writerow({n: row[n] for n in FEATURES} | {"id": number})
    run("predict", "m.lf", "turned.csv", "--out", "b.csv")
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    run("predict", "m.lf", "new.arff", "--out", "c.csv")
    assert (folder / "a.csv").read_bytes() == (folder / "c.csv").read_bytes()


def test_standardized_model_keeps_its_scaler(folder, run, run_json):
    run("fit", "toy.arff", "--standardize", "--model", "br", "--alpha", 10, "--out", "m.lf")
    run("predict", "m.lf", "new.arff", "--out", "p.csv")
    X, Y = toy(80, seed=0)
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    model = BinaryRelevance(alpha=10).fit((X - mean) / deviation, Y)
    proba = model.predict_proba((toy(30, seed=1)[0] - mean) / deviation)
    got = [[float(row[f"p({n})"]) for n in LABELS] for row in rows_of(folder / "p.csv")]
    np.testing.assert_allclose(got, proba, atol=1e-6)
    assert run_json("evaluate", "m.lf", "new.arff")["model"] == "BinaryRelevance"


def test_evaluate_equals_the_metrics(folder, run, run_json):
    run("fit", "toy.arff", "--model", "lp", "--out", "m.lf")
    result = run_json("evaluate", "m.lf", "new.arff", "--metrics", "all")
    X, Y = toy(30, seed=1)
    model = load(folder / "m.lf")
    too_many = {"precision_at_5"}
    assert set(result["metrics"]) == set(METRICS) - too_many
    for name, value in result["metrics"].items():
        metric = METRICS[name]
        output = model.predict(X) if metric.needs == "sets" else model.predict_proba(X)
        assert value == pytest.approx(metric(Y, output)), name


def test_evaluate_prints_a_table(folder, run):
    run("fit", "toy.arff", "--out", "m.lf")
    printed = run("evaluate", "m.lf", "new.arff").stdout
    assert "subset accuracy" in printed
    assert "Hamming loss" in printed
    assert "lower is better" in printed


def test_settings_reach_the_model(folder, run):
    run("fit", "toy.arff", "-m", "ecc", "--set", "n_chains=2", "--seed", 3, "--out", "m.lf")
    model = load(folder / "m.lf")
    assert (model.n_chains, model.random_state) == (2, 3)


def test_fit_says_what_it_did_in_json(folder, run_json):
    result = run_json("fit", "toy.arff", "--out", "m.lf")
    assert result["model"] == registry.get(DEFAULT_MODEL).name
    assert (result["rows"], result["features"], result["labels"]) == (80, 4, 3)
    assert labelfield.load(result["out"])


def test_wrong_number_of_columns(folder, run, complaint):
    X, Y = toy(20, seed=2)
    run("fit", "toy.svm", "--out", "m.lf")
    write_svmlight(folder / "wide.svm", np.hstack([X, X]), Y)
    assert "feature index 5 is beyond 4" in complaint(
        "predict", "m.lf", "wide.svm", "--out", "p.csv"
    )
    assert not (folder / "p.csv").exists()


def test_missing_columns_are_named(folder, run, complaint):
    run("fit", "toy.arff", "--out", "m.lf")
    (folder / "few.csv").write_text("blue,yellow\n1,2\n")
    told = complaint("predict", "m.lf", "few.csv", "--out", "p.csv")
    assert "'grain', 'noise'" in told


def test_evaluate_wants_the_labels_of_the_model(folder, run, complaint):
    run("fit", "toy.arff", "--out", "m.lf")
    (folder / "bare.csv").write_text("blue,yellow,grain,noise\n1,2,3,4\n")
    told = complaint("evaluate", "m.lf", "bare.csv")
    assert "'sea'" in told


def test_nothing_is_written_over(folder, run, complaint):
    run("fit", "toy.arff", "--out", "m.lf")
    before = (folder / "m.lf").read_bytes()
    assert "m.lf exists" in complaint("fit", "toy.arff", "--out", "m.lf")
    assert "toy.arff is the input" in complaint("fit", "toy.arff", "--out", "toy.arff", "--force")
    assert "m.lf is the input" in complaint(
        "predict", "m.lf", "new.arff", "--out", "m.lf", "--force"
    )
    assert (folder / "m.lf").read_bytes() == before
    run("fit", "toy.arff", "--model", "br", "--alpha", 3, "--out", "m.lf", "--force")
    assert load(folder / "m.lf").alpha == 3
    assert "not a folder" in complaint("fit", "toy.arff", "--out", "no/m.lf")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.arff"], "nowhere.arff"),
        (["toy.arff", "--model", "nope"], "No model is called 'nope'"),
        (["toy.arff", "--decoder", "best"], "metric='best': The 'metric' parameter"),
        (["toy.arff", "--set", "depth=3"], "no parameter 'depth'"),
        (["toy.arff", "--set", "depth"], "NAME=VALUE"),
        (["toy.arff", "--labels", 90], "90"),
        (["toy.csv", "--label-columns", "sea,moon"], "moon"),
        (["toy.csv", "--label-prefix", "zz"], "zz"),
        (["toy-tags.csv", "--tags", "topics"], "topics"),
        (["toy.csv"], "--label-columns"),
    ],
)
def test_wrong_arguments_of_fit(words, told, folder, complaint):
    assert told in complaint("fit", *words, "--out", "m.lf")
    assert not (folder / "m.lf").exists()


def test_broken_arff_names_the_line(folder, complaint):
    X, Y = toy(5, seed=0)
    write_arff(folder / "broken.arff", X, Y)
    text = (folder / "broken.arff").read_text()
    (folder / "broken.arff").write_text(text.replace("@data\n", "@data\n1,2,3\n"))
    told = complaint("fit", "broken.arff", "--labels", "-3", "--out", "m.lf")
    assert "broken.arff, line 10" in told


def test_foreign_model_file(folder, complaint):
    write_csv(folder / "model.lf", *toy(3, seed=0))
    told = complaint("predict", "model.lf", "new.arff", "--out", "p.csv")
    assert "not a model file" in told


def test_output_of_another_kind(folder, run, complaint):
    run("fit", "toy.arff", "--out", "m.lf")
    assert ".csv or .parquet" in complaint("predict", "m.lf", "new.arff", "--out", "p.txt")


def test_names_with_commas_are_quoted(folder, run):
    (folder / "odd.csv").write_text('x,"a, b",c\n' + "1,1,0\n2,0,1\n3,1,1\n4,0,0\n" * 3)
    run("fit", "odd.csv", "--label-columns", '"a, b", c', "--out", "m.lf")
    assert list(load(folder / "m.lf").label_names_) == ["a, b", "c"]


def test_labels_of_another_table_are_not_made_up(folder, run, complaint):
    """Tags that no row has are absent; label columns that the file lacks are an error."""
    run("fit", *SOURCES["tags"], "--out", "m.lf")
    told = complaint("evaluate", "m.lf", "new.csv", "--label-columns", "sea,sun")
    assert "lacks the labels 'sand'" in told


def test_text_columns_beside_the_features_do_not_matter(folder, run, run_json):
    run("fit", "toy.csv", "--label-columns", "sea,sun,sand", "--out", "m.lf")
    expected = run_json("evaluate", "m.lf", "new.csv")["metrics"]
    header, *rows = (folder / "new.csv").read_text().splitlines()
    (folder / "more.csv").write_text("\n".join([f"{header},note", *(f"{r},ok" for r in rows)]))
    assert run_json("evaluate", "m.lf", "more.csv")["metrics"] == expected


def test_tab_as_it_is_typed(folder, run):
    text = (folder / "toy.csv").read_text().replace(",", "\t")
    (folder / "tabs.csv").write_text(text)
    (folder / "tabs.tsv").write_text(text)
    labels = ["--label-columns", "sea,sun,sand"]
    run("fit", "tabs.csv", "--sep", "\\t", *labels, "--out", "m.lf")
    run("fit", "tabs.tsv", *labels, "--out", "n.lf")
