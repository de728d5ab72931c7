"""A disk that is full after some bytes."""

import errno
import io

import pytest

__all__ = ["fill_disk"]


class FullDisk(io.FileIO):
    """A file on which only the first bytes find room."""

    def __init__(self, path, mode, room):
        super().__init__(path, mode)
        self.room = room

    def write(self, content):
        self.room -= len(content)
        if self.room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(content)


def fill_disk(monkeypatch: pytest.MonkeyPatch, room: int = 0) -> None:
    """Let every output of the library run out of space after `room` bytes."""

    def create(path, mode, **options):
        binary = io.BufferedWriter(FullDisk(path, "xb", room))
        return binary if "b" in mode else io.TextIOWrapper(binary, **options)

    monkeypatch.setattr("labelfield.io._aside._create", create)
