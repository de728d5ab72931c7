"""What a model promises about joints, decisions, labels and bad input."""

import pickle
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils._param_validation import make_constraint
from sklearn.utils.validation import has_fit_parameter

from labelfield.decode import DECODERS, resolve
from labelfield.metrics import roc_auc


def _tiny_data(n=60, d=5, n_labels=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, n_labels)) + 0.5 * rng.normal(size=(n, n_labels))
    Y = (scores > 0.3).astype(np.int64)
    Y[:, 1] |= Y[:, 0]
    return X, Y


def _quiet_fit(estimator, X, Y, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(estimator).fit(X, Y, **given)


def decision_name(estimator):
    """Return the name of the constructor argument that says what `predict` decides for."""
    return "decoder" if "decoder" in estimator.get_params(deep=False) else "metric"


def _raises(error, call, *words):
    try:
        call()
    except error as caught:
        message = str(caught)
        missing = [w for w in words if w.lower() not in message.lower()]
        assert not missing, f"the message {message!r} does not say {missing}"
        return
    raise AssertionError(f"no {error.__name__} about {words}")


def check_predict_decodes_joint(estimator):
    """`predict` is the decoder's answer on `predict_joint`, for every decoder."""
    X, Y = _tiny_data()
    model = _quiet_fit(estimator, X, Y)
    for name in DECODERS:
        decoder = resolve(name)
        if decoder.needs_fit:
            continue
        expected = decoder.decode(model.predict_joint(X), empty_seen=model.empty_seen_)
        np.testing.assert_array_equal(model.predict(X, decoder=name), expected, err_msg=name)


def check_proba_is_marginals(estimator):
    """`predict_proba` gives the joint's marginals, all within [0, 1]."""
    X, Y = _tiny_data()
    model = _quiet_fit(estimator, X, Y)
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(proba, model.predict_joint(X).marginals())
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0
    assert proba.std() > 0.0, "every probability is the same"


def check_explanations_add_up(estimator):
    """`explain` gives every label's log-odds beside the rest of the predicted set, as a sum."""
    X, Y = _tiny_data()
    model = _quiet_fit(estimator, X, Y)
    joint, sets, names = model.predict_joint(X), model.predict(X), list(model.label_names_)
    moved = X[:3] + np.eye(3, X.shape[1])
    for i, (why, after) in enumerate(zip(model.explain(X[:3]), model.explain(moved, sets[:3]))):
        assert why.labels == tuple(np.asarray(names)[sets[i] == 1])
        own_after = {reason.label: reason.own for reason in after.reasons}
        for reason in why.reasons:
            pair = np.repeat(sets[i][None], 2, axis=0)
            pair[:, names.index(reason.label)] = 1, 0
            scores = joint.take(np.array([i])).log_score(pair[None])[0]
            np.testing.assert_allclose(reason.log_odds, scores[0] - scores[1], atol=1e-6, rtol=1e-6)
            if reason.features:
                parts = dict(reason.features)
                np.testing.assert_allclose(sum(parts.values()), reason.own, atol=1e-9)
                change = own_after[reason.label] - reason.own  # by one more of feature i
                np.testing.assert_allclose(parts.get(f"x{i}", 0.0), change * X[i, i], atol=1e-6)


def check_joint_is_normalized(estimator):
    """Probabilities of all label sets sum to one and agree with the marginals."""
    X, Y = _tiny_data()
    joint = _quiet_fit(estimator, X, Y).predict_joint(X[:5])
    sets = ((np.arange(16)[:, None] >> np.arange(4)) & 1).astype(np.uint8)
    p = np.exp(joint.log_prob(np.broadcast_to(sets, (5, 16, 4))))
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-6)
    if joint.exact:
        np.testing.assert_allclose(p @ sets, joint.marginals(), atol=1e-6)


def check_label_permutation(estimator):
    """Permuting the label columns permutes the answer and changes nothing else."""
    X, Y = _tiny_data()
    order = np.array([2, 0, 3, 1])
    plain = _quiet_fit(estimator, X, Y).predict_proba(X)
    permuted = _quiet_fit(estimator, X, Y[:, order]).predict_proba(X)
    np.testing.assert_allclose(permuted, plain[:, order], atol=1e-5)


def check_constant_labels(estimator):
    """A label that is never or always present is predicted so."""
    X, Y = _tiny_data()
    Y[:, 2] = 0
    Y[:, 3] = 1
    predicted = _quiet_fit(estimator, X, Y).predict(X)
    assert not predicted[:, 2].any(), "a label without positives was predicted"
    assert predicted[:, 3].all(), "a label without negatives was not predicted"


