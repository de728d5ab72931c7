"""Text files: packed in every way, too large, or no files at all."""

import bz2
import gzip
import io
import lzma
import os
import zipfile

import pytest

from labelfield._exceptions import DataFormatError
from labelfield.datasets import _source, read_arff, read_svmlight, read_table
from labelfield.datasets._arff.labels import read_label_xml
from labelfield.datasets._source import read_source


def zipped(text, *more):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, member in enumerate([text, *more]):
            archive.writestr(f"member-{number}", member)
    return buffer.getvalue()


PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zip": zipped}
READ = {
    "arff": lambda path: read_arff(path, labels=1),
    "csv": lambda path: read_table(path, labels=["y"]),
    "svm": read_svmlight,
}
HEAD = {"arff": b"@relation r\n@attribute y {0,1}\n@data\n", "csv": b"y\n", "svm": b""}
ROW = {"arff": b"1\n", "csv": b"1\n", "svm": b"1 1:1\n"}


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("form", READ)
def test_every_reader_unpacks(tmp_path, form, packing):
    path = tmp_path / f"toy.{form}.{packing}"
    path.write_bytes(PACK[packing](HEAD[form] + 3 * ROW[form]))
    assert READ[form](path).Y.tolist() == [[1], [1], [1]]


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("form", READ)
def test_no_reader_unpacks_more_than_the_limit(tmp_path, monkeypatch, form, packing):
    monkeypatch.setattr(_source, "SAFE_BYTES", 100_000)
    path = tmp_path / f"toy.{form}.{packing}"
    text = HEAD[form] + 500_000 * ROW[form]
    path.write_bytes(PACK[packing](text))
    assert path.stat().st_size < len(text) / 200
    with pytest.raises(DataFormatError, match="more than .* the limit for this .* unpack it"):
        READ[form](path)


def test_a_file_may_grow_a_hundredfold_whatever_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(_source, "SAFE_BYTES", 10)
    path = tmp_path / "toy.gz"
    text = b"abcdefghij" * 10
    path.write_bytes(gzip.compress(text))
    assert read_source(path).raw == text + b"\n"


def test_archives_that_cannot_be_read(tmp_path):
    path = tmp_path / "toy.csv"
    path.write_bytes(zipped("a", "b"))
    with pytest.raises(DataFormatError, match="zip .*it has 2 members; one is read"):
        read_source(path)
    for name, pack in PACK.items():
        packed = pack(b"some text\n" * 1000)
        path.write_bytes(packed[: len(packed) // 2])
        with pytest.raises(DataFormatError, match="line 1: the .* stream breaks off"):
            read_source(path)
        assert name


@pytest.mark.parametrize("read", [*READ.values(), read_label_xml])
def test_pipes_devices_and_folders_are_refused_at_once(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(OSError, match="is a pipe or device, not a regular file"):
            read(path)
    with pytest.raises(OSError, match="is a folder, not a regular file"):
        read(tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no file .*gone"):
        read(tmp_path / "gone")


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "toy.csv"
    path.write_bytes("a,b\n1,2\n".encode("utf-16-le"))
    with pytest.raises(DataFormatError, match="line 1: a zero byte"):
        read_source(path)
    path.write_bytes(b"a,b\n1,\xff\n")
    with pytest.raises(DataFormatError, match="line 2: byte 0xff is not UTF-8"):
        read_source(path)
