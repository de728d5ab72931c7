"""Small documents with tags, and the same as a table."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
NAMES = ("fog", "rain", "snow")
Y = (rng.random((90, 3)) < [0.3, 0.5, 0.4]).astype(int)
Y[:, 0] &= Y[:, 1]  # no fog without rain
WORDS = {"fog": ["grey", "dim"], "rain": ["wet", "umbrella"], "snow": ["white", "ski"]}
TAGS = [tuple(name for name, one in zip(NAMES, row) if one) for row in Y]
TEXTS = [
    " ".join([*(rng.choice(WORDS[name]) for name in row), rng.choice(["today", "tomorrow"])])
    for row in TAGS
]
X = Y @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(90, 4))
CELLS = [";".join(row) for row in TAGS]
FRAME = pd.DataFrame(
    {
        "report": TEXTS,
        "place": pd.Categorical(np.where(Y[:, 2] == 1, "hill", rng.choice(["coast", "town"], 90))),
        "day": [datetime(2024, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 90, 90)],
        "warmth": np.where(rng.random(90) < 0.2, np.nan, rng.normal(size=90) - 2 * Y[:, 2]),
    }
)
TRAIN, TEST = slice(0, 60), slice(60, 90)


def share_right(answer, truth=Y):
    """Return the share of single labels that are right."""
    return (np.asarray(answer) == np.asarray(truth)).mean()
