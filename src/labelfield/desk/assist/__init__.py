"""What the desk needs of a model: sets, alternatives, live answers, what to ask first, reasons."""

from labelfield.desk.assist.consultation import Consultation, Given
from labelfield.desk.assist.model import DeskModel, Predictions
from labelfield.desk.assist.promise import Promise

__all__ = ["Consultation", "DeskModel", "Given", "Predictions", "Promise"]
