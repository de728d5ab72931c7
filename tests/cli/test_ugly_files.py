"""Files as they come: each is fitted and predicted right, or refused in one clear line."""

import csv
import io
import time

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
COLOURS = ("red", "green", "blue", "grey")


def answers_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def beach(n, seed=0):
    """Columns that tell the tags sun, sea and sand, each in its own way."""
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(size=n).round(3), rng.choice(COLOURS, n)
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), "D")
    late = day.year >= 2022
    tags = [
        ";".join(name for name, on in zip(("sun", "sea", "sand"), row) if on)
        for row in zip(size > 0, colour == "blue", late)
    ]
    return pd.DataFrame({"size": size, "colour": colour, "day": day, "tags": tags}), rng


def share_right(rows, frame):
    pairs = zip(rows, frame["tags"], strict=True)
    return np.mean([set(row["labels"].split("|")) == set(tags.split(";")) for row, tags in pairs])


def fit_and_ask(run, folder, train, new, *options):
    model = ["--model", "br", "--alpha", "0.01", "--out", "m.lf"]
    printed = run("fit", train, "--tags", "tags", *model, *options)
    run("predict", "m.lf", new, "--out", "p.csv")
    return printed.stdout, answers_of(folder / "p.csv")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_mixed_types_missing_dates_ids_and_quotes(folder, run):
    """Numbers with words among them, German dates, ids with zeros, cells of several lines."""

    def ugly(n, seed):
        frame, rng = beach(n, seed)
        holes = rng.random(n)
        frame["size"] = frame["size"].astype(object).where(holes > 0.03, "n/k")
        frame["day"] = frame["day"].dt.strftime("%d.%m.%Y").where(holes < 0.98)
        frame["colour"] = frame["colour"].where((holes < 0.2) | (holes > 0.23))
        frame.insert(0, "case no", [f"{seed}{j:06d}" for j in range(n)])
        frame["said"] = [
            f'He said "{word}",\nthen left; see {j}'
            for j, word in enumerate(rng.choice(COLOURS, n))
        ]
        frame["ok"] = rng.choice(["yes", "No", ""], n)
        frame["empty"] = ""
        return frame

    ugly(600, 1).to_csv("train.csv", index=False, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    new = ugly(200, 2)
    new.to_csv("new.csv", index=False)
    printed, rows = fit_and_ask(run, folder, "train.csv", "new.csv", "--id", "case no")
    assert printed.startswith(
        "Columns taken for number: size; category: colour; date: day; text: said; boolean: ok. "
        "Left out: case no (id), empty (constant).\n"
    )
    assert [row["case no"] for row in rows] == new["case no"].tolist()
    complete = ((new["size"] != "n/k") & new["day"].notna() & new["colour"].notna()).to_numpy()
    kept = [row for row, whole in zip(rows, complete) if whole]
    assert share_right(kept, new[complete]) > 0.85


def test_fifty_columns_of_which_most_tell_nothing(folder, run):
    def wide(n, seed):
        frame, rng = beach(n, seed)
        more = {}
        for j in range(12):
            more[f"number {j}"] = rng.normal(size=n)
            more[f"constant, {j}"] = 7
            more[f"code|{j}"] = rng.choice([f"k{k}" for k in range(8)], n)
            more[f"empty [{j}]"] = None
        return pd.concat([frame, pd.DataFrame(more)], axis=1)

    wide(800, 1).to_csv("train.csv", index=False)
    new = wide(200, 2)
    new[new.columns[::-1]].to_csv("new.csv", index=False)
    printed, rows = fit_and_ask(run, folder, "train.csv", "new.csv")
    columns, fitted = printed.splitlines()
    assert "number: size,number 0,number 1,number 2,number 3 and 8 more" in columns
    assert "and 19 more (constant)" in columns
    assert "27 features" in fitted
    assert share_right(rows, new) > 0.8


def test_a_spreadsheet_in_utf_16(folder, run):
    frame, _ = beach(300, 1)
    frame["colour"] = frame["colour"].map(
        dict(zip(COLOURS, ("violet", "vert", "ciel", "gris été")))
    )
    new = frame[:50].assign(colour=frame["colour"][:50].where(np.arange(50) % 2 == 0, "neu: ß"))
    frame.to_csv("train.csv", sep="\t", index=False, encoding="utf-16", lineterminator="\r\n")
    new.to_csv("new.csv", sep=";", index=False, encoding="utf-8-sig")
    printed, rows = fit_and_ask(run, folder, "train.csv", "new.csv")
    assert printed.startswith("Columns taken for number: size; category: colour; date: day.")
    assert share_right(rows[::2], new[::2]) > 0.85


def test_lists_as_python_writes_them(folder, run):
    frame, _ = beach(200, 1)
    frame["tags"] = [str(cell.split(";")) if cell else "[]" for cell in frame["tags"]]
    frame.to_csv("train.csv")  # with pandas' index as a nameless first column
    printed = run("fit", "train.csv", "--tags", "tags", "--out", "m.lf").stdout
    assert "3 labels" in printed
    assert "Left out: Unnamed: 0 (id)" in printed


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x,tags\n1,a\n2,b,c\n", "train.csv, line 3: 3 cells where the header has 2"),
        (b"x,x,tags\n1,2,a\n", "train.csv, line 1: two columns are called 'x'"),
        ("x,tags\n1,é\n".encode("cp1252"), "train.csv, line 2: byte 0xe9 is not UTF-8"),
        (b'x,tags\n"open,a\n', "train.csv, line 2"),
        (b"x;tags\n1;\n2;\n", "label"),
        (b"id,tags\nq1,a\n", "train.csv: X has 1 feature(s) and 1 sample(s), and no column"),
        (b"id,tags\nq1,a\n", "Name columns in --text, --category or --number."),
        (b"PK\x03\x04 a spreadsheet", "train.csv, line 1: the zip stream breaks off or is damaged"),
        (b"<html><body>Please log in</body></html>\n", "the table has no row"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(folder, complaint, content, words):
    (folder / "train.csv").write_bytes(content)
    said = complaint("fit", "train.csv", "--tags", "tags", "--out", "m.lf")
    assert words in said


def many_rows(n):
    frame, rng = beach(n, 1)
    frame.insert(0, "order", np.arange(n) + 10**7)
    frame["price"] = np.where(rng.random(n) < 0.05, np.nan, rng.gamma(2.0, 20.0, n).round(2))
    frame["note"] = rng.choice(["fine", "was late", "box broken", None], n)
    return frame


def fit_many(run, folder, n):
    buffer = io.StringIO()
    frame = many_rows(n)
    frame.to_csv(buffer, index=False)
    (folder / "train.csv").write_text(buffer.getvalue())
    frame[:100].to_csv("new.csv", index=False)
    start = time.process_time()
    printed, rows = fit_and_ask(run, folder, "train.csv", "new.csv")
    spent = time.process_time() - start
    assert f"on {n} rows, 5 features and 3 labels" in printed
    assert "Left out: order (id)" in printed
    assert [row["order"] for row in rows] == [str(10**7 + j) for j in range(100)]
    assert share_right(rows, frame[:100]) > 0.9
    return spent


def test_many_rows(folder, run):
    fit_many(run, folder, 20_000)


@pytest.mark.slow
def test_a_million_rows(folder, run):
    assert fit_many(run, folder, 1_000_000) < 120.0
