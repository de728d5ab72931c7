"""Printed figures as text: one line per row, `title | figure figure ...`.

A figure is `.095±.007` or `.095`; `-` was not printed and `?` cannot be read any more.
"""

from collections.abc import Iterator, Sequence

from lab.table import Published

__all__ = ["figures_by_column", "figures_by_metric", "read_rows"]

Figures = dict[tuple[str, str, str], Published]


def read_rows(text: str, width: int) -> Iterator[tuple[str, list[Published | None]]]:
    """Yield (title, figures) of each line; None for a figure that was not printed.

    Examples
    --------
    >>> from lab.published.reading import read_rows
    >>> list(read_rows("BR | .5±.1 -", width=2))
    [('BR', [Published(mean=0.5, deviation=0.1), None])]
    """
    for line in text.strip().splitlines():
        title, _, rest = line.partition("|")
        figures = [_read(word) for word in rest.split()]
        if len(figures) != width:
            raise ValueError(f"{len(figures)} figures in place of {width}: {line!r}")
        yield title.strip(), figures


def _read(word: str) -> Published | None:
    if word == "-":
        return None
    if word == "?":
        return Published(None)
    mean, _, deviation = word.partition("±")
    return Published(float(mean), float(deviation) if deviation else None)


def figures_by_metric(column: str, metrics: Sequence[str], text: str) -> Figures:
    """Read a table whose rows are methods and whose columns are measures on one data set."""
    return _figures(text, [(column, metric) for metric in metrics])


def figures_by_column(metric: str, columns: Sequence[str], text: str) -> Figures:
    """Read a table whose rows are methods and whose columns are data sets, for one measure."""
    return _figures(text, [(column, metric) for column in columns])


def _figures(text: str, places: Sequence[tuple[str, str]]) -> Figures:
    return {
        (column, title, metric): figure
        for title, figures in read_rows(text, len(places))
        for (column, metric), figure in zip(places, figures)
        if figure is not None
    }
