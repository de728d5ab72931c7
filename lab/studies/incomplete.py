"""Incomplete labels on real data: what comes back, and what is learned, beside the targets.

    python -m lab.studies.incomplete dropped [DATA ...] [--rates 0.3 0.5 0.7]
    python -m lab.studies.incomplete hidden [emotions] [yeast] [--rates 0.3 0.7]
    python -m lab.studies.incomplete cleaning

--methods CRF DBR chooses rows.

dropped: a share of all ones is turned into zeros; how many of them rank among the k best unmarked
labels of their row, k being the number dropped there. Gains are over plain per-label logistic
regression (BR) at the best of three strengths for the table, chosen with the dropped labels in
view; the other methods have one strength for dense and one for sparse features. Data with few label
sets go through `recover`; there BR is the better of two, asked about rows it learned from or about
others. With many sets all models are asked about the rows they learned from (`predict_given`),
which is better for BR there, and cheaper.

hidden: entries of the training labels become NaN; test labels are complete. KFold(5, shuffle=True,
random_state=0), features standardised on the training fold. Micro-F1 is of the decision for F1,
exact match of the most probable set; the reference decides label by label, as the peers do.

cleaning: a tenth of scene's ones is hidden; precision of the 200 most likely missing labels.

All figures are means of five runs (cleaning: one); differences are paired, with their deviation.
"""

import argparse
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from lab.tasks.recover import measure_recovery
from labelfield import recover, registry
from labelfield.datasets import hide_labels, load_dataset
from labelfield.metrics import f1_score, subset_accuracy

RUNS = 5
PARTS = {"emotions": 10, "medical": 10}  # of recover, 3 elsewhere
N_ROWS = {"bibtex": 3000, "corel5k": 3000, "delicious": 3000}
STRENGTHS = {True: (1.0, 3.0, 10.0), False: (10.0, 100.0, 300.0)}  # by sparseness of the features
MANY_SETS = 300  # with more, only methods whose time does not grow with the label sets


def methods_for(sparse, many):
    """Return the methods beside per-label logistic regression, by title."""
    methods = {
        "DBR": ("dbr", {"alpha": 3.0 if sparse else 30.0}),
        "LCML": ("lcml", {"alpha": 10.0 if sparse else 30.0, "max_iter": 60}),
        "CRBM": ("crbm", {}),
    }
    if not many:
        methods["BR"] = ("br", {"alpha": 1.0 if sparse else 100.0})
        rounds = {"early_stopping": False, "max_iter": 6}
        methods["CRF"] = ("crf", {"alpha": 1.0 if sparse else 100.0})
        methods["CBM"] = ("cbm", {"alpha": 1.0 if sparse else 30.0, **rounds})
    return methods


def make(id, **parameters):
    """Return a model of the registry, seeded if it is random."""
    model = registry.get(id).make().set_params(**parameters)
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def parts_of(name, run):
    """Return features, complete labels and the generator of a run."""
    data = load_dataset(name)
    rng = np.random.default_rng(run)
    rows = rng.permutation(len(data.Y))[: N_ROWS.get(name)]
    X, Y = data.X[rows], np.asarray(data.Y[rows])
    return (X if sp.issparse(X) else StandardScaler().fit_transform(X)), Y, rng


def recovered(model, X, Y, marks, rate, cv, positives_only=True):
    """Return top k, ranking and recall of what `recover` finds."""
    rates = {"missing_rate": rate, "wrong_rate": 0.02}
    found = recover(X, marks, model, positives_only=positives_only, cv=cv, **rates)
    return measured(Y, marks, found.probabilities)


def out_of_fold(model, X, Y, marks, rate, cv):
    """Return the same where zeros are taken for absent, also in rows without a mark."""
    return recovered(model, X, Y, marks, rate, cv, positives_only=False)


