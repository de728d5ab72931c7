"""A file whose arrays do not fit together is refused, even if its hashes are right."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelfield import (
    BinaryRelevance,
    ClassifierChain,
    ConditionalRBM,
    CorrelatedLogistic,
    LabelPowerset,
    MLkNN,
    ModelFileError,
    StructuredSVM,
    load,
    save,
)
from labelfield.datasets import make_multilabel
from labelfield.registry import CLASSIFIERS

DATA = make_multilabel(n_samples=60, n_features=7, n_labels=4, random_state=0)


def first_row(array):
    return array[:1]


def one_column_less(array):
    return np.ascontiguousarray(array[:, :-1])


def not_a_number(array):
    return np.full_like(array, np.nan)


def beyond(numbers):
    return numbers + 10


CRAFTED = {
    "weights that broadcast": (BinaryRelevance(), "coef_", first_row, "has shape"),
    "one intercept for all": (BinaryRelevance(), "intercept_", first_row, "has shape"),
    "a feature less": (BinaryRelevance(), "coef_", one_column_less, "has shape"),
    "weights that are NaN": (BinaryRelevance(), "coef_", not_a_number, "holds NaN or infinity"),
    "fewer names than labels": (BinaryRelevance(), "label_names_", first_row, "has shape"),
    "inner weights": (BinaryRelevance(), "problems_.intercept", first_row, "has shape"),
    "sets of fewer labels": (LabelPowerset(alpha=1.0), "sets_", one_column_less, "has shape"),
    "a shorter order": (ClassifierChain(), "order_", first_row, "has shape"),
    "an order of other labels": (ClassifierChain(), "order_", beyond, "beyond the 4 labels"),
    "edges to other labels": (CorrelatedLogistic(), "edges_", beyond, "beyond the 4 labels"),
    "fewer couplings than edges": (CorrelatedLogistic(), "coupling_", first_row, "has shape"),
    "hidden units of fewer labels": (
        ConditionalRBM(n_hidden=3, max_iter=2),
        "coupling_",
        first_row,
        "has shape",
    ),
    "terms of fewer features": (StructuredSVM(), "coef_", first_row, "has shape"),
    "scales of fewer labels": (CorrelatedLogistic(BinaryRelevance()), "coef_", first_row, "has sh"),
    "terms of fewer labels": (StructuredSVM(BinaryRelevance()), "coef_", first_row, "has shape"),
}


def replace_part(model, name, change):
    """Change an attribute, which may lie inside another."""
    *outer, last = name.split(".")
    for step in outer:
        model = getattr(model, step)
    setattr(model, last, change(getattr(model, last)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("case", CRAFTED)
def test_parts_that_do_not_fit_are_refused(case, tmp_path):
    model, name, change, message = CRAFTED[case]
    model.fit(DATA.X, DATA.Y)
    save(model, tmp_path / "sound.lf")
    load(tmp_path / "sound.lf")
    replace_part(model, name, change)
    save(model, tmp_path / "crafted.lf")
    with pytest.raises(ModelFileError, match=rf"crafted\.lf: .*{message}"):
        load(tmp_path / "crafted.lf")


def test_a_scaler_that_broadcasts_is_refused(tmp_path):
    model = make_pipeline(StandardScaler(), BinaryRelevance()).fit(DATA.X, DATA.Y)
    model[0].mean_ = model[0].mean_[:1]
    save(model, tmp_path / "m.lf")
    with pytest.raises(ModelFileError, match="StandardScaler.mean_ has shape"):
        load(tmp_path / "m.lf")


def crafted_csr(indices):
    """A CSR matrix whose indices scipy did not look at."""
    matrix = sp.csr_matrix(DATA.X)
    matrix.indices = np.full_like(matrix.indices, indices)
    return matrix


def test_sparse_matrices_are_checked_and_made_canonical(tmp_path):
    model = MLkNN().fit(sp.csr_matrix(DATA.X), DATA.Y)
    model.neighborhood_.rows = crafted_csr(10_000)
    save(model, tmp_path / "m.lf")
    with pytest.raises(ModelFileError, match="broken sparse matrix"):
        load(tmp_path / "m.lf")
    model.neighborhood_.rows = crafted_csr(0)
    save(model, tmp_path / "m.lf")
    rows = load(tmp_path / "m.lf").neighborhood_.rows
    assert rows.has_canonical_format
    np.testing.assert_allclose(rows.toarray()[:, 0], DATA.X.sum(axis=1))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("id", CLASSIFIERS)
@pytest.mark.parametrize("labels", ["one", "constant"])
def test_sound_models_of_odd_data_are_let_through(id, labels, tmp_path):
    Y = DATA.Y[:, :1] if labels == "one" else DATA.Y * np.array([0, 1, 1, 1], dtype=np.uint8)
    model = CLASSIFIERS[id].make_tiny().fit(DATA.X, Y)
    save(model, tmp_path / "m.lf")
    np.testing.assert_array_equal(load(tmp_path / "m.lf").predict(DATA.X), model.predict(DATA.X))
