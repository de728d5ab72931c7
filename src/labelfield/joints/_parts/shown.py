"""How a joint looks on a screen."""

from typing import Any

import numpy as np

from labelfield._exceptions import IntractableError
from labelfield._shown import as_html

__all__ = ["ShownJoint"]

ROWS, SETS, LABELS = 5, 3, 8


class ShownJoint:
    """One line for a terminal; the most probable sets of the first rows for a notebook."""

    n_labels: int

    def __repr__(self: Any) -> str:
        return f"{type(self).__name__}(n={len(self)}, n_labels={self.n_labels})"

    def _repr_html_(self: Any) -> str:
        first = self.take(slice(0, ROWS))
        try:
            sets, log_prob = first.top_k(SETS) if len(first) else ((), ())
        except IntractableError:
            return f"<pre>{self!r}</pre>"
        rows = [
            [str(number), *map(self._shown_set, row_sets, row_log_prob)]
            for number, (row_sets, row_log_prob) in enumerate(zip(sets, log_prob))
        ]
        n_sets = len(rows[0]) - 1 if rows else 0
        header = ["row", *(f"set {number + 1}" for number in range(n_sets))]
        return as_html(header, rows, f"{self!r}: the most probable sets, labels by number")

    def _shown_set(self: Any, labels: Any, log_prob: float) -> str:
        numbers = [str(label) for label in np.flatnonzero(labels)]
        shown = ", ".join(numbers[:LABELS]) + (", …" if len(numbers) > LABELS else "")
        return f"{{{shown}}}" + (f" {np.exp(log_prob):.3f}" if self.normalized else "")