def given_in_sample(model, X, Y, marks, rate, cv):
    """Return the same of a model that is asked, given the marks, about rows it learned from."""
    del cv
    P = model.fit(X, marks).predict_given(X, marks, missing_rate=rate)
    return measured(Y, marks, P)


def in_sample(model, X, Y, marks, rate, cv):
    """Return the same of a model that is asked about the rows it learned from."""
    del rate, cv
    return measured(Y, marks, model.fit(X, marks).predict_proba(X))


def measured(Y, marks, P):
    figures = measure_recovery(Y, marks, (P > 0.5).astype(np.uint8), P)
    return [figures[f"recovery_{name}"] for name in ("top_k", "ranking", "recall")]


SEES = "(*)"


def dropped(names, rates, chosen):
    print(f"{SEES}: answers for a row knowing the labels that are left in it; BR does not")
    print(f"{'':34s}{'top k':>8s}{'ranking':>9s}{'recall':>8s}{'gain':>9s}{'sd':>8s}{'CPU s':>8s}")
    for name in names:
        for rate in rates:
            dropped_table(name, rate, chosen)


def dropped_table(name, rate, chosen):
    runs = [parts_of(name, run) for run in range(RUNS)]
    runs = [(X, Y, hide_labels(Y, rate, random_state=rng)) for X, Y, rng in runs]
    sparse, n_sets = sp.issparse(runs[0][0]), len(np.unique(runs[0][1], axis=0))
    options = {"rate": rate, "cv": PARTS.get(name, 3)}
    print(f"\n{name}, {100 * rate:.0f} % of the ones dropped", flush=True)
    many = n_sets > MANY_SETS
    ways = {"in sample": in_sample} | ({} if many else {"out of fold": out_of_fold})
    plain = {
        f"BR alpha={alpha:g}, {way}": figures_of(answer, ("br", {"alpha": alpha}), runs, options)
        for alpha in STRENGTHS[sparse]
        for way, answer in ways.items()
    }
    best = max(plain, key=lambda title: plain[title][0][:, 0].mean())
    reference = plain[best][0][:, 0]
    show(best, *plain[best], reference)
    for title, method in methods_for(sparse, many).items():
        if not chosen or title in chosen:
            answer = given_in_sample if many else recovered
            show(f"{title} {SEES}", *figures_of(answer, method, runs, options), reference)


def figures_of(answer, method, runs, options):
    started = time.process_time()
    id, parameters = method
    rows = [answer(make(id, **parameters), X, Y, marks, **options) for X, Y, marks in runs]
    return np.array(rows), (time.process_time() - started) / len(runs)


def show(title, rows, seconds, reference):
    gain = rows[:, 0] - reference
    verdict = ""
    if gain.any():
        verdict = "clear gain" if gain.mean() > gain.std(ddof=1) else "no clear gain"
    top, ranking, recall = rows.mean(axis=0)
    print(
        f"  {title:32s}{top:8.4f}{ranking:9.4f}{recall:8.4f}{gain.mean():+9.4f}"
        f"{gain.std(ddof=1):8.4f}{seconds:8.1f}  {verdict}",
        flush=True,
    )


PEERS = "per-label observed rows (BR)"
HIDDEN = {
    PEERS: ("br", {"alpha": 10.0}),
    "the same, decided for the set": ("br", {"alpha": 10.0}),
    "PCC": ("pcc", {"alpha": 10.0}),
    "LCML": ("lcml", {"alpha": 10.0}),
    "EM around the power set": ("completion", {"alpha": 10.0, "estimator__alpha": 10.0}),
    "CRF": ("crf", {"alpha": 30.0}),
    "CBM": ("cbm", {"alpha": 10.0, "early_stopping": False, "max_iter": 6}),
}
TARGETS = {
    ("emotions", 0.3): 0.640,
    ("emotions", 0.7): 0.607,
    ("yeast", 0.3): 0.620,
    ("yeast", 0.7): 0.600,
}


