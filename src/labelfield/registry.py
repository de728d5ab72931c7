"""Every estimator by its short id: read by the command line, the common tests and the docs."""

from dataclasses import dataclass, field
from importlib import import_module

__all__ = ["CLASSIFIERS", "RESTORERS", "Entry", "get"]

TIGHT = {"alpha": 1.0, "tol": 1e-9}  # so that equal problems give equal answers to many digits
MARGIN = {"alpha": 0.3, "cv": 2, "tol": 1e-7, "max_iter": 2000, "random_state": 0}
ORDER_MATTERS = "a chain in another label order is another model"
FOLDS_DIFFER = "the stratified folds of the calibration differ when the labels are permuted"
REPEATED_ROWS = "copies of a row may fall into different folds, one heavy row cannot"
RANDOM_DRAWS = "random starts and draws differ when the labels are permuted"
RANDOM_GROUPS = "the random groups of labels differ when the labels are permuted"


@dataclass(frozen=True)
class Entry:
    """Where an estimator lives, how to make a tiny one, and what it cannot do."""

    id: str
    home: str
    name: str
    title: str
    tiny: dict = field(default_factory=dict)
    expected_failures: dict = field(default_factory=dict)
    wraps: str = ""  # id of the model that a wrapper gets by default
    pools: tuple[str, ...] = ()  # ids of the models that a pool gets by default

    def load(self):
        """Return the class."""
        return getattr(import_module(f"labelfield.{self.home}"), self.name)

    def make(self, **parameters):
        """Return an estimator with its defaults and the given parameters."""
        if self.wraps and "estimator" not in parameters:
            parameters = {"estimator": get(self.wraps).make(), **parameters}
        if self.pools and "estimators" not in parameters:
            parameters = {"estimators": [(id, get(id).make()) for id in self.pools], **parameters}
        return self.load()(**parameters)

    def make_tiny(self):
        """Return an estimator small enough for the common tests."""
        if self.wraps:
            return self.make(estimator=get(self.wraps).make_tiny(), **self.tiny)
        if self.pools:
            members = [(id, get(id).make_tiny()) for id in self.pools]
            return self.make(estimators=members, **self.tiny)
        return self.make(**self.tiny)


