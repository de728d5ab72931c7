"""Folds and splits that keep the label frequencies."""

from labelfield.model_selection.group_kfold import MultilabelStratifiedGroupKFold
from labelfield.model_selection.held_out import held_out_folds
from labelfield.model_selection.kfold import MultilabelStratifiedKFold
from labelfield.model_selection.split import stratified_parts, stratified_split

__all__ = [
    "MultilabelStratifiedGroupKFold",
    "MultilabelStratifiedKFold",
    "held_out_folds",
    "stratified_parts",
    "stratified_split",
]
