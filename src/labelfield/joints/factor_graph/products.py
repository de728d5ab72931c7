"""Products of labels as signs and as bits."""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from labelfield._typing import FloatArray

__all__ = ["bits_of_signs", "parts_of"]


def parts_of(cliques: Iterable[Iterable[int]]) -> list[tuple[int, ...]]:
    """Return all sets of two or more labels within the cliques, small ones first."""
    parts = {
        part
        for clique in cliques
        for size in range(2, len(tuple(clique)) + 1)
        for part in combinations(sorted(clique), size)
    }
    return sorted(parts, key=lambda part: (len(part), part))


def bits_of_signs(terms: Sequence[tuple[int, ...]]) -> FloatArray:
    """Return the matrix (A, A) that turns weights of products of signs into those of 0/1 labels.

    terms lists the labels of every product, with all their parts. A product of signs 2 y - 1 is the
    sum over its parts R of 2^|R| (-1)^(the rest) times the product of R; the empty part is a
    constant and left out.

    Examples
    --------
    >>> from labelfield.joints.factor_graph.products import bits_of_signs
    >>> bits_of_signs([(0,), (1,), (0, 1)]).tolist()
    [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [-2.0, -2.0, 4.0]]
    """
    index = {term: number for number, term in enumerate(terms)}
    matrix = np.zeros((len(terms), len(terms)))
    for number, term in enumerate(terms):
        for size in range(1, len(term) + 1):
            for part in combinations(term, size):
                matrix[number, index[part]] = 2.0**size * (-1.0) ** (len(term) - size)
    return matrix
