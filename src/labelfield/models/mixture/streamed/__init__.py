"""Mixtures of rows that lie elsewhere: on disk, or on other machines."""

from labelfield.models.mixture.streamed.components import StreamedComponents
from labelfield.models.mixture.streamed.passes import RoundCheckpoint, score_rows

__all__ = ["RoundCheckpoint", "StreamedComponents", "score_rows"]
