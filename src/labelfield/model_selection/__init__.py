"""Folds and splits that keep the label frequencies."""

from labelfield.model_selection.group_kfold import MultilabelStratifiedGroupKFold
from labelfield.model_selection.kfold import MultilabelStratifiedKFold
from labelfield.model_selection.split import stratified_parts, stratified_split

__all__ = [
    "MultilabelStratifiedGroupKFold",
    "MultilabelStratifiedKFold",
    "stratified_parts",
    "stratified_split",
]
