"""ARFF readers side by side: labelfield, liac-arff and scipy.io.arff, in CPU seconds.

Run with `LABELFIELD_DATA=... python -m benchmarks readers`.
liac-arff is used if installed (pip install liac-arff), else the copy inside scikit-learn.
Each file is read twice: unpacked, which is what the others can read by themselves, and as it lies
on disk, through Python's decompression in all cases. Each reader stops at what its own call
returns: ours X, Y and names, the others Python lists or a record array.
"""

import bz2
import gzip
import os
import tempfile
from functools import partial
from pathlib import Path

from scipy.io.arff import loadarff

from benchmarks.timing import cpu_seconds, show
from labelfield.datasets import read_arff

try:
    import arff as liac

    LIAC = f"liac-arff {liac.__version__}"
except ImportError:
    from sklearn.externals import _arff as liac

    LIAC = "scikit-learn's liac-arff"

FILES = {
    "delicious": ("delicious/delicious.arff.gz", "delicious/delicious.xml", True),
    "imdb": ("imdb/Imdb.arff.bz2", None, True),
    "rcv1subset1": ("rcv1subset1/rcv1subset1.arff.gz", "rcv1subset1/rcv1subset1.xml", True),
    "yeast": ("yeast/yeast.arff.gz", "yeast/yeast.xml", False),
    "scene": ("scene/scene-train.arff.gz", "scene/scene.xml", False),
}
OPENERS = {".gz": gzip.open, ".bz2": bz2.open}


def with_text(path, read, **options):
    with OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8") as stream:
        return read(stream, **options)


def compare(path, labels, sparse, target):
    """Print how many times faster read_arff is than each reader that can read the file."""
    form = liac.COO if sparse else liac.DENSE
    peers = {LIAC: partial(with_text, path, liac.load, return_type=form)}
    if not sparse:
        peers["scipy.io.arff"] = partial(with_text, path, loadarff)
    ours = cpu_seconds(partial(read_arff, path, labels=labels))
    for peer, call in peers.items():
        theirs = cpu_seconds(call, repeats=2, warm_up=0)
        what = f"{path.name}: {ours:.3f} s against {theirs:.3f} s of {peer}"
        show(what, theirs / ours, target, at_most=False, unit="x")


def main():
    root = os.environ.get("LABELFIELD_DATA")
    if not root:
        print("skipped: set LABELFIELD_DATA to the folder with the data sets")
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, (file, xml, sparse) in FILES.items():
            packed, labels = Path(root, file), Path(root, xml) if xml else None
            unpacked = Path(folder, f"{name}.arff")
            unpacked.write_text(with_text(packed, lambda stream: stream.read()))
            target = 5 if name in ("delicious", "imdb") else None
            compare(unpacked, labels, sparse, target)
            compare(packed, labels, sparse, None)
            unpacking = cpu_seconds(lambda path=packed: OPENERS[path.suffix](path).read(), 2, 0)
            show(f"{packed.name}: decompression alone, in every reader", unpacking)


if __name__ == "__main__":
    main()
