"""Log-linear fields of labels."""

from labelfield.models.field.conditional_graphical_lasso import ConditionalGraphicalLasso
from labelfield.models.field.correlated_logistic import CorrelatedLogistic
from labelfield.models.field.ising_lasso import IsingLasso
from labelfield.models.field.label_enhancement import LabelEnhancement
from labelfield.models.field.log_linear_lasso import LogLinearLasso
from labelfield.models.field.pairwise_crf import PairwiseCRF

__all__ = [
    "ConditionalGraphicalLasso",
    "CorrelatedLogistic",
    "IsingLasso",
    "LabelEnhancement",
    "LogLinearLasso",
    "PairwiseCRF",
]
