"""Are promises kept? Drawn laws, medical notes, and a simulated reviewer.

    python -m lab.studies.trust.promise [names]

laws          share of broken promises over 2000 draws of known laws, earlier and present rule
graded        the same for mean F1 by bets, beside Hoeffding-Bentkus p-values
crossfitted   2000 fits of models that are fitted again afterwards (approximate promises)
alternatives  coverage, size and share flagged of lists of label sets
monitor       false alarms, and rows until the alarm after a break
medical       medical notes as text, 100 splits: share accepted, accuracy, refuted promises
asking        questions that settle a set, against asking by probability
"""

import sys
import warnings

import numpy as np
from scipy.stats import binom

from lab.studies.trust.earlier_rule import acceptance_threshold
from labelfield import BinaryRelevance, CalibratedSetClassifier, LabelSetClassifier
from labelfield.datasets import load_dataset, make_multilabel
from labelfield.joints import IndependentJoint, MixtureJoint, ask_first, given_answers
from labelfield.promise import AcceptancePlan, PromiseMonitor, acceptance, least_log_prob
from labelfield.promise.alternatives import list_alternatives
from labelfield.promise.evidence import STAKES, betting_p_value

DRAWS = 2000
GRID = np.linspace(0.0, 1.0, 20001)
OTHERS = np.linspace(0.0, 1.0, 777)  # confidences that thresholds are taken from
LAWS = {
    "calibrated": lambda c: c,
    "just not enough": lambda c: np.full_like(c, 0.799),
    "sharp fall": lambda c: np.where(c > 0.6, 0.85, 0.3),
    "best in the middle": lambda c: np.where((c > 0.4) & (c < 0.8), 0.95, 0.7),
    "worst on top": lambda c: np.where(c > 0.9, 0.5, 0.9),
    "waves": lambda c: 0.8 + 0.15 * np.sin(25 * c),
    "good, bad, good": lambda c: np.where((c > 0.55) & (c < 0.85), 0.72, 0.9),
}


def verdict(broken, draws=DRAWS, risk=0.05):
    """Return the share in words, with what chance alone allows for."""
    limit = risk + 3.0 * np.sqrt(risk * (1.0 - risk) / draws)
    return f"{broken:.4f} {'ok' if broken <= limit else 'ABOVE'} (limit {limit:.4f})"


def laws():
    """Promise .8 at level .95 on laws whose accuracy above every threshold is known."""
    for name, law in LAWS.items():
        above = np.cumsum(law(GRID)[::-1])[::-1] / np.arange(len(GRID), 0, -1)
        for n in (30, 100, 400, 3000):
            rng = np.random.default_rng(0)
            plan = AcceptancePlan.from_confidences(OTHERS, n, 0.8, 0.95)
            counts = np.zeros((2, 3))
            for _ in range(DRAWS):
                c = rng.random(n)
                v = rng.random(n) < law(c)
                found = acceptance(c, v, plan)
                old = acceptance_threshold(c, v, 0.8, 0.95)[0]
                for k, threshold in enumerate((old, found.threshold)):
                    if threshold < np.inf:
                        at = int(np.ceil(max(threshold, 0.0) * 20000))
                        counts[k] += 1, above[at] < 0.8, (c >= threshold).mean()
            (met_old, broken_old, _), (met, broken, share) = counts / DRAWS
            print(
                f"{name}, n={n}: broken, earlier rule {verdict(broken_old)}, present rule "
                f"{verdict(broken)}; accepts anything in {met_old:.3f} and {met:.3f} of the draws, "
                f"{share / max(met, 1e-9):.2f} of the rows then; of the promises made "
                f"{broken / max(met, 1e-9):.3f} are false",
                flush=True,
            )


def hoeffding_bentkus(values, mean):
    """Return the p-value of "at most this mean" by Hoeffding's and Bentkus' inequalities."""
    n, loss, bound = len(values), 1.0 - np.mean(values), 1.0 - mean
    if loss >= bound:
        return 1.0
    first = loss * np.log(loss / bound) if loss > 0 else 0.0
    exponent = first + (1.0 - loss) * np.log((1.0 - loss) / (1.0 - bound))
    return min(np.exp(-n * exponent), np.e * binom.cdf(np.ceil(n * loss), n, bound), 1.0)


