"""Models for labels that are known in part."""

from labelfield.models.incomplete.completion import LabelCompletion
from labelfield.models.incomplete.recovery import Recovery, recover

__all__ = ["LabelCompletion", "Recovery", "recover"]
