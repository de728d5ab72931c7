"""Do sentence vectors pay? Token vectors of wordllama's wheel beside words and letters, GoEmotions.

    python -m lab.studies.defaults.vectors

A text's vector is the mean of those of its tokens (256 numbers, 32 000 tokens, read from the files
of the installed package; tokens by longest match). Logistic regressions of all labels at the better
of three strengths, from 1000 and 12 000 training rows; the development part decides and judges
both rows alike. Needs the package wordllama, and data in LABELFIELD_DATA.
"""

import json
import struct
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MultiLabelBinarizer, normalize

from lab.studies.text import goemotions, never_empty
from labelfield import TableEncoder
from labelfield.learners import LogisticLearner
from labelfield.metrics import f1_score, subset_accuracy

SIZES = (1000, 12_000)
STRENGTHS = (0.1, 0.3, 1.0)
LONGEST = 16  # letters of a token
START = "\u2581"  # of a word


def token_vectors():
    """Return the number of every token and their vectors (32 000, 256)."""
    found = find_spec("wordllama")
    if found is None:
        raise SystemExit("Install wordllama to run this study; only its files are read.")
    folder = Path(found.submodule_search_locations[0])
    with (folder / "weights" / "l2_supercat_256.safetensors").open("rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        header.pop("__metadata__", None)
        (entry,) = header.values()
        numbers = np.frombuffer(file.read(), dtype=np.float16)
    words = json.loads((folder / "tokenizers" / "l2_supercat_tokenizer_config.json").read_text())
    return words["model"]["vocab"], numbers.reshape(entry["shape"]).astype(np.float64)


def tokens(word, numbers):
    """Return the numbers of a word's tokens, the longest match first."""
    found, start = [], 0
    while start < len(word):
        for end in range(min(len(word), start + LONGEST), start, -1):
            if word[start:end] in numbers:
                found.append(numbers[word[start:end]])
                break
        start = end
    return found


def text_vectors(texts, numbers, vectors):
    """Return the mean token vector of each text (n, 256)."""
    ids = [[k for word in text.split() for k in tokens(START + word, numbers)] for text in texts]
    nothing = np.zeros(vectors.shape[1])
    return np.stack([vectors[one].mean(axis=0) if one else nothing for one in ids])


def study():
    """Print exact match and macro-F1 with and without vectors."""
    parts = goemotions(("train", "dev"))
    texts = {part: [text for text, _ in rows] for part, rows in parts.items()}
    binarizer = MultiLabelBinarizer().fit([tags for _, tags in parts["train"]])
    Y = {part: binarizer.transform([tags for _, tags in rows]) for part, rows in parts.items()}
    source = token_vectors()
    dense = {part: text_vectors(texts[part], *source) for part in parts}
    middle = dense["train"].mean(axis=0)
    dense = {part: sp.csr_matrix(normalize(V - middle)) for part, V in dense.items()}
    order = np.random.default_rng(0).permutation(len(Y["train"]))
    for size in SIZES:
        rows = order[:size]
        encoder = TableEncoder()
        terms = encoder.fit_transform([texts["train"][k] for k in rows])
        new = encoder.transform(texts["dev"])
        both = sp.hstack([terms, dense["train"][rows]]), sp.hstack([new, dense["dev"]])
        for name, (X, X_new) in {"terms": (terms, new), "terms and vectors": both}.items():
            figures = [
                _judge(X.tocsr(), Y["train"][rows], X_new.tocsr(), Y["dev"], alpha)
                for alpha in STRENGTHS
            ]
            exact, macro, alpha = max(figures)
            shown = f"exact match {exact:.4f}, macro-F1 {macro:.4f} (alpha {alpha})"
            print(f"{size} rows, {name}: {shown}", flush=True)


def _judge(X, Y, X_new, Y_new, alpha):
    learner = LogisticLearner(alpha=alpha, warn=False, tol=1e-3).fit(X, Y.astype(float))
    sets = never_empty(np.asarray(learner.decision(X_new)))
    return subset_accuracy(Y_new, sets), f1_score(Y_new, sets, average="macro"), alpha


if __name__ == "__main__":
    study()