def graded():
    """Level at the edge of the hypothesis, and power above it, of tests of a mean F1 of .8."""
    values = np.array([0.0, 0.5, 2 / 3, 0.8, 1.0])
    edge = np.array([0.08, 0.12, 0.12, 0.08, 0.6])
    edge /= edge.sum()
    for shift, title in ((None, "at the edge"), (0.3, "above it")):
        p = edge if shift is None else (1 - shift) * edge + shift * np.eye(5)[4]
        wish = float(values @ edge)
        for n in (50, 200, 1000):
            rng = np.random.default_rng(0)
            draws = rng.choice(values, (DRAWS, n), p=p)
            bets = np.mean([betting_p_value(row, wish) <= 0.05 for row in draws])
            others = np.mean([hoeffding_bentkus(row, wish) <= 0.05 for row in draws])
            level = f"refuted {verdict(bets)}" if shift is None else f"passed {bets:.3f}"
            print(
                f"mean {values @ p:.3f} against {wish:.3f} ({title}), n={n}: bets {level}, "
                f"Hoeffding-Bentkus {others:.3f}",
                flush=True,
            )


def crossfitted(draws=DRAWS, n=200, wish=0.55):
    """Fit, calibrate and promise on 200 rows; judge on 10 000 new ones. Approximate and exact."""
    data = make_multilabel(n_samples=16_000, n_features=5, n_labels=2, random_state=0)
    X_new, Y_new = data.X[6000:], data.Y[6000:]
    for title, promise in (("out of fold, approximate", 3), ("held out, exact", 0.4)):
        rng = np.random.default_rng(0)
        met, broken, share = 0, 0, 0.0
        for _ in range(draws):
            rows = rng.choice(6000, n, replace=False)
            model = CalibratedSetClassifier(
                BinaryRelevance(alpha=1.0),
                cv=3,
                calibrator="isotonic",
                label_calibration=None,
                promise=promise,
            ).fit(data.X[rows], data.Y[rows])
            found = model.acceptance(wish, 0.95)
            if found.met:
                accept = model.predict_confidence(X_new) >= found.threshold
                right = (model.predict(X_new) == Y_new).all(axis=1)
                met, share = met + 1, share + accept.mean()
                broken += accept.any() and right[accept].mean() < wish
        print(
            f"{title}: {draws} fits to {n} rows, broken {verdict(broken / draws, draws)}; "
            f"accepts anything in {met / draws:.3f}, {share / max(met, 1):.2f} of the rows then",
            flush=True,
        )


def alternatives():
    """Coverage of lists by joints that are right, too sure and too unsure, and by mixtures."""
    for n in (20, 100, 500):
        for title, factor in (("right", 1.0), ("too sure", 2.5), ("too unsure", 0.5)):
            rng = np.random.default_rng(0)
            covered, flagged, sizes = [], [], []
            for _ in range(DRAWS):
                logits = rng.normal(-2.0, 5.0, (n + 1, 3, 5))
                weights = np.log(rng.dirichlet(np.full(3, 0.5), n + 1) + 1e-12)
                weights -= np.logaddexp.reduce(weights, axis=1)[:, None]
                truth = MixtureJoint(weights, logits).sample(1, rng)[:, 0]
                stated = MixtureJoint(weights, factor * logits)
                least = least_log_prob(stated.take(slice(n)).log_prob(truth[:n]), 0.9)
                sets, _, flag = list_alternatives(stated.take([n]), least, 10)
                flagged.append(flag[0])
                covered.append(flag[0] or (sets[0] == truth[n]).all(axis=1).any())
                sizes += [] if flag[0] else [len(sets[0])]
            missed = verdict(1.0 - np.mean(covered), risk=0.1)
            print(
                f"n={n}, joint {title}: not covered {missed}; size {np.mean(sizes):.2f}, "
                f"flagged {np.mean(flagged):.3f}",
                flush=True,
            )


