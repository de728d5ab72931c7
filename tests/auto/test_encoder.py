"""LabelSetClassifier on tables: the encoder it is given, and what its linear part weighs."""

import numpy as np
import pytest
from scipy.special import logit

from labelfield import LabelSetClassifier, TableEncoder
from labelfield.datasets import make_multilabel
from toy_files import TICKET_CODES, tickets

pytest.importorskip("pandas")


def test_the_given_encoder_is_used_and_left_alone():
    frame = tickets(80, seed=0)
    Y = np.stack([frame["message"].str.contains(word) for word in TICKET_CODES], axis=1)
    encoder = TableEncoder(category=["zip"], drop=["when"], letters=False)
    model = LabelSetClassifier(budget="quick", encoder=encoder)
    model.fit(frame.drop(columns="codes"), Y.astype(int))
    assert not hasattr(encoder, "columns_")
    weights, features, names = model.linear_part(frame.drop(columns="codes")[:5])
    assert weights.shape == (3, len(names))
    assert features.shape == (5, len(names))
    assert not any(name.startswith("when") or " ~ " in name for name in names)
    for label, word in zip(weights, TICKET_CODES):
        assert names[label.argmax()] == f"message: {word}"


@pytest.mark.parametrize("named", [False, True])
def test_the_linear_part_of_a_matrix(named):
    data = make_multilabel(n_samples=200, n_features=4, n_labels=3, random_state=0)
    X = data.X
    if named:
        pd = pytest.importorskip("pandas")
        X = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = LabelSetClassifier(budget="quick").fit(X, data.Y)
    weights, features, names = model.linear_part(X)
    assert list(names) == (["a", "b", "c", "d"] if named else ["x0", "x1", "x2", "x3"])
    # the log-odds of every label follow what the features add up to
    odds = logit(np.clip(model.predict_proba(X), 1e-9, 1 - 1e-9))
    for label in range(3):
        assert np.corrcoef(features @ weights[label], odds[:, label])[0, 1] > 0.9


def test_another_encoder_is_refused_by_name():
    with pytest.raises(ValueError, match="'encoder' parameter of LabelSetClassifier"):
        LabelSetClassifier(encoder="words").fit(["a", "b"], [[0], [1]])
