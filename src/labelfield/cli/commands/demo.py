"""labelfield demo."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.output import ForceFlag, check_free
from labelfield.cli.serving import Port, announce_desk

__all__ = ["demo"]

REPORT = Path("labelfield-report.html")
# The penalty with the best cross-validated likelihood of binary relevance on the training pictures.
ALPHA = 0.03
LINEAR = ("br", "2br", "ecc", "lp", "cc", "pcc")
CHOSEN = "auto"  # the last one
MODELS = {**dict.fromkeys(LINEAR, {"alpha": ALPHA}), CHOSEN: {}}  # their parameters
TARGET = 0.8
REVIEW_TARGET = 0.6  # what the reviewed pictures of the demo allow to promise
# The measures shown, each with the decision that is best for it in expectation.
DECISIONS = {"subset_accuracy": "subset", "f1_samples": "f1", "hamming_loss": "hamming"}


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML report to write.")] = REPORT,
    force: ForceFlag = False,
    as_json: console.JsonFlag = False,
    review: Annotated[
        bool, typer.Option("--review", help="Open the review desk on pictures instead.")
    ] = False,
    port: Port = 8000,
):
    """See in a minute what modelling label dependence is good for; needs no data.

    Pictures of three handwritten digits carry 16 labels that hang together: which digits are
    there, whether one is even, whether two are neighbours, ... Six models learn them from the
    same features with the same linear learner and differ only in what they know of the
    dependence; LabelSetClassifier, the default of `labelfield fit`, chooses learners itself.

    `labelfield demo` writes labelfield-report.html, replacing that of an earlier demo.

    `labelfield demo --review` opens a page on which you settle pictures with a model's help.
    """
    if review:
        review_digits(port)
        return
    if out != REPORT:
        check_free(out, force=force)
    result = run_demo(out, silent=as_json)
    if as_json:
        console.print_json(result)
    else:
        print_demo(result, out)


def run_demo(out, *, silent):
    """Compare models on the embedded digits, write the report, and return the figures."""
    from labelfield import registry
    from labelfield.datasets import load_digit_scenes
    from labelfield.evaluation.answers import answer

    train, test = load_digit_scenes(split="train"), load_digit_scenes(split="test")
    rows, answers, boards = [], {}, {}
    with console.progress("Fitting and predicting", silent=silent) as progress:
        for number, (id, parameters) in enumerate(MODELS.items()):
            entry = registry.get(id)
            progress(number, len(MODELS), float("nan"))
            model = entry.make(**parameters)
            if "random_state" in model.get_params():
                model.set_params(random_state=0)
            model.fit(train.X, train.Y)
            said = answer(model, test.X, tuple(DECISIONS.values()), confidence=True, scores=True)
            title = type(model).__name__ if id == CHOSEN else entry.title
            answers[title], boards[title] = said, getattr(model, "leaderboard_", None)
            rows.append(measure(test.Y, said, id=id, title=title))
    write_demo_report(train, test, rows, answers, boards, out)
    return {
        "train_rows": len(train.Y),
        "test_rows": len(test.Y),
        "labels": test.Y.shape[1],
        "label_sets": len({row.tobytes() for row in test.Y}),
        "models": rows,
        "report": str(out),
    }


def measure(Y, said, **row):
    """Return the figures of one model: every measure with its own decision, and broken rules."""
    from labelfield.datasets import broken_rules
    from labelfield.metrics import METRICS

    for name, decoder in DECISIONS.items():
        row[name] = float(METRICS[name](Y, said.sets[decoder]))
    row["contradictions"] = float((broken_rules(said.sets["subset"]) > 0).mean())
    return row


def write_demo_report(train, test, rows, answers, boards, out):
    """Write the report of the model that gets most pictures wholly right."""
    import numpy as np

    from labelfield.datasets import digit_rules
    from labelfield.report import build_report, write_report

    best = max(rows, key=lambda row: row["subset_accuracy"])["title"]
    sets = {title: said.sets["subset"] for title, said in answers.items()}
    measures = (*DECISIONS, "contradictions")
    summary = build_report(
        test.Y,
        sets.pop(best),
        marginals=answers[best].scores,
        confidence=answers[best].confidence["subset"],
        label_names=test.label_names,
        model=best,
        dataset="pictures of three digits",
        Y=np.vstack([train.Y, test.Y]),
        n_features=test.X.shape[1],
        comparison={
            "mean": {row["title"]: {name: row[name] for name in measures} for row in rows},
            "titles": {"contradictions": "sets that break a rule"},
            "greater_is_better": {"contradictions": False},
        },
        leaderboard=boards[best],
        rules={rule.text: lambda Y, holds=rule.holds: ~holds(Y) for rule in digit_rules()},
        predictions=sets,
        target=TARGET,
        pictures=lambda row: np.clip(test.truth["images"][row], 0.0, 1.0),
        notes=[
            f"All models were fitted to {len(train.Y)} pictures, the linear ones with the penalty "
            f"alpha={ALPHA}, which suits binary relevance best on these (cross-validated "
            f"likelihood), and measured on {len(test.Y)} pictures of other handwritten digits.",
            "Each measure is taken with the decision that is best for it; rules are checked on the "
            "most probable sets.",
        ],
    )
    write_report(summary, out)


def print_demo(result, out):
    """Print the comparison, what it means, and where the report is."""
    rows = result["models"]
    console.print_table(
        ["model", "all right ↑", "F1 ↑", "Hamming loss ↓", "contradictions ↓"],
        [
            (
                row["title"],
                f"{row['subset_accuracy']:.1%}",
                f"{row['f1_samples']:.3f}",
                f"{row['hamming_loss']:.3f}",
                f"{row['contradictions']:.1%}",
            )
            for row in rows
        ],
        title=f"{result['test_rows']} new pictures of three handwritten digits, "
        f"{result['labels']} labels each, learned from {result['train_rows']}",
        caption="all right: every label of the picture; contradictions: answers that no picture "
        "can have, such as 'digit 4' without 'even'. Each figure with the decision best for it.",
    )
    *linear, chosen = rows
    plain, best = linear[0], max(linear, key=lambda row: row["subset_accuracy"])
    console.text(
        f"Why dependence pays: {plain['title']} decides every label alone, gets "
        f"{plain['subset_accuracy']:.0%} of the pictures wholly right and contradicts itself in "
        f"{plain['contradictions']:.0%}; {best['title']} learns from the same features which "
        f"labels go together and gets {best['subset_accuracy']:.0%} right with "
        f"{best['contradictions']:.0%} contradictions. {chosen['title']} chooses learners and "
        f"their weights itself and gets {chosen['subset_accuracy']:.0%} right."
    )
    console.text(f"Report: {out}, to be opened in a browser: {out.resolve().as_uri()}")


def review_digits(port):
    """Open the review desk on new pictures of digits; nothing is kept of it."""
    import tempfile

    from labelfield.desk import require_desk

    require_desk()
    from labelfield import CalibratedSetClassifier, LabelPowerset
    from labelfield.datasets import load_digit_scenes
    from labelfield.desk.assist import DeskModel
    from labelfield.desk.page import make_desk
    from labelfield.desk.record import Record
    from labelfield.desk.start import listen, open_desk
    from labelfield.report.pictures import data_uri

    place = listen("127.0.0.1", port)
    train, test = load_digit_scenes(split="train"), load_digit_scenes(split="test")
    tags = [[n for n, on in zip(train.label_names, row) if on] for row in train.Y]
    with console.busy("Fitting a model to pictures of digits"):
        fitted = CalibratedSetClassifier(LabelPowerset(alpha=ALPHA)).fit(train.X, tags)
    pictures = [data_uri(one.clip(0.0, 1.0)) for one in test.truth["images"]]
    with tempfile.TemporaryDirectory() as folder:
        record = Record(Path(folder, "demo.review"))
        desk, _, promise = open_desk(
            record,
            DeskModel(fitted, test.feature_names, file="demo"),
            test.X,
            [f"picture {i + 1}" for i in range(len(pictures))],
            [{"picture": picture} for picture in pictures],
            accuracy=REVIEW_TARGET,
            picture="picture",
        )
        console.text(promise.words)
        app = make_desk(desk, title="Pictures of three digits")
        announce_desk(app, record, place, ["you"], browser=True)
