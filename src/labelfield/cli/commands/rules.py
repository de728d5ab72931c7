"""labelfield rules."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.input.data import DataChoice, takes_data
from labelfield.cli.input.reading import read_labelled

__all__ = ["rules_app"]

rules_app = typer.Typer(
    no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}
)


@rules_app.callback()
def about():
    """Check rules between labels on data, or look for rules that data never break.

    `labelfield rules check notes.csv rules.txt --tags codes`

    `labelfield rules suggest notes.csv --tags codes`
    """


@rules_app.command()
@takes_data
def check(
    source: DataChoice,
    file: Annotated[
        Path, typer.Argument(metavar="RULES", help="Sentences, .json, or a .csv of parents.")
    ],
    as_json: console.JsonFlag = False,
):
    """Say which rows break which rules, and what is odd about the rules themselves.

    `labelfield rules check notes.csv rules.txt --tags codes`
    """
    result = check_rules(source, file)
    if as_json:
        console.print_json(result)
        return
    for finding in result["findings"]:
        console.note(f"The rules: {finding}.")
    console.text(f"{result['broken']} of {result['rows']} rows break a rule.")
    if result["rules"]:
        console.print_table(
            ["rule", "rows", "first rows"],
            [
                (one["rule"], str(one["rows"]), ", ".join(map(str, one["first"])))
                for one in result["rules"]
            ],
        )


def check_rules(source, file):
    """Return the rules that the chosen data break, by how often, and findings about the rules."""
    import numpy as np

    from labelfield import LabelRules

    data = read_labelled(source).data
    rules = LabelRules.from_file(data.label_names, file)
    found = rules.check(data.Y)
    listed = [
        {
            "rule": found.sentences[rule],
            "rows": int(found.counts[rule]),
            "first": found.rows[found.rules == rule][:5].tolist(),
        }
        for rule in np.argsort(-found.counts, kind="stable")
        if found.counts[rule]
    ]
    findings = [str(finding) for finding in rules.review()]
    return {"rows": found.n_rows, "broken": len(found), "rules": listed, "findings": findings}


@rules_app.command()
@takes_data
def suggest(
    source: DataChoice,
    min_count: Annotated[int, typer.Option(help="Leave labels in fewer rows alone.")] = 10,
    as_json: console.JsonFlag = False,
):
    """Print rules that the data never break, one sentence a line: save them and edit.

    `labelfield rules suggest notes.csv --tags codes > rules.txt`
    """
    from labelfield import LabelRules

    data = read_labelled(source).data
    found = LabelRules(data.label_names).suggest(data.Y, min_count)
    if as_json:
        console.print_json(
            [{"rule": s.sentence, "rows": s.count, "expected": s.expected} for s in found]
        )
        return
    for suggestion in found:
        console.text(
            f"{suggestion.sentence}  # {suggestion.count} rows; "
            f"{suggestion.expected:.1f} would break it by chance"
        )
