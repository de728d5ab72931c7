"""labelfield report."""

from copy import copy
from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.details import reasons
from labelfield.cli.input.data import DataChoice, takes_data
from labelfield.cli.input.tables import case_texts
from labelfield.cli.models import DecoderName, ask
from labelfield.cli.options import ModelFile
from labelfield.cli.output import ForceFlag, check_free
from labelfield.cli.reporting import seen_sentence, warn_if_seen

__all__ = ["report"]


@takes_data
def report(
    model: ModelFile,
    source: DataChoice,
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write.")] = Path(
        "labelfield-report.html"
    ),
    decoder: DecoderName = None,
    target: Annotated[
        float,
        typer.Option(
            "--accuracy",
            "--target",
            help="Wanted accuracy of sets accepted without review.",
            min=0.0,
            max=1.0,
        ),
    ] = 0.95,
    force: ForceFlag = False,
    as_json: console.JsonFlag = False,
):
    """Write a report of a saved model on labelled data: one HTML file that opens offline.

    It shows the data, results per label and per set, how far the confidence can be trusted, how
    many cases can be accepted without review, and the worst and the surest examples. Give data
    that the model was not fitted to.

    `labelfield report scene.lf scene-test.arff --out scene.html`

    With `--json` the numbers behind the report are printed as well.
    """
    check_free(out, force=force, inputs=(model, *source.inputs))
    summary = report_model(model, source, out, decoder=decoder, target=target)
    if as_json:
        console.print_json({**summary, "out": str(out)})
        return
    console.text(f"Report written to {out}; open it in a browser.")
    if summary["automation"] is not None:
        console.text(summary["automation"]["sentence"])


def report_model(path, source, out, *, decoder, target):
    """Measure a saved model on the chosen data and write the report; return its numbers."""
    from labelfield.report import build_report, write_report

    table, said = ask(path, source, decoder, labelled=True)
    data = table.data
    warn_if_seen(said)
    summary = build_report(
        data.Y,
        said.sets,
        marginals=said.probabilities,
        confidence=said.confidence,
        label_names=said.label_names,
        model=said.model,
        dataset=data.name,
        n_features=data.X.shape[1],
        leaderboard=said.leaderboard,
        label_graph=said.label_graph,
        rules=said.rules,
        predictions=None if said.rules is None else without_rules(said, decoder),
        target=target,
        row_ids=next(iter(table.ids.values()), None),
        texts=case_texts(table),
        reasons=lambda row: reasons(said, [row])[0],
        notes=[sentence for sentence in [seen_sentence(said)] if sentence],
    )
    write_report(summary, out)
    return summary


def without_rules(said, decoder):
    """Return the sets that a model with label rules would predict without them, by its name."""
    from labelfield.evaluation.answers import OWN, answer

    free = copy(said.classifier)
    free.rules_ = None
    chosen = decoder or OWN
    sets = answer(free, said.X, (chosen,)).sets[chosen]
    return {f"{said.model} without its rules": sets}
