"""What constructor arguments may be, declared as data in scikit-learn's way.

A class lists its arguments in `_parameter_constraints`; `fit` refuses others by name. Arguments
that many classes share are declared here once.
"""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)

__all__ = [
    "FOLDS",
    "STRENGTH",
    "Settings",
    "at_least",
    "choice",
    "declare",
    "instance",
    "number",
    "positive",
    "rate",
    "share",
    "whole",
]


class _Whole(Interval):
    """Integers in an interval; True and False are none."""

    def is_satisfied_by(self, value):
        return not isinstance(value, bool) and super().is_satisfied_by(value)


class _Instance(HasMethods):
    """An object, no class, that has some methods."""

    def is_satisfied_by(self, value):
        return not isinstance(value, type) and super().is_satisfied_by(value)

    def __str__(self):
        return f"{super().__str__()} (not a class)"


def number(low: float | None = None, high: float | None = None, closed: str = "left") -> Interval:
    """Return a constraint on a real number between two bounds."""
    return Interval(Real, low, high, closed=closed)


def at_least(low: float) -> Interval:
    """Return a constraint on a real number that is not smaller than `low`."""
    return number(low)


def whole(low: int | None = None) -> Interval:
    """Return a constraint on a whole number, no bool, that is not smaller than `low`."""
    return _Whole(Integral, low, None, closed="left")


def choice(*options):
    """Return a constraint on a string out of a few."""
    return StrOptions(set(options))


def instance(*methods):
    """Return a constraint on an object with some methods; a class is none."""
    return _Instance(list(methods))


positive = number(0, None, closed="neither")
share = number(0, 1, closed="both")
rate = number(0, 1, closed="neither")

STRENGTH = [choice("auto"), at_least(0)]  # of a penalty, chosen on held-out rows or given
FOLDS = [whole(2), instance("split", "get_n_splits"), list]  # see model_selection.held_out_folds

SHARED = {
    "alpha": [at_least(0)],
    "class_weight": [choice("balanced"), Mapping, None],
    "cv": [whole(2)],
    "decoder": [str, instance("decode")],
    "estimator": [instance("fit", "predict"), None],
    "l1_ratio": [share],
    "max_iter": [whole(1)],
    "n_jobs": [Integral, None],
    "on_violation": [choice("error", "close", "drop", "keep")],
    "passthrough": ["boolean"],
    "random_state": ["random_state", np.random.Generator],
    "rules": [instance("keeps"), None],
    "tol": [at_least(0)],
}


def declare(*names, **others):
    """Return the constraints of shared arguments by name, and of others as given.

    Examples
    --------
    >>> from labelfield._parameters import declare, whole
    >>> sorted(declare("alpha", "tol", n_chains=[whole(1)]))
    ['alpha', 'n_chains', 'tol']
    """
    return {name: SHARED[name] for name in names} | others


class Settings:
    """Base of frozen dataclasses that group arguments: they are checked when they are made."""

    _parameter_constraints: ClassVar[dict] = {}

    def __post_init__(self):
        given = {name: getattr(self, name) for name in self._parameter_constraints}
        validate_parameter_constraints(self._parameter_constraints, given, type(self).__name__)