_ENTRIES = [
    Entry(
        "auto",
        "auto.classifier",
        "LabelSetClassifier",
        "pool of joints that chooses everything itself",
        {"budget": "quick"},
        expected_failures={
            "check_sparse_equals_dense": "dense features are standardised, sparse ones are not",
            "check_double_weight_is_the_row_twice": REPEATED_ROWS,
            "check_sample_weight_equivalence_on_dense_data": REPEATED_ROWS,
        },
    ),
    Entry("br", "models.relevance.binary_relevance", "BinaryRelevance", "binary relevance", TIGHT),
    Entry(
        "2br",
        "models.relevance.stacked",
        "StackedRelevance",
        "stacked binary relevance",
        {"cv": 3, **TIGHT},
        expected_failures={
            "check_double_weight_is_the_row_twice": REPEATED_ROWS,
        },
    ),
    Entry(
        "dbr", "models.relevance.stacked", "DependentRelevance", "dependent binary relevance", TIGHT
    ),
    Entry(
        "lp",
        "models.powerset.label_powerset",
        "LabelPowerset",
        "label power set",
        TIGHT,
    ),
    Entry(
        "rakel",
        "models.powerset.random_labelsets",
        "RandomLabelsets",
        "random k-labelsets (RAkEL)",
        {"n_sets": 3, "set_size": 2, "random_state": 1, **TIGHT},
        expected_failures={"check_label_permutation": RANDOM_GROUPS},
    ),
    Entry(
        "cc",
        "models.chains.chain",
        "ClassifierChain",
        "classifier chain",
        TIGHT,
        expected_failures={"check_label_permutation": ORDER_MATTERS},
    ),
    Entry(
        "pcc",
        "models.chains.chain",
        "ProbabilisticClassifierChain",
        "probabilistic classifier chain",
        TIGHT,
        expected_failures={"check_label_permutation": ORDER_MATTERS},
    ),
    Entry(
        "ecc",
        "models.chains.ensemble",
        "ClassifierChainEnsemble",
        "ensemble of classifier chains",
        {"n_chains": 3, "random_state": 0, **TIGHT},
        expected_failures={"check_label_permutation": ORDER_MATTERS},
    ),
    Entry(
        "cbm",
        "models.mixture.conditional_mixture",
        "ConditionalBernoulliMixture",
        "conditional Bernoulli mixture (CBM)",
        {
            "n_components": 3,
            "alpha": 1.0,
            "init": "sets",
            "early_stopping": False,
            "max_iter": 2,
            "tol": 1e-7,
        },
    ),
    Entry(
        "cgl",
        "models.field.conditional_graphical_lasso",
        "ConditionalGraphicalLasso",
        "conditional graphical lasso (CGL)",
        {"alpha": 0.1, "edge_alpha": 1.0, "tol": 1e-8},
    ),
    Entry(
        "corrlog",
        "models.field.correlated_logistic",
        "CorrelatedLogistic",
        "correlated logistic regression (CorrLog)",
        {"alpha": 0.1, "tol": 1e-8},
    ),
    Entry(
        "crf",
        "models.field.pairwise_crf",
        "PairwiseCRF",
        "pairwise CRF on the training label sets",
        {"alpha": 1.0, "min_count": 1, "tol": 1e-8},
    ),
    Entry(
        "completion",
        "models.incomplete.completion",
        "LabelCompletion",
        "labels completed by the model's own joint (EM)",
        {"alpha": 1.0, "random_state": 0},
        wraps="lp",
    ),
    Entry("fasttag", "models.incomplete.fast_tag", "FastTag", "FastTag"),
    Entry(
        "lcml",
        "models.incomplete.correlation_imputer",
        "LabelCorrelationImputer",
        "label correlations with missing labels (LCML)",
    ),
    Entry(
        "mlrgl",
        "models.incomplete.ranking_group_lasso",
        "RankingGroupLasso",
        "ranking with group lasso (MLRGL)",
        {"tol": 1e-8, "max_iter": 1000},
        expected_failures={"check_classifiers_train": "one label has none to be ranked above"},
    ),
    Entry(
        "weak",
        "models.incomplete.weak_logistic",
        "WeakLabelLogistic",
        "logistic regression on incomplete marks",
        TIGHT,
    ),
    Entry(
        "crbm",
        "models.boltzmann.conditional_rbm",
        "ConditionalRBM",
        "conditional restricted Boltzmann machine (CRBM)",
        {"n_hidden": 3, "max_iter": 120, "random_state": 0},
        expected_failures={
            "check_label_permutation": RANDOM_DRAWS,
            "check_unknown_labels": "hidden units tie the labels together",
            "check_classifier_multioutput": "log-odds at the mode rank rows unlike the marginals",
        },
    ),
    Entry(
        "hllm",
        "models.field.log_linear_lasso",
        "LogLinearLasso",
        "hierarchical log-linear model (HLLM-L1)",
        {"alpha": 1.0, "tol": 1e-7},
    ),
    Entry(
        "plem",
        "models.field.label_enhancement",
        "LabelEnhancement",
        "probabilistic label enhancement (PLEM)",
        TIGHT,
    ),
    Entry(
        "cgm",
        "models.margin.clique_generating_machine",
        "CliqueGeneratingMachine",
        "clique generating machine (CGM)",
        {"cliques_per_round": 1, "max_cliques": 2, **MARGIN},
    ),
    Entry(
        "ssvm",
        "models.margin.structured_svm",
        "StructuredSVM",
        "structured SVM on a label graph",
        MARGIN,
    ),
    Entry("mlknn", "models.neighbors.mlknn", "MLkNN", "ML-kNN", {"n_neighbors": 3}),
    Entry(
        "iblr",
        "models.neighbors.iblr",
        "InstanceBasedLogistic",
        "instance-based logistic regression (IBLR)",
        {"n_neighbors": 3, **TIGHT, "alpha": 1e-4},
    ),
    Entry(
        "stack",
        "models.stacking.joint_stacking",
        "JointStacking",
        "pool of joint models",
        {"cv": 2},
        expected_failures={"check_label_permutation": ORDER_MATTERS},
        pools=("br", "pcc"),
    ),
    Entry(
        "calibrated",
        "calibrate",
        "CalibratedSetClassifier",
        "set confidence for another model",
        {"cv": 2, "calibrator": "isotonic"},
        wraps="br",
    ),
    Entry(
        "rerank",
        "calibrate",
        "SetReranker",
        "reranking by set confidence (BR-rerank)",
        {"cv": 2, "calibrator": "tree", "n_candidates": 3},
        expected_failures={
            "check_label_permutation": FOLDS_DIFFER,
            "check_classifier_multioutput": "the most confident set is not the rounded marginals",
        },
        wraps="br",
    ),
]

_RESTORERS = [
    Entry("rmf", "restore", "RandomMixedField", "random mixed field (RMF)", {"alpha": 0.1}),
]

CLASSIFIERS = {entry.id: entry for entry in _ENTRIES}
RESTORERS = {entry.id: entry for entry in _RESTORERS}


def get(id):
    """Return the entry of a short id.

    Examples
    --------
    >>> from labelfield import registry
    >>> registry.get("br").make(alpha=0.1)
    BinaryRelevance(alpha=0.1)
    """
    known = CLASSIFIERS | RESTORERS
    if id not in known:
        raise ValueError(f"No model is called {id!r}; there are {', '.join(sorted(known))}.")
    return known[id]
