"""BOOMER, which needs a Python and a scikit-learn of its own: data and answers go through files.

`LABELFIELD_BOOMER` names a Python that has mlrl-boomer. Without it an environment is made once in
the cache folder, from a Python of 3.12 or newer (mlrl-boomer 0.15) where one is found, else from
Python 3.11 (mlrl-boomer 0.12.3, whose answers are the same).
"""

import glob
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from lab.arena.answers import ListedAnswer
from labelfield.datasets.named.folders import cache_folder

__all__ = ["Boomer", "boomer_python", "why_not"]

WORKER = Path(__file__).with_name("boomer_worker.py")
VERSIONS = {  # of Python, with the newest mlrl-boomer that runs on it
    "3.14": "mlrl-boomer>=0.15",
    "3.13": "mlrl-boomer>=0.15",
    "3.12": "mlrl-boomer>=0.15",
    "3.11": "mlrl-boomer==0.12.3",
}
CHECK = "import mlrl.boosting"


def why_not() -> str:
    """Return why BOOMER cannot run here; empty if it can."""
    return boomer_python()[1]


@cache
def boomer_python() -> tuple[str, str]:
    """Return a Python that has mlrl-boomer, and otherwise the reason why there is none."""
    named = os.environ.get("LABELFIELD_BOOMER")
    if named:
        works = _says_yes([named, "-c", CHECK])
        return (named, "") if works else ("", f"LABELFIELD_BOOMER={named} has no mlrl-boomer")
    home = cache_folder() / "boomer"
    python = home / "bin" / "python"
    if python.exists() and _says_yes([str(python), "-c", CHECK]):
        return str(python), ""
    reason = f"no Python of {' or '.join(VERSIONS)} was found for mlrl-boomer"
    for found, requirement in _pythons():
        steps = (
            [found, "-m", "venv", "--clear", str(home)],
            [str(python), "-m", "pip", "install", "--quiet", requirement],
            [str(python), "-c", CHECK],
        )
        failed = next((words for words in steps if not _says_yes(words)), None)
        if failed is None:
            return str(python), ""
        reason = f"{requirement} cannot be installed: {' '.join(failed)} failed"
    return "", reason


def _pythons() -> Iterator[tuple[str, str]]:
    """Yield Pythons on the path or of pyenv that mlrl-boomer runs on, with what to install."""
    for version, requirement in VERSIONS.items():
        beside = sorted(glob.glob(str(Path.home() / f".pyenv/versions/{version}.*/bin/python")))
        for found in filter(None, [shutil.which(f"python{version}"), *beside]):
            if _says_yes([found, "-c", "import venv"]):
                yield found, requirement


def _says_yes(words: list[str]) -> bool:
    try:
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:  # there is no such program
        return False


class Boomer:
    """BOOMER with the joint logistic loss; every number of rules of its worker is a variant.

    Parameters
    ----------
    label_binning : {"auto", "none"}
        Whether labels with similar gradients share a score in the head of a rule: faster, and
        better or worse.
    """

    def __init__(self, label_binning: str = "auto"):
        self.label_binning = label_binning

    def fit(self, X, Y, seed: int) -> "Boomer":
        """Learn rules from X (n, d) and Y (n, L)."""
        with tempfile.TemporaryDirectory(prefix="boomer-") as name:
            folder = Path(name)
            given = {"seed": seed, "label_binning": self.label_binning}
            np.savez(folder / "data.npz", Y=Y, **given, **_as_arrays(X))
            _work("fit", folder)
            self.model_ = (folder / "model.pickle").read_bytes()
        return self

    def ask(self, X) -> dict[str, ListedAnswer]:
        """Return the answers for rows X (n, d), by number of rules."""
        with tempfile.TemporaryDirectory(prefix="boomer-") as name:
            folder = Path(name)
            np.savez(folder / "rows.npz", **_as_arrays(X))
            (folder / "model.pickle").write_bytes(self.model_)
            _work("ask", folder)
            with np.load(folder / "answers.npz") as stored:
                found = dict(stored)
        rules = sorted({int(name.partition("-")[2]) for name in found})
        return {
            f"{n} rules": ListedAnswer(
                found[f"marginals-{n}"],
                {decoder: found[f"{decoder}-{n}"] for decoder in ("subset", "f1")},
            )
            for n in rules
        }


def _work(task: str, folder: Path) -> None:
    words = [boomer_python()[0], str(WORKER), task, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"BOOMER ended with exit code {done.returncode}: {last}")


def _as_arrays(X) -> dict[str, np.ndarray]:
    if not sp.issparse(X):
        return {"X": X}
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}
