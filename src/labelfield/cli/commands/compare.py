"""labelfield compare."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.bases import BaseName
from labelfield.cli.exits import INTERRUPTED
from labelfield.cli.input.data import DataChoice, split_names, takes_data
from labelfield.cli.input.reading import read_labelled
from labelfield.cli.input.tables import describe_columns, grouped_folds
from labelfield.cli.models import DEFAULT_MODEL, make_model
from labelfield.cli.options import JobCount, MetricNames, chosen_metrics
from labelfield.cli.output import ForceFlag, check_free
from labelfield.cli.reporting import print_comparison, report_comparison

__all__ = ["compare"]

MODELS = "br,lp,pcc"


@takes_data
def compare(
    source: DataChoice,
    models: Annotated[
        str | None,
        typer.Option(
            help="Short names of models, joined by commas (default: br,lp,pcc, and auto unless "
            "there is a --base).",
            metavar="A,B,...",
        ),
    ] = None,
    decoders: Annotated[
        str,
        typer.Option(
            help="Metrics to decide for, joined by commas; `own` is each model's default.",
            metavar="A,B,...",
        ),
    ] = "subset,f1,hamming",
    base: BaseName = None,
    metrics: MetricNames = None,
    cv: Annotated[int, typer.Option(help="Number of folds.", min=2)] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the folds and of the models.")] = 0,
    standardize: Annotated[
        bool, typer.Option("--standardize", help="Scale features, fold by fold.")
    ] = False,
    jobs: JobCount = 1,
    report: Annotated[
        Path | None, typer.Option(help="Also write an HTML report of the best model.")
    ] = None,
    force: ForceFlag = False,
    as_json: console.JsonFlag = False,
):
    """Compare models and decisions on your data by cross-validation.

    Every model is fitted once per fold; each decoder then turns its probabilities into the label
    sets that are best for one metric. Figures are means over folds ± their deviation.

    `labelfield compare scene.arff`

    `labelfield compare yeast --models br,lp,pcc --decoders subset,f1 --cv 10 --report yeast.html`
    """
    if report is not None:
        check_free(report, force=force, inputs=source.inputs)
    with console.busy(f"Reading {source.data}"):
        table = read_labelled(source)
    data = table.data
    if models is None:
        models = MODELS if base else f"{MODELS},{DEFAULT_MODEL}"
    found = run_comparison(
        table,
        split_names(models, "--models"),
        decoders=split_names(decoders, "--decoders"),
        metrics=chosen_metrics(metrics, data.Y.shape[1]),
        cv=cv,
        seed=seed,
        base=base,
        standardize=standardize,
        n_jobs=jobs,
        silent=as_json,
    )
    if report is not None:
        report_comparison(found, data, report)
    if as_json:
        console.print_json({name: part for name, part in found.items() if name != "answers"})
    else:
        if table.encoder is not None:
            console.text(describe_columns(table.kinds))
        print_comparison(found, data.name)
    if report is not None:
        console.note(f"Report: {report}")
    if found["unfinished"]:
        console.note(f"Interrupted before these were finished: {', '.join(found['unfinished'])}.")
        raise typer.Exit(INTERRUPTED)


def run_comparison(table, ids, *, decoders, metrics, cv, seed, base, standardize, n_jobs, silent):
    """Cross-validate models of the registry on a data set; see `compare_models`."""
    import scipy.sparse as sp

    from labelfield.evaluation import compare_models

    data = table.data
    if table.groups is not None and len(set(table.groups)) < cv:
        raise ValueError(
            f"--cv asks for {cv} folds, but --groups has {len(set(table.groups))} groups."
        )
    options = {"base": base, "encoder": table.encoder, "standardize": standardize}
    models = {id: make_model(id, {}, sparse=sp.issparse(data.X), **options) for id in ids}
    with console.progress("Comparing", silent=silent) as progress:
        return compare_models(
            data.X,
            data.Y,
            models,
            decoders=decoders,
            metrics=metrics,
            cv=cv if table.groups is None else grouped_folds(table, cv, seed),
            random_state=seed,
            n_jobs=n_jobs,
            progress=progress,
            keep_finished=True,
        )
