"""What a comparison of models looks like on a screen."""

from typing import Any

from labelfield._shown import as_html, as_text

__all__ = ["Comparison"]


class Comparison(dict[str, Any]):
    """A dictionary of everything that was measured; it prints as a table of means.

    Examples
    --------
    >>> from labelfield.evaluation import Comparison
    >>> figures = {"f1_samples": {"mean": 0.75}}
    >>> entry = {"name": "BR, f1", "figures": figures, "fit_seconds": 1.25}
    >>> metric = {"name": "f1_samples", "title": "instance F1"}
    >>> Comparison(rows=90, labels=4, folds=3, metrics=[metric], results=[entry], unfinished=[])
    90 rows, 4 labels, means of 3 folds
    model, decision instance F1 fit CPU s
    BR, f1                0.750       1.2
    """

    def __repr__(self) -> str:
        return f"{self._title()}\n{as_text(*self._table())}"

    def _repr_html_(self) -> str:
        return as_html(*self._table(), caption=self._title())

    def _title(self) -> str:
        counted = f"{self['rows']} rows, {self['labels']} labels, means of {self['folds']} folds"
        left_out = ", ".join(self["unfinished"])
        return f"{counted}; not finished: {left_out}" if left_out else counted

    def _table(self) -> tuple[list[str], list[list[str]]]:
        titles = [metric["title"] for metric in self["metrics"]]
        rows = [
            [
                entry["name"],
                *(f"{entry['figures'][one['name']]['mean']:.3f}" for one in self["metrics"]),
                f"{entry['fit_seconds']:.1f}",
            ]
            for entry in self["results"]
        ]
        return ["model, decision", *titles, "fit CPU s"], rows
