"""Label sets as classes."""

from labelfield.models.powerset.label_powerset import LabelPowerset
from labelfield.models.powerset.random_labelsets import RandomLabelsets

__all__ = ["LabelPowerset", "RandomLabelsets"]
