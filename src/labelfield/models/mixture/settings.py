"""What the parts of a conditional mixture are made of, and when its rounds end."""

from dataclasses import dataclass
from typing import ClassVar

from labelfield._parameters import Settings, choice, number, positive, rate, share, whole
from labelfield.learners.strengths.path import settle_strength
from labelfield.models.mixture.boosted_parts import BoostedComponents, BoostedGate
from labelfield.models.mixture.boosting import BinnedRows
from labelfield.models.mixture.gates import LogisticGate
from labelfield.models.mixture.logistic_components import LogisticComponents
from labelfield.models.mixture.shared_components import SharedComponents
from labelfield.models.mixture.streamed import StreamedComponents

__all__ = ["COMPONENTS", "BoostedTrees", "EarlyStopping", "LogisticRegressions"]


@dataclass(frozen=True)
class LogisticRegressions(Settings):
    """Logistic regressions as `ConditionalBernoulliMixture(components=...)`.

    Parameters
    ----------
    n_updates : int, default=15
        Solver updates in each round of EM.
    l1_ratio : float, default=0.0
        Share of the l1 norm in the penalty of the labels' weights; the gate's is l2 throughout.

    Examples
    --------
    >>> from labelfield import ConditionalBernoulliMixture, LogisticRegressions
    >>> ConditionalBernoulliMixture(components=LogisticRegressions(l1_ratio=0.5)).components
    LogisticRegressions(n_updates=15, l1_ratio=0.5)
    """

    n_updates: int = 15
    l1_ratio: float = 0.0

    _parameter_constraints: ClassVar[dict] = {"n_updates": [whole(1)], "l1_ratio": [share]}

    def settle_strength(self, alpha, X, Y, sample_weight):
        """Return the strength of the penalty and the StrengthPath behind it, if there is one."""
        return settle_strength(alpha, X, Y, sample_weight, l1_ratio=self.l1_ratio)

    def make_parts(self, *, structure, alpha, tol, streamed=False):
        """Return an unfitted gate and unfitted components; `streamed` for rows that are Rows."""
        gate = LogisticGate(alpha=alpha, n_updates=self.n_updates, tol=tol)
        if structure == "shared" and self.l1_ratio > 0:
            raise ValueError(
                f"structure='shared' needs l1_ratio=0; got {self.l1_ratio}. Choose "
                "structure='sparse' or 'dense'."
            )
        if structure == "shared":
            return gate, SharedComponents(alpha=alpha, n_updates=self.n_updates)
        return gate, (StreamedComponents if streamed else LogisticComponents)(
            sparse=structure == "sparse",
            alpha=alpha,
            l1_ratio=self.l1_ratio,
            n_updates=self.n_updates,
            tol=tol,
        )


@dataclass(frozen=True)
class BoostedTrees(Settings):
    """Boosted trees (LightGBM) as `ConditionalBernoulliMixture(components=...)`.

    Parameters
    ----------
    n_trees : int, default=10
        Trees that every label and the gate gain in each round of EM.
    max_leaves : int, default=5
        Leaves per tree.
    learning_rate : float, default=0.1
        Shrinkage of each tree.
    max_features : "auto" or float, default="auto"
        Share of the features that each tree may use, drawn anew. "auto" is the root of their
        number, at least ten, where they are dense, and all where they are sparse.

    Examples
    --------
    >>> from labelfield import BoostedTrees, ConditionalBernoulliMixture
    >>> ConditionalBernoulliMixture(components=BoostedTrees(max_leaves=8)).components.n_trees
    10
    """

    n_trees: int = 10
    max_leaves: int = 5
    learning_rate: float = 0.1
    max_features: float | str = "auto"

    _parameter_constraints: ClassVar[dict] = {
        "n_trees": [whole(1)],
        "max_leaves": [whole(2)],
        "learning_rate": [positive],
        "max_features": [choice("auto"), number(0, 1, closed="right")],
    }

    def settle_strength(self, alpha, X, Y, sample_weight):
        """Return None twice: trees have no penalty."""
        del alpha, X, Y, sample_weight
        return None, None

    def make_parts(self, *, structure, alpha, tol, streamed=False):
        """Return an unfitted gate and unfitted components."""
        del alpha, tol, streamed
        if structure == "shared":
            raise ValueError(
                "structure='shared' needs logistic components; choose structure='sparse' or "
                "'dense'."
            )
        rows = BinnedRows(
            max_leaves=self.max_leaves,
            learning_rate=self.learning_rate,
            max_features=self.max_features,
        )
        components = BoostedComponents(rows, sparse=structure == "sparse", n_trees=self.n_trees)
        return BoostedGate(rows, n_trees=self.n_trees), components


COMPONENTS = {"logistic": LogisticRegressions(), "boosted": BoostedTrees()}


@dataclass(frozen=True)
class EarlyStopping(Settings):
    """How the rounds of `ConditionalBernoulliMixture(early_stopping=...)` are counted.

    Parameters
    ----------
    patience : int, default=5
        Rounds without improvement on the held-out rows that end the search.
    validation_fraction : float, default=0.2
        Share of the training rows that is held out.

    Examples
    --------
    >>> from labelfield import ConditionalBernoulliMixture, EarlyStopping
    >>> ConditionalBernoulliMixture(early_stopping=EarlyStopping(patience=2)).early_stopping
    EarlyStopping(patience=2, validation_fraction=0.2)
    """

    patience: int = 5
    validation_fraction: float = 0.2

    _parameter_constraints: ClassVar[dict] = {
        "patience": [whole(1)],
        "validation_fraction": [rate],
    }
