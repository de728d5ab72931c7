"""The description of one published table: data, methods, measures and the printed figures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.protocol import Protocol
from lab.sources import Source

__all__ = ["Column", "Method", "Model", "Published", "Search", "Table"]


@dataclass(frozen=True)
class Model:
    """An estimator by name: a registry id, or the import path of a class of another package.

    Parameters
    ----------
    id : str
        Registry id such as "br", or a path such as "lightgbm.LGBMClassifier".
    parameters : mapping
        Constructor arguments; a value may itself be a `Model`.

    Examples
    --------
    >>> from lab import Model
    >>> sorted(Model("rerank", {"estimator": Model("br")}).ids())
    ['br', 'rerank']
    """

    id: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.id, *sorted(self.parameters)))

    def ids(self) -> set[str]:
        """Return the registry ids that this model is made of."""
        inner = [value.ids() for value in self.parameters.values() if isinstance(value, Model)]
        return set().union({self.id} if "." not in self.id else (), *inner)

    def describe(self) -> dict[str, Any]:
        """Return plain nested dictionaries, for hashing and for the stored cell."""
        plain = {
            name: value.describe() if isinstance(value, Model) else value
            for name, value in sorted(self.parameters.items())
        }
        return {"id": self.id, **({"parameters": plain} if plain else {})}


@dataclass(frozen=True)
class Search:
    """A grid of parameters, one point of which is chosen inside each training part.

    Parameters
    ----------
    grid : mapping of parameter name to the values to try
        "scale" tries ways of scaling; every other name is a parameter of the model.
    metric : str
        The measure to choose by, a key of `labelfield.metrics.METRICS`.
    folds : int
        Folds of the inner cross-validation; 1 holds out a random fifth of the rows instead, which
        is cheaper.
    """

    grid: Mapping[str, tuple]
    metric: str
    folds: int = 3


@dataclass(frozen=True)
class Method:
    """A row of a table.

    Parameters
    ----------
    title : str
        The name of the row.
    model : Model, optional
        How we compute the row; None for a row of which only the printed figures are known.
    decoder : str, optional
        The decision taken from the fitted model; None for the model's own. Rows that differ in
        nothing but the decoder share one fit.
    scale : {"standard", "unit", "standard-root", "mean-norm", None}
        How the features are scaled, see `lab.scaling`.
    search : Search, optional
        Parameters chosen by cross-validation inside each training part.
    settings : mapping of column title to parameters
        Parameters of the model that differ between the columns.
    """

    title: str
    model: Model | None = None
    decoder: str | None = None
    scale: str | None = None
    search: Search | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def model_for(self, column: "Column") -> Model:
        """Return the model with the parameters it has in a column."""
        if self.model is None:
            raise ValueError(f"Row {self.title!r} has published figures only, no model.")
        changed = self.settings.get(column.title, {})
        return Model(self.model.id, {**self.model.parameters, **changed})


@dataclass(frozen=True)
class Column:
    """What a table's figures were measured on: a data set under a protocol.

    Parameters
    ----------
    title : str
    source : Source, optional
        Where the data come from; None if they cannot be had.
    protocol : Protocol, optional
        In place of the table's.
    comparable : bool
        Whether the published figures were measured on these very data.
    note : str
        Why the data cannot be had, or how they differ from the published ones.
    """

    title: str
    source: Source | None = None
    protocol: Protocol | None = None
    comparable: bool = True
    note: str = ""

    @property
    def data(self) -> str:
        """The title without the condition that may follow a comma."""
        return self.title.partition(",")[0]


@dataclass(frozen=True)
class Published:
    """A printed figure; `mean` is None where the document's print is damaged."""

    mean: float | None
    deviation: float | None = None


@dataclass(frozen=True)
class Table:
    """One table or figure of a document.

    Parameters
    ----------
    id : str
        Document and number: "qli2017-3.6"; figures are "qli2017-fig3.1".
    title : str
    out_of_scope, impossible : str
        Why there is nothing to run: no experiment (a list of notations, say), or one that cannot
        be repeated (data that are not public, say).
    task : str
        What is done with a fitted model, a key of `lab.tasks.TASKS`.
    protocol : Protocol, optional
        How the data are cut into training and test parts, in columns that do not say otherwise.
    columns, methods : tuples of Column and Method
    metrics : tuple of str
    published : mapping of (column title, method title, metric) to Published
    unit : float
        Published figures are in 1 / `unit`; 100 for percent.
    digits : int
        Decimals that the document prints.
    reference : str
        Title of the row that the paired tests compare the others with.
    along : str
        For a picture: the word that stands beside a number in the titles of columns or rows, where
        that number runs along the axis ("missing" in "noise 0.2, missing 0.5").
    notes : tuple of str
    """

    id: str
    title: str
    out_of_scope: str = ""
    impossible: str = ""
    task: str = "classify"
    protocol: Protocol | None = None
    columns: tuple[Column, ...] = ()
    methods: tuple[Method, ...] = ()
    metrics: tuple[str, ...] = ()
    published: Mapping[tuple[str, str, str], Published] = field(default_factory=dict)
    unit: float = 1.0
    digits: int = 3
    reference: str = ""
    along: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self):
        known = (
            {column.title for column in self.columns},
            {method.title for method in self.methods},
            set(self.metrics),
        )
        for key in self.published:
            for name, names in zip(key, known):
                if name not in names:
                    raise ValueError(f"Table {self.id}: {name!r} of figure {key} is not described.")
        if self.reference and self.reference not in known[1]:
            raise ValueError(f"Table {self.id} has no row {self.reference!r} to compare with.")

    @property
    def document(self) -> str:
        """The document by author and year, such as "qli2017"."""
        return self.id.split("-")[0]

    @property
    def needs(self) -> tuple[str, ...]:
        """The registry ids of all rows that we compute."""
        ids = [method.model.ids() for method in self.methods if method.model is not None]
        return tuple(sorted(set().union(*ids)))

    def protocol_of(self, column: Column) -> Protocol:
        """Return the protocol of a column."""
        protocol = column.protocol or self.protocol
        if protocol is None:
            raise ValueError(f"Table {self.id} has no protocol for column {column.title!r}.")
        return protocol
