"""The strength of a penalty, chosen by the likelihood of rows held out.

`follow_path` walks over strengths for any model; `held_out_log_odds` does it for the logistic
regressions of all labels and all folds at once, and `choose_strength` for those of a model.
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from labelfield._gate.blocks import BlockSource
from labelfield._namespaces import is_tensor, to_host
from labelfield.joints.base import block_rows
from labelfield.learners.rows import as_rows, find_center
from labelfield.learners.rows.tensor_design import tensor_moments
from labelfield.learners.strengths.fold_regressions import FoldRegressions
from labelfield.model_selection import MultilabelStratifiedKFold

__all__ = [
    "HeldOutLogOdds",
    "StrengthPath",
    "choose_strength",
    "first_strength",
    "follow_folds",
    "follow_path",
    "held_out_log_odds",
    "settle_strength",
    "strength_folds",
    "usual_path",
]

STEP = 10.0**0.5  # from one strength to the next
LONGEST = 16  # steps in one direction
USUAL = 0.1  # of the first strength: where the paths of most data sets have their peak
FEWEST_ROWS, MANY_ROWS = 10, 2000  # to choose by; of which a third can be missed
MIN_GAIN = 1e-3  # log-likelihood of a row; less is no reason to go on
SURE = 3.0  # standard errors by which a single fall is no accident
TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class StrengthPath:
    """Held-out log-likelihood by strength.

    Attributes
    ----------
    strengths : array (m,), descending
        Against the summed loss of all rows, as `alpha` of the models.
    log_likelihood : array (m,)
        Mean of a held-out row, all its labels together.
    alpha : float
        The best of the strengths.
    """

    strengths: np.ndarray
    log_likelihood: np.ndarray
    alpha: float


class HeldOutLogOdds(NamedTuple):
    """Log-odds (n, L) of rows that the model behind them has not seen, and its StrengthPath."""

    log_odds: np.ndarray
    path: StrengthPath


class _Stop(NamedTuple):
    """What was found at one strength: likelihoods of the held-out rows, the model's answer."""

    alpha: float
    mean: float
    rows: np.ndarray
    answer: object


def follow_path(first, fit, total=None):
    """Walk from the strength `first` to weaker ones, or stronger ones if these are worse.

    The walk ends when the held-out likelihood has fallen twice in a row, or once beyond doubt.

    Parameters
    ----------
    first : float
    fit : callable
        Strength -> (answer, weighted log-likelihood (n,) of every row while held out), NaN for
        rows that never were. Called with neighbouring strengths one after the other, so that it
        can begin each fit where the last one ended.
    total : float, optional
        Weight of the rows held out, their number by default.

    Returns
    -------
    path, answer : StrengthPath, and what `fit` answered at the best strength

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.strengths.path import follow_path
    >>> def fit(alpha):
    ...     return "fitted", np.full(9, -(np.log(alpha / 0.1) ** 2))
    >>> path, answer = follow_path(1.0, fit)
    >>> path.strengths.round(3).tolist(), round(path.alpha, 3)
    ([1.0, 0.316, 0.1, 0.032], 0.1)
    """
    tried = {}
    powers = np.arange(LONGEST)
    best = _walk(first / STEP**powers, fit, total, tried)
    if best.alpha == first:
        best = _walk(first * STEP ** powers[1:], fit, total, tried, best)
    strengths = sorted(tried, reverse=True)
    found = [tried[alpha] for alpha in strengths]
    return StrengthPath(np.array(strengths), np.array(found), best.alpha), best.answer


def _walk(strengths, fit, total, tried, best=None):
    """Try strengths until they get worse; return the best stop."""
    falls = 0
    for alpha in strengths.tolist():
        answer, rows = fit(alpha)
        rows = rows[~np.isnan(rows)]
        stop = _Stop(alpha, float(rows.sum()) / max(total or len(rows), TINY), rows, answer)
        tried[alpha] = stop.mean
        if best is None or stop.mean > best.mean + MIN_GAIN:
            best, falls = stop, 0
            continue
        falls += 1
        if falls == 2 or _surely_positive(best.rows - rows):
            break
    return best


