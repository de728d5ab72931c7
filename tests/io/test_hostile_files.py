"""Files that are not models, or not honest ones, are refused with the way out."""

import hashlib
import io
import json
import os
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
import skops.io
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from labelfield import ModelFileError, load, save
from labelfield.io import read_header
from labelfield.io.archive import HEADER
from labelfield.io.trust import foreign_types, is_own_class


class Stranger(BaseEstimator):
    """A type that is not ours."""


class Holder(BaseEstimator):
    def __init__(self, content=None):
        self.content = content


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.lf"
    save(LogisticRegression().fit(np.eye(4), [0, 1, 0, 1]), path)
    return path


def repack(path, *, drop=(), add=None, header=None, hashed=True):
    """Write the archive again with entries left out or added, or with another header.

    With `hashed` the header gets the hashes of the new entries, as a careful forger would do it.
    """
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist() if name not in drop}
    entries |= add or {}
    if HEADER in entries and HEADER not in (add or {}):
        about = json.loads(entries.pop(HEADER))
        if hashed:
            about["entries"] = {
                name: hashlib.sha256(
                    content if isinstance(content, bytes) else content.encode()
                ).hexdigest()
                for name, content in entries.items()
            }
        entries[HEADER] = json.dumps(about | (header or {}))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def write_with_our_header(path, content):
    """A file that claims to be ours around any content."""
    foreign = skops.io.dumps(content)
    with zipfile.ZipFile(path) as archive:
        header = archive.read(HEADER)
    path.write_bytes(foreign)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(HEADER, header)
    repack(path)


def test_foreign_object_is_named_and_refused(saved):
    write_with_our_header(saved, Holder(Stranger()))
    with pytest.raises(ModelFileError, match=r"holds .*Holder.*Stranger.*nothing was loaded"):
        load(saved)


def test_functions_are_refused_even_ours(saved):
    write_with_our_header(saved, [save])
    with pytest.raises(ModelFileError, match=r"labelfield\.io\.persist\.save"):
        load(saved)


def test_save_refuses_what_load_would_refuse(tmp_path):
    path = tmp_path / "model.lf"
    with pytest.raises(ValueError, match=r"holds .*Stranger.*trusted"):
        save(Stranger(), path)
    assert not path.exists()
    name = f"{Stranger.__module__}.Stranger"
    save(Stranger(), path, trusted=[name])
    with pytest.raises(ModelFileError, match="Stranger"):
        load(path)


@pytest.mark.parametrize("content", [b"", b"not a zip at all", b"PK\x03\x04" + bytes(200)])
def test_not_a_zip(tmp_path, content):
    path = tmp_path / "model.lf"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"model\.lf is not a model file, or a damaged one"):
        load(path)


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.99])
def test_truncated(saved, kept):
    content = saved.read_bytes()
    saved.write_bytes(content[: int(kept * len(content))])
    with pytest.raises(ModelFileError, match="damaged"):
        load(saved)


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"gone\.lf"):
        load(tmp_path / "gone.lf")


def test_another_zip(tmp_path):
    path = tmp_path / "book.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("chapter.txt", "text")
    with pytest.raises(ModelFileError, match=r"without labelfield\.json"):
        load(path)


def test_plain_skops_file_is_sent_to_skops(tmp_path):
    path = tmp_path / "model.skops"
    skops.io.dump(LogisticRegression(), path)
    with pytest.raises(ModelFileError, match=r"did not write.*skops\.io\.load"):
        load(path)


def test_newer_protocol_asks_for_an_upgrade(saved):
    repack(saved, header={"protocol": 99, "labelfield": "7.5"})
    with pytest.raises(ModelFileError, match=r"labelfield 7\.5 \(protocol 99\).*Upgrade"):
        load(saved)


def test_older_protocol_names_its_writer(saved):
    repack(saved, header={"protocol": 0, "labelfield": "0.0.1"})
    with pytest.raises(ModelFileError, match=r"labelfield 0\.0\.1 \(protocol 0\).*that version"):
        load(saved)


@pytest.mark.parametrize("header", [{"protocol": "1"}, {"protocol": True}, {"protocol": None}])
def test_protocol_that_is_not_a_number(saved, header):
    with pytest.raises(ModelFileError, match="not a number"):
        load(repack(saved, header=header))


@pytest.mark.parametrize("text", [b"{", b"[]", b'{"protocol": 1}', b"\xff", b"[" * 200_000])
def test_unreadable_header(saved, text):
    repack(saved, drop=["labelfield.json"], add={"labelfield.json": text})
    with pytest.raises(ModelFileError, match=r"header labelfield\.json cannot be read"):
        load(saved)


def test_unknown_words_in_a_header_of_this_protocol(saved):
    with pytest.raises(ModelFileError, match="surprise"):
        read_header(repack(saved, header={"surprise": 1}))


@pytest.mark.parametrize("name", ["../evil.npy", "/etc/evil", "a/b.npy", "..\\evil"])
def test_paths_in_entry_names(saved, name):
    with pytest.raises(ModelFileError, match="with a path in its name"):
        load(repack(saved, add={name: b"x"}))


def test_zip_bomb(saved):
    repack(saved, add={"bomb.npy": bytes(3_000_000)})
    load(saved)
    with pytest.raises(ModelFileError, match=r"more than 3\d+ bytes.*max_bytes"):
        load(saved, max_bytes=1_000_000)


def test_zip_bomb_inside_a_sparse_matrix(saved):
    buffer = io.BytesIO()
    sp.save_npz(buffer, sp.csr_matrix(np.zeros((3_000_000, 1))))
    assert len(buffer.getvalue()) < 100_000
    repack(saved, add={"1.npz": buffer.getvalue()})
    with pytest.raises(ModelFileError, match="max_bytes"):
        load(saved, max_bytes=1_000_000)


