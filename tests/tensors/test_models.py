"""Models fitted to tensors learn what they learn from arrays of numpy, and answer in tensors."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from labelfield import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    LabelPowerset,
    PairwiseCRF,
    load,
    save,
    to_device,
)
from labelfield._namespaces import is_tensor, place_of, to_host
from labelfield.datasets import make_multilabel
from labelfield.learners import LogisticLearner, MultinomialLearner

TIGHT = {"tol": 1e-9, "max_iter": 2000}


@pytest.fixture(scope="module")
def data():
    return make_multilabel(n_samples=150, n_features=6, n_labels=4, random_state=0)


def same(found, wanted, place, atol=1e-6):
    assert is_tensor(found)
    assert place_of(found) == place
    assert found.shape == wanted.shape
    np.testing.assert_allclose(to_host(found), wanted, atol=atol)


def test_logistic_learner_finds_the_same_weights(data, place):
    wanted = LogisticLearner(alpha=0.5, **TIGHT).fit(data.X, data.Y)
    found = LogisticLearner(alpha=0.5, **TIGHT).fit(place.asarray(data.X), place.asarray(data.Y))
    same(found.coef_, wanted.coef_, place)
    same(found.intercept_, wanted.intercept_, place)
    assert found.trace_.objective[-1] == pytest.approx(wanted.trace_.objective[-1], rel=1e-10)


def test_weights_masks_and_constant_columns(data, place):
    rng = np.random.default_rng(0)
    X = np.insert(data.X, 2, 7.0, axis=1)
    Y = np.insert(data.Y, 1, 0, axis=1)  # a label that never occurs
    weight = rng.random((len(Y), Y.shape[1]))
    wanted = LogisticLearner(**TIGHT).fit(X, Y, sample_weight=weight)
    found = LogisticLearner(**TIGHT).fit(place.asarray(X), place.asarray(Y), sample_weight=weight)
    same(found.coef_, wanted.coef_, place)
    same(found.intercept_, wanted.intercept_, place)


def test_more_features_than_are_decomposed(place):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 520))
    Y = (X[:, :3] + rng.normal(size=(80, 3)) > 0).astype(np.uint8)
    wanted = LogisticLearner(alpha=5.0, **TIGHT).fit(X, Y)
    found = LogisticLearner(alpha=5.0, **TIGHT).fit(place.asarray(X), place.asarray(Y))
    same(found.coef_, wanted.coef_, place)


def test_multinomial_learner_finds_the_same_weights(data, place):
    T = np.random.default_rng(0).dirichlet(np.ones(3), len(data.Y))
    wanted = MultinomialLearner(**TIGHT).fit(data.X, T)
    found = MultinomialLearner(**TIGHT).fit(place.asarray(data.X), place.asarray(T))
    same(found.coef_, wanted.coef_, place)
    same(found.log_proba(place.asarray(data.X)), wanted.log_proba(data.X), place)


@pytest.mark.usefixtures("dispatch")
@pytest.mark.parametrize("alpha", [0.5, "auto"])
def test_binary_relevance_follows_x(data, place, alpha):
    X = place.asarray(data.X)
    wanted = BinaryRelevance(alpha=alpha, **TIGHT).fit(data.X, data.Y)
    found = BinaryRelevance(alpha=alpha, **TIGHT).fit(X, data.Y)  # Y comes to X
    assert found.alpha_ == pytest.approx(wanted.alpha_, rel=1e-6)
    same(found.coef_, wanted.coef_, place, atol=1e-5)
    same(found.predict_proba(X), wanted.predict_proba(data.X), place)
    same(found.decision_function(X), wanted.decision_function(data.X), place, atol=1e-4)
    for decoder in ("subset", "hamming", "f1", "jaccard"):
        answer = found.predict(X, decoder=decoder)
        same(answer, wanted.predict(data.X, decoder=decoder), place)
        assert to_host(answer).dtype == data.Y.dtype
    log_prob = found.predict_joint(X).log_prob(place.asarray(data.Y))
    same(log_prob, wanted.predict_joint(data.X).log_prob(data.Y), place, atol=1e-5)
    assert found.predict_names(X) == wanted.predict_names(data.X)


@pytest.mark.usefixtures("dispatch")
def test_unknown_labels_and_weights(data, place):
    rng = np.random.default_rng(0)
    Y = np.where(rng.random(data.Y.shape) < 0.2, np.nan, data.Y)
    weight = rng.integers(0, 3, len(Y)).astype(float)
    wanted = BinaryRelevance(alpha=0.5, **TIGHT).fit(data.X, Y, sample_weight=weight)
    found = BinaryRelevance(alpha=0.5, **TIGHT)
    found.fit(place.asarray(data.X), place.asarray(Y), sample_weight=place.asarray(weight))
    same(found.coef_, wanted.coef_, place)


@pytest.mark.usefixtures("dispatch")
def test_one_dimensional_target(data, place):
    X, y = place.asarray(data.X), data.Y[:, 0]
    wanted = BinaryRelevance(alpha=0.5, **TIGHT).fit(data.X, y)
    found = BinaryRelevance(alpha=0.5, **TIGHT).fit(X, place.asarray(y))
    same(found.predict(X), wanted.predict(data.X), place)
    same(found.predict_proba(X), wanted.predict_proba(data.X), place)


@pytest.mark.usefixtures("dispatch")
@pytest.mark.filterwarnings("ignore:Sparse .* tensor support is in beta state")
@pytest.mark.parametrize("alpha", [0.5, "auto"])
def test_sparse_tensors_of_torch(alpha):
    torch = pytest.importorskip("torch", reason="not installed: pip install torch")
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(120, 30)) * (rng.random((120, 30)) < 0.2)
    dense[:, 4] = 0.0
    Y = (dense[:, :3] + 0.3 * rng.normal(size=(120, 3)) > 0).astype(np.uint8)
    X = torch.from_numpy(dense).to_sparse_csr()
    wanted = BinaryRelevance(alpha=alpha, **TIGHT).fit(sp.csr_matrix(dense), Y)
    found = BinaryRelevance(alpha=alpha, **TIGHT).fit(X, Y)
    same(found.coef_, wanted.coef_, place_of(X), atol=1e-5)
    same(found.predict(X), wanted.predict(dense), place_of(X))


@pytest.mark.usefixtures("dispatch")
def test_pickled_models_answer_as_before(data):
    torch = pytest.importorskip("torch", reason="not installed: pip install torch")
    X = torch.from_numpy(data.X)
    model = BinaryRelevance(alpha=0.5).fit(X, data.Y)
    again = pickle.loads(pickle.dumps(model))
    assert torch.equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.usefixtures("dispatch")
def test_errors_name_the_way_out(data, place):
    X = place.asarray(data.X)
    plain = BinaryRelevance(alpha=0.5).fit(data.X, data.Y)
    with pytest.raises(ValueError, match=r"fitted on arrays of numpy, but X is of .*to_device"):
        plain.predict(X)
    model = BinaryRelevance(alpha=0.5).fit(X, data.Y)
    with pytest.raises(ValueError, match=r"but X is of numpy"):
        model.predict(data.X)
    with pytest.raises(TypeError, match="computes on arrays of numpy only"):
        BinaryRelevance(alpha=0.5, l1_ratio=0.5).fit(X, data.Y)
    with pytest.raises(ValueError, match="inconsistent numbers of rows"):
        BinaryRelevance(alpha=0.5).fit(X, data.Y[1:])
    with pytest.raises(ValueError, match="Y holds 2"):
        BinaryRelevance(alpha=0.5).fit(X, place.asarray(2 * data.Y))
    with pytest.raises(ValueError, match="NaN"):
        BinaryRelevance(alpha=0.5).fit(place.asarray(np.where(data.X > 2, np.nan, data.X)), data.Y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])


@pytest.mark.usefixtures("dispatch")
@pytest.mark.parametrize("early_stopping", [False, True])
def test_mixtures_follow_x(data, place, early_stopping):
    options = {"n_components": 3, "max_iter": 3, "init": "sets", "alpha": 0.5, "random_state": 0}
    options["early_stopping"] = early_stopping
    X = place.asarray(data.X)
    wanted = ConditionalBernoulliMixture(**options).fit(data.X, data.Y)
    found = ConditionalBernoulliMixture(**options).fit(X, place.asarray(data.Y))
    np.testing.assert_allclose(found.trace_.objective, wanted.trace_.objective, rtol=1e-5)
    same(found.predict_proba(X), wanted.predict_proba(data.X), place, atol=1e-3)
    for decoder in ("subset", "f1"):
        right = to_host(found.predict(X, decoder)) == wanted.predict(data.X, decoder)
        assert right.all(axis=1).mean() > 0.98


@pytest.mark.usefixtures("dispatch")
def test_fields_follow_x(data, place):
    X = place.asarray(data.X)
    wanted = PairwiseCRF(alpha=0.5, tol=1e-9, max_iter=2000).fit(data.X, data.Y)
    found = PairwiseCRF(alpha=0.5, tol=1e-9, max_iter=2000).fit(X, data.Y)
    same(found.coef_, wanted.coef_, place, atol=1e-4)
    np.testing.assert_allclose(found.coupling_, wanted.coupling_, atol=1e-4)
    same(found.predict_proba(X), wanted.predict_proba(data.X), place, atol=1e-4)
    same(found.predict(X), wanted.predict(data.X), place)


@pytest.mark.usefixtures("dispatch")
def test_fields_learn_from_known_labels(data, place):
    Y = np.where(np.random.default_rng(0).random(data.Y.shape) < 0.2, np.nan, data.Y)
    X = place.asarray(data.X)
    wanted = PairwiseCRF(alpha=0.5, tol=1e-9, max_iter=2000).fit(data.X, Y)
    found = PairwiseCRF(alpha=0.5, tol=1e-9, max_iter=2000).fit(X, place.asarray(Y))
    same(found.predict_proba(X), wanted.predict_proba(data.X), place, atol=1e-4)


@pytest.mark.usefixtures("dispatch")
def test_powersets_follow_x(data, place):
    X = place.asarray(data.X)
    wanted = LabelPowerset(alpha=0.5, **TIGHT).fit(data.X, data.Y)
    found = LabelPowerset(alpha=0.5, **TIGHT).fit(X, data.Y)
    same(found.predict_proba(X), wanted.predict_proba(data.X), place, atol=1e-5)
    same(found.predict(X), wanted.predict(data.X), place)


MOVED = [
    BinaryRelevance(alpha=0.5),
    LabelPowerset(alpha=0.5),
    PairwiseCRF(alpha=0.5),
    ConditionalBernoulliMixture(
        n_components=2, alpha=0.5, max_iter=2, early_stopping=False, random_state=0
    ),
]


@pytest.mark.usefixtures("dispatch")
@pytest.mark.parametrize("model", MOVED, ids=lambda model: type(model).__name__)
def test_models_move_and_files_hold_main_memory(data, place, model, tmp_path):
    X = place.asarray(data.X)
    plain = clone(model).fit(data.X, data.Y)
    wanted = plain.predict_proba(data.X)
    there = to_device(plain, like=X)
    same(there.predict_proba(X), wanted, place)
    np.testing.assert_array_equal(plain.predict_proba(data.X), wanted)  # the first one stays
    np.testing.assert_allclose(to_device(there).predict_proba(data.X), wanted, atol=1e-12)
    save(there, tmp_path / "model.lf")
    loaded = load(tmp_path / "model.lf")
    np.testing.assert_allclose(loaded.predict_proba(data.X), wanted, atol=1e-12)
    same(to_device(loaded, like=X).predict_proba(X), wanted, place)


def test_devices_that_are_not_there(data):
    torch = pytest.importorskip("torch", reason="not installed: pip install torch")
    model = BinaryRelevance(alpha=0.5).fit(data.X, data.Y)
    with pytest.raises(ValueError, match="device='nowhere' cannot be used"):
        to_device(model, "nowhere")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match=r"is_available\(\) is False"):
            to_device(model, "cuda")
    with pytest.raises(ValueError, match="like must be a tensor"):
        to_device(model, like=data.X)
    with pytest.raises(TypeError, match="computes on arrays of numpy only"):
        to_device(BinaryRelevance(alpha=0.5, l1_ratio=0.5).fit(data.X, data.Y), "cpu")


def test_without_dispatch_tensors_are_read_as_arrays(data):
    torch = pytest.importorskip("torch", reason="not installed: pip install torch")
    X = torch.from_numpy(data.X)
    model = BinaryRelevance(alpha=0.5).fit(X, data.Y)
    assert isinstance(model.predict_proba(X), np.ndarray)
    with pytest.raises(TypeError, match=r"set_config\(array_api_dispatch=True\)"):
        model.predict(torch.empty(2, 6, device="meta"))


@pytest.mark.usefixtures("dispatch")
@pytest.mark.parametrize("kind", [ConditionalBernoulliMixture, PairwiseCRF])
def test_features_in_single_precision_give_about_the_same_model(data, kind):
    torch = pytest.importorskip("torch")
    X, options = data.X.astype(np.float32), {"alpha": 1.0, "tol": 1e-4}
    if kind is ConditionalBernoulliMixture:
        options |= {"n_components": 3, "max_iter": 3, "init": "sets", "early_stopping": False}
    found = kind(**options).fit(torch.asarray(X), torch.asarray(data.Y))
    wanted = kind(**options).fit(X, data.Y).predict_proba(X)
    np.testing.assert_allclose(found.predict_proba(torch.asarray(X)), wanted, atol=5e-3)
