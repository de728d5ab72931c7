"""The conditional RBM with its two weights chosen on validation rows, as its paper chooses them."""

from itertools import product

import numpy as np

from labelfield._gate.validation import as_generator
from labelfield.metrics import f1_score
from labelfield.models.boltzmann.arguments import check_labels
from labelfield.models.boltzmann.conditional_rbm import ConditionalRBM

__all__ = ["ValidatedRBM"]

PRINTED = (0.01, 0.05, 0.1, 0.5, 1.0)


class ValidatedRBM(ConditionalRBM):
    """Choose `sparsity` (mu) and `relatedness_weight` (beta) on held-out rows, then fit all rows.

    The paper learns a machine for every pair of weights; the weights act where labels are recovered
    or predicted, so here one machine is learned from the other rows, at the middle of the printed
    grid, and answers the held-out rows with every pair. The best micro-F1 wins.

    Parameters
    ----------
    sparsities, weights : tuples of float
        The values to try, by default the printed ones; weights do nothing without `relatedness`.
    n_validation : int, default=600
    n_hidden, relatedness, max_iter, training, random_state
        See `ConditionalRBM`; the rest is as published.

    Attributes
    ----------
    chosen_ : dict
        The two weights.

    Examples
    --------
    >>> from lab.variants.validated_rbm import ValidatedRBM
    >>> from labelfield.datasets import hide_labels, make_multilabel
    >>> data = make_multilabel(n_samples=100, n_labels=4, random_state=0)
    >>> model = ValidatedRBM(n_hidden=2, n_validation=20, max_iter=2, random_state=0)
    >>> sorted(model.fit(data.X, hide_labels(data.Y, 0.3, random_state=0)).chosen_)
    ['relatedness_weight', 'sparsity']
    """

    def __init__(
        self,
        *,
        sparsities=PRINTED,
        weights=PRINTED,
        n_validation=600,
        n_hidden=50,
        relatedness=None,
        max_iter=25,
        training=None,
        random_state=None,
    ):
        super().__init__(
            n_hidden=n_hidden,
            positives_only=True,
            recovery="viterbi",
            relatedness=relatedness,
            training=training,
            max_iter=max_iter,
            inference="mean_field",
            random_state=random_state,
        )
        self.sparsities = sparsities
        self.weights = weights
        self.n_validation = n_validation

    def _fit(self, X, Y):
        rows = as_generator(self.random_state).permutation(len(Y))
        held, rest = np.sort(rows[: self.n_validation]), np.sort(rows[self.n_validation :])
        self._take(self.sparsities[len(self.sparsities) // 2], self.weights[len(self.weights) // 2])
        super()._fit(X[rest], Y[rest])
        weights = self.weights if self.relatedness is not None else self.weights[:1]
        pairs = list(product(self.sparsities, weights))
        best = int(np.argmax([self._score(X[held], Y[held], *pair) for pair in pairs]))
        self.chosen_ = self._take(*pairs[best])
        super()._fit(X, Y)

    def _take(self, sparsity, weight):
        self.sparsity, self.relatedness_weight = sparsity, weight
        return {"sparsity": sparsity, "relatedness_weight": weight}

    def _score(self, X, Y, sparsity, weight):
        """Return the micro-F1 of held-out rows; their labels are as incomplete as the others."""
        self._take(sparsity, weight)
        self._pair = check_labels(self, Y)
        return f1_score(Y, self._joint(X).mode(), average="micro")
