"""What it is worth to choose the strength of a penalty, and what it costs.

    python -m lab.studies.defaults.strength [scene] [emotions] [yeast] [medical] [flags]

A third of the rows is held out (permutation 0). The first lines compare the path over five folds of
the training rows with as many fits of scikit-learn's LogisticRegression as three strengths need;
every further line has the held-out log-likelihood of a model, the share of exact matches and of
empty answers, and the CPU seconds of the fit. Set OMP_NUM_THREADS=1 for one thread.
"""

import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from labelfield import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    CorrelatedLogistic,
    InstanceBasedLogistic,
    LabelEnhancement,
    LabelPowerset,
    PairwiseCRF,
    ProbabilisticClassifierChain,
    StackedRelevance,
)
from labelfield.datasets import load_dataset
from labelfield.learners import held_out_log_odds
from labelfield.model_selection import MultilabelStratifiedKFold

MODELS = (
    BinaryRelevance(),
    StackedRelevance(),
    ProbabilisticClassifierChain(),
    LabelPowerset(),
    InstanceBasedLogistic(),
    LabelEnhancement(),
    PairwiseCRF(),
    CorrelatedLogistic(),
    ConditionalBernoulliMixture(random_state=0),
)


def parts_of(name):
    """Return training and test parts; dense features standardised."""
    data = load_dataset(name)
    X, Y = data.X, np.asarray(data.Y)
    if not sp.issparse(X):
        X = sp.csr_matrix(X) if np.mean(X == 0) > 0.8 else StandardScaler().fit_transform(X)
    order = np.random.default_rng(0).permutation(len(Y))
    test, train = order[: len(Y) // 3], order[len(Y) // 3 :]
    return X[train], Y[train], X[test], Y[test]


def seconds_of(work):
    started = time.process_time()
    answer = work()
    return answer, time.process_time() - started


def fit_elsewhere(X, Y, folds, strengths):
    for train, _ in folds:
        for y in Y[train].T:
            for alpha in strengths if 0 < y.sum() < len(y) else ():
                LogisticRegression(C=1.0 / alpha, max_iter=1000).fit(X[train], y)


def compare_paths(name, X, Y):
    folds = list(MultilabelStratifiedKFold(5, shuffle=True, random_state=0).split(X, Y))
    held_out_log_odds(X, Y, folds[:2])  # loops are compiled
    (_, path), ours = seconds_of(lambda: held_out_log_odds(X, Y, folds))
    around = path.strengths[-3:]
    _, theirs = seconds_of(lambda: fit_elsewhere(X, Y, folds, 0.8 * around))
    print(f"\n{name}: path {ours:.2f} s, three strengths of scikit-learn {theirs:.2f} s")
    for alpha, found in zip(path.strengths, path.log_likelihood):
        print(f"  alpha {alpha:10.4g}  held-out log-likelihood {found:.4f}")


def compare_models(name, X, Y, X_test, Y_test):
    for model in MODELS:
        for alpha in (1.0, "auto"):
            _, spent = seconds_of(lambda: model.set_params(alpha=alpha).fit(X, Y))  # noqa: B023
            log_prob = model.predict_joint(X_test).log_prob(Y_test)
            sets = model.predict(X_test)
            print(
                f"{name} {type(model).__name__} alpha={alpha}: "
                f"log-likelihood {log_prob[np.isfinite(log_prob)].mean():.3f}, "
                f"exact match {(sets == Y_test).all(axis=1).mean():.3f}, {spent:.2f} s",
                flush=True,
            )
    rounded = BinaryRelevance(alpha=1.0, decoder="hamming").fit(X, Y).predict(X_test)
    empty, exact = (~rounded.any(axis=1)).mean(), (rounded == Y_test).all(axis=1).mean()
    print(f"{name} BinaryRelevance rounded: {empty:.3f} empty, exact match {exact:.3f}")


def main(names):
    warnings.simplefilter("ignore", ConvergenceWarning)
    for name in names or ["scene", "emotions", "yeast", "medical", "flags"]:
        X, Y, X_test, Y_test = parts_of(name)
        compare_paths(name, X, Y)
        compare_models(name, X, Y, X_test, Y_test)


if __name__ == "__main__":
    main(sys.argv[1:])
