"""Dates and durations as numbers: days, since 1970 for dates, in UTC where they have a time zone.

In double precision, days of any date near ours are right to a microsecond.
"""

import numpy as np

from labelfield._typing import FloatArray

__all__ = ["KINDS", "days_of", "moments_of"]

KINDS = {"M": "date", "m": "duration"}  # by the letter of numpy's dtypes
MICROSECONDS = {
    "W": 7 * 86_400_000_000,
    "D": 86_400_000_000,
    "h": 3_600_000_000,
    "m": 60_000_000,
    "s": 1_000_000,
    "ms": 1000,
}


def days_of(moments: np.ndarray) -> FloatArray:
    """Dates (datetime64) or durations (timedelta64) as days, NaN where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.restore.tables.dates import days_of
    >>> days_of(np.array(["1970-01-02T12", "NaT"], dtype="datetime64[h]"))
    array([1.5, nan])
    """
    whole = moments.astype(f"{moments.dtype.kind}8[us]")
    days = whole.astype(np.int64) / MICROSECONDS["D"]
    return np.where(np.isnat(whole), np.nan, days)


def moments_of(days: np.ndarray, kind: str, unit: str = "us") -> np.ndarray:
    """Dates or durations in microseconds from days, rounded to whole units.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.restore.tables.dates import moments_of
    >>> moments_of(np.array([1.5]), "date", "h").astype("datetime64[h]")
    array(['1970-01-02T12'], dtype='datetime64[h]')
    """
    step = MICROSECONDS.get(unit, 1)
    whole = np.rint(np.asarray(days, dtype=float) * (MICROSECONDS["D"] / step)).astype(np.int64)
    return (whole * step).astype("M8[us]" if kind == "date" else "m8[us]")
