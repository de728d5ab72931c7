"""labelfield: joint distributions over label sets, in scikit-learn's conventions.

Public names load on first use, so that importing the package is quick. Estimators come from the
registry, everything else from the list below.
"""

from importlib import import_module

from labelfield import registry
from labelfield._version import __version__ as __version__

_TOOLS = {
    "base.devices": ["to_device"],
    "calibrate": [
        "AutoSetCalibrator",
        "BoostedSetCalibrator",
        "IdentitySetCalibrator",
        "IsotonicSetCalibrator",
        "NoiseRates",
        "PrecomputedProbabilities",
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
        "TiltedSubsetDecoder",
        "TopKDecoder",
    ],
    "display": [
        "AutomationDisplay",
        "LabelGraphDisplay",
        "PairHeatmapDisplay",
        "PrecisionRecallDisplay",
        "ReliabilityDisplay",
    ],
    "encode": ["TableEncoder"],
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
        "SupportJoint",
        "ask_first",
        "explain_set",
        "given_answers",
        "tree_joint",
    ],
    "joints.factor_graph": ["FactorGraph"],
    "label_graph": ["LabelGraph"],
    "learners.by_block.block_bagging": ["BlockBagging"],
    "model_selection": ["MultilabelStratifiedGroupKFold", "MultilabelStratifiedKFold"],
    "models.boltzmann.relatedness": ["LabelRelatedness"],
    "models.boltzmann.settings": ["ContrastiveDivergence", "LabelRecovery"],
    "models.field.ising_lasso": ["IsingLasso"],
    "models.incomplete.recovery": ["recover"],
    "models.mixture.bernoulli_mixture": ["BernoulliMixture"],
    "models.mixture.settings": ["BoostedTrees", "EarlyStopping", "LogisticRegressions"],
    "promise": ["AcceptancePlan", "Costs", "PromiseMonitor", "acceptance"],
    "pipeline": ["JointPipeline", "make_pipeline"],
    "rules": ["LabelRules"],
    "_gate.cluster": ["on_cluster"],
    "_gate.tags": ["split_tags"],
    "_exceptions": ["DataFormatError", "IntractableError", "LabelfieldError", "ModelFileError"],
}
_HOME_OF = {name: home for home, names in _TOOLS.items() for name in names} | {
    entry.name: entry.home
    for entry in (*registry.CLASSIFIERS.values(), *registry.RESTORERS.values())
}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name):
    if name in _HOME_OF:
        return getattr(import_module(f"labelfield.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'labelfield' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
