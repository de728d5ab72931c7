"""What noise of the last digits may change in a fit: nothing that `tol` does not explain.

A solver stops where no entry of the gradient exceeds tol times the scale s of the loss. With m the
smallest curvature between there and the minimum and p parameters the distance to it is at most
tol s sqrt(p) / m; two fits to data that differ by noise are at most twice as far apart.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from labelfield import (
    BinaryRelevance,
    ClassifierChain,
    ClassifierChainEnsemble,
    CliqueGeneratingMachine,
    ConditionalGraphicalLasso,
    CorrelatedLogistic,
    DependentRelevance,
    InstanceBasedLogistic,
    LabelEnhancement,
    LabelPowerset,
    LogLinearLasso,
    PairwiseCRF,
    ProbabilisticClassifierChain,
    RandomLabelsets,
    StackedRelevance,
    StructuredSVM,
    WeakLabelLogistic,
)
from labelfield.learners import LogisticLearner, MultinomialLearner
from labelfield.learners.logistic_loss import LogisticLoss
from labelfield.learners.rows import as_rows
from labelfield.learners.softmax_loss import SoftmaxLoss
from labelfield.models.field.likelihoods import SupportLikelihood
from labelfield.models.field.pairwise_crf import SupportLoss
from labelfield.models.field.terms import FeatureTerms

TIGHT = {"tol": 1e-9, "max_iter": 20_000}
MARGIN = {"alpha": 0.1, "cv": 2, "random_state": 0}
MODELS = {
    "br": BinaryRelevance(),
    "br with l1": BinaryRelevance(l1_ratio=0.5),
    "2br": StackedRelevance(),
    "dbr": DependentRelevance(),
    "lp": LabelPowerset(),
    "rakel": RandomLabelsets(set_size=2, random_state=0),
    "cc": ClassifierChain(),
    "pcc": ProbabilisticClassifierChain(),
    "ecc": ClassifierChainEnsemble(n_chains=2, random_state=0),
    "iblr": InstanceBasedLogistic(alpha=0.1),
    "weak": WeakLabelLogistic(strategy="smoothing"),
    "plem": LabelEnhancement(),
    "corrlog exact": CorrelatedLogistic(objective="exact"),
    "corrlog pseudo": CorrelatedLogistic(objective="pseudo"),
    "corrlog support": CorrelatedLogistic(objective="support"),
    "corrlog with l1": CorrelatedLogistic(l1_ratio=0.5),
    "crf": PairwiseCRF(min_count=1),
    "cgl exact": ConditionalGraphicalLasso(objective="exact", edge_alpha=12.0),
    "cgl pseudo": ConditionalGraphicalLasso(objective="pseudo", edge_alpha=12.0),
    "hllm": LogLinearLasso(clique_alpha=6.0),
    "ssvm": StructuredSVM(**MARGIN),
    "cgm": CliqueGeneratingMachine(max_cliques=1, **MARGIN),
}


def problem(seed, n=60):
    """Four features, three labels that depend on three of them and on each other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    hidden = X[:, :3] + rng.normal(size=(n, 1)) + rng.normal(size=(n, 3))
    return X, (hidden > 0.2).astype(int)


def shaken(X, seed):
    """X with noise in the last digits, as other orders of summation leave it."""
    return X * (1.0 + 1e-12 * np.random.default_rng(seed).standard_normal(X.shape))


@pytest.mark.parametrize("name", MODELS)
@given(seed=st.integers(0, 2**16))
@settings(max_examples=3)
def test_noise_of_the_last_digits_moves_no_probability(name, seed):
    X, Y = problem(seed)
    model = MODELS[name].set_params(**TIGHT)
    exact, noisy = (model.fit(features, Y).predict_proba(X) for features in (X, shaken(X, seed)))
    np.testing.assert_allclose(noisy, exact, atol=1e-6)


def mean_curvature(gradient, here, there, n_points=8):
    """Return the mean of the Hessian on the line between two points, by central differences."""
    nodes, weights = np.polynomial.legendre.leggauss(n_points)
    hessian = np.zeros((len(here), len(here)))
    for node, weight in zip(nodes, weights):
        at = here + 0.5 * (node + 1.0) * (there - here)
        slopes = [gradient(at + 1e-5 * e) - gradient(at - 1e-5 * e) for e in np.eye(len(here))]
        hessian += 0.5 * weight * np.array(slopes) / 2e-5
    return (hessian + hessian.T) / 2.0


def allowed_distance(loss, ridge, here, there, tol):
    """Return tol s sqrt(p) / m: how far a finished solver may be from the minimum."""

    def gradient(theta):
        return loss.value_and_gradient(theta)[1] + ridge * theta

    values = np.linalg.eigvalsh(mean_curvature(gradient, here, there))
    smallest = values[values > 1e-8 * values[-1]][0]  # what all classes share changes nothing
    return tol * float(np.max(loss.scale())) * np.sqrt(len(here)) / smallest


class OneColumn:
    """A loss of one problem (p, 1) as a loss of a vector (p,)."""

    def __init__(self, loss):
        self.loss, self.scale = loss, loss.scale

    def value_and_gradient(self, theta):
        value, gradient = self.loss.value_and_gradient(theta[:, None])
        return value, gradient[:, 0]


def logistic(tol):
    """Return loss, ridge and the parameters of a label's logistic regression."""
    X, Y = problem(0)
    learner = LogisticLearner(alpha=0.3, tol=tol).fit(X, Y[:, :1])
    loss = LogisticLoss(as_rows(X, Y[:, :1]), center=X.mean(axis=0))
    constant = learner.intercept_ + X.mean(axis=0) @ learner.coef_
    ridge = np.append(np.full(4, 0.3), 0.0)
    return OneColumn(loss), ridge, np.append(learner.coef_, constant)


