"""Array aliases; the letters n, d, L, K, k, M in docstrings are those of the develop page."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]
LabelArray: TypeAlias = NDArray[np.uint8]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]

__all__ = ["BoolArray", "FloatArray", "IntArray", "LabelArray"]
