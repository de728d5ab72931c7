"""Tables as people have them: every kind of column, from fit to the report."""

import csv
import json

import numpy as np
import pytest

import labelfield
from labelfield.cli.bases import BASES
from labelfield.cli.input.tables import describe_columns
from toy_files import TICKET_CODES, tickets

pd = pytest.importorskip("pandas")
LABELS = list(TICKET_CODES)
FIT = ["fit", "notes.csv", "--tags", "codes", *["--model", "br", "--alpha", "0.1", "--out", "m.lf"]]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tickets(150, 1).to_csv("notes.csv", index=False)
    tickets(40, 2).to_csv("new.csv", index=False)
    return tmp_path


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_fit_says_what_it_took_columns_for(folder, run, run_json):
    printed = run(*FIT, "--category", "zip").stdout
    assert printed.startswith(
        "Columns taken for date: when; category: country,zip; number: amount; text: message. "
        "Left out: ticket (id), shop (constant).\n"
    )
    assert run_json(*FIT, "--force")["columns"]["zip"] == "number"


def test_predictions_carry_the_names_of_rows(folder, run):
    run(*FIT, "--category", "zip")
    run("predict", "m.lf", "new.csv", "--out", "p.csv", "--why")
    rows, new = rows_of(folder / "p.csv"), tickets(40, 2)
    assert list(rows[0])[:5] == ["ticket", "labels", "confidence", "alternatives", "why"]
    assert [row["ticket"] for row in rows] == new["ticket"].tolist()
    right = [
        set(row["labels"].split("|")) == set(codes.split(";"))
        for row, codes in zip(rows, new["codes"])
    ]
    assert np.mean(right) > 0.9
    for row in rows:
        for label in filter(None, row["labels"].split("|")):
            assert f"message: {label}" in row["why"]


def test_the_model_file_is_the_pipeline(folder, run):
    run(*FIT)
    run("predict", "m.lf", "new.csv", "--out", "p.csv", "--id", "when,zip")
    rows = rows_of(folder / "p.csv")
    assert rows[0]["zip"] == tickets(40, 2)["zip"][0]
    model = labelfield.load("m.lf")
    frame = pd.read_csv("new.csv")[list(model.feature_names_in_)]
    proba = [[float(row[f"p({name})"]) for name in LABELS] for row in rows]
    np.testing.assert_allclose(proba, model.predict_proba(frame), atol=1e-9)


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "parquet", "turned.csv"])
def test_every_table_gives_the_same_answers(folder, run, run_json, ending):
    run(*FIT, "--category", "zip")
    frame = tickets(40, 2)
    if ending == "tsv":
        frame.to_csv("other.tsv", index=False, sep="\t", encoding="utf-16")
    elif ending == "jsonl":
        frame.to_json("other.jsonl", orient="records", lines=True)
    elif ending == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet("other.parquet")
    else:
        frame[frame.columns[::-1]].to_csv("other.turned.csv", index=False, sep=";")
    run("predict", "m.lf", "new.csv", "--out", "a.csv")
    run("predict", "m.lf", f"other.{ending}", "--out", "b.csv")
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    wanted = run_json("evaluate", "m.lf", "new.csv")["metrics"]
    assert run_json("evaluate", "m.lf", f"other.{ending}")["metrics"] == wanted


def test_tables_without_a_header(folder, run, run_json):
    tickets(150, 1).to_csv("bare.csv", index=False, header=False)
    tickets(40, 2).to_csv("bare-new.csv", index=False, header=False)
    run(*FIT)
    wanted = run_json("evaluate", "m.lf", "new.csv")["metrics"]
    options = ["--no-header", "--tags", "8", *["--model", "br", "--alpha", "0.1"]]
    assert "text: 6" in run("fit", "bare.csv", *options, "--out", "b.lf").stdout
    assert run_json("evaluate", "b.lf", "bare-new.csv", "--no-header")["metrics"] == wanted


def test_options_decide_over_guesses(folder, run_json):
    options = ["--text", "country", "--number", "zip", "--date", "when", "--id", "ticket,shop"]
    columns = run_json(*FIT, *options, "--drop", "amount", "--groups", "message")["columns"]
    assert columns == {
        "ticket": "id",
        "shop": "id",
        "when": "date",
        "country": "text",
        "zip": "number",
    }


def test_a_table_may_end_in_txt(folder, run, run_json):
    run(*FIT)
    wanted = run_json("evaluate", "m.lf", "new.csv")["metrics"]
    tickets(150, 1).to_csv("notes.txt", index=False, sep="^")
    tickets(40, 2).to_csv("new.txt", index=False, sep="\t")
    run("fit", "notes.txt", "--sep", "^", *FIT[2:-1], "t.lf")
    assert run_json("evaluate", "t.lf", "new.txt")["metrics"] == wanted


