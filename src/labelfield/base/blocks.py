"""The gate for training data that come in blocks."""

import numpy as np

from labelfield._gate.blocks import BlockSource
from labelfield._gate.cluster import ClusterBlocks, ClusterSource
from labelfield._gate.far_features import refuse_far_moments
from labelfield._gate.validation import Target, classes_of_labels, holds_empty
from labelfield.base.weighted_blocks import learns_by_estimator
from labelfield.decode import resolve

__all__ = ["enter_blocks"]

CAN = (
    "BinaryRelevance, ClassifierChain, ProbabilisticClassifierChain, LabelPowerset, "
    "ConditionalBernoulliMixture, PairwiseCRF, CorrelatedLogistic, pools of them and their "
    "calibration can"
)


def enter_blocks(model, blocks):
    """Read blocks once, check them, and store what `predict` must know; return source and Y."""
    name = type(model).__name__
    if not model._takes_blocks:
        raise ValueError(f"X comes in blocks, which {name} cannot learn from; {CAN}.")
    by_estimator = learns_by_estimator(model)
    if model._inner_estimators() and not (model._hands_blocks_on or by_estimator):
        wrap = "give BlockBagging(estimator), " if model._estimator_takes_blocks else ""
        raise ValueError(
            f"X comes in blocks, which estimator={model.estimator!r} cannot learn from; {wrap}"
            f"leave out `estimator` of {name}, or give all rows at once."
        )
    need = model._blocks_need()
    if need is not None:
        raise ValueError(f"X comes in blocks, from which {name} learns if you {need}.")
    if getattr(model, "rules", None) is not None:
        raise ValueError("rules cannot be kept in a fit to blocks; give all rows at once.")
    if model.decoder is not None and resolve(model.decoder).needs_fit:
        raise ValueError(
            f"decoder={model.decoder!r} learns on held-out rows, which a fit to blocks has none "
            "of; choose 'subset', 'hamming' or 'f1', or give all rows at once."
        )
    in_cluster = isinstance(blocks, ClusterBlocks)
    source = (ClusterSource if in_cluster else BlockSource)(blocks, all_columns=by_estimator)
    n_labels = source.Y.shape[1]
    names = source.label_names or [f"y{j}" for j in range(n_labels)]
    if len(names) != n_labels:
        raise ValueError(f"The blocks declare {len(names)} labels, but Y has {n_labels} columns.")
    if model._wants_centred and source.moments is not None and source.shape[0] > 1:
        refuse_far_moments(model, source.moments.mean, source.moments.spread)
    model.n_features_in_ = source.shape[1]
    vars(model).pop("feature_names_in_", None)
    model.classes_ = classes_of_labels(n_labels)
    model.label_names_ = np.asarray(names, dtype=object)
    counts = slice(None) if source.weight is None else np.flatnonzero(source.weight)
    if source.weight is not None and not len(counts):
        raise ValueError("The weights are 0 in every row; give some rows a weight above 0.")
    model.empty_seen_ = holds_empty(source.Y[counts])
    model._target = Target(dtype=source.target_dtype, sparse=source.target_sparse)
    return source, source.Y
