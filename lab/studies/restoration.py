"""What restoration is asked to show, beside the published tables (`qli2017-2.2` and others).

    python -m lab.studies.restoration WHAT [--tables crx,german] [--repetitions 10]

WHAT is one of
  accept    accuracies and categorical errors after denoising, with standard errors, each beside
            the figure asked for
  compare   tau 0.4 and 0, rho 0.3: every method, and where the field leads or loses, paired by
            repetition; --mechanism mar or mnar removes cells by rank instead
  columns   tau 0, rho 0.3, thirds of the training rows held out in turn: wrong categories among
            the missing ones, column by column, of the field, of the field without spikes
            (plain) and of missForest; what the field gains, paired by split
  noise     estimated noise: RMSE against leaving the cells alone
  recover   estimated noise on mixed nets whose noise is known
  holes     training rows that have holes themselves
  empty     what a row of holes only is restored to, and how often classifiers are right if they
            see nothing else; which is what 90 % missing attributes come close to
  crooked   a number that is the square of another: the field against forests, ours and
            scikit-learn's IterativeImputer around one
  net       the synthetic mixed net at five noise levels (drawn by `lab draw qli2017-fig2.4`)

Repetitions have the seeds 0, 1, ...; every method restores the same damaged rows. --alpha sets the
strength of the field, which else is chosen on training rows.
"""

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
from sklearn.base import clone  # noqa: E402

from lab.restorers import RESTORERS, DownstreamAccuracy  # noqa: E402
from labelfield.restore import (  # noqa: E402
    RandomMixedField,
    cell_scores,
    corrupt_table,
    load_mixed_table,
    make_mixed_net,
)

MEASURES = {
    "knn": "knn_accuracy",
    "svm": "svm_accuracy",
    "rmse obs": "rmse_observed",
    "err obs": "state_error_observed",
    "rmse gap": "rmse_missing",
    "err gap": "state_error_missing",
}
BETTER = np.array([1, 1, -1, -1, -1, -1])
COMPARATORS = ("knni", "remi", "forest", "mice", "mean-mode")
METHODS = {
    "rmf": RandomMixedField(random_state=0),
    "mean-field": RandomMixedField(inference="mean_field", random_state=0),
    "plain": RandomMixedField(spike_share=None, random_state=0),
    "estimate": RandomMixedField(noise_scale="estimate", flip_rate="estimate", random_state=0),
    **{id: RESTORERS[id](random_state=0) for id in ("forest", "mice")},
    **{id: RESTORERS[id]() for id in ("knni", "remi", "mean-mode")},
}
TOLD_THE_NOISE = ("rmf", "mean-field")
FIELDS = ("rmf", "mean-field", "plain", "estimate")
BY_COLUMN = ("rmf", "plain", "forest")
VERDICTS = []
TAUS = (0.1, 0.2, 0.3, 0.4, 0.5)
NET = {"coupling": 1.0, "shift": 2.0}
NETS = {
    "net with edges of 4": {"coupling": 4.0, "shift": 0.0},
    "net with edges of 16": {"coupling": 16.0, "shift": 0.0},
}
# specification: (nearest neighbours, SVM) of damaged and of restored rows, categorical error
ASKED = {
    ("crx", 0.2): ((0.7255, 0.7127), (0.7423, 0.7409), None),
    ("crx", 0.4): ((0.6018, 0.5850), (0.6964, 0.6955), 0.256),
    ("australian", 0.2): ((0.7439, 0.6874), (0.7865, 0.7596), None),
    ("australian", 0.4): ((0.6083, 0.5491), (0.7378, 0.7230), 0.275),
    ("german", 0.2): ((0.6856, 0.7333), (0.6922, 0.7486), None),
    ("german", 0.4): ((0.6607, 0.6949), (0.6718, 0.7270), 0.279),
    # the specification has no measurement of Adult: the print of the thesis
    ("adult", 0.2): ((0.8063, 0.8243), (0.8083, 0.8317), None),
    ("adult", 0.4): ((0.7821, 0.7951), (0.7865, 0.8053), None),
}