def _surely_positive(values):
    """Tell whether the sum of independent values is too large for an accident."""
    return values.sum() > SURE * np.sqrt(((values - values.mean()) ** 2).sum())


def follow_folds(first, folds, begin, weight):
    """Return the StrengthPath of a model that is fitted fold by fold.

    Parameters
    ----------
    first : float
    folds : list of (train, test) index arrays
    begin : callable
        Train and test rows -> a function of strengths that returns the log-likelihoods of the test
        rows; called with one strength after the other, so that it can go on where it ended.
    weight : array (n,)
    """
    steps = [begin(train, test) for train, test in folds]
    share = np.mean([weight[train].sum() for train, _ in folds]) / max(weight.sum(), TINY)

    def fit(alpha):
        rows = np.full(len(weight), np.nan)
        for (_, test), step in zip(folds, steps):
            rows[test] = weight[test] * step(alpha * share)
        return None, rows

    tested = np.concatenate([test for _, test in folds])
    return follow_path(first, fit, float(weight[tested].sum()))[0]


def strength_folds(Y, weight=None):
    """Return the folds (train, test) inside the training rows on which models choose strengths.

    Rows of weight 0, with weights (n,) or (n, L), are in no fold. Fewer than ten rows give none:
    too few to choose by.
    """
    n = Y.shape[0]
    rows = np.arange(n)
    if weight is not None:
        rows = np.flatnonzero(np.reshape(weight, (n, -1)).any(axis=1))
    if len(rows) < FEWEST_ROWS:
        return []
    n_splits = 5 if len(rows) < MANY_ROWS else 3
    folds = MultilabelStratifiedKFold(n_splits, shuffle=True, random_state=0)
    return [(rows[train], rows[test]) for train, test in folds.split(rows, Y[rows])]


def choose_strength(X, Y, sample_weight=None, *, mask=None, l1_ratio=0.0, n_jobs=None):
    """Return the StrengthPath of the logistic regressions of all labels.

    With fewer than ten rows it holds the usual strength only, and no likelihood.

    Parameters
    ----------
    X : array or CSR matrix (n, d)
    Y : array of 0, 1 and NaN (unknown), or CSR matrix of 0 and 1: (n, L)
    sample_weight : array (n,) or (n, L), optional
    mask : bool array (d, L), optional
        Weights that may differ from zero.
    l1_ratio : float

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.strengths.path import choose_strength
    >>> choose_strength(np.array([[0.0], [2.0]]), np.array([[0], [1]])).alpha
    0.2
    """
    Y = to_host(Y)
    folds = strength_folds(Y, sample_weight)
    if not folds:
        rows = sample_weight
        if sample_weight is not None:
            rows = np.reshape(sample_weight, (Y.shape[0], -1)).mean(axis=1)
        return usual_path(X, rows, l1_ratio)
    regressions = FoldRegressions(
        X, Y, folds, sample_weight, mask, l1_ratio=l1_ratio, n_jobs=n_jobs
    )
    return _follow_folds_at_once(regressions, X, folds, l1_ratio)[0]


def settle_strength(alpha, X, Y, sample_weight=None, **options):
    """Return a strength and the StrengthPath behind it: a number is taken as it is, with no path.

    Parameters
    ----------
    alpha : float or "auto"
    X, Y, sample_weight, options : as in `choose_strength`

    Examples
    --------
    >>> from labelfield.learners.strengths.path import settle_strength
    >>> settle_strength(0.5, None, None)
    (0.5, None)
    """
    if alpha != "auto":
        return alpha, None
    path = choose_strength(X, Y, sample_weight, **options)
    return path.alpha, path


def usual_path(X, weight=None, l1_ratio=0.0):
    """Return a StrengthPath of one strength that nobody tried, for too few rows to choose by."""
    alpha = USUAL * first_strength(X, weight, l1_ratio)
    return StrengthPath(np.array([alpha]), np.array([np.nan]), alpha)


