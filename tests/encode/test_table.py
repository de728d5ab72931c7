"""TableEncoder: every kind of column against a plain twin, and scikit-learn's contract."""

import datetime
import re
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import labelfield
from labelfield import TableEncoder

pd = pytest.importorskip("pandas")
WORDS = ["sun", "sea", "snow", "ice", "rain", "fog", "hail", "wind", "storms", "frost"]


def weather(n, seed=0):
    """A table with a column of every kind."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "row": np.arange(n) + 1000,
            "size": np.where(rng.random(n) < 0.2, np.nan, rng.normal(5, 3, n)),
            "fresh": rng.random(n) < 0.5,
            "colour": rng.choice(["red", "green", "blue"], n),
            "when": pd.Timestamp("2023-11-05") + pd.to_timedelta(rng.integers(0, 999, n), "h"),
            "notes": [" ".join(rng.choice(WORDS, 6)) for _ in range(n)],
            "same": "x",
        }
    )
    frame.loc[3, ["colour", "notes"]] = None
    return frame


def test_what_columns_are_taken_for():
    encoder = TableEncoder().fit(weather(60))
    assert encoder.columns_ == {
        "row": "id",
        "size": "number",
        "fresh": "boolean",
        "colour": "category",
        "when": "date",
        "notes": "text",
        "same": "constant",
    }
    described = {row.pop("column"): row for row in encoder.describe()}
    assert described["colour"] == {"kind": "category", "why": "3 values", "features": 4}
    assert described["same"]["features"] == 0
    assert (
        sum(row["features"] for row in described.values())
        == encoder.transform(weather(5)).shape[1]
        == len(encoder.get_feature_names_out())
    )


def test_numbers_equal_the_standard_scaler():
    frame = weather(60)[["size"]]
    encoded = TableEncoder().fit_transform(frame)
    twin = np.nan_to_num(StandardScaler().fit_transform(frame))
    np.testing.assert_allclose(encoded[:, 0], twin[:, 0], atol=1e-12)
    np.testing.assert_array_equal(encoded[:, 1], frame["size"].isna())


def test_dates_equal_those_of_pandas():
    frame = weather(60)[["when"]]
    encoder = TableEncoder().fit(frame)
    new = weather(20, seed=1)[["when"]]
    new.loc[4, "when"] = None
    at, seen = new["when"].dt, frame["when"]
    twin = pd.DataFrame(
        {
            "days since the first": (new["when"] - seen.min()) / pd.Timedelta(days=1),
            "year": at.year,
            "month": at.month,
            "day of the week": at.day_of_week,
            "hour": at.hour,
        }
    )
    trained = pd.DataFrame(
        {
            "days since the first": (seen - seen.min()) / pd.Timedelta(days=1),
            "year": seen.dt.year,
            "month": seen.dt.month,
            "day of the week": seen.dt.day_of_week,
            "hour": seen.dt.hour,
        }
    )
    scaler = StandardScaler().fit(trained)
    np.testing.assert_allclose(
        encoder.transform(new), np.nan_to_num(scaler.transform(twin)), atol=1e-9
    )
    assert encoder.get_feature_names_out().tolist() == [f"when: {name}" for name in twin.columns]
    written = new.assign(when=at.strftime("%d.%m.%Y %H:%M").astype(object))
    again = TableEncoder().fit(frame.assign(when=seen.dt.strftime("%d.%m.%Y %H:%M")))
    np.testing.assert_allclose(again.transform(written), encoder.transform(new), atol=1e-9)


def test_categories_are_indicators():
    frame = pd.DataFrame({"colour": ["red"] * 5 + ["blue"] * 3 + ["green"] + [None] * 2})
    encoder = TableEncoder(min_df=2).fit(frame)
    names = ["colour is missing", "colour=blue", "colour=red", "colour is another"]
    assert encoder.get_feature_names_out().tolist() == names
    new = pd.DataFrame({"colour": ["red", "green", "violet", None, "blue"]})
    np.testing.assert_array_equal(
        encoder.transform(new),
        [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]],
    )


def test_text_equals_two_vectorizers():
    texts = weather(60)["notes"].fillna("").tolist()
    encoded = TableEncoder(min_df=3).fit_transform(texts)
    ways = [
        {"ngram_range": (1, 2), "token_pattern": r"\w+|[^\w\s]"},
        {"analyzer": "char_wb", "ngram_range": (3, 5)},
    ]
    twins = [TfidfVectorizer(sublinear_tf=True, min_df=3, **way) for way in ways]
    wanted = sp.hstack([twin.fit_transform(texts) for twin in twins])
    assert abs(encoded - wanted).max() < 1e-12
    words_only = TableEncoder(min_df=3, letters=False).fit_transform(texts)
    assert abs(words_only - twins[0].transform(texts)).max() < 1e-12


def test_text_in_which_nothing_repeats_keeps_all_terms():
    encoder = TableEncoder(min_df=5, letters=False).fit(["warm sea", "cold snow"])
    assert encoder.get_feature_names_out().tolist() == [
        f"text: {term}" for term in ("cold", "cold snow", "sea", "snow", "warm", "warm sea")
    ]


def test_text_without_a_word():
    frame = pd.DataFrame({"notes": [" ", "  "], "size": [1.0, 2.0]})
    encoded = TableEncoder(text=["notes"], letters=False).fit_transform(frame)
    np.testing.assert_allclose(encoded.toarray(), [[-1.0], [1.0]])


def test_marks_of_short_texts_are_words():
    texts = ["why?", "no! 😂", "why?", "no! 😂", "I say"]
    names = TableEncoder(letters=False, min_df=1).fit(texts).get_feature_names_out()
    assert {"text: ?", "text: why ?", "text: 😂", "text: i"} <= set(names)


def test_pairs_of_documents_have_half_the_length_of_words():
    texts = [" ".join(f"w{(i * j) % 97} marks, v{j % 7}" for j in range(40)) for i in range(1, 30)]
    encoded = TableEncoder(min_df=2).fit_transform(texts)
    ways = [((1, 1), 1.0), ((2, 2), 0.5)]
    twins = [
        share * TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=way).fit_transform(texts)
        for way, share in ways
    ]
    assert abs(encoded - sp.hstack(twins)).max() < 1e-12


def test_documents_that_share_no_pair_are_encoded_by_words():
    texts = [" ".join(f"w{j} only{i}x{j}" for j in range(i % 3, 70 + i % 3)) for i in range(10)]
    names = TableEncoder(min_df=2).fit(texts).get_feature_names_out()
    assert len(names)
    assert not [name for name in names if " " in name.removeprefix("text: ")]


def test_sparse_only_where_it_pays():
    frame = weather(60)
    assert isinstance(TableEncoder(drop=["notes"]).fit_transform(frame), np.ndarray)
    assert sp.issparse(TableEncoder().fit_transform(frame))
    many = pd.DataFrame({"code": [f"c{j % 70}" for j in range(210)]})
    assert sp.issparse(TableEncoder().fit_transform(many))


def test_dense_view_reduces_text_and_keeps_the_rest():
    frame, new = weather(80), weather(30, seed=1)
    both = TableEncoder(view="both", n_components=4, random_state=0).fit(frame)
    dense = TableEncoder(view="dense", n_components=4, random_state=0).fit(frame)
    got = dense.transform(new)
    np.testing.assert_allclose(got, both.reduce(both.transform(new)), atol=1e-12)
    full = both.transform(new).toarray()
    n_terms = len(both.parts_["notes"].names)
    np.testing.assert_allclose(got[:, :-4], full[:, :-n_terms], atol=1e-12)
    terms = both.transform(frame)[:, -n_terms:]
    twin = TruncatedSVD(4, algorithm="arpack", random_state=0).fit(terms)
    # the space of the four strongest directions, whichever basis spans it
    wanted = twin.components_.T @ twin.components_
    components = both.parts_["notes"].topics_
    lost = np.linalg.norm(terms - terms @ (components.T @ components))
    assert lost <= 1.02 * np.linalg.norm(terms - terms @ wanted)
    assert dense.get_feature_names_out()[-4:].tolist() == [f"notes: topic {j}" for j in range(1, 5)]


def test_dense_view_keeps_the_most_frequent_categories():
    codes = ["a"] * 4 + ["b"] * 2 + ["c"] * 6 + ["d"] * 3
    encoder = TableEncoder(view="dense", n_components=2).fit(pd.DataFrame({"code": codes}))
    assert encoder.get_feature_names_out().tolist() == ["code=a", "code=c"]


def test_reduce_needs_both_views():
    encoder = TableEncoder().fit(["a b", "c"])
    with pytest.raises(ValueError, match="view='both'"):
        encoder.reduce(encoder.transform(["a b"]))
    encoder = TableEncoder(view="both").fit(["a b c", "c d e"])
    with pytest.raises(ValueError, match="Z has 99 columns; transform gives"):
        encoder.reduce(np.zeros((1, 99)))


@pytest.mark.parametrize("view", ["full", "dense", "both"])
def test_saved_cloned_and_refitted_encoders_agree(tmp_path, view):
    frame, new = weather(60), weather(20, seed=1)
    encoder = TableEncoder(view=view, n_components=3, random_state=0).fit(frame)
    encoder.save(tmp_path / "encoder.lf")
    wanted = _dense(encoder.transform(new))
    for other in (labelfield.load(tmp_path / "encoder.lf"), clone(encoder).fit(frame)):
        np.testing.assert_array_equal(_dense(other.transform(new)), wanted)
        assert other.describe() == encoder.describe()


def _dense(Z):
    return Z.toarray() if sp.issparse(Z) else Z


def test_large_vocabularies_are_saved_quickly(tmp_path):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{j}" for j in rng.integers(0, 4000, 30)) for _ in range(400)]
    encoder = TableEncoder(min_df=1).fit(texts)
    encoder.save(tmp_path / "encoder.lf")
    n_terms = len(encoder.get_feature_names_out())
    assert n_terms > 10_000
    assert (tmp_path / "encoder.lf").stat().st_size < 40 * n_terms


def test_polars_and_pandas_encode_alike():
    pl = pytest.importorskip("polars")
    frame = weather(60).drop(columns=["row"])
    wanted = TableEncoder().fit_transform(frame)
    got = TableEncoder().fit_transform(pl.from_pandas(frame))
    assert abs(got - wanted).max() < 1e-12


def test_the_arguments_decide():
    frame = weather(60).assign(zip=lambda table: table["row"] % 7)
    told = {"category": ["zip"], "text": ["colour"], "id": ["size"], "drop": ["when"]}
    encoder = TableEncoder(number=["row"], **told).fit(frame)
    assert {name: encoder.columns_[name] for name in ("zip", "colour", "size", "when", "row")} == {
        "zip": "category",
        "colour": "text",
        "size": "id",
        "when": "dropped",
        "row": "number",
    }
    assert "zip=3" in encoder.get_feature_names_out()


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"text": ["nots"]}, "text names the column 'nots'; X has row, size"),
        ({"text": "notes"}, "'text' parameter .* Got 'notes' instead"),
        ({"text": ["notes"], "drop": ["notes"]}, "drop and text both name the column 'notes'"),
        ({"date": ["colour"]}, "date names the column 'colour', which holds no dates"),
        ({"number": ["colour"]}, "number names the column 'colour', which holds none, such as"),
        ({"number": ["when"]}, "number names the column 'when', which holds none, such as '2023"),
        ({"drop": [*weather(5).columns]}, "no column to learn from"),
        ({"min_df": 0}, "'min_df' parameter"),
    ],
)
def test_wrong_arguments_are_named(told, words):
    with pytest.raises(ValueError, match=words):
        TableEncoder(**told).fit(weather(30))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.rename(columns={"size": "Size"}), "Size"),
        (lambda t: t.drop(columns="colour"), "colour"),
        (lambda t: t[[*t.columns[::-1]]], "same order"),
        (lambda t: t.assign(when=1.0), "Column 'when' of X held dates in fit, not numbers"),
        (lambda t: t.assign(size=t["when"]), "Column 'size' of X held numbers in fit, not dates"),
        (lambda t: t.assign(size="big"), "Column 'size' .* row 0 holds 'big'"),
        (lambda t: t.assign(size=np.inf), "Column 'size' .* row 0 holds 'inf'"),
        (lambda t: t.assign(fresh="perhaps"), "Column 'fresh' .* row 0 holds 'perhaps'"),
        (lambda t: t.iloc[:0], r"0 sample\(s\)"),
        (lambda t: t.iloc[:, [0, 1, 1]], "two columns called 'size'"),
    ],
)
def test_other_tables_at_predict_are_named(change, words):
    encoder = TableEncoder().fit(weather(30))
    with pytest.raises(ValueError, match=words):
        encoder.transform(change(weather(30)))


def test_numbers_written_as_text_may_have_gaps():
    frame = pd.DataFrame({"size": ["1", "3"] * 20 + ["n/k"]})
    encoder = TableEncoder().fit(frame)
    got = encoder.transform(pd.DataFrame({"size": ["3", "??", 2]}))
    np.testing.assert_allclose(got, [[1, 0], [0, 1], [0, 0]], atol=1e-12)


def test_booleans_in_words():
    frame = pd.DataFrame({"ok": ["yes", "no", None, "YES "], "size": [1.0, 2.0, 3.0, 5.0]})
    encoder = TableEncoder(drop=["size"]).fit(frame)
    np.testing.assert_array_equal(encoder.transform(frame), [[1, 0], [0, 0], [0, 1], [1, 0]])


CELLS = st.sampled_from(
    [None, float("nan"), 0, 1, -2.5, 1e140, 10**400, True, "", " ", "a", "A b c d", "007", "1e5"]
    + ["inf", "2024-01-01", "31.12.2023", "yes", "no", "\ud800", "a\nb", "x" * 300, pd.NA, pd.NaT]
    + [datetime.date(2024, 1, 1), datetime.timedelta(1), datetime.datetime.max, Decimal("1.5")]
    + [pd.Timestamp("2024-01-01", tz="Europe/Berlin"), np.float32(1.5), np.bool_(True)]
)


@settings(deadline=None, max_examples=150)
@given(
    columns=st.lists(st.lists(CELLS, min_size=9, max_size=9), min_size=1, max_size=3),
    view=st.sampled_from(["full", "dense", "both"]),
    min_df=st.integers(1, 3),
)
def test_any_cells_become_numbers_or_one_clear_error(columns, view, min_df):
    frame = pd.DataFrame({f"c{j}": pd.Series(c, dtype=object) for j, c in enumerate(columns)})
    encoder = TableEncoder(view=view, min_df=min_df, n_components=2, random_state=0)
    problem = None
    try:
        encoded = _dense(encoder.fit_transform(frame))
    except ValueError as error:
        problem = str(error)
    if problem is not None:
        assert re.search("no column to learn from|beyond", problem)
        return
    assert np.isfinite(encoded).all()
    assert encoded.shape == (9, len(encoder.get_feature_names_out()))
    again = _dense(encoder.transform(frame.iloc[::-1]))
    np.testing.assert_allclose(again, encoded[::-1], atol=1e-9)


def test_in_a_pipeline_with_a_model():
    from sklearn.pipeline import make_pipeline

    frame = weather(80)
    Y = np.column_stack([frame["notes"].fillna("").str.contains(word) for word in WORDS[:3]])
    model = make_pipeline(TableEncoder(), labelfield.BinaryRelevance(alpha=0.01))
    assert (model.fit(frame, Y.astype(int)).predict(frame) == Y).mean() > 0.9


@parametrize_with_checks([TableEncoder(), TableEncoder(view="dense", random_state=0)])
def test_sklearn_contract(estimator, check):
    check(estimator)


def test_long_documents_are_encoded_by_words_alone():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["sea", "sun", "snow"], length)) for length in (50, 60, 70)]
    names = TableEncoder().fit([*texts, "", ""]).get_feature_names_out()
    assert any(" ~ " in name for name in names)  # 60 words on average: empty cells do not count
    texts[0] += " fog"
    assert not any(" ~ " in name for name in TableEncoder().fit(texts).get_feature_names_out())
    longer = TableEncoder(letters=True).fit(texts).get_feature_names_out()
    assert any(" ~ " in name for name in longer)
