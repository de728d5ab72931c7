"""Trees and boosting by block: the same bits from memory and from disk, classes aligned."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import labelfield
from labelfield import (
    BinaryRelevance,
    BlockBagging,
    CalibratedSetClassifier,
    ClassifierChain,
    JointStacking,
    LabelPowerset,
    PairwiseCRF,
    ProbabilisticClassifierChain,
)
from labelfield.datasets import make_multilabel, open_blocks
from row_blocks import cut

SIZE = 50
MODELS = [BinaryRelevance, ClassifierChain, LabelPowerset, ProbabilisticClassifierChain]


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=130, n_features=6, n_labels=3, random_state=0)
    X = np.insert(made.X, 2, 7.0, axis=1)  # a constant column
    Y = np.asarray(made.Y)
    Y[:SIZE, 1] = 0  # a label that the first block lacks
    return X, Y, np.random.default_rng(0).integers(1, 4, 130).astype(float)


def forest(n_trees=10, kind=ExtraTreesClassifier, **options):
    return BlockBagging(kind(n_trees, random_state=3, max_depth=4, **options), block_rows=SIZE)


def boosted():
    lightgbm = pytest.importorskip("lightgbm")
    return BlockBagging(
        lightgbm.LGBMClassifier(n_estimators=4, num_leaves=5, n_jobs=1, verbose=-1, random_state=1),
        block_rows=SIZE,
    )


@parametrize_with_checks([BlockBagging(DecisionTreeClassifier(random_state=0))])
def test_scikit_learn_takes_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", [ExtraTreesClassifier, RandomForestClassifier])
def test_blocks_give_the_bits_of_rows_in_memory(data, model, kind):
    X, Y, weight = data
    whole = model(forest(kind=kind)).fit(X, Y, weight)
    parts = model(forest(kind=kind)).fit(cut(data, SIZE))
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))


@pytest.mark.parametrize("model", [BinaryRelevance, LabelPowerset])
def test_boosting_is_bagged_by_block(data, model):
    X, Y, _ = data
    whole = model(boosted()).fit(X, Y)
    parts = model(boosted()).fit(cut((X, Y), SIZE))
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))
    assert whole.predict_proba(X).std() > 0.05


def test_files_give_the_bits_of_rows_in_memory(data, tmp_path):
    X, Y, _ = data
    X = X.astype(np.float32)
    text = "\n".join(",".join(map(repr, [*map(float, x), *map(int, y)])) for x, y in zip(X, Y))
    names = [*"abcdefg", "rain", "sun", "wind"]
    (tmp_path / "train.csv").write_text(",".join(names) + "\n" + text)
    blocks = open_blocks(tmp_path / "train.csv", labels=names[-3:], block_rows=SIZE)
    parts = BinaryRelevance(forest()).fit(blocks)
    assert parts.label_names_.tolist() == names[-3:]
    whole = BinaryRelevance(forest()).fit(X, Y)
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


def test_sparse_blocks_and_labels(data):
    X, Y, _ = data
    thin = X * (np.abs(X) > 0.8)
    blocks = cut((thin, Y), SIZE, convert=sp.csr_matrix)
    parts = BinaryRelevance(forest()).fit(blocks)
    whole = BinaryRelevance(forest()).fit(sp.csr_matrix(thin), sp.csr_matrix(Y))
    np.testing.assert_array_equal(parts.predict_proba(thin), whole.predict_proba(thin))
    assert sp.issparse(parts.predict(thin))


def test_one_block_is_the_plain_forest(data):
    X, Y, _ = data
    plain = ExtraTreesClassifier(10, random_state=3)
    for model in (BinaryRelevance, LabelPowerset):
        wanted = model(plain).fit(X, Y).predict_proba(X)
        np.testing.assert_array_equal(model(BlockBagging(plain)).fit(X, Y).predict_proba(X), wanted)
        parts = model(BlockBagging(plain)).fit([(X, Y)])
        np.testing.assert_array_equal(parts.predict_proba(X), wanted)


def test_probabilities_are_averages_over_blocks_with_classes_aligned(data):
    X, _, weight = data
    y = np.repeat(["b", "a", "c", "b", "a", "d"], [20, 30, 25, 25, 15, 15])
    bag = BlockBagging(KNeighborsClassifier(3), block_rows=SIZE).fit(X, y)
    wanted = np.zeros((len(X), 4))
    for rows in (slice(0, 50), slice(50, 100), slice(100, 130)):
        member = KNeighborsClassifier(3).fit(X[rows], y[rows])
        for place, name in enumerate(member.classes_):
            share = (rows.stop - rows.start) / len(X)
            wanted[:, "abcd".index(name)] += share * member.predict_proba(X)[:, place]
    np.testing.assert_allclose(bag.predict_proba(X), wanted, atol=1e-15)
    weighted = BlockBagging(DecisionTreeClassifier(), block_rows=SIZE).fit(X, y, weight)
    totals = [weight[i : i + SIZE].sum() for i in range(0, 130, SIZE)]
    np.testing.assert_allclose(weighted.weights_, totals / weight.sum())


def test_a_label_that_a_block_lacks_is_impossible_there(data):
    X, Y, _ = data
    fitted = BinaryRelevance(forest()).fit(cut((X, Y), SIZE))
    first, *others = fitted.problems_.estimators[1].estimators_
    assert first.predict_proba(X).tolist() == [[1.0]] * len(X)
    wanted = sum(
        share * member.predict_proba(X)[:, 1] for member, share in zip(others, [5 / 13, 3 / 13])
    )
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("n_trees", "grown"), [(13, [5, 5, 3]), (10, [4, 4, 2]), (3, [1, 1, 1]), (1, [1, 1, 1])]
)
def test_trees_are_shared_out_among_blocks(data, n_trees, grown):
    X, Y, _ = data
    for estimator in (
        ExtraTreesClassifier(n_trees),
        BaggingClassifier(n_estimators=n_trees),
        make_pipeline(StandardScaler(), RandomForestClassifier(n_trees)),
    ):
        bag = BlockBagging(estimator, block_rows=SIZE).fit(X, Y[:, 0])
        last = [m[-1] if hasattr(m, "steps") else m for m in bag.estimators_]
        assert [member.n_estimators for member in last] == grown


def test_blocks_have_seeds_of_their_own(data):
    X, Y, _ = data
    twice = np.concatenate([X, X]), np.concatenate([Y, Y])
    bag = BlockBagging(ExtraTreesClassifier(4, random_state=0), block_rows=130)
    bag.fit(twice[0], twice[1][:, 0])
    first, second = bag.estimators_
    assert first.random_state == 0
    assert second.random_state != 0
    again = clone(bag).fit(twice[0], twice[1][:, 0])
    np.testing.assert_array_equal(again.predict_proba(X), bag.predict_proba(X))
    drawn = BlockBagging(ExtraTreesClassifier(random_state=np.random.RandomState(0)), block_rows=40)
    a, b = (clone(drawn).fit(X, Y[:, 0]).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(a, b)


def test_rows_without_weight_are_none(data):
    X, Y, weight = data
    weight = weight.copy()
    weight[::4] = 0.0
    weight[2 * SIZE :] = 0.0  # a whole block
    kept = [np.flatnonzero(weight[i : i + SIZE]) + i for i in range(0, 130, SIZE)]
    few = [(X[rows], Y[rows], weight[rows]) for rows in kept if len(rows)]
    for model in (BinaryRelevance, LabelPowerset):
        given = BlockBagging(DecisionTreeClassifier(random_state=0))
        all_rows = model(given).fit(cut((X, Y, weight), SIZE))
        np.testing.assert_allclose(
            all_rows.predict_proba(X), model(given).fit(few).predict_proba(X), atol=1e-12
        )


def test_weights_of_labels(data):
    X, Y, _ = data
    model = BinaryRelevance(forest(), class_weight={1: {0: 0.5, 1: 4.0}})
    whole = model.fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(model.fit(cut((X, Y), SIZE)).predict_proba(X), whole)


def test_labels_that_never_change(data):
    X, Y, _ = data
    Y = np.column_stack([Y, np.zeros(130, int), np.ones(130, int)])
    whole = BinaryRelevance(forest()).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(
        BinaryRelevance(forest()).fit(cut((X, Y), SIZE)).predict_proba(X), whole
    )


def test_pools_and_calibration_read_blocks(data):
    X, Y, _ = data
    trees = BinaryRelevance(forest())
    pool = JointStacking([("trees", trees), ("linear", BinaryRelevance(alpha=1.0))], cv=2)
    assert set(pool.fit(cut((X, Y), SIZE)).weights_) <= {"trees", "linear"}
    sure = CalibratedSetClassifier(trees, cv=2).fit(cut((X, Y), SIZE))
    assert sure.predict_proba(X).shape == Y.shape


@pytest.mark.parametrize("kind", ["trees", "boosting"])
def test_files_of_models(data, kind, tmp_path):
    X, Y, _ = data
    trusted = ["sklearn.tree._tree.Tree"]
    if kind == "boosting":
        trusted = [
            "collections.OrderedDict",
            "lightgbm.basic.Booster",
            "lightgbm.sklearn.LGBMClassifier",
        ]
    model = LabelPowerset(forest() if kind == "trees" else boosted()).fit(cut((X, Y), SIZE))
    labelfield.save(model, tmp_path / "bag.lf", trusted=trusted)
    again = labelfield.load(tmp_path / "bag.lf", trusted=trusted)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(labelfield.ModelFileError, match="neither defines nor trusts"):
        labelfield.load(tmp_path / "bag.lf")


def test_parameters():
    model = BinaryRelevance(forest(7))
    assert model.get_params()["estimator__estimator__n_estimators"] == 7
    copied = clone(model).set_params(estimator__block_rows=9)
    assert copied.estimator.block_rows == 9
    assert model.estimator.block_rows == SIZE


def test_errors_name_the_way_out(data):
    X, Y, weight = data
    blocks = cut((X, Y), SIZE)

    class Everywhere(DecisionTreeClassifier):
        def to_local(self):
            """Stand for a class that needs a whole cluster."""

    for estimator, message in [
        (RidgeClassifier(), "RidgeClassifier.* has no predict_proba.*CalibratedClassifierCV"),
        (Everywhere(), "give its local class, such as LGBMClassifier"),
    ]:
        for model in (BinaryRelevance, LabelPowerset):
            with pytest.raises(ValueError, match=message):
                model(BlockBagging(estimator)).fit(blocks)
        with pytest.raises(ValueError, match=message):
            BlockBagging(estimator).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match=r"give BlockBagging\(estimator\), leave out `estimator`"):
        BinaryRelevance(LogisticRegression()).fit(blocks)
    with pytest.raises(ValueError, match="cannot learn from; leave out `estimator` of PairwiseCRF"):
        PairwiseCRF(estimator=BinaryRelevance(forest())).fit(blocks)
    with pytest.raises(ValueError, match="the fit of KNeighborsClassifier takes none"):
        BinaryRelevance(BlockBagging(KNeighborsClassifier())).fit(cut((X, Y, weight), SIZE))
    with pytest.raises(ValueError, match="at least one non-zero number"):
        BlockBagging(DecisionTreeClassifier()).fit(X, Y[:, 0], 0.0 * weight)
    with pytest.raises(ValueError, match="'block_rows' parameter"):
        BlockBagging(DecisionTreeClassifier(), block_rows=0).fit(X, Y[:, 0])
