"""Seven published hierarchies: probabilities of pooled learners inside the tree of classes.

    python -m lab.studies.rules NAME_OF_A_HIERARCHY ...

The members are kernel ridge regressions (a Laplacian kernel on standardised features, a kernel on
the directions of rows, the mean of both; where no feature is negative, as in counts and
histograms, also kernels on rows of length one) and two forests that weigh training rows.
Settings, and how often each member counts in the mean of all, are chosen by the area under the
average precision-recall curve on the validation file (a fifth of the training rows where there is
none), after learning from at most 3000 rows; then all is fitted again to all rows of both.
`tree_joint` makes the probabilities coherent. The lines on the test file are means of five seeds.
Files are looked for in LABELFIELD_DATA.
"""

import gzip
import os
import time
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import softmax
from sklearn.impute import SimpleImputer

from labelfield import LabelRules, tree_joint
from labelfield.learners import KernelView, RowForest, kernel_ridge, mean_kernel
from labelfield.metrics import average_prc_area, average_precision

AIMS = {
    "cellcycle_FUN": 0.255,
    "eisen_FUN": 0.306,
    "gasch1_FUN": 0.286,
    "seq_FUN": 0.292,
    "imclef07a": 0.956,
    "imclef07d": 0.927,
    "diatoms": 0.758,
}
SEEDS = range(5)
KERNELS = {
    "standard": ("standard",),
    "directions": ("directions",),
    "both": ("standard", "directions"),
}
COUNT_KERNELS = {"profiles": ("unit",), "profiles, directions": ("unit", "directions")}
FORESTS = {"forest": None, "wide forest": 0.5}  # the share of the features that a split tries
RATES, PROFILE_RATES = (1.0, 2.0), (2.0, 6.0)
PENALTIES = (0.003, 0.01, 0.3, 1.0)
SLOPES = (12.0, 18.0, 27.0)  # of the scores of label sets, where they are few
CHOOSING_ROWS = 3000  # training rows with which settings are chosen, at most
MAX_TREES, TREE_ROWS = 150, 600_000  # trees, and training rows of all trees together
MAX_SETS, N_PICKS = 500, 8


def data_folder():
    """Return the folder of the data sets."""
    return Path(os.environ["LABELFIELD_DATA"])


def read_hierarchy(path):
    """Return features (NaN where missing, nominal ones as indicators), labels and class names.

    Not by `read_arff`: one of the files declares an attribute twice.
    """
    kinds, classes, X, sets = [], [], [], []
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            words = line.split("%")[0].strip()
            if words.lower().startswith("@attribute"):
                kind = words.split(None, 2)[2]
                if kind.lower().startswith("hierarchical"):
                    classes = _paths(kind.split(None, 1)[1].split(","))
                else:
                    kinds.append(kind)
            elif words and not words.startswith("@"):
                *cells, named = words.split(",")
                X.append(cells)
                sets.append(named.split("@"))
    number = {name: k for k, name in enumerate(classes)}
    Y = np.zeros((len(sets), len(classes)), dtype=np.uint8)
    for row, named in enumerate(sets):
        Y[row, [number[name.strip()] for name in named]] = 1
    columns = [_column(kind, cells) for kind, cells in zip(kinds, zip(*X))]
    return np.column_stack(columns), Y, classes


def _paths(listed):
    """Return all paths and what they begin with, in order of appearance."""
    found = {}
    for path in listed:
        steps = path.strip().split("/")
        found.update(dict.fromkeys("/".join(steps[: k + 1]) for k in range(len(steps))))
    return list(found)


def _column(kind, cells):
    if not kind.startswith("{"):
        return np.array([np.nan if cell == "?" else float(cell) for cell in cells])
    values = [value.strip() for value in kind.strip("{} ").split(",")]
    return np.array([[cell.strip() == value for value in values] for cell in cells], dtype=float)


