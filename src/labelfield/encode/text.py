"""Text as weights of its words and of its letters."""

import json

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

__all__ = ["TermWeights", "TextPart"]


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
    """TF-IDF of words and pairs of words, and of runs of letters inside words; each row of either
    has length 1, or 0 where the text is empty."""

    def __init__(self, min_count, max_features, letters):
        self.min_count = min_count
        self.max_features = max_features
        self.letters = letters

    def fit_transform(self, column):
        texts = _texts(column)
        self.name = column.name
        self.weights_ = []
        blocks = [self._learn(texts, "word", (1, 2))]
        if self.letters:
            blocks.append(self._learn(texts, "char_wb", (3, 5)))
        return sp.hstack(blocks, format="csr")

    def transform(self, column):
        texts = _texts(column)
        blocks = [weights.transform(texts) for weights in self.weights_]
        return sp.hstack([sp.csr_matrix((len(texts), 0)), *blocks], format="csr")

    def fit_reduce(self, block, n_components, seed):
        self.svd_ = None
        if min(block.shape) > n_components:
            self.svd_ = TruncatedSVD(n_components, n_iter=3, random_state=seed).fit(block)
            # single precision is plenty for trees, and halves the file
            self.svd_.components_ = self.svd_.components_.astype(np.float32)
        return self.reduce(block)

    def reduce(self, block):
        return block if self.svd_ is None else self.svd_.transform(block)

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
        if self.svd_ is None:
            return self.names
        return [f"{self.name}: topic {j + 1}" for j in range(len(self.svd_.components_))]

    def _learn(self, texts, analyzer, ngram_range):
        weights = TermWeights(
            analyzer=analyzer,
            ngram_range=ngram_range,
            sublinear_tf=True,
            min_df=self.min_count,
            max_features=self.max_features,
        )
        analyze = weights.build_analyzer()
        if not any(analyze(text) for text in texts):
            return sp.csr_matrix((len(texts), 0))
        try:
            block = weights.fit_transform(texts)
        except ValueError:  # no term occurs in so many texts
            block = weights.set_params(min_df=1).fit_transform(texts)
        self.weights_.append(weights)
        return block


def _texts(column):
    return ["" if word is None else word for word in column.words()]
