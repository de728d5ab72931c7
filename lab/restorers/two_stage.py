"""Two restorers in a row: one corrects the observed cells, another fills the holes."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods

from labelfield.restore.base import TableRestorer
from labelfield.restore.field import RandomMixedField
from labelfield.restore.tables.codec import EncodedTable

__all__ = ["TwoStageRestorer"]


class TwoStageRestorer(TableRestorer):
    """Correct the observed cells with one restorer, then fill the holes with another.

    Both learn from the same clean table. An imputer trusts what it sees, so that it profits from
    cells that were corrected before.

    Parameters
    ----------
    estimator : restorer
        Fills the holes: any restorer.
    corrector : restorer or None, default None
        Corrects the observed cells; None is a `RandomMixedField` that estimates the noise.
    random_state : int, Generator, RandomState or None
        Of the corrector, when none is given.
    categorical, handle_unknown
        See RandomMixedField; those of the two stages are not used.

    Attributes
    ----------
    corrector_, estimator_ : the fitted stages
    codec_ : TableCodec
        Kinds, scales and states of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from lab.restorers import MixedKNNImputer, TwoStageRestorer
    >>> from labelfield.restore import RandomMixedField
    >>> clean = np.repeat([[0.0, 5.0, 3.0], [1.0, 9.0, 4.0]], 20, axis=0)
    >>> field = RandomMixedField(alpha=0.02, flip_rate=0.1)
    >>> both = TwoStageRestorer(MixedKNNImputer(), corrector=field, categorical=[0, 1, 2])
    >>> both.fit(clean).transform(np.array([[1.0, 9.0, 3.0], [0.0, np.nan, 3.0]])).tolist()
    [[1.0, 9.0, 4.0], [0.0, 5.0, 3.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TableRestorer._parameter_constraints,
        "estimator": [HasMethods(["fit", "transform"])],
        "corrector": [HasMethods(["fit", "transform"]), None],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        estimator,
        *,
        corrector=None,
        random_state=None,
        categorical="auto",
        handle_unknown="error",
    ):
        self.estimator = estimator
        self.corrector = corrector
        self.random_state = random_state
        self.categorical = categorical
        self.handle_unknown = handle_unknown

    @classmethod
    def of_fitted(cls, estimator, corrector):
        """Return a restorer of two stages that have learned from one table."""
        both = cls(estimator, corrector=corrector)
        for name in ("codec_", "n_features_in_", "feature_names_in_"):
            setattr(both, name, getattr(estimator, name))
        both.corrector_, both.estimator_ = corrector, estimator
        return both

    def _learn(self, clean):
        corrector = self.corrector
        if corrector is None:
            corrector = RandomMixedField(
                noise_scale="estimate", flip_rate="estimate", random_state=self.random_state
            )
        self.corrector_ = self._stage(corrector, clean)
        self.estimator_ = self._stage(self.estimator, clean)

    def _stage(self, restorer, clean):
        """A fitted copy that works on tables which this restorer has encoded."""
        stage = clone(restorer)
        stage._validate_params()
        stage.codec_ = self.codec_
        stage._learn(clean)
        return stage

    def _clean(self, dirty):
        corrected = self.corrector_._clean(dirty)
        with_holes = EncodedTable(
            np.where(np.isnan(dirty.numbers), np.nan, corrected.numbers),
            np.where(dirty.codes < 0, -1, corrected.codes),
        )
        return self.estimator_._clean(with_holes)
