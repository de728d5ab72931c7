"""The DATA argument of commands, and the options that say how it is read."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from labelfield import _names

__all__ = ["DataChoice", "split_names", "takes_data"]


def _option(help: str, metavar: str | None = None):
    return typer.Option(help=help, metavar=metavar, rich_help_panel="How DATA is read")


@dataclass(frozen=True)
class DataChoice:
    """Where data are and which of their columns are labels; see `labelfield.cli.input.reading`."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A CSV, TSV, JSON lines, Parquet, ARFF or svmlight file, or the name of a known "
            "data set (see `labelfield datasets`).",
            show_default=False,
        ),
    ]
    labels: Annotated[
        int | None,
        _option("ARFF: the first N columns are labels (-N: the last N).", "N"),
    ] = None
    xml: Annotated[
        Path | None,
        _option("ARFF: MULAN label file; by default the .xml of the same name.", "FILE"),
    ] = None
    label_columns: Annotated[
        str | None,
        _option(
            "ARFF, tables: names of the label columns, joined by commas; "
            "a name that holds a comma stands in double quotes.",
            "A,B,...",
        ),
    ] = None
    label_prefix: Annotated[
        str | None, _option("Tables: label columns are those that start with this.", "TEXT")
    ] = None
    tags: Annotated[
        str | None,
        _option("Tables: the column, or columns, that list the labels of a row.", "A,B,..."),
    ] = None
    tag_separator: Annotated[
        str | None,
        _option("Tables: what stands between two tags (default: the usual of ; | and ,).", "TEXT"),
    ] = None
    text: Annotated[
        str | None, _option("Tables: columns of free text, whatever they look like.", "A,B,...")
    ] = None
    category: Annotated[
        str | None, _option("Tables: columns of categories, such as postcodes.", "A,B,...")
    ] = None
    date: Annotated[str | None, _option("Tables: columns of dates.", "A,B,...")] = None
    number: Annotated[str | None, _option("Tables: columns of numbers.", "A,B,...")] = None
    id: Annotated[
        str | None,
        _option("Tables: columns that name a row; no features, `predict` writes them.", "A,B,..."),
    ] = None
    groups: Annotated[
        str | None,
        _option("Tables: the column whose rows stay together in folds; no feature.", "NAME"),
    ] = None
    drop: Annotated[
        str | None,
        _option("Tables: columns to leave out, given as --label-columns are.", "A,B,..."),
    ] = None
    sep: Annotated[
        str | None,
        _option("CSV: what stands between two cells (default: what the first line shows).", "TEXT"),
    ] = None
    header: Annotated[
        bool,
        typer.Option(
            "--header/--no-header",
            help="CSV: whether the first line names the columns; else they are 1, 2, ...",
            rich_help_panel="How DATA is read",
        ),
    ] = True
    split: Annotated[
        str | None, _option("Known data sets: the published train or test part.", "train|test")
    ] = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files that must not be written over."""
        return (self.data,) if self.xml is None else (self.data, str(self.xml))

    def names(self, option: str) -> list[str]:
        """Return the columns that an option names."""
        joined = getattr(self, option)
        return [] if joined is None else split_names(joined, f"--{option}")

    def given(self) -> dict[str, Any]:
        """Return the options that were not left at their defaults."""
        options = {part.name: part.default for part in fields(self) if part.name != "data"}
        return {
            name: getattr(self, name) for name in options if getattr(self, name) != options[name]
        }


def split_names(joined: str, option: str) -> list[str]:
    """Names joined by commas; one that holds a comma itself is quoted as in CSV: '"a, b",c'."""
    names = _names.split_names(joined)
    if not names:
        raise ValueError(f"{option} names nothing; give names joined by commas.")
    return names


def takes_data(command: Callable[..., Any]) -> Callable[..., Any]:
    """Replace the parameter `source` of a command by the fields of `DataChoice`.

    On the command line they are an argument and options of their own; the command gets them as
    one object.
    """
    choices = [
        inspect.Parameter(
            part.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=part.type,
            default=inspect.Parameter.empty if part.name == "data" else part.default,
        )
        for part in fields(DataChoice)
    ]
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name == "source":
            parameters.extend(choices)
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def with_choice(**given):
        source = DataChoice(**{choice.name: given.pop(choice.name) for choice in choices})
        return command(source=source, **given)

    # typer reads the signature and the annotations, and follows __wrapped__ to the latter.
    del with_choice.__wrapped__
    with_choice.__signature__ = inspect.Signature(parameters)
    with_choice.__annotations__ = {one.name: one.annotation for one in parameters}
    return with_choice
