"""Outputs that are there whole or not at all."""

import errno
import os
import stat
import threading

import pytest

from full_disk import fill_disk
from labelfield.io._aside import write_aside


def put(path, text, stop=None):
    with write_aside(path) as file:
        file.write(text)
        if stop is not None:
            raise stop


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "plain.txt").write_text("x")
    with write_aside(tmp_path / "aside.txt") as file:
        file.write("é\n")
        assert not (tmp_path / "aside.txt").exists()
    assert (tmp_path / "aside.txt").read_bytes() == b"\xc3\xa9\n"
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    with write_aside(path, "wb") as file:
        file.write(b"new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("room", [0, 10_000])
def test_a_full_disk_keeps_the_old_file(tmp_path, monkeypatch, room):
    path = tmp_path / "a.txt"
    path.write_text("old")
    fill_disk(monkeypatch, room)
    with pytest.raises(OSError, match=r"No space left.*a\.txt") as caught:
        put(path, "new" * 10_000)
    assert caught.value.errno == errno.ENOSPC
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
def test_a_block_that_fails_keeps_the_old_file(tmp_path, stop):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(stop):
        put(path, "new", stop)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["a.txt"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to("real/a.txt")
    put(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "real" / "a.txt").read_text() == "new"


def test_a_link_to_nothing_makes_its_file(tmp_path):
    link = tmp_path / "link.txt"
    link.symlink_to("made.txt")
    put(link, "new")
    assert (tmp_path / "made.txt").read_text() == "new"


def test_names_may_be_as_long_as_the_file_system_allows(tmp_path):
    path = tmp_path / ("a" * 250 + ".txt")
    put(path, "new")
    assert path.read_text() == "new"


def test_folders_devices_and_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", os.devnull):
        with pytest.raises(OSError, match="is not a regular file"):
            put(path, "new")
    with pytest.raises(FileNotFoundError, match="gone is not a folder; make it first"):
        put(tmp_path / "gone" / "a.txt", "new")


def test_threads_on_one_name_leave_one_whole_file(tmp_path):
    path = tmp_path / "a.txt"
    texts = [str(k) * 50_000 for k in range(8)]

    def write(text):
        for _ in range(5):
            put(path, text)

    threads = [threading.Thread(target=write, args=[text]) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in texts
    assert names_in(tmp_path) == ["a.txt"]
