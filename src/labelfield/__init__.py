"""labelfield: joint distributions over label sets, in scikit-learn's conventions.

Public names load on first use, so that importing the package is quick.
"""

from importlib import import_module

__version__ = "0.1.0.dev0"

_HOMES = {
    "calibrate": [
        "AutoSetCalibrator",
        "BoostedSetCalibrator",
        "CalibratedSetClassifier",
        "IdentitySetCalibrator",
        "IsotonicSetCalibrator",
        "NoiseRates",
        "PrecomputedProbabilities",
        "SetReranker",
        "SigmoidSetCalibrator",
        "TreeSetCalibrator",
    ],
    "decode": [
        "CalibratedF1Decoder",
        "Decoder",
        "F1Decoder",
        "HammingDecoder",
        "JaccardDecoder",
        "LabelThresholdDecoder",
        "SubsetDecoder",
        "TopKDecoder",
    ],
    "joints.factor_graph": ["FactorGraph"],
    "label_graph": ["LabelGraph"],
    "io": ["load", "save"],
    "joints": [
        "CandidateJoint",
        "ChainJoint",
        "IndependentJoint",
        "IsingJoint",
        "Joint",
        "MixtureJoint",
        "PooledJoint",
        "RBMJoint",
        "SetExplanation",
        "SupportJoint",
        "explain_set",
    ],
    "model_selection": ["MultilabelStratifiedKFold"],
    "models.boltzmann": ["ConditionalRBM", "LabelRelatedness"],
    "models.chains": [
        "ClassifierChain",
        "ClassifierChainEnsemble",
        "ProbabilisticClassifierChain",
    ],
    "models.field": [
        "ConditionalGraphicalLasso",
        "CorrelatedLogistic",
        "IsingLasso",
        "LabelEnhancement",
        "LogLinearLasso",
        "PairwiseCRF",
    ],
    "models.incomplete": [
        "FastTag",
        "LabelCompletion",
        "LabelCorrelationImputer",
        "RankingGroupLasso",
        "Recovery",
        "WeakLabelLogistic",
        "recover",
    ],
    "models.margin": ["CliqueGeneratingMachine", "StructuredSVM"],
    "models.mixture": ["BernoulliMixture", "ConditionalBernoulliMixture"],
    "models.neighbors": ["InstanceBasedLogistic", "MLkNN"],
    "models.powerset": ["LabelPowerset", "RandomLabelsets"],
    "models.relevance": ["BinaryRelevance", "DependentRelevance", "StackedRelevance"],
    "restore": [
        "ForestImputer",
        "IterativeTableImputer",
        "MeanModeImputer",
        "MixedGraph",
        "MixedKNNImputer",
        "RandomMixedField",
        "RegularizedEMImputer",
        "Restoration",
        "TwoStageRestorer",
    ],
    "_exceptions": ["DataFormatError", "IntractableError", "LabelfieldError", "ModelFileError"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name):
    if name in _HOME_OF:
        return getattr(import_module(f"labelfield.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'labelfield' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
