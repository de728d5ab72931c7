"""Published tables, a runner for them, and comparisons on your own data."""

from labelfield.experiments.comparison import compare_models

__all__ = ["compare_models"]
