"""Learners that models build on; they see arrays and touch X only through products."""

from labelfield.learners.conditional import fit_labels
from labelfield.learners.logistic import LogisticLearner
from labelfield.learners.multinomial import MultinomialLearner

__all__ = ["LogisticLearner", "MultinomialLearner", "fit_labels"]
