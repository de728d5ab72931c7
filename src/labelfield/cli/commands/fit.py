"""labelfield fit."""

import time
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.bases import BaseName
from labelfield.cli.input.data import DataChoice, takes_data
from labelfield.cli.input.reading import read_labelled
from labelfield.cli.input.tables import describe_columns, grouped_folds
from labelfield.cli.models import (
    DEFAULT_MODEL,
    DecoderName,
    decision_name,
    make_model,
    parse_settings,
    settings_named,
    with_progress,
)
from labelfield.cli.notes import training_notes
from labelfield.cli.options import OnViolation, RulesFile
from labelfield.cli.output import ForceFlag, check_free

__all__ = ["fit"]

CONNECT_SECONDS = 10


@takes_data
def fit(
    source: DataChoice,
    out: Annotated[Path, typer.Option("--out", "-o", help="File for the fitted model.")],
    model: Annotated[
        str, typer.Option("--model", "-m", help="Short name of a model: br, lp, pcc, ...")
    ] = DEFAULT_MODEL,
    base: BaseName = None,
    decoder: DecoderName = None,
    alpha: Annotated[
        float | None, typer.Option(help="Strength of the penalty, where the model has one.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of models that draw numbers.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any other parameter of the model.", metavar="NAME=VALUE"),
    ] = None,
    rules: RulesFile = None,
    on_violation: OnViolation = "error",
    standardize: Annotated[
        bool,
        typer.Option(
            "--standardize",
            help="Scale features to mean 0 and deviation 1, as those of mixed tables always are.",
        ),
    ] = False,
    dask: Annotated[
        str | None,
        typer.Option(help="Fit on the dask cluster of this scheduler.", metavar="ADDRESS"),
    ] = None,
    force: ForceFlag = False,
    as_json: console.JsonFlag = False,
):
    """Fit a model and save it.

    A table may hold numbers, categories, dates, text and holes: each column is taken for what it
    looks like, and the command says for what. `--text`, `--category`, `--date`, `--number`, `--id`
    and `--drop` decide otherwise.

    `labelfield fit notes.csv --tags codes --out notes.lf`

    `labelfield fit scene.arff --model pcc --decoder f1 --out scene.lf`

    `labelfield fit reviews.csv --tags topics --id number --model br --base svm --out topics.lf`

    `labelfield fit yeast --model ecc --set n_chains=20 --seed 1 --out yeast.lf`

    `labelfield fit notes.csv --tags codes --rules rules.txt --out notes.lf`
    """
    check_free(out, force=force, inputs=source.inputs)
    chosen = {decision_name(model): decoder, "alpha": alpha, "random_state": seed}
    parameters = {name: value for name, value in chosen.items() if value is not None}
    result = fit_and_save(
        source,
        model,
        parameters | parse_settings(settings or []),
        out,
        base=base,
        standardize=standardize,
        silent=as_json,
        rules=None if rules is None else (rules, on_violation),
        dask=dask,
    )
    if as_json:
        console.print_json(result)
        return
    if result["columns"]:
        console.text(describe_columns(result["columns"]))
    console.text(
        f"Fitted {result['model']} on {result['rows']} rows, {result['features']} features and "
        f"{result['labels']} labels in {result['seconds']:.1f} s; saved to {out}."
    )


@contextmanager
def groups_kept(classifier, id, table):
    """While a model is fitted, let its own folds keep the rows of a group together.

    Folds are row numbers of one table, so they are not left in the model.
    """
    if table.groups is None:
        yield
        return
    n_folds = classifier.get_params(deep=False).get("cv")
    if not isinstance(n_folds, int):
        console.note(f"Model {id} has no folds inside: --groups only leaves the column out.")
        yield
        return
    n_groups = len(set(table.groups))
    if n_groups < 2:
        raise ValueError("--groups names a column with one value; folds need two groups or more.")
    classifier.set_params(cv=grouped_folds(table, min(n_folds, n_groups)))
    try:
        yield
    finally:
        classifier.set_params(cv=n_folds)


def fit_and_save(source, id, parameters, out, *, base, standardize, silent, rules=None, dask=None):
    """Fit a model of the registry to the chosen data, save it, and say what was done.

    `rules` is a file of label rules and what becomes of rows that break one; `dask` the address of
    the scheduler of a cluster.
    """
    import numpy as np
    import scipy.sparse as sp

    from labelfield import LabelRules, save

    with console.busy(f"Reading {source.data}"):
        table = read_labelled(source)
    data = table.data
    if rules is not None:
        found = LabelRules.from_file(data.label_names, rules[0])
        parameters = parameters | {"rules": found, "on_violation": rules[1]}
    model = make_model(
        id,
        parameters,
        base=base,
        encoder=table.encoder,
        standardize=standardize,
        sparse=sp.issparse(data.X),
    )
    classifier = model[-1] if hasattr(model, "steps") else model
    start = time.perf_counter()
    with (
        with_progress(classifier, silent=silent),
        settings_named(id, parameters),
        groups_kept(classifier, id, table),
    ):
        if dask is None:
            model.fit(data.X, data.Y)
        else:
            fit_on_cluster(model, data, dask)
    seconds = time.perf_counter() - start
    classifier.label_names_ = np.asarray(data.label_names, dtype=object)
    save(model, out, notes=training_notes(table))
    return {
        "model": type(classifier).__name__,
        "rows": data.X.shape[0],
        "features": data.X.shape[1],
        "labels": data.Y.shape[1],
        "columns": dict(table.kinds) if table.encoder is not None else {},
        "seconds": seconds,
        "out": str(out),
    }


def fit_on_cluster(model, data, address):
    """Fit a model to the rows of a data set, sent in blocks to the workers of a dask cluster."""
    from labelfield import on_cluster

    if hasattr(model, "steps"):
        raise ValueError(
            "--dask fits models of numbers; encoders and scalers want all rows. Leave it out, or "
            "scale the table before."
        )
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("--dask needs dask: pip install labelfield[dask].") from error
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise ValueError(f"--dask {address}: no scheduler answers there ({error}).") from error
    with client:
        n, n_blocks = data.X.shape[0], 2 * max(len(client.scheduler_info()["workers"]), 1)
        size = -(-n // n_blocks)
        rows = [slice(first, first + size) for first in range(0, n, size)]
        model.fit(on_cluster([(data.X[part], data.Y[part]) for part in rows], client))