def test_default_limit_grows_with_the_file(saved, monkeypatch):
    monkeypatch.setattr("labelfield.io.archive.SAFE_BYTES", 1_000_000)
    repack(saved, add={"zeros.npy": bytes(3_000_000)})
    with pytest.raises(ModelFileError, match="the limit is 1000000"):
        load(saved)
    repack(saved, add={"noise.bin": np.random.default_rng(0).bytes(60_000)})
    load(saved)


def test_missing_array(saved):
    with zipfile.ZipFile(saved) as archive:
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
    with pytest.raises(ModelFileError, match="cannot be read: KeyError"):
        load(repack(saved, drop=arrays[:1]))


def arrays_in(path):
    with zipfile.ZipFile(path) as archive:
        return {n: archive.read(n) for n in archive.namelist() if n.endswith(".npy")}


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize("other", [np.zeros((9, 9)), np.zeros(1), np.zeros(0), np.eye(2)])
def test_an_array_of_another_shape(saved, other):
    sound = saved.read_bytes()
    for name in arrays_in(saved):
        saved.write_bytes(sound)
        with pytest.raises(ModelFileError, match=f"the entry '{name}' is not what was saved"):
            load(repack(saved, add={name: npy(other)}, hashed=False))


def test_other_numbers_of_the_same_shape(saved):
    for name, content in arrays_in(saved).items():
        changed = npy(np.load(io.BytesIO(content)) + 1)
        with pytest.raises(ModelFileError, match="is not what was saved"):
            load(repack(saved, add={name: changed}, hashed=False))


def test_entries_that_were_added_or_lost(saved):
    with pytest.raises(ModelFileError, match=r"the entry 'more\.npy' is not what was saved"):
        load(repack(saved, add={"more.npy": b"x"}, hashed=False))
    with pytest.raises(ModelFileError, match="is not what was saved"):
        load(repack(saved, header={"entries": {}}))


def test_two_entries_of_one_name(saved):
    with zipfile.ZipFile(saved, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("schema.json", "{}")
    with pytest.raises(ModelFileError, match="two entries of one name"):
        load(saved)


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(-1,)", "(4,", "'x'"])
def test_an_array_that_announces_nonsense(saved, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    crafted = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    name = next(iter(arrays_in(saved)))
    with pytest.raises(ModelFileError):
        load(repack(saved, add={name: crafted}))


@pytest.mark.parametrize(
    "header",
    [
        {"notes": []},
        {"notes": "text"},
        {"labelfield": 3},
        {"model": None},
        {"made_with": 1},
        {"entries": ["schema.json"]},
    ],
)
def test_a_header_of_other_types(saved, header):
    with pytest.raises(ModelFileError, match=f"no readable '{next(iter(header))}'"):
        load(repack(saved, header=header))


def test_pipes_and_devices(tmp_path):
    os.mkfifo(tmp_path / "pipe.lf")
    for path in (tmp_path / "pipe.lf", "/dev/zero"):
        with pytest.raises(OSError, match="not a regular file"):
            load(path)


def test_content_that_is_no_estimator(saved):
    write_with_our_header(saved, {"coef": [1, 2]})
    with pytest.raises(ModelFileError, match="holds a dict, not an estimator"):
        load(saved)


def test_save_wants_an_estimator(tmp_path):
    with pytest.raises(ValueError, match="save writes estimators; got ndarray"):
        save(np.zeros(3), tmp_path / "model.lf")


def test_save_wants_plain_notes(tmp_path):
    with pytest.raises(ValueError, match="notes must hold plain JSON"):
        save(LogisticRegression(), tmp_path / "model.lf", notes={"when": object()})


def test_interrupted_save_leaves_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()

    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(LogisticRegression(), saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_changed_bytes_never_escape_as_another_error(saved, changes):
    content = bytearray(saved.read_bytes())
    for place, value in changes:
        content[min(int(place * len(content)), len(content) - 1)] = value
    other = saved.with_name("changed.lf")
    other.write_bytes(bytes(content))
    try:
        model = load(other)
    except ModelFileError:
        return
    assert isinstance(model, LogisticRegression)


def strip_types(value, replacement):
    """Replace one kind of leaf everywhere in a schema."""
    if isinstance(value, dict):
        return {
            k: replacement if k == "__class__" else strip_types(v, replacement)
            for k, v in value.items()
        }
    return [strip_types(v, replacement) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("replacement", ["Popen", "", None, 5, [], {"a": 1}])
def test_schema_with_other_classes(saved, replacement):
    with zipfile.ZipFile(saved) as archive:
        schema = json.loads(archive.read("schema.json"))
    changed = json.dumps(strip_types(schema, replacement))
    with pytest.raises(ModelFileError):
        load(repack(saved, add={"schema.json": changed}))


def test_names_that_only_look_like_ours():
    assert is_own_class("labelfield.decode.f1.F1Decoder")
    for name in (
        "labelfield.decode.F1Decoder",  # not where it is defined
        "labelfield.decode.f1.np",
        "labelfield.decode.f1.nothing",
        "labelfield.decode_evil.Thing",
        "labelfield.io.persist.save",
        "labelfield.decode.resolve",
        "labelfield.decode..f1.F1Decoder",
        "labelfield.decode.f1.F1Decoder.decode",
        "os.system",
        "",
    ):
        assert not is_own_class(name), name
        assert foreign_types([name]) == [name]
        assert foreign_types([name], trusted=[name]) == []