def softmax(tol):
    X, Y = problem(0)
    sets, codes = np.unique(Y, axis=0, return_inverse=True)
    T = np.eye(len(sets))[codes.ravel()]
    learner = MultinomialLearner(alpha=0.3, tol=tol).fit(X, T)
    loss = SoftmaxLoss(as_rows(X, T), X.mean(axis=0))
    constant = learner.intercept_ + X.mean(axis=0) @ learner.coef_
    theta = np.vstack([learner.coef_, constant - constant.mean()])
    ridge = np.vstack([np.full(learner.coef_.shape, 0.3), np.zeros(len(sets))])
    return OneColumn(loss), ridge.ravel(), theta.ravel()


def field(model, ridges, tol):
    """The same of a field; `ridges` are those of the labels' and of the couplings' parameters."""
    X, Y = problem(0)
    model.set_params(tol=tol, max_iter=20_000).fit(X, Y)
    fitted = model._fit(X, Y.astype(np.uint8))
    n_weights, n_couplings = fitted.loss.sizes
    ridge = np.concatenate(
        [
            np.full(n_weights - fitted.n_free, ridges[0]),
            np.zeros(fitted.n_free),
            np.full(n_couplings, ridges[1]),
        ]
    )
    return fitted.loss, ridge, fitted.theta


def correlated(tol):
    return field(CorrelatedLogistic(alpha=0.3, edge_alpha=2.0), (0.3, 1.0), tol)


def correlated_pseudo(tol):
    return field(CorrelatedLogistic(objective="pseudo", alpha=0.3, edge_alpha=2.0), (0.3, 1.0), tol)


def graphical(tol):
    return field(ConditionalGraphicalLasso(alpha=0.3, edge_alpha=8.0), (0.3, 0.0), tol)


def support(tol):
    X, Y = problem(0)
    Y = Y.astype(np.uint8)
    model = PairwiseCRF(alpha=0.3, min_count=1, tol=tol, max_iter=20_000).fit(X, Y)
    codes = np.unique(Y, axis=0, return_inverse=True)[1].ravel()
    terms = FeatureTerms(X, 3, X.mean(axis=0))
    likelihood = SupportLikelihood(model.sets_, codes)
    loss = SupportLoss(terms, likelihood, model.sets_, model.pairs_, Y, own_weights=False)
    unary = terms.parameters(model.coef_.T, model.intercept_).ravel()
    ridge = np.repeat([0.3, 0.0, 0.3], [12, 3, 3])
    return loss, ridge, np.append(unary, model.coupling_)


FITS = [logistic, softmax, correlated, correlated_pseudo, graphical, support]


@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("fit", FITS)
def test_a_finished_fit_is_as_near_to_the_minimum_as_tol_says(fit, tol):
    loss, ridge, found = fit(tol)
    _, _, minimum = fit(1e-11)
    # a proximal gradient is that of the point before the last step
    doubled = 2.0 if fit is graphical else 1.0
    distance = np.linalg.norm(found - minimum)
    assert distance <= doubled * allowed_distance(loss, ridge, found, minimum, tol)
    assert distance > 0.0


@pytest.mark.parametrize("seed", [0, 1])
def test_at_the_default_tolerance_noise_moves_what_tol_explains(seed):
    X, Y = problem(seed)
    model = BinaryRelevance(alpha=0.3)
    exact, noisy = (model.fit(features, Y).predict_proba(X) for features in (X, shaken(X, seed)))
    longest = np.sqrt(np.square(X - X.mean(axis=0)).sum(axis=1).max() + 1.0)
    for label in range(3):
        loss = OneColumn(LogisticLoss(as_rows(X, Y[:, [label]]), center=X.mean(axis=0)))
        learner = LogisticLearner(alpha=0.3, tol=1e-11).fit(X, Y[:, [label]])
        theta = np.append(learner.coef_, learner.intercept_ + X.mean(axis=0) @ learner.coef_)
        ridge = np.append(np.full(4, 0.3), 0.0)
        distance = 2.0 * allowed_distance(loss, ridge, theta, theta, model.tol)
        assert np.abs(noisy - exact)[:, label].max() <= 0.25 * longest * distance


def exclusive(seed, n=150):
    """Five labels of which every row has one: couplings grow until mean field has many maxima."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    scores = X @ rng.normal(size=(4, 5)) + rng.gumbel(size=(n, 5))
    return X, np.eye(5, dtype=int)[scores.argmax(axis=1)]


@pytest.mark.parametrize(
    "model",
    [
        ConditionalGraphicalLasso(alpha=0.01, edge_alpha=1.0),
        CorrelatedLogistic(alpha=0.01, edge_alpha=0.1),
    ],
    ids=["cgl", "corrlog"],
)
def test_mean_field_is_stable_and_says_that_it_has_not_converged(model):
    model.set_params(objective="mean_field", max_iter=200)
    X, Y = exclusive(0)
    answers = []
    for noise in range(3):
        with pytest.warns(ConvergenceWarning, match="objective='mean_field' has kinks"):
            model.fit(shaken(X, noise) if noise else X, Y)
        answers.append(model.predict_proba(X))
    assert min(model.trace_.objective) > 0.0  # a loss, not an escape from the bound
    np.testing.assert_allclose(answers[1], answers[0], atol=1e-6)
    np.testing.assert_allclose(answers[2], answers[0], atol=1e-6)