class Task:
    """Clean training rows that every method learns once, and test rows to damage."""

    def __init__(self, title, train, test):
        self.title = title
        self.train, self.test = train.filled_from(train), test.filled_from(train)
        self.scale = self.train.continuous.std(axis=0)
        self.accuracy = DownstreamAccuracy(self.train)
        self.fitted = {}

    @classmethod
    def stored(cls, name):
        return cls(name, *(load_mixed_table(name, split=split) for split in ("train", "test")))

    def figures(self, method, tau, rho, seeds, mechanism="mcar"):
        """Array (repetitions, measures) of one method; "none" leaves the cells alone."""
        return np.array([self._repetition(method, tau, rho, seed, mechanism) for seed in seeds])

    def _repetition(self, method, tau, rho, seed, mechanism):
        dirty = corrupt_table(
            self.test,
            noise=tau,
            missing=rho,
            mechanism=mechanism,
            scale=self.scale,
            random_state=seed,
        )
        restored = dirty if method == "none" else self._restorer(method, tau).transform(dirty)
        scores = cell_scores(self.test, dirty, restored, scale=self.scale)
        scores.update(self.accuracy(restored))
        return [scores[measure] for measure in MEASURES.values()]

    def _restorer(self, method, tau):
        if method not in self.fitted:
            self.fitted[method] = clone(METHODS[method]).fit(self.train)
        restorer = self.fitted[method]
        if method in TOLD_THE_NOISE:
            restorer.set_params(noise_scale=tau, flip_rate=tau)
        return restorer

    def show(self, tau, rho, label, values):
        numbers = " ".join(f"{value:8.4f}" for value in values)
        print(f"{self.title:11s} {tau:5.2f} {rho:4.1f}  {label:12s}{numbers}", flush=True)


def heading():
    titles = " ".join(f"{title:>8s}" for title in MEASURES)
    print(f"{'table':11s} {'tau':>5s} {'rho':>4s}  {'method':12s}{titles}")


def accept(task, seeds, chosen):
    """Figures at every noise level, and a verdict on each that the specification asks for."""
    for tau in TAUS:
        runs = {
            method: task.figures(method, tau, 0.0, seeds)
            for method in ("none", "rmf", "mean-field")
        }
        found = {method: values.mean(axis=0) for method, values in runs.items()}
        for method, values in runs.items():
            task.show(tau, 0.0, method, found[method])
            task.show(tau, 0.0, "  +-", values.std(axis=0, ddof=1) / np.sqrt(len(seeds)))
        if (task.title, tau) in ASKED:
            damaged, restored, error = ASKED[task.title, tau]
            for k, classifier in enumerate(("knn", "svm")):
                drift, low = abs(found["none"][k] - damaged[k]), restored[k] - 0.015
                judge(f"{classifier} of damaged rows, distance to {damaged[k]}", drift, 0.02)
                for method in ("rmf", "mean-field"):
                    judge(f"{classifier} after {method}", found[method][k], low, at_most=False)
            if error:
                for method in ("rmf", "mean-field"):
                    judge(f"categorical error after {method}", found[method][3], error + 0.01)


def judge(what, figure, target, *, at_most=True):
    """Print a figure beside its target, and remember whether it was met."""
    met = bool(figure <= target if at_most else figure >= target)
    VERDICTS.append(met)
    sign = "<=" if at_most else ">="
    print(
        f"{'':24s}{what:44s} {figure:7.4f} {sign} {target:.4f}: {'met' if met else 'MISSED'}",
        flush=True,
    )


def compare(task, seeds, chosen):
    """Means of every method; then by how much the field leads, with the standard error."""
    losses = []
    for tau, rho in ((0.4, 0.3), (0.0, 0.3)):
        found = {
            method: task.figures(method, tau, rho, seeds, chosen.mechanism)
            for method in ("rmf", "estimate", *COMPARATORS)
        }
        for method, values in found.items():
            task.show(tau, rho, method, values.mean(axis=0))
        for method in COMPARATORS:
            lead = (found["rmf"] - found[method]) * BETTER
            mean, error = lead.mean(axis=0), lead.std(axis=0, ddof=1) / np.sqrt(len(seeds))
            task.show(tau, rho, f"- {method}", mean)
            task.show(tau, rho, "  +-", error)
            losses += [
                f"tau {tau}: {title} behind {method} by {-m:.4f} +- {e:.4f}"
                for title, m, e in zip(MEASURES, mean, error)
                if m < 0
            ]
    print(f"{task.title}: the field is " + ("ahead everywhere" if not losses else "behind in"))
    for loss in losses:
        print(f"  {loss}", flush=True)


