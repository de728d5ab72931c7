"""Files of public repositories: pinned, checked, fetched once, refused where they are others."""

import hashlib
import io
import os
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest

from labelfield._exceptions import DataFormatError
from labelfield.cli.app import app
from labelfield.datasets import load_dataset
from labelfield.datasets.named import download
from labelfield.datasets.named.catalogue import CATALOGUE, TABLE_SIZES
from labelfield.datasets.named.download import (
    PublicFile,
    PublicSource,
    fetch_files,
    public_folder,
    public_sources,
)
from labelfield.restore import load_mixed_table

ARFF = b"@relation r\n@attribute x real\n@attribute y {0,1}\n@data\n1,0\n2,1\n"
XML = b'<labels><label name="y"/></labels>'
ADDRESS = "https://raw.githubusercontent.com/some/repo/c0ffee/a%20folder/"


def pinned(name, content, digest=None):
    digest = digest or hashlib.sha256(content).hexdigest()
    return PublicFile(name, "some/repo@c0ffee", f"a folder/{name}", len(content), digest)


@pytest.fixture
def server(monkeypatch):
    """A public source of scene, and what a server would answer: address -> content."""
    files = (pinned("scene.arff", ARFF), pinned("scene.xml", XML))
    source = PublicSource("Boutell 2004", "research", files)
    monkeypatch.setattr(download, "public_sources", lambda: {"scene": source})
    answers = {ADDRESS + "scene.arff": ARFF, ADDRESS + "scene.xml": XML}
    asked = []

    def urlopen(address, timeout):
        asked.append(address)
        if address not in answers:
            raise URLError("no route")
        return io.BytesIO(answers[address])

    monkeypatch.setattr(download, "urlopen", urlopen)
    return answers, asked


def test_files_are_fetched_once_and_read(server, folders):
    _, asked = server
    with pytest.warns(UserWarning, match=r"Cite: Boutell 2004. Terms: research"):
        folder = fetch_files("scene")
    assert sorted(asked) == [ADDRESS + "scene.arff", ADDRESS + "scene.xml"]
    assert folder == folders / "cache" / "files" / "scene" == public_folder("scene")
    data = load_dataset("scene", fetch=False)
    np.testing.assert_array_equal(data.X, [[1], [2]])
    np.testing.assert_array_equal(data.Y, [[0], [1]])
    fetch_files("scene")
    assert len(asked) == 2


def test_load_fetches_where_it_may(server, monkeypatch):
    monkeypatch.setattr("labelfield.datasets.named.loader.public_sources", download.public_sources)
    with pytest.raises(FileNotFoundError, match="fetch=False"):
        load_dataset("scene", fetch=False)
    with pytest.warns(UserWarning, match="Fetching scene"):
        assert load_dataset("scene").Y.shape == (2, 1)


def test_another_file_is_refused_and_not_kept(server):
    answers, _ = server
    answers[ADDRESS + "scene.xml"] = XML.replace(b"y", b"z")
    with pytest.raises(DataFormatError, match="scene.xml is not the file of scene"):
        fetch_files("scene", quiet=True)
    assert public_folder("scene") is None


def test_an_interrupted_download_goes_on(server):
    answers, asked = server
    kept = answers.pop(ADDRESS + "scene.xml")
    with pytest.raises(ConnectionError, match=r"could not be fetched .* no route"):
        fetch_files("scene", quiet=True)
    answers[ADDRESS + "scene.xml"] = kept
    fetch_files("scene", quiet=True)
    assert asked.count(ADDRESS + "scene.arff") == 1


def test_a_changed_file_is_fetched_again(server):
    folder = fetch_files("scene", quiet=True)
    (folder / "scene.arff").write_bytes(b"other")
    assert public_folder("scene") is None
    assert (fetch_files("scene", quiet=True) / "scene.arff").read_bytes() == ARFF


def test_digests_of_git():
    # git hash-object of a file that holds "labels" and a line end
    assert pinned("a", b"", "1914020080e0f66f8a2d332d9f51b96078a74ee5").accepts(b"labels\n")
    assert not pinned("a", b"", "1914020080e0f66f8a2d332d9f51b96078a74ee5").accepts(b"labels")


def test_command_shows_the_terms_first(server, capsys):
    app(["datasets", "fetch", "Scene"], standalone_mode=False)
    printed = capsys.readouterr().out
    assert printed.index("Boutell 2004") < printed.index("all checksums are right")


def test_every_known_set_is_pinned():
    known = public_sources()
    assert set(CATALOGUE) <= set(known)
    assert set(TABLE_SIZES) <= set(known)
    for source in known.values():
        assert source.cite
        assert source.terms
        for file in source.files:
            assert len(file.digest) == (40 if file.size is None else 64)
            assert len(file.repository.split("@")[1]) == 40


REAL = Path(os.environ.get("LABELFIELD_DATA", "not set"))


@pytest.mark.data
@pytest.mark.skipif(not (REAL / "german").is_dir(), reason="LABELFIELD_DATA names no data folder")
def test_pinned_files_are_those_of_the_data_folder(folders):
    own = folders / "cache" / "files" / "german"
    own.mkdir(parents=True)
    (own / "german.data").write_bytes((REAL / "german" / "german.data").read_bytes())
    assert public_folder("german") == own
    assert len(load_mixed_table("german").target) == TABLE_SIZES["german"][0]
