"""What columns are taken for."""

import uuid

import numpy as np
import pytest

from labelfield.encode.columns import Column
from labelfield.encode.kinds import guess_kind

RNG = np.random.default_rng(0)
WORDS = ["sun", "sea", "snow", "ice", "rain", "fog", "hail", "wind"]


def cells(values):
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


def sentences(n, length):
    return [" ".join(RNG.choice(WORDS, length)) for _ in range(n)]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("size", RNG.normal(size=50), "number"),
        ("grade", np.tile([1.0, 2.0, 3.0], 20), "number"),
        ("size", [1.0, 1.0, 1.0], "constant"),
        ("size", [1.0, np.nan, 1.0], "number"),
        ("size", [np.nan, np.nan], "constant"),
        ("x", np.arange(100.0), "id"),
        ("x", np.arange(5.0), "number"),
        ("patient_id", 1.0 * RNG.permutation(1000)[:100], "id"),
        ("patientId", 1.0 * RNG.permutation(1000)[:100], "id"),
        ("paid", 1.0 * RNG.permutation(1000)[:100], "number"),
        ("Unnamed: 0", 1.0 * RNG.permutation(100), "id"),
        ("size", cells(["1", "2.5", "-3e4"]), "number"),
        ("size", cells(["1", "2.5"] * 20 + ["unknown"]), "number"),
        ("size", cells(["1", "2.5", "unknown"]), "category"),
        ("ok", cells(["yes", "no", None, "Yes"]), "boolean"),
        ("when", cells(["2024-01-01", "2024-02-01", None]), "date"),
        ("when", np.array(["2024-01-01", "2024-02-01"], dtype="datetime64[us]"), "date"),
        ("when", np.array(["2024-01-01"] * 2, dtype="datetime64[us]"), "constant"),
        ("colour", cells(["red", "blue"] * 20), "category"),
        ("colour", cells(["red", None] * 20), "category"),
        ("colour", cells(["red"] * 20), "constant"),
        ("city", cells([f"city {j}" for j in range(60)] * 5), "category"),
        ("answer", cells(["I do not agree at all", "I agree with all of it"] * 9), "category"),
        ("notes", cells(sentences(80, 9)), "text"),
        ("title", cells([f"{a} {b}" for a in WORDS for b in WORDS]), "text"),
        ("case", cells([str(uuid.UUID(int=j * 2**80)) for j in range(60)]), "id"),
        ("mail", cells([f"a{j}@example.org" for j in range(60)]), "id"),
        ("notes", cells(["温かい海" * 9 + str(j) for j in range(60)]), "text"),
    ],
)
def test_kinds(name, values, kind):
    guess = guess_kind(Column(name, np.asarray(values)))
    assert guess.kind == kind, guess
    assert guess.why


def test_reasons_count_what_is_no_number():
    guess = guess_kind(Column("size", cells(["1", "2"] * 30 + ["n/k", "?"])))
    assert guess.why == "numbers; 2 other cells count as missing"
