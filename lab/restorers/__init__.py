"""Restorers that the random mixed field is compared with, by the ids of the tables."""

from lab.restorers.downstream import DownstreamAccuracy
from lab.restorers.forest import ForestImputer
from lab.restorers.iterative import IterativeTableImputer
from lab.restorers.knn import MixedKNNImputer
from lab.restorers.mean_mode import MeanModeImputer
from lab.restorers.regularized_em import RegularizedEMImputer
from lab.restorers.two_stage import TwoStageRestorer

__all__ = [
    "RESTORERS",
    "DownstreamAccuracy",
    "ForestImputer",
    "IterativeTableImputer",
    "MeanModeImputer",
    "MixedKNNImputer",
    "RegularizedEMImputer",
    "TwoStageRestorer",
]

RESTORERS = {
    "forest": ForestImputer,
    "knni": MixedKNNImputer,
    "mean-mode": MeanModeImputer,
    "mice": IterativeTableImputer,
    "remi": RegularizedEMImputer,
    "two-stage": TwoStageRestorer,
}
