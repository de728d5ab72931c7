"""Reading, generating and degrading data."""

from labelfield.datasets.arff import read_arff
from labelfield.datasets.corrupt import corrupt_table
from labelfield.datasets.dataset import Dataset
from labelfield.datasets.degrade import flip_labels, hide_labels
from labelfield.datasets.digits import (
    DigitRule,
    broken_rules,
    digit_rules,
    load_digit_scenes,
)
from labelfield.datasets.formats import read_dataset
from labelfield.datasets.loader import (
    DatasetRow,
    list_datasets,
    load_dataset,
    load_mixed_table,
)
from labelfield.datasets.mixed_net import MixedNet, make_mixed_net
from labelfield.datasets.mixed_table import MixedTable
from labelfield.datasets.svmlight import read_svmlight
from labelfield.datasets.synthetic import make_correlated_discs, make_multilabel, make_star_cliques
from labelfield.datasets.table import read_table
from labelfield.datasets.uci import read_uci_table

__all__ = [
    "Dataset",
    "DatasetRow",
    "DigitRule",
    "MixedNet",
    "MixedTable",
    "broken_rules",
    "corrupt_table",
    "digit_rules",
    "flip_labels",
    "hide_labels",
    "list_datasets",
    "load_dataset",
    "load_digit_scenes",
    "load_mixed_table",
    "make_correlated_discs",
    "make_mixed_net",
    "make_multilabel",
    "make_star_cliques",
    "read_arff",
    "read_dataset",
    "read_svmlight",
    "read_table",
    "read_uci_table",
]
