"""BOOMER, which needs a Python and a scikit-learn of its own: data and answers go through files.

`LABELFIELD_BOOMER` names a Python that has mlrl-boomer. Without it an environment is made once in
the cache folder, from a Python of 3.12 or newer (mlrl-boomer 0.15) where one is found.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from lab.arena.answers import ListedAnswer
from labelfield.datasets.named.folders import cache_folder

__all__ = ["Boomer", "boomer_python", "why_not"]

REQUIREMENT = "mlrl-boomer>=0.15"
WORKER = Path(__file__).with_name("boomer_worker.py")
MINORS = (14, 13, 12)
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
    newer = _newer_python()
    if newer is None:
        return "", "no Python of 3.12 or newer was found for mlrl-boomer"
    for words in (
        [newer, "-m", "venv", "--clear", str(home)],
        [str(python), "-m", "pip", "install", "--quiet", REQUIREMENT],
        [str(python), "-c", CHECK],
    ):
        if not _says_yes(words):
            return "", f"{REQUIREMENT} cannot be installed: {' '.join(words)} failed"
    return str(python), ""


def _newer_python() -> str | None:
    """Return a Python that mlrl-boomer runs on: this one, one on the path, or one of pyenv."""
    found = [sys.executable] if sys.version_info[1] in MINORS else []
    for minor in MINORS:
        found += filter(None, [shutil.which(f"python3.{minor}")])
        found += sorted(glob.glob(str(Path.home() / f".pyenv/versions/3.{minor}.*/bin/python")))
    return next((one for one in found if _says_yes([one, "-c", "import venv"])), None)


def _says_yes(words: list[str]) -> bool:
    done = subprocess.run(words, capture_output=True, check=False)
    return done.returncode == 0


class Boomer:
    """BOOMER with the joint logistic loss; every number of rules of its worker is a variant."""

    def fit(self, X, Y, seed: int) -> "Boomer":
        """Learn rules from X (n, d) and Y (n, L)."""
        self.folder_ = tempfile.TemporaryDirectory(prefix="boomer-")
        np.savez(Path(self.folder_.name) / "data.npz", Y=Y, seed=seed, **_as_arrays(X))
        self._work("fit")
        return self

    def ask(self, X) -> dict[str, ListedAnswer]:
        """Return the answers for rows X (n, d), by number of rules."""
        folder = Path(self.folder_.name)
        np.savez(folder / "rows.npz", **_as_arrays(X))
        self._work("ask")
        with np.load(folder / "answers.npz") as found:
            rules = sorted({int(name.partition("-")[2]) for name in found})
            return {
                f"{n} rules": ListedAnswer(
                    found[f"marginals-{n}"],
                    {decoder: found[f"{decoder}-{n}"] for decoder in ("subset", "f1")},
                )
                for n in rules
            }

    def _work(self, task: str) -> None:
        words = [boomer_python()[0], str(WORKER), task, self.folder_.name]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"BOOMER ended with exit code {done.returncode}: {last}")


def _as_arrays(X) -> dict[str, np.ndarray]:
    if not sp.issparse(X):
        return {"X": X}
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}
