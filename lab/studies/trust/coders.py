"""Real coders: how often each hides or invents a right set, and what calibration makes of it.

    python -m lab.studies.trust.coders [--out docs/results/coders.md]

Texts of BRIGHTER (Ukrainian, Hindi) with the emotions that each of three or five coders saw. The
consensus of a text is the set of emotions that more than half of its coders saw. As where one
person reviews a case, training and calibration rows carry the set of one coder drawn at random; on
an overlap of 300 calibration rows all coders are known. Test rows are judged by the consensus.
"""

import argparse
import csv
import gzip
import os
from pathlib import Path

import numpy as np

from labelfield import CalibratedSetClassifier, LabelSetClassifier, NoiseRates
from labelfield.io._aside import write_aside
from labelfield.metrics import alignment_error, brier_score

FILES = {"Ukrainian": "ukr_individuals.csv.gz", "Hindi": "hin_train_dev.csv.gz"}
N_OVERLAP = 300
N_SPLITS = 3
WAYS = (
    "ignore coders",
    "one rate for all",
    "a rate for each coder",
    "consensus of the overlap only",
    "consensus of all rows",
)


def read_coders(path):
    """Return texts and what each coder saw: bool (n, L, C). Every L lines are one text."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    coders = [name for name in lines[0] if name.startswith("Annotator-")]
    n_labels = len({line["emotion"] for line in lines})
    seen = np.array([[float(line[name] or 0) > 0 for name in coders] for line in lines])
    return [line["text"] for line in lines[::n_labels]], seen.reshape(-1, n_labels, len(coders))


def split_study(texts, seen, seed):
    """Return rates per coder and, for each way to calibrate, its figures on the test rows."""
    rng = np.random.default_rng(seed)
    n, _, n_coders = seen.shape
    consensus = seen.mean(axis=2) > 0.5
    coder = rng.integers(n_coders, size=n)
    given = seen[np.arange(n), :, coder]
    train, calibration, test = np.split(rng.permutation(n), [n // 2, 3 * n // 4])
    overlap = calibration[:N_OVERLAP]
    model = LabelSetClassifier(budget="quick", random_state=seed)
    model.fit([texts[i] for i in train], given[train].astype(int))

    def pick(rows):
        return [texts[i] for i in rows]

    sets = model.predict(pick(calibration)).astype(bool)
    right = (sets == consensus[calibration]).all(axis=1)
    rates = overlap_rates(sets[:N_OVERLAP], right[:N_OVERLAP], seen[overlap])
    per_row = NoiseRates(*(np.array(column)[coder[calibration]] for column in zip(*rates)))
    pooled = NoiseRates(*np.mean(rates, axis=0))
    answers = {
        "ignore coders": (calibration, given, None),
        "one rate for all": (calibration, given, pooled),
        "a rate for each coder": (calibration, given, per_row),
        "consensus of the overlap only": (overlap, consensus, None),
        "consensus of all rows": (calibration, consensus, None),
    }
    truth = (model.predict(pick(test)).astype(bool) == consensus[test]).all(axis=1).astype(float)
    figures = {}
    for way, (rows, labels, noise) in answers.items():
        fitted = CalibratedSetClassifier(
            model, cv="prefit", calibrator="isotonic", noise=noise, promise=None
        ).fit(pick(rows), labels[rows].astype(int))
        sure = fitted.predict_confidence(pick(test))
        figures[way] = (sure.mean(), brier_score(sure, truth), alignment_error(sure, truth))
    return rates, truth.mean(), figures


def overlap_rates(sets, right, seen):
    """Return (miss, false hit) of each coder: how often they differ from, or share, a set."""
    rates = []
    for coder in range(seen.shape[2]):
        agrees = (sets == seen[:, :, coder]).all(axis=1)
        found = NoiseRates.estimate(agrees.astype(float), clean=right.astype(float))
        rates.append((found.miss, found.false_hit))
    return rates


def pages(folder):
    """Yield the page of results, longer with every language."""
    lines = [
        "# Coders who disagree",
        "",
        "Written by `python -m lab.studies.trust.coders --out docs/results/coders.md`. Texts of",
        "BRIGHTER (SemEval-2025 task 11) with the emotions that each coder saw; the consensus",
        'is what more than half of them saw. `LabelSetClassifier(budget="quick")` is fitted',
        "to half of the texts, each with the set of one coder drawn at random. A quarter",
        f"calibrates its confidence, again by one coder each; on {N_OVERLAP} of these rows all",
        "are known. The last quarter is judged by the consensus. Means +- standard",
        f"deviations over {N_SPLITS} random splits.",
        "",
        "A coder *misses* a right set where the prediction equals the consensus but not the",
        "coder's set, and *invents* one where it equals the coder's set but not the consensus",
        "(`NoiseRates`, counted on the overlap).",
    ]
    for language, file in FILES.items():
        texts, seen = read_coders(folder / file)
        runs = []
        for seed in range(N_SPLITS):
            runs.append(split_study(texts, seen, seed))
            print(f"{language}, split {seed + 1} of {N_SPLITS}", flush=True)
        lines += ["", f"## {language}", "", *_sections(texts, seen, runs)]
        yield "\n".join(lines) + "\n"


def _sections(texts, seen, runs):
    rates = np.array([run[0] for run in runs])
    accuracy = np.mean([run[1] for run in runs])
    lines = [
        f"{len(texts)} texts, {seen.shape[1]} emotions, {seen.shape[2]} coders; "
        f"{accuracy:.3f} of the predicted sets equal the consensus.",
        "",
        "| coder | misses a right set | invents one |",
        "|---|---|---|",
    ]
    for coder, (miss, invented) in enumerate(rates.swapaxes(0, 1).swapaxes(1, 2)):
        lines.append(f"| {coder + 1} | {_spread(miss)} | {_spread(invented)} |")
    lines += [
        "",
        "| calibration | mean confidence - accuracy | Brier score | alignment error |",
        "|---|---|---|---|",
    ]
    truth = np.array([run[1] for run in runs])
    for way in WAYS:
        sure, brier, alignment = np.array([run[2][way] for run in runs]).T
        lines.append(
            f"| {way} | {_spread(sure - truth)} | {_spread(brier)} | {_spread(alignment)} |"
        )
    return lines


def _spread(values):
    return f"{np.mean(values):.3f} +- {np.std(values, ddof=1):.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("docs/results/coders.md"))
    arguments = parser.parse_args()
    folder = Path(os.environ.get("LABELFIELD_DATA", ".")) / "brighter_coders"
    if not folder.is_dir():
        raise SystemExit("Set LABELFIELD_DATA to the folder that holds brighter_coders.")
    for text in pages(folder):
        with write_aside(arguments.out) as file:
            file.write(text)
    print(text)


if __name__ == "__main__":
    main()
