"""Binary relevance whose strength serves exact match, as rows about its sets need it."""

import numpy as np
from sklearn.model_selection import ShuffleSplit

from lab.grids import STRENGTHS
from labelfield import BinaryRelevance
from labelfield._gate.reading import count_rows, take_rows
from labelfield.metrics import subset_accuracy

__all__ = ["HELD_OUT", "ExactMatchRelevance"]

HELD_OUT = 0.2  # of the training rows


class ExactMatchRelevance(BinaryRelevance):
    """Binary relevance with the strength that is best for exact match on a fifth of its rows.

    Calibrators and rerankers fit the classifier inside them to several folds. As a search around
    it, this would fit the same thing again and again; this can be shared by all of them.

    Parameters
    ----------
    decoder : str or Decoder, default="hamming"

    Examples
    --------
    >>> from lab.variants.exact_match_relevance import ExactMatchRelevance
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=60, n_labels=2, random_state=0)
    >>> 0.01 <= ExactMatchRelevance().fit(data.X, data.Y).alpha_ <= 1000.0
    True
    """

    def __init__(self, *, decoder="hamming"):
        super().__init__(decoder=decoder)

    def _fit(self, X, Y, sample_weight=None):
        split = ShuffleSplit(1, test_size=HELD_OUT, random_state=0).split(np.empty(count_rows(X)))
        train, test = next(split)

        def exact_match(strength):
            model = BinaryRelevance(alpha=strength, decoder=self.decoder)
            model.fit(take_rows(X, train), Y[train])
            return subset_accuracy(Y[test], model.predict(take_rows(X, test)))

        self.alpha = max(STRENGTHS, key=exact_match)
        super()._fit(X, Y, sample_weight)
