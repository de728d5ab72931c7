"""Text as weights of its words and of its letters."""

import json

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.extmath import randomized_svd

__all__ = ["TermWeights", "TextPart"]

LONG = 60  # words of a document that has words enough
WORDS = r"(?u)\b\w\w+\b"
WORDS_AND_MARKS = r"(?u)\w+|[^\w\s]"  # also words of one letter, signs and emoji
PAIRS_SHARE = 0.5  # length of the pairs of a document beside its words, which have length 1


class TermWeights(TfidfVectorizer):
    """scikit-learn's TF-IDF whose vocabulary is saved as one text: a file of it is small and opens
    at once, where an entry per term takes minutes."""

    def __getstate__(self):
        state = super().__getstate__()
        if "vocabulary_" in state:
            terms = self.get_feature_names_out().tolist()
            state = {**state, "vocabulary_": json.dumps(terms)}
        return state

    def __setstate__(self, state):
        terms = state.get("vocabulary_")
        if isinstance(terms, str):
            numbered = {term: number for number, term in enumerate(json.loads(terms))}
            state = {**state, "vocabulary_": numbered}
        super().__setstate__(state)


class TextPart:
    """TF-IDF of words and pairs of words, and of runs of letters inside words.

    In short texts marks are words too, and words with pairs together have length 1; in documents
    pairs have half the length of words. Runs of letters have length 1, empty texts 0.
    """

    def __init__(self, min_count, max_features, letters):
        self.min_count = min_count
        self.max_features = max_features
        self.letters = letters

    def fit_transform(self, column):
        texts = _texts(column)
        self.name = column.name
        self.weights_, self.shares_ = [], []
        short = _are_short(texts)
        if short:
            blocks = [self._learn(texts, (1, 2), token_pattern=WORDS_AND_MARKS)]
        else:
            blocks = [
                self._learn(texts, (1, 1), token_pattern=WORDS),
                self._learn(texts, (2, 2), PAIRS_SHARE, token_pattern=WORDS),
            ]
        if short if self.letters == "auto" else self.letters:
            blocks.append(self._learn(texts, (3, 5), analyzer="char_wb"))
        return sp.hstack(blocks, format="csr")

    def transform(self, column):
        texts = _texts(column)
        blocks = [w.transform(texts) * share for w, share in zip(self.weights_, self.shares_)]
        return sp.hstack([sp.csr_matrix((len(texts), 0)), *blocks], format="csr")

    def fit_reduce(self, block, n_components, seed):
        self.topics_ = None
        if min(block.shape) > n_components:
            topics = randomized_svd(block, n_components, n_iter=3, random_state=seed)[2]
            self.topics_ = topics.astype(np.float32)  # plenty for trees, and half the file
        return self.reduce(block)

    def reduce(self, block):
        return block if self.topics_ is None else np.asarray(block @ self.topics_.T)

    @property
    def names(self):
        mark = {"word": ": ", "char_wb": " ~ "}
        return [
            f"{self.name}{mark[weights.analyzer]}{term}"
            for weights in self.weights_
            for term in weights.get_feature_names_out()
        ]

    @property
    def reduced_names(self):
        if self.topics_ is None:
            return self.names
        return [f"{self.name}: topic {j + 1}" for j in range(len(self.topics_))]

    def _learn(self, texts, ngram_range, share=1.0, **kind):
        """Return the weights of one kind of terms; none of pairs if no pair occurs often enough."""
        weights = TermWeights(
            ngram_range=ngram_range,
            sublinear_tf=True,
            min_df=self.min_count,
            max_features=self.max_features,
            **kind,
        )
        analyze = weights.build_analyzer()
        if not any(analyze(text) for text in texts):
            return sp.csr_matrix((len(texts), 0))
        try:
            block = weights.fit_transform(texts)
        except ValueError:  # no term occurs in so many texts
            if share < 1.0:
                return sp.csr_matrix((len(texts), 0))
            block = weights.set_params(min_df=1).fit_transform(texts)
        self.weights_.append(weights)
        self.shares_.append(share)
        return block * share


def _are_short(texts):
    return sum(len(text.split()) for text in texts) <= LONG * sum(map(bool, texts))


def _texts(column):
    return ["" if word is None else word for word in column.words()]
