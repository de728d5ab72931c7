"""Labels of the nearest training rows."""

from labelfield.models.neighbors.iblr import InstanceBasedLogistic
from labelfield.models.neighbors.mlknn import MLkNN

__all__ = ["InstanceBasedLogistic", "MLkNN"]
