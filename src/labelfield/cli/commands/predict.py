"""labelfield predict."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.details import accept_rows, name_sets, other_sets, reasons
from labelfield.cli.input.data import DataChoice, takes_data
from labelfield.cli.models import DecoderName, ask
from labelfield.cli.options import ModelFile
from labelfield.cli.output import ForceFlag, check_free, write_predictions

__all__ = ["predict"]

OURS = ("labels", "confidence", "decision", "alternatives", "why")


@takes_data
def predict(
    model: ModelFile,
    source: DataChoice,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="File for the predictions: .csv or .parquet.")
    ],
    decoder: DecoderName = None,
    accuracy: Annotated[
        float,
        typer.Option(help="Accuracy that accepted sets should have.", min=0.0, max=1.0),
    ] = 0.95,
    alternatives: Annotated[
        int, typer.Option(help="How many other sets to list for each row.", min=0)
    ] = 2,
    why: Annotated[
        bool, typer.Option("--why", help="Also write what speaks for each label of a set.")
    ] = False,
    force: ForceFlag = False,
    as_json: console.JsonFlag = False,
):
    """Predict label sets, with the probability of each set and of each label.

    DATA needs the features of the training data; labels in it are ignored. The output has the
    columns that name a row (`--id`, or those the model knows), `labels` (names joined by |; a list
    in Parquet), `confidence` (the probability that exactly this set is right), `decision`
    (accepted or review, where the model can tell), `alternatives` (the most probable other sets),
    `why` if asked for, and one column `p(label)` per label. In CSV a name that holds | stands in
    double quotes, and a cell that a spreadsheet would run as a formula begins with an apostrophe.

    `labelfield predict scene.lf new.arff --out predictions.csv`

    `labelfield predict scene.lf new.csv --decoder subset --out predictions.parquet`
    """
    check_free(out, force=force, inputs=(model, *source.inputs))
    result = predict_to_file(
        model, source, out, decoder, accuracy=accuracy, alternatives=alternatives, why=why
    )
    if as_json:
        console.print_json(result)
        return
    mean = result["mean_confidence"]
    confidence = "" if mean is None else f", mean confidence {mean:.3f}"
    console.text(
        f"Predicted {result['rows']} rows with {result['model']}: "
        f"{result['labels_per_row']:.2f} labels a row{confidence}; written to {out}."
    )
    if result["accepted"] is not None:
        console.text(
            f"{result['accepted']} of {result['rows']} sets can be accepted at {accuracy:.0%} "
            f"accuracy; the others are marked for review. {result['promise']}"
        )


def predict_to_file(path, source, out, decoder, *, accuracy, alternatives, why):
    """Write what a saved model says about the chosen data, and sum it up."""
    table, said = ask(path, source, decoder, labelled=False)
    accepted, promise = accept_rows(said, accuracy) if decoder is None else (None, None)
    columns = {
        **_named_apart(table.ids),
        **prediction_columns(
            said,
            accepted,
            other_sets(said, alternatives),
            reasons(said, range(len(said.sets))) if why else None,
        ),
    }
    write_predictions(out, columns)
    return {
        "model": said.model,
        "rows": len(said.sets),
        "labels_per_row": float(said.sets.sum(axis=1).mean()),
        "mean_confidence": None if said.confidence is None else float(said.confidence.mean()),
        "accepted": None if accepted is None else int(accepted.sum()),
        "promise": promise,
        "out": str(out),
    }


def _named_apart(ids):
    """Columns that name rows, called otherwise where they are called as one of ours."""
    return {f"{name}_" if name in OURS else name: cells for name, cells in ids.items()}


def prediction_columns(said, accepted, others, why):
    """Return the columns of the output: label sets, their confidence, probabilities of labels."""
    columns = {"labels": name_sets(said.sets, said.label_names)}
    if said.confidence is not None:
        columns["confidence"] = said.confidence.tolist()
    if accepted is not None:
        columns["decision"] = ["accepted" if one else "review" for one in accepted]
    if others is not None:
        columns["alternatives"] = others
    if why is not None:
        columns["why"] = [
            "; ".join(f"{label}: {', '.join(terms)}" for label, terms in one.items() if terms)
            for one in why
        ]
    if said.probabilities is not None:
        for name, column in zip(said.label_names, said.probabilities.T):
            columns[f"p({name})"] = column.tolist()
    return columns
