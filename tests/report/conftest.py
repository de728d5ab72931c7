"""One small data set, its predictions, and the summary of them."""

import math

import numpy as np
import pytest

from labelfield.report import build_report

NAMES = ["sun", "beach", "<script>alert(1)</script>", "fog & mist", 'quote"s']


@pytest.fixture(scope="session")
def names():
    return list(NAMES)


@pytest.fixture(scope="session")
def answers():
    """True sets, predicted sets, marginals and confidence of 200 rows and 5 labels."""
    rng = np.random.default_rng(0)
    Y = (rng.random((200, 5)) < [0.6, 0.3, 0.2, 0.4, 0.1]).astype(np.uint8)
    Y[:, 1] &= Y[:, 0]
    confidence = rng.random(200)
    flips = (rng.random((200, 5)) < 0.25) & (rng.random(200) > confidence)[:, None]
    Y_pred = Y ^ flips
    marginals = np.clip(0.7 * Y_pred + 0.3 * rng.random((200, 5)), 0.0, 1.0)
    return {"Y_true": Y, "Y_pred": Y_pred, "marginals": marginals, "confidence": confidence}


@pytest.fixture(scope="session")
def comparison():
    return {
        "mean": {
            "br": {"subset_accuracy": 0.5, "hamming_loss": 0.1},
            "chain": {"subset_accuracy": 0.6, "hamming_loss": 0.2},
        },
        "std": {"br": {"subset_accuracy": 0.02, "hamming_loss": None}},
    }


@pytest.fixture(scope="session")
def summary(answers, names, comparison):
    return build_report(
        **answers,
        label_names=names,
        model="chain",
        dataset="holiday <photos>",
        n_features=12,
        comparison=comparison,
        leaderboard=[
            {"member": "pool", "log_likelihood": -1.25, "weight": 1.0, "exact_match": 0.625},
            {"member": "<trees>", "log_likelihood": -math.inf, "weight": None},
        ],
        rules={"a beach needs sun": lambda Y: Y[:, 1] & ~Y[:, 0]},
        pictures=lambda row: np.full((4, 6), (row % 10) / 10),
        notes=["Made up & small."],
    )