def parts_of(name):
    """Return (X, Y) to learn from, to choose on and to test on, and the rules of the hierarchy."""
    files = sorted((data_folder() / name).glob("*.arff.gz"))
    found = {
        part: read_hierarchy(path)
        for path in files
        for part in ("train", "valid", "test")
        if part in path.name.lower()
    }
    rules = LabelRules.from_paths(found["train"][2])
    read = {part: (X, rules.closure(Y)) for part, (X, Y, _) in found.items()}
    if "valid" not in read:
        X, Y = read["train"]
        rows = np.random.default_rng(0).permutation(len(X))
        chosen, held = np.sort(rows[len(X) // 5 :]), np.sort(rows[: len(X) // 5])
        read |= {"train": (X[chosen], Y[chosen]), "valid": (X[held], Y[held])}
    return read["train"], read["valid"], read["test"], rules


def kernel_answers(scalings, old, Y, new, settings):
    """Yield a setting (rate, penalty, slope) and the probabilities of new rows with it: (n, L).

    With a slope the regression learns label sets, whose probabilities are proportional to
    exp(slope * score); with None it learns labels.
    """
    sets, of_row = np.unique(Y, axis=0, return_inverse=True)
    views = [KernelView(scaling).fit(old) for scaling in scalings]
    old, new = ([view.transform(X) for view in views] for X in (old, new))
    listed = settings[0][2] is not None
    targets = np.eye(len(sets))[of_row] if listed else Y.astype(float)
    for rate, penalty in sorted({setting[:2] for setting in settings}):
        weights, mean = kernel_ridge(mean_kernel(views, rate, old, old), targets, penalty)
        scores = mean_kernel(views, rate, new, old) @ weights + mean
        for slope in [slope for *found, slope in settings if tuple(found) == (rate, penalty)]:
            P = softmax(slope * scores, axis=1) @ sets if listed else scores
            yield (rate, penalty, slope), np.clip(P, 0.0, 1.0)


def forest_answer(share, old, Y, new, seed=0):
    """Return the probabilities that a forest gives to new rows: (n, L)."""
    width = None if share is None else int(share * old.shape[1])
    n_trees = min(MAX_TREES, TREE_ROWS // len(old))
    forest = RowForest(n_trees, max_features=width, random_state=seed).fit(old, Y)
    return np.minimum(forest.row_weights(new) @ Y, 1.0)  # sums round above 1


def settings_of(old, Y, new, Y_new):
    """Return the best setting of every member and what it says of the new rows."""
    if len(old) > CHOOSING_ROWS:
        chosen = np.random.default_rng(0).permutation(len(old))[:CHOOSING_ROWS]
        old, Y = old[chosen], Y[chosen]
    few_sets = len(np.unique(Y, axis=0)) <= MAX_SETS
    settings, said = {}, {}
    kernels = KERNELS if (old < 0.0).any() else KERNELS | COUNT_KERNELS
    for kind, scalings in kernels.items():
        rates = PROFILE_RATES if kind == "profiles" else RATES
        grid = list(product(rates, PENALTIES, SLOPES if few_sets else (None,)))
        answers = kernel_answers(scalings, old, Y, new, grid)
        area, settings[kind], said[kind] = max(
            ((average_prc_area(Y_new, P), setting, P) for setting, P in answers),
            key=lambda found: found[0],
        )
    for kind, share in FORESTS.items():
        settings[kind], said[kind] = share, forest_answer(share, old, Y, new)
    return settings, said


def pick_members(said, Y):
    """Return names, some of them several times: each raised the area of the mean of all most."""
    picks, best = [], -1.0
    for _ in range(N_PICKS):
        so_far = sum(said[kind] for kind in picks)
        areas = {kind: average_prc_area(Y, so_far + P) for kind, P in said.items()}
        kind = max(areas, key=areas.get)
        if areas[kind] <= best:
            break
        best = areas[kind]
        picks.append(kind)
    return picks, best


def pooled(picks, settings, old, Y, new, known, seed):
    """Return the mean of the picked members fitted with one seed: (n, L).

    `known` keeps what does not depend on the seed: the regressions.
    """
    said = dict(known)
    for kind in set(picks) - set(known):
        if kind in FORESTS:
            said[kind] = forest_answer(settings[kind], old, Y, new, seed)
            continue
        scalings = (KERNELS | COUNT_KERNELS)[kind]
        ((_, said[kind]),) = kernel_answers(scalings, old, Y, new, [settings[kind]])
        known[kind] = said[kind]
    return sum(said[kind] for kind in picks) / len(picks)


def hierarchy(name):
    """Print the areas of the pooled members on the test file of one hierarchy."""
    started = time.process_time()
    (X, Y), (X_valid, Y_valid), (X_test, Y_test), rules = parts_of(name)
    fill = SimpleImputer().fit(X)
    settings, said = settings_of(fill.transform(X), Y, fill.transform(X_valid), Y_valid)
    for kind, P in said.items():
        area = average_prc_area(Y_valid, P)
        print(f"    {name} {kind} {settings[kind]}: {area:.4f} on the validation rows", flush=True)
    picks, area = pick_members(said, Y_valid)
    print(f"    {name} mean of {picks}: {area:.4f} on the validation rows", flush=True)
    X, Y = np.concatenate([X, X_valid]), np.concatenate([Y, Y_valid])
    fill = SimpleImputer().fit(X)
    old, new, known = fill.transform(X), fill.transform(X_test), {}
    rows = []
    for seed in SEEDS:
        P = pooled(picks, settings, old, Y, new, known, seed)
        rows.append(measure(Y_test, tree_joint(P, rules).marginals(), rules))
    print(f"{name}: {verdict(name, rows)}; {time.process_time() - started:.0f} CPU s", flush=True)


def measure(Y, P, rules):
    """Return micro area, macro area of the classes with rows, number of incoherent marginals."""
    incoherent = sum(int((P[:, r.given] > P[:, r.labels[0]]).sum()) for r in rules)
    seen = Y.any(axis=0)
    macro = average_precision(Y[:, seen], P[:, seen], average="macro")
    return average_prc_area(Y, P), macro, incoherent


def verdict(name, rows):
    """Return the line on the test file."""
    micro, macro, incoherent = np.mean(rows, axis=0)
    spread = np.std([row[0] for row in rows], ddof=1)
    met = "met" if micro >= AIMS[name] else "MISSED"
    return (
        f"area {micro:.4f} (deviation {spread:.4f}), aim {AIMS[name]:.3f} {met}; macro "
        f"{macro:.4f}; {incoherent:.0f} incoherent marginals"
    )
