"""Base learners: each gives log-odds of the labels, some give scores of whole label sets too."""

from labelfield.auto.bases.base import Base, Training
from labelfield.auto.bases.boosted import BoostedBase
from labelfield.auto.bases.classifier import ClassifierBase
from labelfield.auto.bases.forest import ForestBase
from labelfield.auto.bases.kernel import KernelBase
from labelfield.auto.bases.lasso import LassoBase
from labelfield.auto.bases.linear import LinearBase
from labelfield.auto.bases.svm import SvmBase

__all__ = [
    "Base",
    "BoostedBase",
    "ClassifierBase",
    "ForestBase",
    "KernelBase",
    "LassoBase",
    "LinearBase",
    "SvmBase",
    "Training",
]
