"""Log-linear fields of labels."""

from labelfield.models.field.pairwise_crf import PairwiseCRF

__all__ = ["PairwiseCRF"]
