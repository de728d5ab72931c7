"""Reading, generating and degrading data."""

from labelfield.datasets.arff import read_arff
from labelfield.datasets.blocks import RowBlocks, open_blocks
from labelfield.datasets.dataset import Dataset
from labelfield.datasets.degrade import flip_labels, hide_labels
from labelfield.datasets.digits import (
    DigitRule,
    broken_rules,
    digit_rules,
    load_digit_scenes,
)
from labelfield.datasets.formats import read_dataset
from labelfield.datasets.named.loader import (
    DatasetRow,
    list_datasets,
    load_dataset,
)
from labelfield.datasets.svmlight import read_svmlight
from labelfield.datasets.synthetic import make_correlated_discs, make_multilabel, make_star_cliques
from labelfield.datasets.table import read_table

__all__ = [
    "Dataset",
    "DatasetRow",
    "DigitRule",
    "RowBlocks",
    "broken_rules",
    "digit_rules",
    "flip_labels",
    "hide_labels",
    "list_datasets",
    "load_dataset",
    "load_digit_scenes",
    "make_correlated_discs",
    "make_multilabel",
    "make_star_cliques",
    "open_blocks",
    "read_arff",
    "read_dataset",
    "read_svmlight",
    "read_table",
]
