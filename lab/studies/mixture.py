"""Mixtures and the pairwise field on scene and bibtex beside their targets.

    python -m lab.studies.mixture [scene] [bibtex] [boosted] [shared]

boosted: what it does to boosted mixtures that a tree may use a share of the features only; twice
three folds of the training parts. shared: components that adjust the log-odds of one classifier,
beside that classifier and a field on it; fitted to two thirds of the training part (of at most 2500
rows of it), judged on the rest. Else the standard training and test parts. What is chosen
(number of rounds, strengths on bibtex) is chosen on a fifth of the training part. Exact match of
the mode is in per cent; `set` is the exact match of the sets whose labels are likelier than not.
"""

import sys
import time
from itertools import product

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

from labelfield import (
    BinaryRelevance,
    BoostedTrees,
    ConditionalBernoulliMixture,
    CorrelatedLogistic,
    EarlyStopping,
    LabelPowerset,
    PairwiseCRF,
)
from labelfield.calibrate import PrecomputedProbabilities
from labelfield.datasets import load_dataset
from labelfield.decode import resolve
from labelfield.joints import PooledJoint
from labelfield.learners import LogOddsSource
from labelfield.metrics import f1_score, hamming_loss, subset_accuracy
from labelfield.model_selection import MultilabelStratifiedKFold, stratified_split

STRENGTHS = (0.3, 1.0, 3.0, 10.0, 30.0)  # tried on bibtex
COLUMNS = ("mode", "F1", "Hamming", "GFM F1", "GFM set", "marginal", "set", "CPU s")
SHARED_BASES = {  # None: trees
    "emotions": None,
    "scene": None,
    "yeast": None,
    "medical": BinaryRelevance(),
    "tmc2007-500": BinaryRelevance(),
    "bibtex": BinaryRelevance(),
}
N_POOLED = 4
RIDGE = BinaryRelevance(alpha=3.0)  # the best of STRENGTHS on a fifth of the training rows
LASSO = LogisticRegression(l1_ratio=1.0, solver="liblinear")
LOG_ODDS = {"ridge": [RIDGE], "lasso": [LASSO], "ridge and lasso": [RIDGE, LASSO]}
MOST_LABELS_OF_A_FIELD = 8  # beyond, on the sets seen in training
LEAST_LOG_PROB = -20.0  # so that sets a model holds impossible can be averaged
HEADING = " " * 38 + "".join(f"{title:>9s}" for title in COLUMNS)


def figures(model, X, Y):
    """Return the figures of COLUMNS without the seconds: of the mode, of GFM, of the marginals."""
    goals = ("subset", "f1", "hamming")
    return figures_of({name: model.predict(X, decoder=name) for name in goals}, Y)


def figures_of(sets, Y):
    """Return the figures of sets by decision."""
    mode, f1, marginal = (sets[name] for name in ("subset", "f1", "hamming"))
    return np.array(
        [
            100 * subset_accuracy(Y, mode),
            f1_score(Y, mode, average="samples"),
            hamming_loss(Y, mode),
            f1_score(Y, f1, average="samples"),
            100 * subset_accuracy(Y, f1),
            hamming_loss(Y, marginal),
            100 * subset_accuracy(Y, marginal),
        ]
    )


def show(title, rows, seconds):
    formats = ("9.2f", "9.4f", "9.4f", "9.4f", "9.2f", "9.4f", "9.2f", "9.1f")
    values = [*np.mean(rows, axis=0), seconds / len(rows)]
    line = "".join(format(value, form) for value, form in zip(values, formats))
    print(f"{title:38s}{line}", flush=True)


def evaluate(title, models, train, test):
    """Fit each of the models to the training part and print the mean of their figures."""
    start = time.process_time()
    fitted = [model.fit(*train) for model in models]
    seconds = time.process_time() - start
    show(title, [figures(model, *test) for model in fitted], seconds)


def by_seed(seeds=3, **parameters):
    parameters = {"alpha": 1.0, **parameters}
    return [ConditionalBernoulliMixture(random_state=seed, **parameters) for seed in range(seeds)]