def monitor():
    """Watch 1000 audited rows of a promise of .9: kept, broken from the start, broken later."""
    cases = {
        "kept, .90": np.full(1000, 0.9),
        "kept, .93": np.full(1000, 0.93),
        "broken from the start, .85": np.full(1000, 0.85),
        "broken from the start, .70": np.full(1000, 0.7),
        "broken after 300 rows of .95, .80": np.repeat([0.95, 0.8], [300, 700]),
    }
    for title, rates in cases.items():
        runs = np.random.default_rng(0).random((DRAWS, 1000)) < rates
        at = alarm_rows(runs)
        for run, row in zip(runs[:5], at):
            assert PromiseMonitor(0.9).update(run).alarm_at == (row if row < np.inf else None)
        alarms = np.isfinite(at).mean()
        said = verdict(alarms) if title.startswith("kept") else f"{alarms:.3f}"
        late = f"; half of the alarms by row {np.median(at):.0f}" if alarms > 0.5 else ""
        print(f"{title}: alarm within 1000 rows {said}{late}", flush=True)


def alarm_rows(runs, accuracy=0.9, alpha=0.05):
    """Return after how many rows PromiseMonitor raises the alarm, for many runs (r, n) at once."""
    staked, at = np.zeros((len(runs), len(STAKES))), np.full(len(runs), np.inf)
    for n, value in enumerate(runs.T, start=1):
        gain = 1.0 + STAKES * ((accuracy - value) / (1.0 - accuracy))[:, None]
        staked = np.minimum((staked + 1.0 / (n * (n + 1))) * gain, 1e300)
        alarm = staked.mean(axis=1) + 1.0 / (n + 1) >= 1.0 / alpha
        at[alarm & np.isinf(at)] = n
    return at


