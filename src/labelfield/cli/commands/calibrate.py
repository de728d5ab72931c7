"""labelfield calibrate."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.input.data import split_names
from labelfield.cli.input.scores import read_answers, read_gold
from labelfield.cli.output import ForceFlag, check_free

__all__ = ["calibrate"]

MODELS = ("stack", "own")
MOST_LABELS = 100  # of a stack that nobody asked for; regressions on all scores take long beyond


def calibrate(
    scores: Annotated[
        Path, typer.Argument(metavar="SCORES", help="What taggers say: .jsonl, or .csv.")
    ],
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD", help="True labels of some rows: .jsonl, or .csv.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="File for the fitted model.")],
    labels: Annotated[
        str | None,
        typer.Option(help="Names of the labels, in the order of rows of numbers.", metavar="A,B"),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="stack: taggers pooled with models that learn dependence from their scores "
            "(default up to 100 labels); own: the sets of one tagger, calibrated.",
        ),
    ] = None,
    accuracy: Annotated[
        float, typer.Option(help="Accuracy that accepted sets should have.", min=0.0, max=1.0)
    ] = 0.95,
    force: ForceFlag = False,
    as_json: console.JsonFlag = False,
):
    """Calibrate what other taggers say, on a few hundred rows with gold labels.

    Each line of SCORES has an `id` and `scores`: numbers, {label: score}, a list of tags, several
    lists of tags (votes), or {tagger: such an answer}. A label without a score was not asked about.
    Each line of GOLD has an `id` and `labels`: a list, or {label: 0 or 1}. The model takes further
    lines of scores: `labelfield predict desk.lf new.jsonl --out predictions.csv`.

    `labelfield calibrate scores.jsonl gold.jsonl --out desk.lf`
    """
    check_free(out, force=force, inputs=(scores, gold))
    if model not in (None, *MODELS):
        raise ValueError(f"--model must be one of {', '.join(MODELS)}; got {model!r}.")
    names = None if labels is None else split_names(labels, "--labels")
    result = calibrate_and_save(scores, gold, out, names, model, accuracy)
    if as_json:
        console.print_json(result)
        return
    console.text(
        f"Calibrated {', '.join(result['taggers'])} ({result['model']}) on {result['rows']} gold "
        f"rows and {result['labels']} labels; saved to {out}."
    )
    console.text(result["promise"])


def calibrate_and_save(scores, gold, out, names, kind, accuracy):
    """Fit a calibrated model to scores and gold labels, save it, and say what it promises."""
    import numpy as np

    from labelfield import save
    from labelfield.calibrate import TaggerScores

    answers = read_answers(scores)
    rows, truth = read_gold(gold, answers)
    true = TaggerScores.read(truth, names)
    read = TaggerScores.read(answers.answers, names or _all_labels(answers, true, truth))
    Y = _gold_matrix(true, truth, read.labels)
    kind = kind or ("stack" if len(read.labels) <= MOST_LABELS else "own")
    if kind == "own" and len(read.taggers) > 1:
        raise ValueError(f"--model own takes one tagger; {scores} has {', '.join(read.taggers)}.")
    fitted = make_calibrated(read, kind)
    with console.busy(f"Calibrating on {len(rows)} rows"):
        fitted.fit(read.scores[rows], Y)
    fitted.label_names_ = np.asarray(read.labels, dtype=object)
    notes = {"feature_names": list(read.names), "label_names": list(read.labels)}
    save(fitted, out, notes=notes | {"categories": {}, "taggers": list(read.taggers)})
    return {
        "model": kind,
        "taggers": list(read.taggers),
        "rows": len(rows),
        "labels": len(read.labels),
        "promise": str(fitted.acceptance(accuracy)),
        "out": str(out),
    }


def make_calibrated(read, kind):
    """Return an unfitted calibrated model of what taggers say (a TaggerScores)."""
    from labelfield import (
        BinaryRelevance,
        CalibratedSetClassifier,
        JointStacking,
        LabelPowerset,
        PrecomputedProbabilities,
        make_pipeline,
    )
    from labelfield.calibrate import TaggerColumns

    taggers = [
        (name, make_pipeline(TaggerColumns(number), PrecomputedProbabilities()))
        for number, name in enumerate(read.taggers)
    ]
    if kind == "own":
        return CalibratedSetClassifier(taggers[0][1])
    learned = [
        ("label by label", make_pipeline(TaggerColumns(log_odds=True), BinaryRelevance())),
        ("whole sets", make_pipeline(TaggerColumns(log_odds=True), LabelPowerset())),
    ]
    named = [(name.replace("__", "_"), one) for name, one in [*taggers, *learned]]
    return CalibratedSetClassifier(JointStacking(named, cv=3))


def _all_labels(answers, true, truth):
    """Return the labels of both files; of gold alone where it says 0 and 1 label by label."""
    from labelfield.calibrate import TaggerScores

    if any(isinstance(one, dict) for one in truth):
        return true.labels
    return sorted({*TaggerScores.named(answers.answers), *true.labels})


def _gold_matrix(true, truth, labels):
    """Return gold labels (n, L) in the order of the model, NaN where one is unknown."""
    import numpy as np

    position = {label: j for j, label in enumerate(true.labels)}
    Y = np.zeros((len(truth), len(labels)))
    for j, label in enumerate(labels):
        if label in position:
            Y[:, j] = true.scores[:, position[label]]
    Y = np.where(np.isnan(Y), np.nan, Y > 0.5)
    return Y if np.isnan(Y).any() else Y.astype(np.uint8)
