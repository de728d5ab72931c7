"""Makes `io/protocol_1.lf`, the file that every later version must still read.

Until the first release, run `python tests/stored_model.py` when a change of BinaryRelevance makes
the file unreadable; after it, keep the file and write a reader.
"""

from pathlib import Path

import numpy as np

from labelfield import BinaryRelevance, save

PATH = Path(__file__).parent / "io" / "protocol_1.lf"
X = np.arange(24.0).reshape(8, 3) % 7
Y = np.array([[0, 1], [1, 0], [1, 1], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1]])


def make():
    save(
        BinaryRelevance(alpha=0.5, tol=1e-9, decoder="f1").fit(X, Y),
        PATH,
        notes={"labels": ["a", "b"]},
    )


if __name__ == "__main__":
    make()