def check_single_label(estimator):
    """One label as a column or as a 1-d target gives the same answers."""
    X, Y = _tiny_data()
    column = _quiet_fit(estimator, X, Y[:, :1])
    flat = _quiet_fit(estimator, X, Y[:, 0])
    assert column.predict(X).shape == (len(X), 1)
    np.testing.assert_array_equal(column.predict(X)[:, 0], flat.predict(X))
    np.testing.assert_allclose(column.predict_proba(X)[:, 0], flat.predict_proba(X)[:, 1])


def check_empty_rows(estimator):
    """Rows without labels are learned from; the empty set is answered only if training had it."""
    X, Y = _tiny_data()
    Y[::2] = 0
    assert _quiet_fit(estimator, X, Y).empty_seen_
    Y[~Y.any(axis=1), 0] = 1
    model = _quiet_fit(estimator, X, Y)
    assert not model.empty_seen_
    assert model.predict(X, decoder="subset").any(axis=1).all(), "an empty set was answered"


def check_unseen_set(estimator):
    """The log-probability of a set that training did not hold is a number or minus infinity."""
    X, Y = _tiny_data()
    seen = {tuple(row) for row in Y.tolist()}
    sets = ((np.arange(16)[:, None] >> np.arange(4)) & 1).astype(np.uint8)
    unseen = np.array([s for s in sets if tuple(s.tolist()) not in seen], dtype=np.uint8)
    assert len(unseen), "the check's data holds every set"
    joint = _quiet_fit(estimator, X, Y).predict_joint(X[:3])
    log_prob = joint.log_prob(np.broadcast_to(unseen, (3, *unseen.shape)))
    assert not np.isnan(log_prob).any()
    assert (log_prob <= 0).all()


def check_sparse_equals_dense(estimator):
    """CSR and dense features give the same model; a CSR target gives CSR answers."""
    X, Y = _tiny_data()
    X[np.abs(X) < 0.5] = 0.0
    dense = _quiet_fit(estimator, X, Y)
    sparse = _quiet_fit(estimator, sp.csr_matrix(X), sp.csr_matrix(Y))
    answer = sparse.predict(sp.csr_matrix(X))
    assert sp.issparse(answer)
    np.testing.assert_allclose(
        sparse.predict_proba(sp.csr_matrix(X)), dense.predict_proba(X), atol=1e-5
    )
    disagree = (answer.toarray() != dense.predict(X)).mean()
    assert disagree == 0, f"{disagree:.1%} of the labels differ"


def check_same_seed_same_result(estimator):
    """Two fits of equal estimators are equal."""
    X, Y = _tiny_data()
    first, second = _quiet_fit(estimator, X, Y), _quiet_fit(estimator, X, Y)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))