def columns(task, seeds, chosen):
    """Where they differ, without a look at the test rows; every seed is another split."""
    found = np.array([column_errors(task.train, seed) for seed in seeds])
    mean = found.mean(axis=0)
    gain = found[:, 1:] - found[:, :1]
    error = gain.std(axis=0, ddof=1) / np.sqrt(len(seeds))
    for j, name in enumerate((*task.train.categorical_names, "all")):
        others = "".join(
            f"   {method} {mean[k + 1, j]:.3f} ({gain[:, k, j].mean():+.3f} +- {error[k, j]:.3f})"
            for k, method in enumerate(BY_COLUMN[1:])
        )
        print(f"{task.title:11s} {name:12s} rmf {mean[0, j]:.3f}{others}", flush=True)


def column_errors(table, seed):
    """Share of wrong categories (methods, columns and all) among those missing, three folds."""
    folds = np.random.default_rng(seed).permutation(len(table.target)) % 3
    wrong = np.zeros((len(BY_COLUMN), len(table.categories)))
    gaps = np.zeros(len(table.categories))
    for fold in range(3):
        train, held = table.take(folds != fold), table.take(folds == fold)
        dirty = corrupt_table(held, missing=0.3, random_state=seed)
        gap = dirty.categorical < 0
        gaps += gap.sum(axis=0)
        for row, method in enumerate(BY_COLUMN):
            restored = clone(METHODS[method]).fit(train).transform(dirty)
            wrong[row] += ((restored.categorical != held.categorical) & gap).sum(axis=0)
    return np.column_stack([wrong / gaps, wrong.sum(axis=1) / gaps.sum()])


def noise(task, seeds, chosen):
    for tau in (0.05, *TAUS):
        alone = task.figures("none", tau, 0.0, seeds)
        restored = task.figures("estimate", tau, 0.0, seeds)
        task.show(tau, 0.0, "none", alone.mean(axis=0))
        task.show(tau, 0.0, "estimate", restored.mean(axis=0))
        ratio = restored[:, 2] / alone[:, 2]
        judge("RMSE / RMSE of leaving the cells alone, mean", ratio.mean(), 1.02)
        judge("the same, worst repetition", ratio.max(), 1.02)


def recover(seeds):
    """Noise of nets whose truth is known; one net per seed, two thirds of its rows clean."""
    for title, parameters in NETS.items():
        errors = np.mean([noise_errors(parameters, seed) for seed in seeds], axis=0)
        for tau, (common, single, flip, least) in zip(TAUS, errors):
            print(f"{title}, tau {tau}, mean over {len(seeds)} nets", flush=True)
            print(f"{'':24s}least deviation of a common sigma, were the law known {least:.3f}")
            judge("common sigma, relative error", common, 0.15)
            judge("sigma column by column, relative error", single, 0.15)
            judge("flip rate, error", flip, 0.03)


def noise_errors(parameters, seed):
    """Errors (levels, 4): sigma of all columns together, column by column, flip rate; bound."""
    table = make_mixed_net(1500, random_state=seed, **parameters)
    train, test = table.take(slice(0, 1000)), table.take(slice(1000, 1500))
    model = clone(METHODS["estimate"]).fit(train)
    scale = train.continuous.std(axis=0)
    errors = []
    for tau in TAUS:
        dirty = corrupt_table(test, noise=tau, scale=scale, random_state=seed)
        result = model.restore(dirty)
        sigma = np.array([result.noise_scale[name] for name in train.continuous_names])
        ratio = sigma / scale / tau
        flip = np.mean(list(result.flip_rate.values()))
        common = np.sqrt(np.mean(ratio**2))
        least = least_deviation(model.net_.precision, tau, len(test.continuous))
        errors.append((abs(common - 1), np.mean(np.abs(ratio - 1)), abs(flip - tau), least))
    return np.array(errors)


def least_deviation(precision, tau, n_rows):
    """Relative Cramer-Rao bound of one sigma for all numbers, law and categories known.

    n rows from N(m, S + tau^2 I) hold the information n tr((S + tau^2 I)^-2) / 2 about tau^2.
    """
    noisy = np.linalg.inv(precision) + tau**2 * np.eye(len(precision))
    information = 0.5 * n_rows * np.sum(np.linalg.inv(noisy) ** 2)
    return 1 / np.sqrt(information) / (2 * tau**2)


