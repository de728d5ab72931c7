"""Probabilities from scores that rank labels."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

__all__ = ["ScoreCurve"]

MAX_ENTRIES = 1_000_000


class ScoreCurve:
    """Log-odds = slope x score + offset, the same for all labels, so that ranks stay as they are.

    Fitted to marks by maximum likelihood with the targets of Platt, which keep away from 0 and 1;
    two numbers need no more than a million entries, evenly spaced rows of which are taken.

    Parameters
    ----------
    scores : array (n, L)
    labels : 0/1 array (n, L)
    """

    def __init__(self, scores, labels):
        step = max(1, labels.size // MAX_ENTRIES)
        scores, labels = scores[::step], labels[::step]
        n_present = float(labels.sum())
        n_absent = labels.size - n_present
        high, low = (n_present + 1.0) / (n_present + 2.0), 1.0 / (n_absent + 2.0)
        targets = np.where(labels, high, low)
        spread = max(float(scores.std()), 1e-12)
        centre = float(scores.mean())
        z = (scores - centre) / spread

        def objective(theta):
            logits = np.exp(theta[0]) * z + theta[1]  # a positive slope: higher stays likelier
            residual = expit(logits) - targets
            value = float((np.logaddexp(0.0, logits) - targets * logits).mean())
            return value, np.array([np.vdot(residual, logits - theta[1]), residual.sum()]) / z.size

        share = targets.mean()
        start = np.array([0.0, np.log(share / (1.0 - share))])
        found = minimize(
            objective,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(-5.0, 5.0), (-30.0, 30.0)],
            options={"ftol": 1e-13, "gtol": 1e-9},
        )
        self.slope = float(np.exp(found.x[0])) / spread
        self.offset = float(found.x[1]) - self.slope * centre

    def log_odds(self, scores):
        """Return the log-odds of scores: (n, L)."""
        return self.slope * scores + self.offset
