"""Cases and a model for tests of the desk."""

from labelfield.desk.queue import NewCase

LABELS = ["fever", "flu", "cough"]
MODEL = {
    "hash": "0" * 64,
    "file": "flu.lf",
    "kind": "CalibratedSetClassifier",
    "version": "0",
    "accuracy": 0.9,
    "confidence_level": 0.95,
    "threshold": 0.8,
    "promise": "a test",
}


def new_cases(n, accepted=0):
    """Return n cases of falling gain, the last of them accepted."""
    return [
        NewCase(f"case {i}", {"note": f"note {i}"}, ("flu",), i / n, accepted=i >= n - accepted)
        for i in range(n)
    ]