def holes(task, seeds, chosen):
    """Learn from rows with holes: as they are, or filled with mean and mode beforehand."""
    rho = 0.3
    task.show(0.0, rho, "whole", task.figures("rmf", 0.0, rho, seeds).mean(axis=0))
    for share in (0.1, 0.3, 0.5):
        holed = corrupt_table(task.train, missing=share, random_state=100)
        for label, rows in (("holes", holed), ("filled", holed.filled_from(holed))):
            task.fitted["rmf"] = clone(METHODS["rmf"]).fit(rows)
            values = task.figures("rmf", 0.0, rho, seeds).mean(axis=0)
            task.show(0.0, rho, f"{label} {share}", values)


def empty(task, seeds, chosen):
    """A row without any cell, restored: how far from means and modes, and what it is worth."""
    test, train = task.test, task.train
    nothing = test.with_cells(
        np.full_like(test.continuous, np.nan), np.full_like(test.categorical, -1)
    )
    found = task._restorer("rmf", 0.0).transform(nothing)
    away = np.abs(found.continuous[0] - train.continuous.mean(axis=0)) / task.scale
    modes = [np.bincount(states).argmax() for states in train.categorical.T]
    other = int(np.sum(found.categorical[0] != modes))
    accuracies = ", ".join(f"{name} {value:.4f}" for name, value in task.accuracy(found).items())
    largest = np.bincount(test.target).max() / len(test.target)
    print(
        f"{task.title}: numbers at most {away.max():.2f} deviations from the means, {other} of "
        f"{len(modes)} categories not the most frequent; if all rows were this one: {accuracies}; "
        f"share of the larger class {largest:.4f}"
    )


def crooked(seeds):
    """RMSE of filled squares in standard deviations; 600 training rows, 300 without squares."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    iterative = IterativeImputer(RandomForestRegressor(random_state=0), random_state=0)
    methods = {"rmf": METHODS["rmf"], "forest": METHODS["forest"], "scikit-learn": iterative}
    errors = {method: [] for method in methods}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        number, other, noise = rng.normal(size=(3, 900))
        rows = np.column_stack([number, number**2 + 0.1 * noise, other])
        dirty = rows[600:].copy()
        dirty[:, 1] = np.nan
        for method, restorer in methods.items():
            filled = clone(restorer).fit(rows[:600]).transform(dirty)
            square = (filled[:, 1] - rows[600:, 1]) ** 2
            errors[method].append(np.sqrt(square.mean()) / rows[:600, 1].std())
    for method, values in errors.items():
        print(f"{method:12s} {np.mean(values):.3f} +- {np.std(values, ddof=1):.3f}")


def net(seeds):
    """One net per seed: two thirds of 1500 rows are for training."""
    found = {}
    for seed in seeds:
        table = make_mixed_net(1500, random_state=seed, **NET)
        task = Task("mixed-net", table.take(slice(0, 1000)), table.take(slice(1000, 1500)))
        for tau in TAUS:
            for method in ("none", "rmf", "estimate"):
                values = task.figures(method, tau, 0.0, [seed])[0]
                found.setdefault((tau, method), []).append(values)
    for (tau, method), values in found.items():
        task.show(tau, 0.0, method, np.mean(values, axis=0))


RUNS = {
    "accept": accept,
    "columns": columns,
    "compare": compare,
    "empty": empty,
    "holes": holes,
    "noise": noise,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=[*RUNS, "crooked", "recover", "net"])
    parser.add_argument("--tables", default="crx,australian,german")
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--mechanism", default="mcar")
    parser.add_argument("--alpha", type=float, default=None)
    chosen = parser.parse_args()
    if chosen.alpha is not None:
        for method in FIELDS:
            METHODS[method].set_params(alpha=chosen.alpha)
    seeds = range(chosen.repetitions)
    if chosen.what == "recover":
        recover(seeds)
    elif chosen.what == "crooked":
        crooked(seeds)
    elif chosen.what == "net":
        heading()
        net(seeds)
    else:
        if chosen.what not in ("columns", "empty"):
            heading()
        for name in chosen.tables.split(","):
            RUNS[chosen.what](Task.stored(name), seeds, chosen)
    if VERDICTS:
        print(f"{sum(VERDICTS)} of {len(VERDICTS)} met")


if __name__ == "__main__":
    main()
