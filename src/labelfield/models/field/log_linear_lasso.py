"""A log-linear model of labels with terms of two and three labels, most of them zero."""

from itertools import combinations
from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Options

from labelfield._parameters import STRENGTH, at_least, declare
from labelfield.base import WeightedJointClassifier
from labelfield.joints import IsingJoint
from labelfield.joints.factor_graph import FactorGraph
from labelfield.joints.factor_graph.products import bits_of_signs, parts_of
from labelfield.label_graph import LabelGraph
from labelfield.learners.strengths.path import choose_strength
from labelfield.models.field.clique_loss import CliqueLikelihood, CliqueLoss, products_of
from labelfield.models.field.rows import constant_log_odds, row_mean
from labelfield.models.field.terms import FeatureTerms
from labelfield.optim import (
    Blocks,
    ElasticNet,
    OverlappingGroupLasso,
    Trace,
    fista,
    warn_unless_converged,
)

__all__ = ["LogLinearLasso"]

MAX_LABELS = 16
NOISE = 1e-10  # what rounding leaves of a clique that is dropped


class LogLinearLasso(WeightedJointClassifier):
    """HLLM-L1: a log-linear model of labels, sparse and hierarchical in its terms.

    log p(y | x) = sum_A w_A(x) prod_(l in A) s_l - log Z(x) with s = 2 y - 1 in -1, +1, over single
    labels, pairs and, if asked for, triples; every w_A is linear in the features. Normalised over
    all 2^L sets, so for few labels. A pair is penalised together with all triples that contain it,
    and every triple once more: a triple is used only if its three pairs are.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Strength of the l2 penalty of the single labels' weights against the summed loss; "auto" is
        the best one of logistic regressions without cliques, see `BinaryRelevance`.
    clique_alpha : float, default=10.0
        Strength of the group penalty.
    max_order : {2, 3}, default=2
        Labels of a term at most.
    max_iter, tol : int, float
        FISTA stops when no entry of the proximal gradient exceeds `tol` times the largest entry of
        the gradient without features and cliques.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
        Weights of the single labels' products of signs.
    cliques_ : list of tuples of int
        Pairs and triples that are used.
    clique_coef_, clique_intercept_ : arrays of shape (C, d) and (C,)
        Weights of their products of signs.
    label_graph_ : LabelGraph
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not).
    trace_ : Trace

    References
    ----------
    Schmidt, Murphy (2010): Convex structure learning in log-linear models: beyond pairwise
    potentials. AISTATS.

    Examples
    --------
    >>> from labelfield import LogLinearLasso
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=100, n_labels=3, random_state=0)
    >>> model = LogLinearLasso(max_order=3).fit(data.X, data.Y)
    >>> model.predict(data.X[:2]).shape
    (2, 3)
    """

    _wants_centred = True
    _parameter_constraints = declare(
        "max_iter",
        "tol",
        "decoder",
        "on_violation",
        "rules",
        alpha=STRENGTH,
        clique_alpha=[at_least(0)],
        max_order=[Options(Integral, {2, 3})],
    )

    def __init__(
        self,
        *,
        alpha="auto",
        clique_alpha=10.0,
        max_order=2,
        max_iter=1000,
        tol=1e-4,
        decoder="subset",
        rules=None,
        on_violation="error",
    ):
        self.alpha = alpha
        self.clique_alpha = clique_alpha
        self.max_order = max_order
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation

    def _fit(self, X, Y, sample_weight=None):
        self._check_size(Y.shape[1])
        log_odds, varying = constant_log_odds(Y, sample_weight)
        self.intercept_ = 0.5 * log_odds
        self.coef_ = np.zeros((Y.shape[1], X.shape[1]))
        cliques = [
            tuple(clique)
            for size in range(2, self.max_order + 1)
            for clique in combinations(varying.tolist(), size)
        ]
        self.alpha_, self.strength_path_ = self.alpha, None
        if self.alpha == "auto":  # weights of signs are half as large as those of log-odds
            self.strength_path_ = choose_strength(X, Y, sample_weight)
            self.alpha_ = 4.0 * self.strength_path_.alpha
        self._mean_row = row_mean(X, sample_weight)
        self._solve(X, Y, sample_weight, varying, cliques)

    def _solve(self, X, Y, weight, varying, cliques):
        """Minimise and store."""
        labels = np.ascontiguousarray(Y[:, varying])
        position = {label: number for number, label in enumerate(varying.tolist())}
        placed = [tuple(map(position.get, clique)) for clique in cliques]
        likelihood = CliqueLikelihood(labels, placed, weight)
        unary = FeatureTerms(X, len(varying), self._mean_row, weight)
        shared = FeatureTerms(X, len(cliques), weight=weight)
        loss = CliqueLoss(likelihood, unary, shared, labels)
        theta, self.trace_ = loss.reference, Trace([0.0], "converged")
        if len(varying):
            own = ElasticNet(self.alpha_, 0.0, len(varying))
            shared = OverlappingGroupLasso(
                self.clique_alpha, nested_groups(cliques, X.shape[1] + 1)
            )
            theta, self.trace_ = fista(
                loss,
                Blocks(loss.sizes, (own, shared)),
                loss.reference,
                tol=self.tol,
                max_iter=self.max_iter,
            )
        self.n_iter_ = max(1, self.trace_.n_iter)
        warn_unless_converged(self)
        own, shared = loss.split(theta)
        self.coef_[varying], self.intercept_[varying] = loss.labels.weights(own)
        lengths = np.sqrt(np.square(shared).sum(axis=0))
        alive = np.flatnonzero(lengths > NOISE * lengths.max(initial=0.0))
        self.cliques_ = parts_of([cliques[c] for c in alive])
        used = [cliques.index(clique) for clique in self.cliques_]
        self.clique_coef_, self.clique_intercept_ = loss.cliques.weights(shared[:, used])

    def _joint(self, X):
        own = np.asarray(X @ self.coef_.T) + self.intercept_
        shared = np.asarray(X @ self.clique_coef_.T) + self.clique_intercept_
        unary, weights = fields_of_bits(own, self.cliques_, shared)
        return IsingJoint(unary, FactorGraph(unary.shape[1], self.cliques_), weights)

    def _bytes_per_row(self):
        return 64.0 * (len(self.intercept_) + len(self.cliques_))

    @property
    def label_graph_(self):
        """The graph of mean pair weights over the training rows."""
        pairs = [number for number, clique in enumerate(self.cliques_) if len(clique) == 2]
        weights = self.clique_coef_[pairs] @ self._mean_row + self.clique_intercept_[pairs]
        return LabelGraph(
            tuple(self.label_names_),
            np.array([self.cliques_[c] for c in pairs], dtype=np.intp).reshape(-1, 2),
            weights,
            explanation="Links are mean weights of pairs over the training rows.",
        )

    def _check_size(self, n_labels):
        if n_labels > MAX_LABELS:
            raise ValueError(
                f"LogLinearLasso goes through all sets of at most {MAX_LABELS} labels, here are "
                f"{n_labels}. Use ConditionalGraphicalLasso(objective='pseudo')."
            )


def fields_of_bits(own, cliques, shared):
    """Return unary terms (n, L) and clique weights (n, C) of the same field in 0/1 labels."""
    to_bits = bits_of_signs(products_of(own.shape[1], cliques))
    return np.split(np.concatenate([own, shared], axis=1) @ to_bits, [own.shape[1]], axis=1)


def nested_groups(cliques, n_terms):
    """Return the entries of parameters (n_terms, C), flat, of every clique and those around it.

    Small groups come first: with one clique around another, one round of projections is enough.
    """
    columns = [
        [number for number, other in enumerate(cliques) if set(clique) <= set(other)]
        for clique in reversed(cliques)
    ]
    starts = len(cliques) * np.arange(n_terms)[:, None]
    return [(starts + np.array(group)).ravel() for group in columns]