def check_pickle(estimator):
    """A pickled model answers as before."""
    X, Y = _tiny_data()
    model = _quiet_fit(estimator, X, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def check_learned_thresholds(estimator):
    """A decoder that learns is fitted with the model."""
    X, Y = _tiny_data()
    decision = {decision_name(estimator): "threshold_f1_macro"}
    model = _quiet_fit(clone(estimator).set_params(**decision), X, Y)
    thresholds = model._fitted_decoder.thresholds_
    expected = (model.predict_proba(X) > thresholds).astype(Y.dtype)
    np.testing.assert_array_equal(model.predict(X), expected)


def check_strength_is_chosen(estimator):
    """Where `alpha` may be "auto" it is the best of the strengths tried; odd labels do no harm."""
    if not _allowed(estimator._parameter_constraints.get("alpha", []), "auto"):
        return
    X, Y = _tiny_data()
    chosen = clone(estimator).set_params(alpha="auto")
    path = getattr(_quiet_fit(chosen, X, Y), "strength_path_", None)
    if path is not None:
        best = path.log_likelihood[path.strengths == path.alpha]
        assert path.log_likelihood.max() - best <= 1e-3, f"alpha={path.alpha} is not the best"
    Y[:, 2], Y[:, 3] = 0, 1
    Y[0, 2] = 1
    for n in (12, 60):
        proba = _quiet_fit(chosen, X[:n], Y[:n]).predict_proba(X)
        assert np.isfinite(proba).all(), f"a label seen once spoils the model of {n} rows"


def check_zero_weight_is_no_row(estimator):
    """A row of weight 0 leaves no trace."""
    if not has_fit_parameter(estimator, "sample_weight"):
        return
    X, Y = _tiny_data()
    Y[5] = 1 - Y[5].any()  # perhaps a set that no other row has
    weight = np.where(np.arange(len(Y)) % 4 == 1, 0.0, 1.5)
    weighted = _quiet_fit(estimator, X, Y, sample_weight=weight)
    kept = weight > 0
    alone = _quiet_fit(estimator, X[kept], Y[kept], sample_weight=weight[kept])
    np.testing.assert_allclose(weighted.predict_proba(X), alone.predict_proba(X), atol=1e-6)
    assert weighted.empty_seen_ == alone.empty_seen_


def check_double_weight_is_the_row_twice(estimator):
    """A row of weight 2 counts as two, at a given strength."""
    if not has_fit_parameter(estimator, "sample_weight"):
        return
    if estimator.get_params().get("alpha") == "auto":  # the copies would be in different folds
        estimator = clone(estimator).set_params(alpha=1.0)
    X, Y = _tiny_data()
    times = np.arange(len(Y)) % 3
    weighted = _quiet_fit(estimator, X, Y, sample_weight=times)
    repeated = _quiet_fit(estimator, np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-4)


def check_target_types(estimator):
    """Answers have the dtype of the training target."""
    X, Y = _tiny_data()
    for dtype in (np.int64, np.uint8, np.bool_, np.float64):
        answer = _quiet_fit(estimator, X, Y.astype(dtype)).predict(X)
        assert answer.dtype == dtype, f"{answer.dtype} for a target of {np.dtype(dtype)}"


def check_float32(estimator):
    """Float32 features give nearly the float64 model."""
    X, Y = _tiny_data()
    single = _quiet_fit(estimator, X.astype(np.float32), Y).predict_proba(X.astype(np.float32))
    np.testing.assert_allclose(single, _quiet_fit(estimator, X, Y).predict_proba(X), atol=2e-2)


def check_unknown_labels(estimator):
    """NaN in Y is learned from where the model can, and refused with a way out where not."""
    X, Y = _tiny_data()
    holed = Y.astype(float)
    holed[::3, 0] = np.nan
    if not estimator._accepts_unknown:
        _raises(ValueError, lambda: clone(estimator).fit(X, holed), "NaN", "BinaryRelevance")
        return
    model = _quiet_fit(estimator, X, holed)
    hidden = np.isnan(holed[:, :1])
    found = roc_auc(np.where(hidden, Y[:, :1], np.nan), model.predict_proba(X)[:, :1])
    assert found > 0.6, f"hidden labels are found with an area under the curve of {found:.2f} only"
    holed[1], holed[:, 3] = np.nan, np.nan
    try:
        proba = _quiet_fit(estimator, X, holed).predict_proba(X)
    except ValueError as caught:  # some need rows of which everything is known
        message = str(caught)
        assert "known" in message, f"the message {message!r} does not say what is missing"
        return
    assert np.isfinite(proba).all(), "a row or a label of which nothing is known spoils the model"


def check_bad_input(estimator):
    """Wrong data is refused with a message that names the trouble."""
    X, Y = _tiny_data()
    reads_holes = get_tags(estimator).input_tags.allow_nan
    for bad, word in ((np.nan, "nan"), (np.inf, "infinity")):
        if reads_holes and np.isnan(bad):
            continue
        holed = X.copy()
        holed[3, 1] = bad
        _raises(ValueError, lambda X=holed: clone(estimator).fit(X, Y), word)
    _raises(ValueError, lambda: clone(estimator).fit(X, Y[:, :, None]), "3 dimensions")
    _raises(ValueError, lambda: clone(estimator).fit(X, Y + 1), "Y holds 2")
    _raises(ValueError, lambda: clone(estimator).fit(X, Y[:-1]), "inconsistent")
    _raises(ValueError, lambda: clone(estimator).fit(X[:0], Y[:0]), "0 sample")
    model = _quiet_fit(estimator, X, Y)
    _raises(ValueError, lambda: model.predict(X[:, :-1]), "features")
    _raises(ValueError, lambda: model.predict(X, decoder="best"), "decoder", "subset")


def check_arguments_are_declared(estimator):
    """Every constructor argument has a constraint, and a wrong value is refused by its name."""
    X, Y = _tiny_data()
    names = set(estimator.get_params(deep=False))
    declared = set(estimator._parameter_constraints)
    assert declared == names, f"declared and constructor arguments differ in {declared ^ names}"
    for name in sorted(names):
        for wrong in (float("nan"), -1.5, object()):
            if not _allowed(estimator._parameter_constraints[name], wrong):
                wronged = clone(estimator).set_params(**{name: wrong})
                _raises(ValueError, lambda model=wronged: model.fit(X, Y), name)


def _allowed(constraints, value):
    return any(make_constraint(c).is_satisfied_by(value) for c in constraints)


def check_one_row(estimator):
    """One training row is learned by heart or refused for being one."""
    X, Y = _tiny_data()
    try:
        model = _quiet_fit(estimator, X[:1], Y[:1])
    except ValueError as caught:
        message = str(caught)
        assert "1" in message, f"the message {message!r} does not say what is missing"
        return
    np.testing.assert_array_equal(model.predict(X[:1], decoder="hamming"), Y[:1])
