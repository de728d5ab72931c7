"""Log-linear fields of labels."""

from labelfield.models.field.conditional_graphical_lasso import ConditionalGraphicalLasso
from labelfield.models.field.correlated_logistic import CorrelatedLogistic
from labelfield.models.field.ising_lasso import IsingLasso
from labelfield.models.field.pairwise_crf import PairwiseCRF

__all__ = ["ConditionalGraphicalLasso", "CorrelatedLogistic", "IsingLasso", "PairwiseCRF"]