def first_strength(X, weight=None, l1_ratio=0.0):
    """Return a strength that is a little too strong for most data.

    It is the sum of the row weights times the mean variance of the features in use, the scale of
    the curvatures that a ridge competes with; with an l1 norm, times their mean deviation.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.strengths.path import first_strength
    >>> first_strength(np.array([[0.0], [2.0]]))
    2.0
    """
    variance, total = _mean_variance(X, weight)
    return total * variance ** (1.0 - 0.5 * l1_ratio)


def _mean_variance(X, weight):
    """Return the mean variance of the columns that vary (1 if none does), and the weight of all."""
    weight = np.ones(X.shape[0]) if weight is None else weight
    total = max(float(weight.sum()), np.finfo(np.float64).tiny)
    sparse = sp.issparse(X)
    if is_tensor(X):
        mean, squares = tensor_moments(X, weight)
    elif isinstance(X, BlockSource):
        rows = as_rows(X, weight=weight)
        mean, sparse = find_center(rows), rows.as_sparse
        squares = rows.sum(partial(_block_squares, mean=mean))[0] / total
    else:
        mean = sum(np.asarray(part.T @ weight[rows]).ravel() for rows, part in _parts(X)) / total
        squares = sum(_squares(part, mean, weight[rows]) for rows, part in _parts(X)) / total
    if is_tensor(X):
        variances, rounding = squares, 1e-12 * mean * mean
    elif sparse:
        variances, rounding = squares - mean * mean, 1e-12 * mean * mean
    else:
        variances, rounding = squares, (1e-12 * mean) ** 2
    varies = variances > rounding
    return (float(variances[varies].mean()) if varies.any() else 1.0), total


def _parts(X):
    """Yield slices of the rows and the rows, in parts of bounded size."""
    if sp.issparse(X):
        yield slice(None), X
    else:
        for rows in block_rows(X.shape[0], 24.0 * X.shape[1]):
            yield rows, X[rows]


def _block_squares(block, mean):
    return (_squares(block.design.X, mean, block.weight[:, 0]),)


def _squares(X, mean, weight):
    """Return the weighted sums of squares, of entries that are dense of distances to the mean."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).T @ weight).ravel()
    return weight @ (X - mean) ** 2


def held_out_log_odds(X, Y, folds, *, sample_weight=None, mask=None, l1_ratio=0.0):
    """Return the log-odds of held-out rows by logistic regressions of the best common strength.

    The regressions of all labels and folds are the columns of one fit, in which the held-out rows
    of a fold have no weight: they share the matrix products.

    Parameters
    ----------
    X : array or CSR matrix (n, d)
    Y : array of 0, 1 and NaN (unknown), or CSR matrix of 0 and 1: (n, L)
    folds : list of (train, test) index arrays
    sample_weight : array (n,) or (n, L), optional
    mask : bool array (d, L), optional
        Weights that may differ from zero.
    l1_ratio : float

    Returns
    -------
    HeldOutLogOdds
        With NaN for rows that no fold holds out.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.strengths.path import held_out_log_odds, strength_folds
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = (X[:, :2] + 0.5 * rng.normal(size=(100, 2)) > 0).astype(np.uint8)
    >>> log_odds, path = held_out_log_odds(X, Y, strength_folds(Y))
    >>> bool(((log_odds > 0) == Y).mean() > 0.8)
    True
    """
    regressions = FoldRegressions(
        X, Y, folds, sample_weight, mask, l1_ratio=l1_ratio, keep_log_odds=True
    )
    path, log_odds = _follow_folds_at_once(regressions, X, folds, l1_ratio)
    return HeldOutLogOdds(log_odds, path)


def _follow_folds_at_once(regressions, X, folds, l1_ratio):
    """Return the StrengthPath of regressions of all folds, and their answer at its best."""
    tested = np.unique(np.concatenate([test for _, test in folds]))
    first = first_strength(X, regressions.shared, l1_ratio)
    return follow_path(first, regressions.fit, float(regressions.shared[tested].sum()))
