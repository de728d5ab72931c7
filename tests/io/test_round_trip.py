"""What is saved comes back the same."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.callback import ProgressBar
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import labelfield
import stored_model
from labelfield import BinaryRelevance, F1Decoder, LabelPowerset, ModelFileError, load, save
from labelfield.datasets import make_multilabel
from labelfield.decode import DECODERS
from labelfield.io import read_header
from labelfield.registry import CLASSIFIERS


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=60, n_labels=4, random_state=0)
    return made.X, made.Y


@pytest.mark.parametrize("id", CLASSIFIERS)
def test_every_model_of_the_registry(id, data, tmp_path):
    X, Y = data
    model = CLASSIFIERS[id].make_tiny().fit(X, Y)
    path = tmp_path / "model.lf"
    save(model, path)
    again = load(path)
    assert type(again) is type(model)
    assert again.get_params().keys() == model.get_params().keys()
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.label_names_, model.label_names_)


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_decoder(decoder, data, tmp_path):
    X, Y = data
    model = BinaryRelevance(decoder=decoder).fit(X, Y)
    model.save(tmp_path / "model.lf")
    again = load(tmp_path / "model.lf")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_decoder_objects_and_constraints(data, tmp_path):
    X, Y = data
    model = LabelPowerset(decoder=F1Decoder(max_size=2, allowed_sets=Y)).fit(X, Y)
    model.save(tmp_path / "model.lf")
    again = load(tmp_path / "model.lf")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.decoder.allowed_sets, Y)


def test_sparse_data_and_target(data, tmp_path):
    X, Y = data
    model = BinaryRelevance().fit(sp.csr_matrix(X), sp.csr_matrix(Y))
    model.save(tmp_path / "model.lf")
    answer = load(tmp_path / "model.lf").predict(sp.csr_matrix(X))
    assert sp.issparse(answer)
    np.testing.assert_array_equal(answer.toarray(), model.predict(sp.csr_matrix(X)).toarray())


def test_base_learners_of_scikit_learn(data, tmp_path):
    X, Y = data
    Y = Y.copy()
    Y[:, 2] = 1  # a label without a learner
    model = BinaryRelevance(LogisticRegression()).fit(X, Y)
    model.save(tmp_path / "model.lf")
    again = load(tmp_path / "model.lf")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_pipeline_around_a_model(data, tmp_path):
    X, Y = data
    model = make_pipeline(StandardScaler(), BinaryRelevance()).fit(X, Y)
    save(model, tmp_path / "model.lf")
    again = load(tmp_path / "model.lf")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_trees_need_explicit_trust(data, tmp_path):
    X, Y = data
    tree = "sklearn.tree._tree.Tree"
    path = tmp_path / "model.lf"
    forest = RandomForestClassifier(n_estimators=2, random_state=0)
    model = BinaryRelevance(forest).fit(X, Y)
    with pytest.raises(ValueError, match=tree):
        model.save(path)
    save(model, path, trusted=[tree])
    with pytest.raises(ModelFileError, match=tree):
        load(path)
    again = load(path, trusted=[tree])
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_callbacks_stay_behind(tmp_path):
    bar = ProgressBar()
    model = BinaryRelevance().set_callbacks(bar)
    model.save(tmp_path / "model.lf")
    assert model._skl_callbacks == [bar]
    assert not hasattr(load(tmp_path / "model.lf"), "_skl_callbacks")


def test_unfitted_model(tmp_path):
    save(BinaryRelevance(alpha=0.25), tmp_path / "model.lf")
    assert repr(load(tmp_path / "model.lf")) == "BinaryRelevance(alpha=0.25)"


def test_header_says_who_wrote_it(tmp_path):
    path = tmp_path / "model.lf"
    save(BinaryRelevance(), path, notes={"features": ["a", "b"]})
    header = read_header(path)
    assert header.protocol == 1
    assert header.labelfield == labelfield.__version__
    assert header.model == "labelfield.models.relevance.binary_relevance.BinaryRelevance"
    assert header.made_with["numpy"] == np.__version__
    assert header.notes == {"features": ["a", "b"]}


def test_names_of_labels_and_features(tmp_path):
    pandas = pytest.importorskip("pandas")
    made = make_multilabel(n_samples=40, n_labels=3, random_state=1)
    X = pandas.DataFrame(made.X, columns=made.feature_names)
    Y = pandas.DataFrame(made.Y, columns=["sea", "sun", "sand"])
    BinaryRelevance().fit(X, Y).save(tmp_path / "model.lf")
    again = load(tmp_path / "model.lf")
    assert list(again.label_names_) == ["sea", "sun", "sand"]
    assert list(again.feature_names_in_) == list(made.feature_names)


def test_file_of_protocol_1_still_loads():
    """Written by 0.1.0.dev0; see `stored_model.py`."""
    expected = BinaryRelevance(alpha=0.5, tol=1e-9, decoder="f1").fit(
        stored_model.X, stored_model.Y
    )
    again = load(stored_model.PATH)
    np.testing.assert_allclose(
        again.predict_proba(stored_model.X), expected.predict_proba(stored_model.X), atol=1e-6
    )
    np.testing.assert_array_equal(again.predict(stored_model.X), expected.predict(stored_model.X))
    assert read_header(stored_model.PATH).notes == {"labels": ["a", "b"]}