def test_groups_and_names_of_rows_may_be_dropped_too(folder, run_json):
    apart = ["--groups", "country", "--id", "ticket"]
    kept = run_json(*FIT, *apart)["columns"]
    assert run_json(*FIT, *apart, "--drop", "country,ticket", "--force")["columns"] == kept


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--text", "massage"],
            "notes.csv has no column 'massage' for --text; did you mean message",
        ),
        (["--groups", "x"], "no column 'x' for --groups"),
        (["--id", "x"], "no column 'x' for --id"),
        (["--date", "country"], "date names the column 'country', which holds no dates"),
        (["--text", "zip", "--category", "zip"], "both name the column 'zip'"),
        (["--base", "magic"], "--base 'magic' is unknown; there are logistic, svm"),
        (["--drop", "when,country,amount,zip,message"], "no column to learn from"),
        (["--text", "zip", "--drop", "zip"], "'zip' is named by --text and by --drop"),
    ],
)
def test_wrong_options_are_named(folder, complaint, options, words):
    assert words in complaint(*FIT, *options)


def test_columns_are_the_models_affair_once_it_is_fitted(folder, run, complaint):
    run(*FIT)
    said = complaint("predict", "m.lf", "new.csv", "--text", "message", "--out", "p.csv")
    assert "--text is for fit and compare" in said
    tickets(40, 2).rename(columns={"message": "text"}).to_csv("other.csv", index=False)
    assert "lacks 1 of the 5 features of the model: 'message'" in complaint(
        "predict", "m.lf", "other.csv", "--out", "p.csv"
    )
    tickets(40, 2).assign(amount="much").to_csv("other.csv", index=False)
    assert "Column 'amount' of X held numbers only in fit; row 0 holds 'much'" in complaint(
        "predict", "m.lf", "other.csv", "--out", "p.csv"
    )


@pytest.mark.parametrize("base", BASES)
def test_bases(folder, run, run_json, base):
    run(*FIT[:4], "--model", "br", "--base", base, "--out", "m.lf")
    assert run_json("evaluate", "m.lf", "new.csv")["metrics"]["f1_micro"] > 0.7


def test_a_model_without_a_base(folder, complaint):
    words = complaint(*FIT[:4], "--model", "mlknn", "--base", "svm", "--out", "m.lf")
    assert "Model mlknn has no base learner to choose" in words


def test_a_base_inside_a_wrapper(folder, run):
    run(*FIT[:4], "--model", "calibrated", "--base", "boosting", "--out", "m.lf")
    assert type(labelfield.load("m.lf")[-1].estimator_.estimator).__name__ == "LabelTrees"


def test_decisions_of_a_model_that_routes(folder, run, run_json):
    run(*FIT[:4], "--model", "calibrated", "--out", "m.lf")
    result = run_json("predict", "m.lf", "new.csv", "--accuracy", "0.6", "--out", "p.csv")
    decisions = [row["decision"] for row in rows_of(folder / "p.csv")]
    assert set(decisions) <= {"accepted", "review"}
    assert result["accepted"] == decisions.count("accepted") > 0
    model, frame = labelfield.load("m.lf"), pd.read_csv("new.csv", dtype={"zip": float})
    X = model[0].transform(frame[list(model.feature_names_in_)])
    accept = model[-1].route(X, accuracy=0.6).accept
    assert [one == "accepted" for one in decisions] == accept.tolist()


def test_the_model_that_chooses_itself(folder, run):
    options = ["--model", "auto", "--set", "budget=quick", "--decoder", "f1", "--category", "zip"]
    run(*FIT[:4], *options, "--out", "m.lf")
    run("predict", "m.lf", "new.csv", "--why", "--accuracy", "0.6", "--out", "p.csv")
    model, rows = labelfield.load("m.lf"), rows_of(folder / "p.csv")
    assert type(model).__name__ == "LabelSetClassifier"
    assert (model.metric, model.encoder.category) == ("f1", ["country", "zip"])
    assert {row["decision"] for row in rows} <= {"accepted", "review"}
    for row in rows:
        for label in filter(None, row["labels"].split("|")):
            assert f"message: {label}" in row["why"]


def test_a_model_judged_on_its_training_rows_is_warned_about(folder, run, run_json):
    run(*FIT)
    assert "About 100% of these rows were in the training data" in (
        run("evaluate", "m.lf", "notes.csv").stderr
    )
    assert run("evaluate", "m.lf", "new.csv").stderr == ""
    pd.concat([tickets(150, 1)[:30], tickets(40, 2)[:30]]).to_csv("half.csv", index=False)
    assert run_json("evaluate", "m.lf", "half.csv")["seen"] == pytest.approx(0.5)
    assert "100% of these rows" in run("report", "m.lf", "notes.csv", "--out", "r.html").stderr
    assert "100% of these rows" in (folder / "r.html").read_text()


