"""Pictures of three handwritten digits, with labels that follow from each other.

Made from the digits bundled with scikit-learn, so that it needs no download: the data of the
demo and of many tests.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_digits

from labelfield._gate.validation import as_generator
from labelfield.datasets.dataset import Dataset

__all__ = ["DigitRule", "broken_rules", "digit_rules", "load_digit_scenes"]

_GROUPS = {
    "even": (0, 2, 4, 6, 8),
    "odd": (1, 3, 5, 7, 9),
    "prime": (2, 3, 5, 7),
    "large": (7, 8, 9),
}
LABEL_NAMES = (*(f"digit {d}" for d in range(10)), *_GROUPS, "neighbours", "repeated")

_PER_PICTURE = 3
_N_PROTOTYPES = 100
_WIDTH = 8.0
# Which of the 1797 bundled digits serve as prototypes, in training and in test pictures.
_PROTOTYPE_POOL, _TRAIN_POOL, _TEST_POOL = slice(0, 300), slice(300, 1200), slice(1200, None)


@dataclass(frozen=True)
class DigitRule:
    """A rule that the labels of every real picture obey.

    Attributes
    ----------
    name : str
    text : str
        The rule as a sentence.
    holds : callable
        Takes label sets (n, 16), returns whether each obeys the rule, (n,).
    """

    name: str
    text: str
    holds: Callable[[np.ndarray], np.ndarray]


def load_digit_scenes(
    *, n_train=1500, n_test=500, split=None, noise=0.1, random_state=0
) -> Dataset:
    """Make pictures of three handwritten digits side by side, with 16 dependent labels.

    Ten labels say which digits are in the picture. Six follow from these: some digit is even,
    odd, prime, large (7, 8 or 9); two present digits are neighbours (4 and 5); some digit is
    repeated. Training and test pictures use different handwritten digits.

    Parameters
    ----------
    n_train, n_test : int, default 1500 and 500
        Number of pictures of each part.
    split : {None, "train", "test"}, default None
        Which part to return; None gives the training rows followed by the test rows.
    noise : float, default 0.1
        Standard deviation of the noise in each pixel (black is 0, white 1).
    random_state : int, Generator, RandomState or None, default 0
        Source of randomness. The parts do not depend on which of them is asked for.

    Returns
    -------
    Dataset
        X (n, 100): for each of 100 prototype digits the similarity of the place in the
        picture that resembles it most. truth holds `images` (n, 8, 24) and `digits` (n, 3).

    Examples
    --------
    >>> from labelfield.datasets import broken_rules, load_digit_scenes
    >>> data = load_digit_scenes(split="test")
    >>> data
    Dataset('digits', n=500, d=100, L=16, dense)
    >>> int(broken_rules(data.Y).sum())
    0
    """
    if split not in (None, "train", "test"):
        raise ValueError(f"split must be None, 'train' or 'test'; got {split!r}.")
    rng = as_generator(random_state)
    bundled = load_digits()
    strokes, classes = bundled.images / 16, bundled.target
    prototypes = strokes[_PROTOTYPE_POOL][rng.permutation(300)[:_N_PROTOTYPES]]
    parts = {}
    for part, n, pool in (("train", n_train, _TRAIN_POOL), ("test", n_test, _TEST_POOL)):
        chosen = _drawn(classes[pool], n, rng)
        clean = strokes[pool][chosen]
        parts[part] = clean + noise * rng.standard_normal(clean.shape), classes[pool][chosen]
    wanted = list(parts) if split is None else [split]
    cells = np.concatenate([parts[part][0] for part in wanted])
    digits = np.concatenate([parts[part][1] for part in wanted])
    return Dataset(
        _similarities(cells, prototypes),
        _labels(digits),
        tuple(f"prototype {k}" for k in range(_N_PROTOTYPES)),
        LABEL_NAMES,
        name="digits",
        description="Pictures of three handwritten digits, made from scikit-learn's digits.",
        truth={
            "images": cells.transpose(0, 2, 1, 3).reshape(len(cells), 8, 8 * _PER_PICTURE),
            "digits": digits,
        },
    )


def digit_rules() -> list[DigitRule]:
    """The rules that tie the labels of `load_digit_scenes` together.

    Examples
    --------
    >>> from labelfield.datasets import digit_rules
    >>> for rule in digit_rules()[:2]:
    ...     print(rule.name, "-", rule.text)
    even - 'even' is on exactly if one of the digits 0, 2, 4, 6, 8 is
    odd - 'odd' is on exactly if one of the digits 1, 3, 5, 7, 9 is
    """
    return [
        *(_some_digit_rule(name, group) for name, group in _GROUPS.items()),
        DigitRule(
            "neighbours",
            "'neighbours' is on exactly if two digits that differ by 1 are",
            lambda Y: _column(Y, "neighbours") == (Y[:, :9] & Y[:, 1:10]).any(axis=1),
        ),
        DigitRule(
            "repeated",
            "'repeated' is on exactly if fewer than three digits are",
            lambda Y: _column(Y, "repeated") == (Y[:, :10].sum(axis=1) < _PER_PICTURE),
        ),
        DigitRule(
            "count",
            "one, two or three digits are on",
            lambda Y: np.isin(Y[:, :10].sum(axis=1), (1, 2, 3)),
        ),
    ]


def broken_rules(Y) -> np.ndarray:
    """How many of the digit rules each label set breaks, (n,).

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.datasets import broken_rules
    >>> broken_rules(np.zeros((1, 16), dtype=int))
    array([2])
    """
    Y = np.asarray(Y)
    if Y.ndim != 2 or Y.shape[1] != len(LABEL_NAMES):
        raise ValueError(f"Y must have shape (n, {len(LABEL_NAMES)}); got {Y.shape}.")
    if not np.isin(Y, (0, 1)).all():
        raise ValueError("Y must hold 0 and 1.")
    Y = Y.astype(np.uint8)
    return np.sum([~rule.holds(Y) for rule in digit_rules()], axis=0)


def _some_digit_rule(name, group):
    return DigitRule(
        name,
        f"{name!r} is on exactly if one of the digits {', '.join(map(str, group))} is",
        lambda Y: _column(Y, name) == Y[:, group].any(axis=1),
    )


def _column(Y, name):
    return Y[:, LABEL_NAMES.index(name)].astype(bool)


def _drawn(classes, n, rng):
    """Positions (n, 3) of bundled digits: a class uniformly, then one of its digits."""
    wanted = rng.integers(10, size=(n, _PER_PICTURE))
    order = np.argsort(classes, kind="stable")
    counts = np.bincount(classes, minlength=10)
    starts = np.cumsum(counts) - counts
    return order[starts[wanted] + (rng.random(wanted.shape) * counts[wanted]).astype(int)]


def _similarities(cells, prototypes):
    """(n, prototypes): the largest over the three places of exp(-squared distance / width)."""
    flat, known = cells.reshape(*cells.shape[:2], -1), prototypes.reshape(len(prototypes), -1)
    squared = (flat**2).sum(axis=2)[:, :, None] + (known**2).sum(axis=1) - 2 * flat @ known.T
    return np.exp(-squared.min(axis=1) / _WIDTH)


def _labels(digits):
    """Label sets (n, 16) of pictures with these digits (n, 3)."""
    Y = np.zeros((len(digits), len(LABEL_NAMES)), dtype=np.uint8)
    Y[np.arange(len(digits))[:, None], digits] = 1
    for name, group in _GROUPS.items():
        Y[:, LABEL_NAMES.index(name)] = np.isin(digits, group).any(axis=1)
    gaps = np.abs(digits[:, :, None] - digits[:, None, :])
    Y[:, LABEL_NAMES.index("neighbours")] = (gaps == 1).any(axis=(1, 2))
    Y[:, LABEL_NAMES.index("repeated")] = (gaps == 0).sum(axis=(1, 2)) > _PER_PICTURE
    return Y
