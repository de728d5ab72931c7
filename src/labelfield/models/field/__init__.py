"""Log-linear fields of labels."""

from labelfield.models.field.correlated_logistic import CorrelatedLogistic
from labelfield.models.field.pairwise_crf import PairwiseCRF

__all__ = ["CorrelatedLogistic", "PairwiseCRF"]