def test_the_report_shows_texts_and_words(folder, run):
    run(*FIT)
    shown = json.loads(run("report", "m.lf", "new.csv", "--out", "r.html", "--json").stdout)[
        "examples"
    ]["surest"][0]
    new = tickets(40, 2)
    assert shown["text"] == new["message"][shown["row"]]
    assert shown["id"] == new["ticket"][shown["row"]]
    assert {one["label"] for one in shown["reasons"]} == set(shown["predicted"])
    for one in shown["reasons"]:
        assert one["terms"][0] == f"message: {one['label']}"
    page = (folder / "r.html").read_text()
    assert f"<blockquote>{shown['text']}</blockquote>" in page


def test_a_calibrated_model_says_why_too(folder, run):
    run(*FIT[:4], "--model", "calibrated", "--out", "c.lf")
    run("predict", "c.lf", "new.csv", "--why", "--out", "p.csv")
    found = pd.read_csv("p.csv", keep_default_na=False)
    one = found[(found["labels"] != "") & ~found["labels"].str.contains(r"\|")].iloc[0]
    assert one["why"].startswith(f"{one['labels']}: ")
    assert f"message: {one['labels']}" in one["why"]


def test_groups_stay_together_in_folds(folder, run_json, complaint, monkeypatch):
    compare = ["compare", "notes.csv", "--tags", "codes", "--models", "br", "--cv", "3"]
    seen = []
    from labelfield import evaluation

    original = evaluation.compare_models
    monkeypatch.setattr(
        evaluation, "compare_models", lambda *a, **k: seen.append(k["cv"]) or original(*a, **k)
    )
    run_json(*compare, "--groups", "country", "--decoders", "subset")
    countries = pd.read_csv("notes.csv")["country"].fillna("").to_numpy()
    for train, test in seen[0]:
        assert not set(countries[train]) & set(countries[test])
    assert "has 4 groups" in complaint(*compare[:-1], "5", "--groups", "country")


@pytest.mark.parametrize("model", ["auto", "calibrated"])
def test_groups_stay_together_while_a_model_is_fitted(folder, run_json, monkeypatch, model):
    from labelfield import CalibratedSetClassifier, LabelSetClassifier, load

    fitted = {"auto": LabelSetClassifier, "calibrated": CalibratedSetClassifier}[model]
    seen, original = [], fitted.fit
    monkeypatch.setattr(fitted, "fit", lambda m, *a, **k: seen.append(m.cv) or original(m, *a, **k))
    fit = ["fit", "notes.csv", "--tags", "codes", "--groups", "country", "--model", model]
    quick = ["--set", "budget=quick"] if model == "auto" else []
    assert "country" not in run_json(*fit, *quick, "--out", "g.lf")["columns"]
    countries = pd.read_csv("notes.csv")["country"].fillna("").to_numpy()
    assert len(seen[0]) == len(set(countries))
    for train, test in seen[0]:
        assert not set(countries[train]) & set(countries[test])
    saved = load("g.lf")
    assert getattr(saved, "steps", [(None, saved)])[-1][1].cv == 5


def test_groups_of_a_model_without_folds_are_left_out_with_a_note(folder, run, complaint):
    fit = ["fit", "notes.csv", "--tags", "codes", "--groups"]
    assert "no folds inside" in run(*fit, "country", "--model", "br", "--out", "g.lf").stderr
    pd.read_csv("notes.csv").assign(one="x").to_csv("one.csv", index=False)
    fit[1] = "one.csv"
    assert "one value" in complaint(*fit, "one", "--model", "auto", "--out", "h.lf")


def test_a_pipeline_saved_from_python(folder, run):
    from sklearn.pipeline import make_pipeline

    frame = pd.read_csv("notes.csv")
    X = frame[["message", "amount"]]
    Y = pd.DataFrame({name: frame["message"].str.contains(name) for name in LABELS}).astype(int)
    model = make_pipeline(labelfield.TableEncoder(), labelfield.BinaryRelevance()).fit(X, Y)
    labelfield.save(model, "python.lf")
    run("predict", "python.lf", "new.csv", "--out", "p.csv")
    rows = rows_of(folder / "p.csv")
    wanted = model.predict_proba(pd.read_csv("new.csv")[["message", "amount"]])
    got = [[float(row[f"p({name})"]) for name in LABELS] for row in rows]
    np.testing.assert_allclose(got, wanted, atol=1e-9)


def test_many_columns_are_summed_up():
    kinds = {f"c{j}": "number" for j in range(12)} | {"a,b": "text"}
    assert describe_columns(kinds) == (
        'Columns taken for number: c0,c1,c2,c3,c4 and 7 more; text: "a,b".'
    )
