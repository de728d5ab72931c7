"""Solvers that can be killed: their state in a file after every pass."""

import logging
import time
from pathlib import Path

import numpy as np

from labelfield.io._aside import write_aside

__all__ = ["Checkpoint", "Replayed"]

LOG = logging.getLogger("labelfield")
RECENT = 5  # passes from which the time left is told


class Checkpoint:
    """Keeps the state of a solver in a file, and tells how far it is.

    Parameters
    ----------
    path : path or None
        The file; None keeps nothing.
    key : str
        What the state belongs to: a file of something else is refused.
    """

    def __init__(self, path, key):
        self.path = None if path is None else Path(path)
        self.key = key
        self.ratios, self.times = [], []

    def resume(self):
        """Return the arrays of the file, None where there is none."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as file:
                kept = {name: file[name] for name in file.files}
            same = str(kept.pop("key")) == self.key
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise ValueError(f"{self.path} is no checkpoint of a fit; delete it.") from error
        if not same:
            raise ValueError(
                f"{self.path} was written by a fit to other data or with other arguments; delete "
                "it to begin anew, or go on with what it was written for."
            )
        LOG.info("going on from %s after %d steps", self.path, len(kept["objective"]))
        return kept

    def step(self, state):
        """Write the state aside and put it in place; log what is left to do."""
        if self.path is not None:
            with write_aside(self.path, "wb") as file:
                np.savez(file, key=np.array(self.key), **state)
        if "goal" in state:
            self._tell(state)
        else:
            LOG.info("step %d: objective %.6g", len(state["objective"]), state["objective"][-1])

    def _tell(self, state):
        steepness = np.abs(state["G"]).max(axis=1) / np.maximum(
            state["goal"][state["problems"]], np.finfo(np.float64).tiny
        )
        self.ratios.append(max(float(steepness.max()), 1.0))
        self.times.append(time.monotonic())
        left = time_left(self.ratios[-RECENT:], self.times[-RECENT:])
        LOG.info(
            "step %d: %d problems left, gradient %.1f times its goal, %s",
            len(state["objective"]) - 1,
            len(steepness),
            self.ratios[-1],
            "no end in sight yet" if left is None else f"about {left:.0f} s left",
        )


class Replayed:
    """A function (p,) -> value, gradient (p,) whose answers are kept: of solvers with few steps.

    A solver that is started again gets the answers that it had before, and does the same as then.

    Parameters
    ----------
    function : callable
    watch : Checkpoint, optional
    """

    def __init__(self, function, watch=None):
        self.function, self.watch = function, watch
        kept = None if watch is None else watch.resume()
        self.answers = [] if kept is None else list(zip(kept["objective"], kept["gradients"]))
        self.n_calls = 0

    def __call__(self, x):
        self.n_calls += 1
        if self.n_calls > len(self.answers):
            answer = self.function(x)
            if self.watch is None:
                return answer
            self.answers.append(answer)
            values, gradients = map(np.array, zip(*self.answers))
            self.watch.step({"objective": values, "gradients": gradients})
        value, gradient = self.answers[self.n_calls - 1]
        return float(value), gradient.copy()


def time_left(ratios, times):
    """Return the seconds until gradients that shrink as they did reach their goal, or None."""
    if len(ratios) < 2 or ratios[-1] >= ratios[0]:
        return None
    rate = np.log(ratios[0] / ratios[-1]) / max(times[-1] - times[0], 1e-9)
    return float(np.log(ratios[-1]) / rate)
