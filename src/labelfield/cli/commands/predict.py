"""labelfield predict."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.data import DataChoice, takes_data
from labelfield.cli.models import DecoderName, ask
from labelfield.cli.output import ForceFlag, check_free, write_predictions

__all__ = ["ModelFile", "predict"]

ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file that `labelfield fit` wrote.")
]


@takes_data
def predict(
    model: ModelFile,
    source: DataChoice,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="File for the predictions: .csv or .parquet.")
    ],
    decoder: DecoderName = None,
    force: ForceFlag = False,
    as_json: console.JsonFlag = False,
):
    """Predict label sets, with the probability of each set and of each label.

    DATA needs the features of the training data; labels in it are ignored. The output has a
    column `labels` (names joined by |; a list in Parquet), a column `confidence` (the
    probability that exactly this set is right) and one column `p(label)` per label. In CSV a name
    that holds | stands in double quotes, and a cell that a spreadsheet would run as a formula
    begins with an apostrophe.

    `labelfield predict scene.lf new.arff --out predictions.csv`

    `labelfield predict scene.lf new.csv --decoder subset --out predictions.parquet`
    """
    check_free(out, force=force, inputs=(model, *source.inputs))
    result = predict_to_file(model, source, out, decoder)
    if as_json:
        console.print_json(result)
        return
    mean = result["mean_confidence"]
    confidence = "" if mean is None else f", mean confidence {mean:.3f}"
    console.text(
        f"Predicted {result['rows']} rows with {result['model']}: "
        f"{result['labels_per_row']:.2f} labels a row{confidence}; written to {out}."
    )


def predict_to_file(path, source, out, decoder):
    """Write what a saved model says about the chosen data, and sum it up."""
    _, said = ask(path, source, decoder, labelled=False)
    write_predictions(out, prediction_columns(said))
    return {
        "model": said.model,
        "rows": len(said.sets),
        "labels_per_row": float(said.sets.sum(axis=1).mean()),
        "mean_confidence": None if said.confidence is None else float(said.confidence.mean()),
        "out": str(out),
    }


def prediction_columns(said):
    """Return the columns of the output: label sets, their confidence, probabilities of labels."""
    columns = {"labels": [[n for n, on in zip(said.label_names, row) if on] for row in said.sets]}
    if said.confidence is not None:
        columns["confidence"] = said.confidence.tolist()
    if said.probabilities is not None:
        for name, column in zip(said.label_names, said.probabilities.T):
            columns[f"p({name})"] = column.tolist()
    return columns
