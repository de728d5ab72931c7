"""Documents with tags from a CSV file to routed answers: GoEmotions and Reuters-21578.

    python -m lab.studies.text goemotions|reuters [BUDGET] [--steps fit decide ...] [--folder F]

Writes the official training and test parts as CSV files, then does what a user would: fits one
model and saves it, decides in several ways with it, predicts and reports, all on the command line,
loads the file and routes, and serves it to a program that asks over HTTP. Beside it linear support
vector machines on the same files, their cost and one threshold chosen inside the training part.
Data are looked for in LABELFIELD_DATA; nothing of them is kept, unless a folder is named so that
steps can be run one by one. Set OMP_NUM_THREADS=1 for one thread.
"""

import argparse
import csv
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from deploy.client import ask
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import MultiLabelBinarizer

from labelfield import load
from labelfield.learners import fit_machines
from labelfield.metrics import f1_score, subset_accuracy
from labelfield.model_selection import stratified_split

COSTS = (0.1, 0.3, 1.0, 3.0, 10.0)
DECISIONS = ("subset", "tilted_subset", "threshold_f1_macro", "threshold_f1_micro")
PROMISES = (0.8, 0.9)
STEPS = ("fit", "decide", "show", "serve", "machines")
ASKED = 100  # rows that the service is asked about


def goemotions(wanted=("train", "test")):
    """Return official parts (train, dev, test): {part: [(text, tags), ...]}."""
    folder = _folder() / "goemotions"
    names = (folder / "labels.txt").read_text(encoding="utf-8").split()
    parts = {}
    for part in wanted:
        with gzip.open(folder / f"{part}.tsv.gz", "rt", encoding="utf-8", newline="") as lines:
            rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
        parts[part] = [(row[0], [names[int(k)] for k in row[1].split(",")]) for row in rows]
    return parts


def reuters():
    """Return ModApte with the 90 topics that occur in both parts, and all 3299 test documents."""
    with gzip.open(_folder() / "reuters21578" / "reuters21578.jsonl.gz", "rt") as lines:
        documents = [json.loads(line) for line in lines]
    seen = {
        part: {topic for one in documents if one["split"] == part for topic in one["topics"]}
        for part in ("train", "test")
    }
    known = seen["train"] & seen["test"]
    everything = {
        part: [
            (f"{one['title']}\n{one['body']}".strip(), sorted(known.intersection(one["topics"])))
            for one in documents
            if one["split"] == part
        ]
        for part in seen
    }
    parts = {part: [row for row in rows if row[1]] for part, rows in everything.items()}
    return {**parts, "test-all": everything["test"]}


def study(name, budget, steps=STEPS, folder=None):
    """Print what a user sees on one of the sets."""
    parts = {"goemotions": goemotions, "reuters": reuters}[name]()
    print(f"{name}: {', '.join(f'{len(rows)} {part}' for part, rows in parts.items())}")
    with tempfile.TemporaryDirectory() if folder is None else nullcontext(folder) as place:
        work = Path(place)
        work.mkdir(parents=True, exist_ok=True)
        for part, rows in parts.items():
            write_table(work / f"{part}.csv", rows)
        if "fit" in steps:
            fit(work, budget)
        if "decide" in steps:
            decide(work, [part for part in parts if part != "train"])
        if "show" in steps:
            show(work)
        if "serve" in steps:
            serve(work)
    if "machines" in steps:
        baseline(parts)


