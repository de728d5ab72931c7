"""Rows to calibrate on: predicted by models that have not seen them."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelfield.calibrate.estimators import joint_of, sets_of, under_rules
from labelfield.joints import IndependentJoint, Joint
from labelfield.model_selection import held_out_folds, stratified_split

__all__ = ["Part", "complete_parts", "fit_parts", "pick_rows", "rows_of_folds"]

N_FOLDS = 5  # of label curves and priors where the estimator is fitted elsewhere

NOT_FITTED = "cv='prefit' takes the estimator as it is, but this %(name)s is not fitted yet."


@dataclass(frozen=True, eq=False)
class Part:
    """Rows, and what a model that has not seen them says about them.

    Rows in blocks have several parts a fold.
    """

    rows: np.ndarray
    joint: Joint
    own_sets: np.ndarray
    fold: int

    def take(self, chosen):
        """Return the part of the chosen rows, a bool array."""
        return Part(self.rows[chosen], self.joint.take(chosen), self.own_sets[chosen], self.fold)

    @property
    def independent(self):
        """Whether the joint is given by its marginals."""
        return isinstance(self.joint, IndependentJoint)


def fit_parts(estimator, X, Y, cv, random_state, rules=None):
    """Return the estimator for predictions and the parts to calibrate on.

    With a number of folds, a splitter or folds as `cv` every fold is predicted by a clone fitted
    to the others, and the estimator is refitted to all rows. With a share it is fitted to the rest
    and predicts the share; "prefit" takes it as it is. All parts keep the rules, if any.
    X comes from `as_calibration_rows`.
    """
    if isinstance(cv, str):
        if cv != "prefit":
            raise ValueError(f"cv must be an integer, a share or 'prefit'; got {cv!r}.")
        check_is_fitted(estimator, msg=NOT_FITTED)
        return estimator, _parts_of(estimator, X, Y, np.arange(len(Y)), random_state, rules)
    if isinstance(cv, (Integral, list)) or hasattr(cv, "split"):
        folds = _folds(Y, cv, random_state)
        parts = []
        for fold, (train, test) in enumerate(folds):
            fitted = X.take(train).fitted(estimator, Y[train])
            parts += _parts_of_fold(fitted, X, Y, test, rules, fold)
        return X.fitted(estimator, Y), parts
    train, rest = stratified_split(Y, test_size=cv, random_state=random_state)
    fitted = X.take(train).fitted(estimator, Y[train])
    return fitted, _parts_of(fitted, X, Y, rest, random_state, rules)


def complete_parts(parts, Y):
    """Return the parts without rows of Y (n, L) that hold NaN, and without parts left empty."""
    complete = ~np.isnan(Y).any(axis=1)
    if not complete[pick_rows(parts)].any():
        raise ValueError(
            "Every row of Y holds NaN, and whether a set is right shows only in rows known "
            "completely. Fit the estimator to these rows, then calibrate with cv='prefit' on rows "
            "without NaN."
        )
    kept = (part.take(complete[part.rows]) for part in parts)
    return [part for part in kept if len(part.rows)]


def pick_rows(parts):
    """Return the rows of all parts, in the order of the parts."""
    return np.concatenate([part.rows for part in parts])


def rows_of_folds(parts):
    """Return the rows of every fold, in ascending order: a dictionary."""
    folds = {part.fold for part in parts}
    return {
        fold: np.sort(pick_rows([part for part in parts if part.fold == fold])) for fold in folds
    }


def _folds(Y, cv, random_state):
    if len(Y) < 2:
        raise ValueError(
            f"Calibration needs rows that the model has not seen: n_samples={len(Y)} cannot be "
            "split."
        )
    return held_out_folds(Y, cv, random_state)


def _parts_of_fold(fitted, X, Y, rows, rules, fold):
    parts, rows = [], np.sort(rows)
    for here, piece in X.take(rows).pieces():
        sets = sets_of(fitted, piece)
        if sets.shape[1] != Y.shape[1]:
            raise ValueError(
                f"estimator={fitted!r} predicts {sets.shape[1]} labels, but Y has {Y.shape[1]}."
            )
        said = under_rules(joint_of(fitted, piece, sets.shape[1]), sets, rules)
        parts.append(Part(rows[here], *said, fold))
    return parts


def _parts_of(fitted, X, Y, rows, random_state, rules):
    folds = _folds(Y[rows], N_FOLDS, random_state)
    parts = []
    for fold, (_, test) in enumerate(folds):
        parts += _parts_of_fold(fitted, X, Y, rows[test], rules, fold)
    return parts
