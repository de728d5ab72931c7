"""labelfield evaluate."""

from labelfield.cli import console
from labelfield.cli.input.data import DataChoice, takes_data
from labelfield.cli.models import DecoderName, ask
from labelfield.cli.options import MetricNames, ModelFile, chosen_metrics
from labelfield.cli.reporting import warn_if_seen

__all__ = ["evaluate"]


@takes_data
def evaluate(
    model: ModelFile,
    source: DataChoice,
    decoder: DecoderName = None,
    metrics: MetricNames = None,
    as_json: console.JsonFlag = False,
):
    """Measure a saved model on labelled data.

    `labelfield evaluate scene.lf scene-test.arff`

    `labelfield evaluate scene.lf scene-test.arff --decoder f1 --metrics all --json`
    """
    result = measure(model, source, decoder, metrics)
    if as_json:
        console.print_json(result)
        return
    from labelfield.metrics import METRICS

    arrows = {True: "higher is better", False: "lower is better"}
    console.print_table(
        ["measure", "value", ""],
        [
            (METRICS[name].title, f"{value:.4f}", arrows[METRICS[name].greater_is_better])
            for name, value in result["metrics"].items()
        ],
        title=f"{result['model']} on {result['rows']} rows of {result['data']}",
    )


def measure(path, source, decoder, names):
    """Return the measures of a saved model on the chosen data."""
    from labelfield.metrics import METRICS

    table, said = ask(path, source, decoder, labelled=True)
    data = table.data
    warn_if_seen(said)
    values = {}
    for name in chosen_metrics(names, data.Y.shape[1]):
        metric = METRICS[name]
        output = said.sets if metric.needs == "sets" else said.probabilities
        if output is None:
            raise ValueError(f"{name} needs probabilities, which {said.model} does not give.")
        values[name] = float(metric(data.Y, output))
    return {
        "model": said.model,
        "data": data.name,
        "rows": len(said.sets),
        "seen": said.seen,
        "metrics": values,
    }