def write_table(path, rows):
    """Write texts and tags as people have them; an empty cell means no tag."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["number", "text", "tags"])
        table.writerows([k, text, ";".join(tags)] for k, (text, tags) in enumerate(rows))


def fit(work, budget):
    """Fit once on the command line and save the model."""
    options = ["--tags", "tags", "--text", "text", "--id", "number", "--force"]
    fitted = command(
        "fit", work / "train.csv", *options, "--set", f"budget={budget}", "--out", work / "m.lf"
    )
    spent, size = resource.getrusage(resource.RUSAGE_CHILDREN), os.path.getsize(work / "m.lf")
    print(
        f"  fit ({budget}): {fitted['labels']} labels, {spent.ru_utime + spent.ru_stime:.0f} "
        f"CPU s, {spent.ru_maxrss / 1e6:.1f} GB, file {size / 1e6:.0f} MB",
        flush=True,
    )


def decide(work, parts):
    """Decide with the saved file for several metrics."""
    for part in parts:
        for decision in DECISIONS:
            data = [work / "m.lf", work / f"{part}.csv"]
            found = command("evaluate", *data, "--decoder", decision)["metrics"]
            print(
                f"  {part}, {decision}: exact match {found['subset_accuracy']:.4f}, micro-F1 "
                f"{found['f1_micro']:.4f}, macro-F1 {found['f1_macro']:.4f}",
                flush=True,
            )


def show(work):
    """Predict, report and route with the saved file."""
    data = [work / "m.lf", work / "test.csv", "--force"]
    command("predict", *data, "--why", "--accuracy", PROMISES[0], "--out", work / "p.csv")
    command("report", *data, "--out", work / "r.html")
    columns = (work / "p.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")[:6]
    print(f"  predictions: {', '.join(columns)}, ...; report {os.path.getsize(work / 'r.html')} B")
    route(work)


def route(work):
    """Load the saved model and print what can be accepted at promised accuracies."""
    with (work / "test.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    model = load(work / "m.lf")
    print(model.leaderboard_)
    frame = _like_training([row["text"] for row in rows])
    names = model.predict_names(frame)
    right = [set(got) == set(row["tags"].split(";")) for got, row in zip(names, rows)]
    for promise in PROMISES:
        accept = model.route(frame, accuracy=promise).accept
        rate = np.mean(right, where=accept) if accept.any() else np.nan
        print(f"  promise {promise}: {accept.mean():.3f} accepted, {rate:.3f} of them right")


def serve(work):
    """Start `labelfield serve`, ask it about some rows, and compare with the model itself."""
    with (work / "test.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in islice(csv.DictReader(file), ASKED)]
    words = [sys.executable, "-m", "labelfield.cli", "serve", work / "m.lf", "--port", "0"]
    with subprocess.Popen(
        list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            address, token = (server.stdout.readline().split()[-1] for _ in range(2))
            started = time.perf_counter()
            told = ask(address, token, "predict", {"records": [{"text": text} for text in texts]})
            spent = time.perf_counter() - started
        finally:
            server.terminate()
    wanted = load(work / "m.lf").predict_names(_like_training(texts))
    same = [set(one["labels"]) == set(names) for one, names in zip(told["predictions"], wanted)]
    print(f"  service: {len(same)} rows in {spent:.1f} s, {sum(same)} answered as the model does")


def _like_training(texts):
    import pandas as pd

    return pd.DataFrame({"text": texts})


def command(*words):
    """Run `labelfield` with --json and return what it says."""
    arguments = [sys.executable, "-m", "labelfield.cli", *map(str, words), "--json"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"labelfield {words[0]}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def baseline(parts):
    """Print linear machines on words and pairs of words, never empty, and with one threshold.

    They are those of scikit-learn's LinearSVC (tests/learners/test_machines.py), sooner.
    """
    machines = partial(fit_machines, tol=1e-3)
    started = time.process_time()
    tags = MultiLabelBinarizer().fit([tags for _, tags in parts["train"]])
    texts = {part: [text for text, _ in rows] for part, rows in parts.items()}
    Y = {part: tags.transform([tags for _, tags in rows]) for part, rows in parts.items()}
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
    X = {
        part: (words.transform if part != "train" else words.fit_transform)(texts[part])
        for part in parts
    }
    rows, held_out = stratified_split(Y["train"], test_size=0.2, random_state=0)
    tried = {}
    for cost in COSTS:
        margins = machines(X["train"][rows], Y["train"][rows], cost).decision(X["train"][held_out])
        tried[cost] = f1_score(Y["train"][held_out], never_empty(margins), average="micro"), margins
    cost = max(tried, key=lambda one: tried[one][0])
    margins, truth = tried[cost][1], Y["train"][held_out]
    levels = np.arange(-0.8, 0.81, 0.05)
    level = max(levels, key=lambda t: f1_score(truth, never_empty(margins - t), average="micro"))
    fitted = machines(X["train"], Y["train"], cost)
    for part in parts:
        if part == "train":
            continue
        for name, shift in (("never empty", 0.0), (f"one threshold {level:.2f}", level)):
            sets = never_empty(fitted.decision(X[part]) - shift)
            print(
                f"  linear SVM, C={cost}, {name}, {part}: exact match "
                f"{subset_accuracy(Y[part], sets):.4f}, micro-F1 "
                f"{f1_score(Y[part], sets, average='micro'):.4f}, macro-F1 "
                f"{f1_score(Y[part], sets, average='macro'):.4f}"
            )
    print(f"  linear SVM: {time.process_time() - started:.0f} CPU s with the search")


def never_empty(margins):
    """Return the labels above zero, or the best one where there is none."""
    sets = (margins > 0).astype(np.uint8)
    empty = ~sets.any(axis=1)
    sets[empty, margins[empty].argmax(axis=1)] = 1
    return sets


def _folder():
    return Path(os.environ["LABELFIELD_DATA"])


if __name__ == "__main__":
    asked = argparse.ArgumentParser()
    asked.add_argument("name", choices=["goemotions", "reuters"])
    asked.add_argument("budget", nargs="?", default="balanced")
    asked.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    asked.add_argument("--folder")
    study(**vars(asked.parse_args()))