def scene():
    train, test = parts("scene")
    evaluate("BR", [BinaryRelevance(alpha=1.0)], train, test)
    evaluate("power set", [LabelPowerset(alpha=1.0)], train, test)
    fixed = {"early_stopping": False, "max_iter": 10}
    evaluate("CBM K=20, 10 rounds", by_seed(**fixed), train, test)
    evaluate("CBM K=20, early stopping", by_seed(), train, test)
    evaluate("CBM K=20 alpha=3, early stopping", by_seed(alpha=3.0), train, test)
    evaluate("CBM K=20 shared, 10 rounds", by_seed(structure="shared", **fixed), train, test)
    boosted = {"components": "boosted", "n_components": 15, "max_iter": 12}
    evaluate("CBM+GB K=15, 12 rounds", by_seed(1, early_stopping=False, **boosted), train, test)
    evaluate("CRF", [PairwiseCRF(alpha=1.0)], train, test)
    evaluate("CRF on log-odds of BR", [PairwiseCRF(BinaryRelevance(alpha=1.0))], train, test)


def bibtex():
    train, test = parts("bibtex")
    relevance = [BinaryRelevance(alpha=alpha) for alpha in STRENGTHS]
    for chosen in ranked(relevance, *train)[:1]:
        evaluate(f"BR alpha={chosen.alpha:g}", [clone(chosen)], train, test)
    for goal in ("subset", "f1"):
        mixtures = [
            ConditionalBernoulliMixture(
                alpha=alpha,
                random_state=0,
                max_iter=6,
                early_stopping=EarlyStopping(patience=2),
                decoder=goal,
            )
            for alpha in STRENGTHS
        ]
        for chosen in ranked(mixtures, *train)[:1]:
            title = f"CBM K=20 alpha={chosen.alpha:g}, rounds for {goal}"
            evaluate(title, [clone(chosen)], train, test)
    candidates = [
        PairwiseCRF(BinaryRelevance(alpha=alpha), set_alpha=set_alpha, max_iter=300)
        for alpha in STRENGTHS
        for set_alpha in (None, 1.0)
    ]
    mixtures = [shared_mixture(*key) for key in product(STRENGTHS, (20, 50))]
    for chosen in ranked(mixtures, *train)[:1]:
        title = f"CBM on BR alpha={chosen.estimator.alpha:g} K={chosen.n_components}"
        same = [clone(chosen).set_params(random_state=seed) for seed in range(3)]
        evaluate(title, same, train, test)
    pooled_mixtures(train, test)
    for chosen in ranked(candidates, *train)[:1]:
        title = f"CRF BR alpha={chosen.estimator.alpha:g} set_alpha={chosen.set_alpha}"
        evaluate(title, [clone(chosen)], train, test)
    evaluate("CRF on features, alpha=3", [PairwiseCRF(alpha=3.0)], train, test)


def pooled_mixtures(train, test):
    """Print what mixtures of several starts reach together, on three kinds of log-odds.

    A pool of mixtures is a mixture of all their components. The kind is chosen on a fifth of the
    training rows; the figures of the test part are those of the best one.
    """
    X, Y = train
    fit, held_out = stratified_split(Y, test_size=0.2, random_state=0)
    inner = (X[fit], Y[fit]), (X[held_out], Y[held_out])
    scores = []
    for kind in LOG_ODDS:
        sets, _ = pool_answers(kind, *inner)
        scores.append(f1_score(Y[held_out], sets["f1"], average="samples"))
        print(f"   validation F1 {scores[-1]:.4f} of a pool on {kind}", flush=True)
    best = list(LOG_ODDS)[int(np.argmax(scores))]
    sets, seconds = pool_answers(best, train, test)
    show(f"{N_POOLED} CBMs on {best}", [figures_of(sets, test[1])], seconds)


def pool_answers(kind, train, test):
    """Return the pool's sets by decision, and the CPU seconds of fitting it."""
    start = time.process_time()
    sources = [LogOddsSource(estimator, 4) for estimator in LOG_ODDS[kind]]
    seen = expit(np.mean([source.fit_transform(*train) for source in sources], axis=0))
    mixtures = [
        ConditionalBernoulliMixture(
            PrecomputedProbabilities(),
            structure="shared",
            n_components=50,
            early_stopping=False,
            max_iter=10,
            cv=2,
            random_state=seed,
        ).fit(seen, train[1])
        for seed in range(N_POOLED)
    ]
    seconds = time.process_time() - start
    new = expit(np.mean([source.transform(test[0]) for source in sources], axis=0))
    joints = [model.predict_joint(new) for model in mixtures]
    pool = PooledJoint(joints, np.full(N_POOLED, 1.0 / N_POOLED))
    goals = ("subset", "f1", "hamming")
    return {goal: resolve(goal).decode(pool, empty_seen=False) for goal in goals}, seconds


