"""Learners that models build on; they see arrays and touch X only through products."""

from labelfield.learners.conditional import fit_labels
from labelfield.learners.kernel_machine import KernelMachine, KernelView, mean_kernel
from labelfield.learners.log_odds import LogOddsSource, check_source, label_probabilities
from labelfield.learners.logistic import LogisticLearner
from labelfield.learners.machines import LinearScores, fit_machines
from labelfield.learners.multinomial import MultinomialLearner
from labelfield.learners.ridge import KernelRidge, LandmarkRidge, kernel_ridge
from labelfield.learners.rows.design import Design, as_design
from labelfield.learners.spectrum import Spectrum, find_spectrum
from labelfield.learners.stacks import LogOddsStack, SetLogit, SetStack
from labelfield.learners.strengths.path import (
    StrengthPath,
    held_out_log_odds,
    settle_strength,
    strength_folds,
)
from labelfield.learners.trees import LabelTrees, RowForest

__all__ = [
    "Design",
    "KernelMachine",
    "KernelRidge",
    "KernelView",
    "LabelTrees",
    "LandmarkRidge",
    "LinearScores",
    "LogOddsSource",
    "LogOddsStack",
    "LogisticLearner",
    "MultinomialLearner",
    "RowForest",
    "SetLogit",
    "SetStack",
    "Spectrum",
    "StrengthPath",
    "as_design",
    "check_source",
    "find_spectrum",
    "fit_labels",
    "fit_machines",
    "held_out_log_odds",
    "kernel_ridge",
    "label_probabilities",
    "mean_kernel",
    "settle_strength",
    "strength_folds",
]