def medical(n_fits=10, n_splits=10):
    """Fit to a random half of the notes; 10 splits of the rest into reviewed and new rows."""
    texts, Y = medical_notes()
    lines = {}
    for fit in range(n_fits):
        order = np.random.default_rng(fit).permutation(len(Y))
        train, rest = order[: len(Y) // 2], order[len(Y) // 2 :]
        model = LabelSetClassifier(budget="quick").fit([texts[i] for i in train], Y[train])
        own = model.reviewed_rows_
        X = [texts[i] for i in rest]
        right = (model.predict(X) == Y[rest]).all(axis=1)
        sure = model.predict_confidence(X)
        print(f"fit {fit}: {right.mean():.3f} of {len(rest)} held-out sets are right", flush=True)
        for split in range(n_splits):
            dealt = np.random.default_rng(split).permutation(len(rest))
            seen, new = dealt[: len(rest) // 2], dealt[len(rest) // 2 :]
            for wish in (0.8, 0.9):
                plan = AcceptancePlan.from_confidences(own.others, len(seen), wish)
                folds = AcceptancePlan.from_confidences(own.others, len(own.others), wish)
                out_of_fold = own.confidence, own.values()
                thresholds = {
                    "earlier rule, held out": acceptance_threshold(sure[seen], right[seen], wish)[
                        0
                    ],
                    "present rule, held out": acceptance(sure[seen], right[seen], plan).threshold,
                    "earlier rule, out of fold": acceptance_threshold(*out_of_fold, wish)[0],
                    "present rule, out of fold": acceptance(*out_of_fold, folds).threshold,
                }
                for rule, threshold in thresholds.items():
                    accepted = right[new][sure[new] >= threshold]
                    lines.setdefault((wish, rule), []).append((accepted, len(new), fit))
    for (wish, rule), splits in lines.items():
        print(f"promised {wish}, {rule}: {_summed(wish, splits)}", flush=True)


def medical_notes():
    """Return the medical notes as texts of the names of their words, and their codes."""
    data = load_dataset("medical")
    names = np.array([str(name) for name in data.feature_names])
    X = data.X.tocsr() if hasattr(data.X, "tocsr") else data.X
    rows = X.indices if hasattr(X, "indices") else None
    if rows is None:
        return [" ".join(names[row != 0]) for row in X], np.asarray(data.Y)
    texts = [" ".join(names[rows[a:b]]) for a, b in zip(X.indptr[:-1], X.indptr[1:])]
    return texts, np.asarray(data.Y)


def _summed(wish, splits):
    share = np.array([len(accepted) / n for accepted, n, _ in splits])
    if not share.any():
        return "nothing accepted in any split"
    rate = np.array([accepted.mean() if len(accepted) else np.nan for accepted, _, _ in splits])
    refuted = [
        len(accepted) > 0 and binom.cdf(accepted.sum(), len(accepted), wish) <= 0.05
        for accepted, _, _ in splits
    ]
    low, high = np.nanpercentile(rate, [2.5, 97.5]) if np.isfinite(rate).any() else (np.nan,) * 2
    by_fit = [np.nanmean(rate[[f == fit for _, _, f in splits]]) for fit in {f for *_, f in splits}]
    error = np.nanstd(by_fit, ddof=1) / np.sqrt(np.isfinite(by_fit).sum())
    return (
        f"share accepted {share.mean():.3f} (nothing in {np.mean(share == 0):.2f} of the splits); "
        f"accuracy of the accepted {np.nanmean(rate):.3f} +- {1.96 * error:.3f}, 95 % of the "
        f"splits in {low:.3f} to {high:.3f}; refuted in {np.sum(refuted)} of {len(splits)} splits"
    )


def questions(joint, truth, level, order=None):
    """Return how many labels are asked about until a set has the level, and whether it is right.

    `order` is a fixed order of labels; without one, `ask_first` is asked after every answer.
    """
    known = np.full((1, joint.n_labels), np.nan)
    given = joint
    for n in range(joint.n_labels + 1):
        best, log_prob = given.top_k(1)
        if np.exp(log_prob[0, 0]) >= level or n == joint.n_labels:
            break
        label = order[n] if order is not None else ask_first(given, known).labels[0, 0]
        if label < 0:
            break
        known[0, label] = truth[label]
        try:
            given = given_answers(joint, known).joint
        except ValueError:  # the answers are impossible to the model: the rest is asked by hand
            return joint.n_labels, True
    return n, bool((best[0, 0] == truth).all())


def asking():
    """Settle held-out sets below .9, of the joint's labels, until a set has .95."""
    for name in ("medical", "scene", "yeast"):
        data = load_dataset(name)
        X, Y = data.X, np.asarray(data.Y)
        order = np.random.default_rng(0).permutation(len(Y))
        train, test = order[: 2 * len(Y) // 3], order[2 * len(Y) // 3 :]
        model = LabelSetClassifier(budget="quick").fit(X[train], Y[train])
        joint, sure = model.predict_joint(X[test]), model.predict_confidence(X[test])
        found = {"by probability": [], "ask first": [], "no dependence": []}
        for i in np.flatnonzero(sure < 0.9)[:200]:
            one, truth = joint.take([i]), Y[test[i]]
            p = one.marginals()[0]
            fixed = np.argsort(np.abs(p - 0.5), kind="stable")
            product = IndependentJoint.from_probabilities(p[None])
            found["by probability"].append(questions(one, truth, 0.95, fixed))
            found["ask first"].append(questions(one, truth, 0.95))
            found["no dependence"].append(questions(product, truth, 0.95))
        for how, answers in found.items():
            n, right = np.mean(answers, axis=0)
            print(
                f"{name}, {len(answers)} unsure sets of {Y.shape[1]} labels, {how}: {n:.2f} "
                f"questions, {right:.3f} right then",
                flush=True,
            )


TABLES = {
    "laws": laws,
    "graded": graded,
    "crossfitted": crossfitted,
    "alternatives": alternatives,
    "monitor": monitor,
    "medical": medical,
    "asking": asking,
}


def main(names):
    warnings.simplefilter("ignore")
    for name in names or TABLES:
        print(f"\n== {name}", flush=True)
        TABLES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
