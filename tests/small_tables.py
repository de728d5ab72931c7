"""Small dependent tables for the tests."""

import numpy as np
import pandas as pd


def clean_frame(n=200, seed=0):
    """Two numbers, text, a boolean and a categorical, all driven by one hidden group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "height": group + 0.3 * rng.normal(size=n),
            "colour": np.array(["red", "green", "blue"])[group],
            "count": (10 * group + 2 * rng.normal(size=n)).round().astype(int),
            "tall": rng.random(n) < 0.1 + 0.4 * group,
            "size": pd.Categorical(np.array(["s", "m", "l"])[group], categories=["s", "m", "l"]),
        }
    )


def holed(frame, share=0.2, seed=1):
    """A copy with holes everywhere; whole numbers become nullable."""
    hole = np.random.default_rng(seed).random(frame.shape) < share
    return frame.astype({"count": "Int64", "tall": "boolean"}).mask(hole), hole


def numbers_with_holes():
    """Clean rows of two numbers, one often 0, and a code; dirty rows with holes."""
    rng = np.random.default_rng(0)
    number = np.where(rng.random(120) < 0.5, 0.0, np.exp(rng.normal(size=120)))
    clean = np.column_stack([number, rng.normal(size=120), number == 0.0])
    dirty = clean[:20].copy()
    dirty[rng.random(dirty.shape) < 0.3] = np.nan
    return clean, dirty
