"""Files of text: every number is written as finely as its column is."""

import csv

import numpy as np

from labelfield.restore.text_files import restore_file


def write(path, names, *columns):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *zip(*columns, strict=True)])


def column(path, name):
    with path.open(newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def halves(n=60, seed=0):
    """Whole numbers between 0 and 40, and twice as much."""
    number = np.random.default_rng(seed).integers(0, 40, n)
    return number, 2 * number


def test_exponents_count_as_decimals(tmp_path):
    number, twice = halves()
    small = [f"{n}e-3" for n in twice]
    hole = int(np.flatnonzero(twice > 20)[0])
    small[hole] = ""
    write(tmp_path / "dirty.csv", ["number", "small"], number, small)
    restore_file(tmp_path / "dirty.csv", tmp_path / "out.csv", alpha=0.01)
    after = column(tmp_path / "out.csv", "small")
    assert abs(float(after[hole]) - 1e-3 * twice[hole]) < 3e-3
    assert after[:hole] == small[:hole]


def test_a_dirty_table_may_be_finer_than_its_training_table(tmp_path):
    number, twice = halves()
    write(tmp_path / "clean.csv", ["number", "twice"], number, twice)
    write(tmp_path / "dirty.csv", ["number", "twice"], [5.75, 30.5], ["", "61"])
    write(tmp_path / "fine.csv", ["number", "twice"], [5.75, 30.5], ["", "61.5"])
    for name in ("dirty", "fine"):
        out = tmp_path / f"{name}.out.csv"
        restore_file(tmp_path / f"{name}.csv", out, train=tmp_path / "clean.csv", alpha=1e-4)
    assert column(tmp_path / "fine.out.csv", "twice") == ["11.5", "61.5"]
    assert column(tmp_path / "dirty.out.csv", "twice") in (["11", "61"], ["12", "61"])


def test_large_numbers_keep_their_digits(tmp_path):
    number, twice = halves()
    large = [f"{1234567 + n}.5" for n in twice]
    write(tmp_path / "clean.csv", ["number", "large"], number, large)
    write(tmp_path / "dirty.csv", ["number", "large"], number[:3], ["", *large[1:3]])
    restore_file(
        tmp_path / "dirty.csv", tmp_path / "out.csv", train=tmp_path / "clean.csv", alpha=1e-4
    )
    assert abs(float(column(tmp_path / "out.csv", "large")[0]) - float(large[0])) < 1.0


def test_a_correction_too_small_to_write_is_none(tmp_path):
    number, twice = halves()
    write(tmp_path / "clean.csv", ["number", "twice"], number, twice)
    result = restore_file(
        tmp_path / "clean.csv", tmp_path / "out.csv", alpha=1e-4, noise_scale=0.001
    )
    assert result["corrected"] == len(result["corrections"]) == 0
    assert (tmp_path / "out.csv").read_text() == (tmp_path / "clean.csv").read_text().replace(
        "\r\n", "\n"
    )
    noisy = restore_file(
        tmp_path / "clean.csv", tmp_path / "out.csv", noise_scale=0.5, top=3, random_state=0
    )
    differing = sum(
        a != b
        for name in ("number", "twice")
        for a, b in zip(column(tmp_path / "clean.csv", name), column(tmp_path / "out.csv", name))
    )
    assert noisy["corrected"] == differing > 3
    assert len(noisy["corrections"]) == 3