def shared_mixture(alpha, n_components):
    return ConditionalBernoulliMixture(
        BinaryRelevance(alpha=alpha),
        structure="shared",
        n_components=n_components,
        decoder="f1",
        random_state=0,
    )


def shared():
    print(f"{'':14s}{'':28s}{'log-likelihood':>16s}{'exact match':>13s}{'F1':>9s}{'CPU s':>8s}")
    trees = ExtraTreesClassifier(100, min_samples_leaf=3, random_state=0)
    for name, base in SHARED_BASES.items():
        part = load_dataset(name, split="train")
        rows = np.sort(np.random.default_rng(0).permutation(len(part.Y))[:2500])
        X, Y = part.X[rows], part.Y[rows]
        fit, held_out = stratified_split(Y, test_size=1 / 3, random_state=0)
        base = trees if base is None else base
        few = Y.shape[1] <= MOST_LABELS_OF_A_FIELD
        models = {
            "alone": BinaryRelevance(base) if base is trees else base,
            "field": CorrelatedLogistic(base) if few else PairwiseCRF(base),
            **{
                f"mixture, {count} components": ConditionalBernoulliMixture(
                    base,
                    structure="shared",
                    n_components=count,
                    early_stopping=False,
                    max_iter=10,
                    random_state=0,
                )
                for count in (20, 50)
            },
        }
        for title, model in models.items():
            start = time.process_time()
            model.fit(X[fit], Y[fit])
            seconds = time.process_time() - start
            log_prob = model.predict_joint(X[held_out]).log_prob(Y[held_out])
            exact, f1 = (model.predict(X[held_out], decoder=goal) for goal in ("subset", "f1"))
            print(
                f"{name:14s}{title:28s}{np.maximum(log_prob, LEAST_LOG_PROB).mean():16.3f}"
                f"{subset_accuracy(Y[held_out], exact):13.3f}"
                f"{f1_score(Y[held_out], f1, average='samples'):9.3f}{seconds:8.1f}",
                flush=True,
            )


def boosted():
    print(f"{'':14s}{'features':>14s}{'exact match':>13s}{'gain':>9s}{'+-':>8s}{'CPU s':>8s}")
    for name in ("scene", "emotions", "yeast", "medical"):
        part = load_dataset(name, split="train")
        reference = None
        for title, share in (("all", 1.0), ("root", part.X.shape[1] ** -0.5)):
            start = time.process_time()
            found = np.array([100 * score for score in boosted_scores(part.X, part.Y, share)])
            seconds = (time.process_time() - start) / len(found)
            reference = found if reference is None else reference
            gain = found - reference
            error = gain.std(ddof=1) / np.sqrt(len(gain))
            print(
                f"{name:14s}{title:>14}{found.mean():13.2f}{gain.mean():+9.2f}{error:8.2f}"
                f"{seconds:8.1f}",
                flush=True,
            )


def boosted_scores(X, Y, share):
    """Exact match on every fold of two splits."""
    for seed in range(2):
        for fit, held_out in MultilabelStratifiedKFold(3, shuffle=True, random_state=seed).split(
            X, Y
        ):
            model = ConditionalBernoulliMixture(
                components=BoostedTrees(max_features=share),
                n_components=15,
                max_iter=12,
                early_stopping=False,
                random_state=0,
            ).fit(X[fit], Y[fit])
            yield subset_accuracy(Y[held_out], model.predict(X[held_out]))


def ranked(candidates, X, Y):
    """Return the candidates by the F1 of GFM on a fifth of the rows, best first."""
    fit, held_out = stratified_split(Y, test_size=0.2, random_state=0)
    scores = []
    for model in candidates:
        answer = clone(model).fit(X[fit], Y[fit]).predict(X[held_out], decoder="f1")
        scores.append(f1_score(Y[held_out], answer, average="samples"))
        print(f"   validation F1 {scores[-1]:.4f} of {model}", flush=True)
    return [candidates[i] for i in np.argsort(scores)[::-1]]


def parts(name):
    print(f"\n{name}\n{HEADING}", flush=True)
    return [(part.X, part.Y) for part in (load_dataset(name, split=s) for s in ("train", "test"))]


def main(names):
    for name in names or ["scene", "bibtex"]:
        {"scene": scene, "bibtex": bibtex, "boosted": boosted, "shared": shared}[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
