"""Estimators that want all rows, grown on one block after the other and averaged."""

from labelfield.learners.by_block.block_bagging import BlockBagging

__all__ = ["BlockBagging"]
