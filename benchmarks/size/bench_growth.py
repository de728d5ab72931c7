"""How CPU seconds grow with the number of labels or columns, and with what exponent.

An exponent is the slope of log seconds over log size between the last two sizes; 1 is linear in
the size. What is compared is one thread, warm kernels, the median of three runs. The exponents
before are as users reported them, of sizes of their own; the drawing shows both.
"""

import warnings

import numpy as np

from benchmarks.pictures import draw_exponents
from benchmarks.timing import cpu_seconds
from labelfield import (
    ClassifierChain,
    CliqueGeneratingMachine,
    ConditionalGraphicalLasso,
    F1Decoder,
    HammingDecoder,
    IndependentJoint,
    MixtureJoint,
    ProbabilisticClassifierChain,
    RandomMixedField,
)

ROWS = 1000


def grow(what, sizes, prepare):
    """Time what `prepare(size)` returns at every size, print a line, return the exponent."""
    seconds = []
    for size in sizes:
        call = prepare(size)
        seconds.append(cpu_seconds(call, repeats=3))
    slope = np.log(seconds[-1] / seconds[-2]) / np.log(sizes[-1] / sizes[-2])
    figures = "  ".join(f"{size}: {spent:.3f} s" for size, spent in zip(sizes, seconds))
    print(f"{what:44s} {figures}  exponent {slope:.2f}", flush=True)
    return slope


def hamming(n_labels):
    """Decisions for Hamming loss of independent labels, 5 % present."""
    joint = IndependentJoint(np.random.default_rng(0).normal(-4.0, 2.5, (10 * ROWS, n_labels)))
    return lambda: HammingDecoder().decode(joint)


def mixture(n_labels, mean_size=3.0, n=200):
    """Mixtures of 20 components with about `mean_size` labels a set."""
    rng = np.random.default_rng(0)
    share = np.log(mean_size / n_labels)
    weights = rng.dirichlet(np.full(20, 0.3), n) + 1e-9
    logits = rng.normal(share, 1.0, (n, 20, n_labels))
    return MixtureJoint(np.log(weights / weights.sum(axis=1, keepdims=True)), logits)


def mixture_mode(n_labels):
    joint = mixture(n_labels)
    return lambda: joint.mode(allow_empty=False)


def f1_sparse(n_labels):
    joint = mixture(n_labels)
    return lambda: F1Decoder().decode(joint)


def f1_dense(n_labels):
    """F1 decisions where half of the labels are present: every size matters."""
    logits = np.random.default_rng(0).normal(0.0, 2.0, (ROWS // 5, n_labels))
    return lambda: F1Decoder().decode(IndependentJoint(logits))


def labelled_rows(n_labels, n_features=50):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, n_features))
    scores = X @ rng.normal(size=(n_features, n_labels)) / 5.0 + rng.normal(size=(ROWS, n_labels))
    return X, (scores > 1.5).astype(np.uint8)


def chain_fit(n_labels):
    X, Y = labelled_rows(n_labels)
    return lambda: ClassifierChain(alpha=1.0).fit(X, Y)


def chain_predict(n_labels):
    X, Y = labelled_rows(n_labels)
    chain = ProbabilisticClassifierChain(alpha=1.0, max_beam=64).fit(X, Y)
    return lambda: chain.predict(X[:100])


def mixed_table(n_columns, n=ROWS):
    """Half numbers, half categories of three states, moved by ten hidden causes."""
    rng = np.random.default_rng(0)
    causes = rng.normal(size=(n, 10))
    half = n_columns // 2
    numbers = causes @ rng.normal(size=(10, half)) + rng.normal(size=(n, half))
    pulls = causes @ rng.normal(size=(10, 3 * half)) + rng.gumbel(size=(n, 3 * half))
    states = pulls.reshape(n, half, 3).argmax(axis=2)
    table = np.concatenate([numbers, states], axis=1)
    return table, list(range(half, n_columns))


def field_fit(n_columns):
    table, categories = mixed_table(n_columns)
    return lambda: RandomMixedField(alpha=0.04, categorical=categories, random_state=0).fit(table)


def field_restore(n_columns):
    table, categories = mixed_table(n_columns)
    model = RandomMixedField(alpha=0.04, categorical=categories, random_state=0).fit(table)
    holed = np.where(np.random.default_rng(1).random(table.shape) < 0.3, np.nan, table)
    return lambda: model.transform(holed)


def clique_machine(longer):
    """100 rows of 30 features, of squared length about `longer`, at the default strength."""
    X, Y = labelled_rows(4, 30)
    rows = X[:100] * np.sqrt(longer / 30.0)
    return lambda: CliqueGeneratingMachine(random_state=0).fit(rows, Y[:100])


def graphical_lasso(n_features, n=3782, n_labels=22):
    """Ten steps with couplings that depend on features of which 1.5 % are not zero."""
    rng = np.random.default_rng(0)
    X = (rng.random((n, n_features)) < 0.015).astype(float)
    scores = X @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=(n, n_labels))
    Y = (scores > np.quantile(scores, 0.95, axis=0)).astype(np.uint8)
    return lambda: ConditionalGraphicalLasso(objective="pseudo", max_iter=10).fit(X, Y)


LABELS, WIDE, COLUMNS = (50, 200, 800), (20, 80, 320), (50, 100, 200)
ITEMS = (  # what, sizes, how, and the exponent that was reported before
    ("Hamming decisions, 10000 rows", LABELS, hamming, None),
    ("mixture mode, 200 rows, K=20", LABELS, mixture_mode, 2.3),
    ("F1, mixtures of small sets, 200 rows", LABELS, f1_sparse, None),
    ("F1, half of the labels present, 200 rows", (50, 100, 200, 400), f1_dense, 2.5),
    ("classifier chain fit, 1000 x 50", WIDE, chain_fit, 1.7),
    ("probabilistic chain predict, 100 rows", WIDE, chain_predict, 1.9),
    ("mixed field fit, 1000 rows", COLUMNS, field_fit, 2.45),
    ("mixed field restore, 1000 rows", COLUMNS, field_restore, 2.45),
    ("clique machine fit, squared length of a row", (1, 5, 25), clique_machine, None),
    ("graphical lasso, 10 steps, features", (270, 540, 1079), graphical_lasso, None),
)


def main():
    warnings.simplefilter("ignore")  # ten steps are no solution
    exponents = {
        what: (before, grow(what, sizes, prepare)) for what, sizes, prepare, before in ITEMS
    }
    print("drawn in", draw_exponents(exponents, "growth-exponents"))


if __name__ == "__main__":
    main()
