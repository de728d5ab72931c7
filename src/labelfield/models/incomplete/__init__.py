"""Models for labels that are known in part."""

from labelfield.models.incomplete.completion import LabelCompletion
from labelfield.models.incomplete.correlation_imputer import LabelCorrelationImputer
from labelfield.models.incomplete.fast_tag import FastTag
from labelfield.models.incomplete.ranking_group_lasso import RankingGroupLasso
from labelfield.models.incomplete.recovery import Recovery, recover
from labelfield.models.incomplete.weak_logistic import WeakLabelLogistic

__all__ = [
    "FastTag",
    "LabelCompletion",
    "LabelCorrelationImputer",
    "RankingGroupLasso",
    "Recovery",
    "WeakLabelLogistic",
    "recover",
]
