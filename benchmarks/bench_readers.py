"""ARFF readers side by side: labelfield, liac-arff and scipy.io.arff, in CPU seconds.

Needs the data folder: LABELFIELD_DATA=... python benchmarks/bench_readers.py [name ...]
liac-arff is used if installed (pip install liac-arff), else the copy inside scikit-learn.
Each file is read twice: unpacked, and as it lies on disk, decompression included. Each reader stops
at what its own call returns: ours X, Y and names, the others Python lists or a record array.
"""

import bz2
import gzip
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from scipy.io.arff import loadarff

from labelfield.datasets import read_arff

try:
    import arff as liac

    LIAC = f"liac-arff {liac.__version__}"
except ImportError:
    from sklearn.externals import _arff as liac

    LIAC = "liac-arff (scikit-learn's copy)"

FILES = {
    "delicious": ("delicious/delicious.arff.gz", "delicious/delicious.xml", True),
    "imdb": ("imdb/Imdb.arff.bz2", None, True),
    "rcv1subset1": ("rcv1subset1/rcv1subset1.arff.gz", "rcv1subset1/rcv1subset1.xml", True),
    "yeast": ("yeast/yeast.arff.gz", "yeast/yeast.xml", False),
    "scene": ("scene/scene-train.arff.gz", "scene/scene.xml", False),
}
OPENERS = {".gz": gzip.open, ".bz2": bz2.open}


def cpu_seconds(call, repeats):
    """The smallest CPU time of some calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def with_text(path, read, **options):
    with OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8") as stream:
        return read(stream, **options)


def readings(path, labels, sparse):
    """CPU seconds of every reader that can read the file, ours first."""
    form = liac.COO if sparse else liac.DENSE
    seconds = [
        cpu_seconds(partial(read_arff, path, labels=labels), 3),
        cpu_seconds(partial(with_text, path, liac.load, return_type=form), 2),
    ]
    if not sparse:
        seconds.append(cpu_seconds(partial(with_text, path, loadarff), 2))
    return seconds


def main(names=tuple(FILES)):
    root = os.environ.get("LABELFIELD_DATA")
    if not root:
        print("skipped: set LABELFIELD_DATA to the folder with the data sets")
        return
    print(f"{'file':24} {'ours':>8} {'liac':>8} {'scipy':>8}   ratios   (CPU s; liac = {LIAC})")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            file, xml, sparse = FILES[name]
            packed, labels = Path(root, file), Path(root, xml) if xml else None
            unpacked = Path(folder, f"{name}.arff")
            unpacked.write_text(with_text(packed, lambda stream: stream.read()))
            read_arff(unpacked, labels=labels)
            for path in (unpacked, packed):
                seconds = readings(path, labels, sparse)
                shown = [f"{s:8.3f}" for s in seconds] + [f"{'-':>8}"] * (3 - len(seconds))
                ratios = [f"{s / seconds[0]:.1f} x" for s in seconds[1:]]
                print(f"{path.name:24} {' '.join(shown)}   {', '.join(ratios)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or tuple(FILES))
