"""How far the confidence of LabelSetClassifier can be trusted, inside a training part only.

    python -m lab.studies.defaults.pool_confidence FOLDER... [--rows N] [--parts 1] [--standard]

The training part is that of `lab.studies.defaults.pool`, or the training file. The classifier is
fitted to two random thirds of it. "out of fold" is what these rows say of themselves, by pools
that have not seen them; the other lines are measured on the last third. "as it is" is the model as
it predicts, "weights alike for all rows" the same without its gate, if it has one; the other
variants change how the forests of the folds, which answer new rows together, are put on the scale
of the single forests that answered the rows out of fold.
"""

import sys
import warnings
from copy import copy
from pathlib import Path

import numpy as np
from scipy.special import expit
from sklearn.model_selection import KFold

from lab.arena.standings import calibration_errors
from lab.arena.tuning import calibration_bins
from lab.studies.defaults.pool import figures, reader_of, training_part
from labelfield.auto.bases import ForestBase
from labelfield.auto.classifier import LabelSetClassifier
from labelfield.auto.evidence import Scores
from labelfield.kernels.sets.logspace import clipped_logit


class Together(ForestBase):
    """Shares of labels smoothed by half a tree of all forests, as those of sets are."""

    def scores(self, features):
        found = self._ask(self.forests, features)
        n_all = self.n_trees * len(self.forests)
        share = (expit(found.log_odds) * (self.n_trees + 1.0) - 0.5) / self.n_trees
        return Scores(clipped_logit((share * n_all + 0.5) / (n_all + 1.0)), found.of_sets)


class OwnSets(ForestBase):
    """Shares of sets smoothed by half a tree of one forest, as those of labels are."""

    def scores(self, features):
        found = self._ask(self.forests, features)
        more = (len(self.forests) - 1) * 0.5 / (self.n_trees * len(self.forests))
        return Scores(found.log_odds, np.log(np.exp(found.of_sets) + more))


class TogetherAndOwnSets(Together):
    """Both the other way round."""

    def scores(self, features):
        return Scores(super().scores(features).log_odds, OwnSets.scores(self, features).of_sets)


class MeanScores(ForestBase):
    """Means of the scores of the single forests."""

    def scores(self, features):
        parts = [self._ask([forest], features) for forest in self.forests]
        log_odds = np.mean([part.log_odds for part in parts], axis=0)
        return Scores(log_odds, np.mean([part.of_sets for part in parts], axis=0))


class OneForest(ForestBase):
    """The first forest alone."""

    def scores(self, features):
        return self._ask(self.forests[:1], features)


VARIANTS = {
    "labels smoothed by all forests together": Together,
    "sets smoothed forest by forest": OwnSets,
    "labels together, sets forest by forest": TogetherAndOwnSets,
    "means of scores": MeanScores,
    "one forest": OneForest,
}


def variants_of(model):
    """Yield names and models that answer new rows in other ways."""
    yield "as it is", model
    if model._gate is not None:
        other = copy(model)
        other._gate = None
        yield "weights alike for all rows", other
    for name, kind in VARIANTS.items() if "forest" in model._bases else ():
        other, forest = copy(model), copy(model._bases["forest"])
        forest.__class__ = kind
        other._bases = model._bases | {"forest": forest}
        yield name, other


def measure(of_data, X, Y, n_parts):
    """Show the confidence of held-out rows out of fold, and of unseen rows by every variant."""
    found = {}
    parts = KFold(3, shuffle=True, random_state=1).split(Y)
    for _, (train, test) in zip(range(n_parts), parts):
        model = LabelSetClassifier().fit(X[train], Y[train])
        rows = model.reviewed_rows_
        pool = model.leaderboard_[0]
        own = [pool[name] for name in ("log_likelihood", "exact_match", "f1", "hamming")]
        right = rows.values().astype(bool)
        found.setdefault("out of fold", []).append((own, rows.confidence, right))
        for name, variant in variants_of(model):
            right = (variant.predict(X[test]) == Y[test]).all(axis=1)
            told = figures(variant, X[test], Y[test], Y[train]), variant.predict_confidence(X[test])
            found.setdefault(name, []).append((*told, right))
    for name, folds in found.items():
        means, confidence, right = zip(*folds)
        show(of_data, name, np.mean(means, axis=0), np.concatenate(confidence), right)


def show(of_data, name, means, confidence, right):
    """Print the mean figures, and how confidence and exact match of all rows differ."""
    right = np.concatenate(right)
    error, by_chance = calibration_errors([calibration_bins(confidence, right)])
    log_likelihood, exact, f1, hamming = means
    print(
        f"{of_data}, {name}: log-likelihood {log_likelihood:.3f}, exact match {exact:.3f}, "
        f"F1 {f1:.3f}, Hamming loss {hamming:.4f}, mean confidence {confidence.mean():.3f}, "
        f"ECE {error:.3f} (by chance {by_chance:.3f}), {len(right)} rows",
        flush=True,
    )


def main(words):
    """Read the command line and measure."""
    reader = reader_of(__doc__)
    reader.add_argument("--parts", type=int, default=1, help="measured thirds")
    chosen = reader.parse_args(words)
    warnings.simplefilter("ignore")
    for folder in chosen.folders:
        X, Y = training_part(folder, chosen.rows, chosen.standard)
        measure(Path(folder).name, X, Y, chosen.parts)


if __name__ == "__main__":
    main(sys.argv[1:])
