"""Training rows that break rules: refused, mended, left out or kept."""

import numpy as np

from labelfield._typing import BoolArray, LabelArray
from labelfield.rules.label_rules import LabelRules

__all__ = ["mend_rows"]


def mend_rows(rules: LabelRules, Y: LabelArray, on_violation: str) -> tuple[LabelArray, BoolArray]:
    """Return labels Y (n, L), and which rows (n,) to learn from.

    on_violation is "error", "close" (add what rows imply; an error where that is not enough),
    "drop" or "keep".

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.rules import LabelRules
    >>> from labelfield.rules.mending import mend_rows
    >>> rules = LabelRules(["flu", "fever"]).implies("flu", "fever")
    >>> mend_rows(rules, np.array([[1, 0]]), "close")[0]
    array([[1, 1]], dtype=uint8)
    """
    everything = np.ones(len(Y), dtype=bool)
    if on_violation == "keep":
        return Y, everything
    if on_violation == "close":
        Y = rules.closure(Y)
    found = rules.check(Y)
    if not len(found):
        return Y, everything
    if on_violation == "drop" and not found.broken.all():
        return Y, ~found.broken
    row, sentence = found.rows[0], found.sentences[found.rules[0]]
    if on_violation == "drop":
        raise ValueError(f"every row of Y breaks a rule, row {row} {sentence!r}: none is left.")
    closed = on_violation == "close"
    after = " even with the labels that they imply" if closed else ""
    ways = "'drop' or 'keep'" if closed else "'close' (add implied labels), 'drop' or 'keep'"
    raise ValueError(
        f"row {row} of Y breaks the rule {sentence!r}, and {len(found)} rows break rules in "
        f"all{after}; rules.check(Y) lists them. Correct them or set on_violation to {ways}."
    )
