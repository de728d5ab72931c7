"""The kernel machine against the textbook formula and against fits of every fold."""

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.kernel_ridge import KernelRidge as SklearnRidge
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.preprocessing import QuantileTransformer, StandardScaler

from labelfield.learners import (
    KernelMachine,
    KernelRidge,
    KernelView,
    LandmarkRidge,
    kernel_ridge,
    mean_kernel,
)


def rows(n=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1)


def test_all_landmarks_give_kernel_ridge_regression():
    X, T = rows()
    fresh = rows(seed=1)[0]
    view = KernelView("standard").fit(X)
    machine = KernelMachine([view], 2.0, X)
    machine.fit(machine.problem(X, T), 0.3)
    scaler = StandardScaler().fit(X)
    A, B = scaler.transform(X), scaler.transform(fresh)
    gamma = 2.0 / X.shape[1]
    theirs = SklearnRidge(alpha=0.3, kernel="precomputed")
    theirs.fit(laplacian_kernel(A, gamma=gamma), T - T.mean(axis=0))
    expected = theirs.predict(laplacian_kernel(B, A, gamma=gamma)) + T.mean(axis=0)
    np.testing.assert_allclose(machine.decision(fresh), expected, atol=1e-5)


def test_one_factorisation_gives_the_same_regression():
    X, T = rows()
    fresh = rows(seed=1)[0]
    views = [KernelView(scaling).fit(X) for scaling in ("standard", "directions")]
    machine = KernelMachine(views, 2.0, X)
    machine.fit(machine.problem(X, T), 0.3)
    old, new = ([view.transform(part) for view in views] for part in (X, fresh))
    weights, mean = kernel_ridge(mean_kernel(views, 2.0, old, old), T, 0.3)
    scores = mean_kernel(views, 2.0, new, old) @ weights + mean
    np.testing.assert_allclose(scores, machine.decision(fresh), atol=1e-6)


def test_squares_give_the_gaussian_kernel():
    X, _ = rows()
    machine = KernelMachine([KernelView("squares").fit(X)], 2.0, X[:20])
    scaled = StandardScaler().fit_transform(X)
    expected = rbf_kernel(scaled, scaled[:20], gamma=2.0 / X.shape[1])
    np.testing.assert_allclose(machine._kernel(X), expected, atol=1e-12)


def test_two_views_are_averaged():
    X, T = rows()
    views = [KernelView(scaling).fit(X) for scaling in ("standard", "ranks")]
    both = KernelMachine(views, 0.5, X[:20])._kernel(X)
    single = [KernelMachine([view], 0.5, X[:20])._kernel(X) for view in views]
    np.testing.assert_allclose(both, np.mean(single, axis=0))


def test_sparse_rows_are_compared_by_their_angle():
    X = sp.csr_matrix([[1.0, 0.0], [5.0, 0.0], [0.0, 2.0]])
    view = KernelView("unit").fit(X)
    scaled = view.transform(X)
    np.testing.assert_allclose(view.distances(scaled, scaled), [[0, 0, 2], [0, 0, 2], [2, 2, 0]])


def test_rare_columns_weigh_as_in_scikit_learns_text_features():
    X = sp.random(40, 12, 0.3, format="csr", random_state=0)
    X.data[:] = np.random.default_rng(0).integers(1, 4, len(X.data))
    found = KernelView("rare").fit(X).transform(X)
    np.testing.assert_allclose(found.toarray(), TfidfTransformer().fit_transform(X).toarray())


def test_directions_forget_how_far_a_row_is_from_the_mean():
    X, _ = rows()
    view = KernelView("directions").fit(X)
    centre, scale = X.mean(axis=0), X.std(axis=0)
    away = np.array([[1.0, -0.5, 0.2, 0.0]])
    near, far = (view.transform(centre + k * away * scale) for k in (1.0, 3.0))
    np.testing.assert_allclose(near, far, atol=1e-12)
    np.testing.assert_allclose(near, away / np.linalg.norm(away), atol=1e-12)
    assert view.distances(near, far) < 1e-12
    np.testing.assert_allclose(view.transform((centre + 1e9 * scale)[None]), 0.5)  # all are cut


def test_a_far_value_moves_ranks_little():
    X, _ = rows()
    far = X.copy()
    far[0, 0] = 1e9
    assert KernelView("ranks").fit(X).transform(far)[0, 0] == 3.0


def test_normal_scores_are_those_of_the_quantile_transformer():
    rng = np.random.default_rng(0)
    X = np.stack([rng.normal(size=300), rng.exponential(size=300), np.zeros(300)], axis=1)
    X[:90, 1] = 0.0
    expected = QuantileTransformer(n_quantiles=200, output_distribution="normal").fit_transform(X)
    found = KernelView("ranks").fit(X).transform(X)
    inner = (np.abs(expected) < 2.0) & (np.abs(X) > 0.02)  # but for the step beside the zeros
    np.testing.assert_allclose(found[inner], expected[inner], atol=0.02)
    np.testing.assert_array_equal(found[X == 0.0], -3.0)  # the least value, however frequent


def test_rows_that_are_their_own_landmarks_are_recognised():
    X, T = rows()
    machine = KernelMachine([KernelView("standard").fit(X)], 1.0, X)
    own, copied = machine.problem(X, T), machine.problem(X.copy(), T)
    assert (type(own), type(copied)) == (KernelRidge, LandmarkRidge)
    np.testing.assert_allclose(own.solve(0.3), copied.solve(0.3), atol=1e-5)


def test_landmarks_that_are_some_of_the_rows_need_no_kernel_of_their_own():
    X, T = rows()
    chosen = np.array([1, 4, 5, 9, 17])
    views = [KernelView(scaling).fit(X) for scaling in ("standard", "squares", "ranks")]
    machine = KernelMachine(views, 1.0, X[chosen])
    told, plain = machine.problem(X, T, chosen=chosen), machine.problem(X, T)
    np.testing.assert_allclose(told.solve(0.3), plain.solve(0.3), rtol=1e-6)