def hidden(names, rates, chosen):
    heading = "".join(
        f"{t:>9s}" for t in ("micro-F1", "gain", "sd", "exact", "gain", "sd", "CPU s")
    )
    print(f"{'':32s}{heading}")
    for name in names:
        for rate in rates:
            print(f"\n{name}, {100 * rate:.0f} % of the entries hidden", flush=True)
            reference = None
            for title, method in HIDDEN.items():
                if chosen and reference is not None and title not in chosen:
                    continue
                started = time.process_time()
                decoders = ("hamming", "hamming") if title == PEERS else ("f1", "subset")
                rows = np.array(
                    [hidden_fold(name, rate, method, decoders, fold) for fold in range(RUNS)]
                )
                reference = rows if reference is None else reference
                show_hidden(name, rate, title, rows, reference, time.process_time() - started)


def hidden_fold(name, rate, method, decoders, fold):
    """Return micro-F1 and exact match of the decisions of two decoders."""
    data = load_dataset(name)
    Y = np.asarray(data.Y)
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    train, test = list(KFold(5, shuffle=True, random_state=0).split(X))[fold]
    scaler = StandardScaler().fit(X[train])
    holed = hide_labels(Y[train], rate, how="entries", random_state=fold)
    model = make(method[0], **method[1]).fit(scaler.transform(X[train]), holed)
    for_f1, for_sets = (model.predict(scaler.transform(X[test]), decoder=d) for d in decoders)
    return f1_score(Y[test], for_f1, average="micro"), subset_accuracy(Y[test], for_sets)


def show_hidden(name, rate, title, rows, reference, seconds):
    cells = []
    for column in range(2):
        gain = rows[:, column] - reference[:, column]
        cells.append(f"{rows[:, column].mean():9.4f}{gain.mean():+9.4f}{gain.std(ddof=1):9.4f}")
    target = TARGETS[name, rate]
    verdict = "met" if rows[:, 0].mean() > target else "missed"
    print(
        f"  {title:30s}{''.join(cells)}{seconds / RUNS:9.1f}  target {target:.3f} {verdict}",
        flush=True,
    )


OWN_STRENGTH = ("fasttag", "completion")  # their alpha is another thing


def cleaning(chosen, n_listed=200):
    X, Y, rng = parts_of("scene", 0)
    marks = hide_labels(Y, 0.1, random_state=rng)
    gone = (Y == 1) & (marks == 0)
    print(f"scene: {gone.sum()} of {Y.sum()} labels hidden, {(marks == 0).sum()} unmarked")
    print(f"{'':60s}{'precision at 200':>18s}{'CPU s':>8s}", flush=True)
    for entry in registry.CLASSIFIERS.values():
        if chosen and entry.id not in chosen:
            continue
        model = make(entry.id)
        if not hasattr(model, "predict_given"):
            continue
        if "alpha" in model.get_params() and entry.id not in OWN_STRENGTH:
            model.set_params(alpha=30.0)
        started = time.process_time()
        found = recover(X, marks, model, missing_rate=0.1, cv=3)
        names = list(found.label_names)
        listed = found.suspects(n_listed, kind="missing")
        hits = np.mean([gone[one.row, names.index(one.label)] for one in listed])
        seconds = time.process_time() - started
        print(f"  {entry.id:12s}{entry.title:46s}{hits:18.3f}{seconds:8.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table", choices=["dropped", "hidden", "cleaning"])
    parser.add_argument("data", nargs="*")
    parser.add_argument("--rates", nargs="*", type=float)
    parser.add_argument("--methods", nargs="*")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.table == "cleaning":
        cleaning(chosen.methods)
    elif chosen.table == "hidden":
        hidden(chosen.data or ["emotions", "yeast"], chosen.rates or [0.3, 0.7], chosen.methods)
    else:
        names = chosen.data or ["scene", "yeast", "emotions", "medical", "bibtex", "corel5k"]
        dropped(names, chosen.rates or [0.3, 0.5, 0.7], chosen.methods)


if __name__ == "__main__":
    main()
