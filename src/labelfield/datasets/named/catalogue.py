"""Public data sets known by name: their sizes as published."""

from typing import NamedTuple

__all__ = ["CATALOGUE", "TABLE_SIZES", "Sizes"]


class Sizes(NamedTuple):
    """Published sizes of a multi-label data set."""

    instances: int
    features: int
    labels: int


CATALOGUE = {
    "bibtex": Sizes(7395, 1836, 159),
    "birds": Sizes(645, 260, 19),
    "bookmarks": Sizes(87856, 2150, 208),
    "cal500": Sizes(502, 68, 174),
    "corel16k001": Sizes(13766, 500, 153),
    "corel5k": Sizes(5000, 499, 374),
    "delicious": Sizes(16105, 500, 983),
    "emotions": Sizes(593, 72, 6),
    "enron": Sizes(1702, 1001, 53),
    "flags": Sizes(194, 19, 7),
    "foodtruck": Sizes(407, 21, 12),
    "genbase": Sizes(662, 1186, 27),
    "imdb": Sizes(120919, 1001, 28),
    "medical": Sizes(978, 1449, 45),
    "ohsumed": Sizes(13929, 1002, 23),
    "rcv1subset1": Sizes(6000, 47236, 101),
    "rcv1subset2": Sizes(6000, 47236, 101),
    "scene": Sizes(2407, 294, 6),
    "tmc2007": Sizes(28596, 49060, 22),
    "tmc2007-500": Sizes(28596, 500, 22),
    "yeast": Sizes(2417, 103, 14),
}

TABLE_SIZES = {
    "adult": (48842, 14),
    "australian": (690, 14),
    "crx": (690, 15),
    "german": (1000, 20),
}
