"""Counts and times of requests in the text format of Prometheus."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

__all__ = ["Metrics"]

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Counts requests by path and status, and how long they took.

    Parameters
    ----------
    paths : iterable of str
        Paths counted by their names; all others are "other", so that strangers cannot fill memory.
    gauges : mapping of str to callable, optional
        Further numbers, read when they are shown.

    Examples
    --------
    >>> from labelfield.desk.service.metrics import Metrics
    >>> metrics = Metrics(["/predict"])
    >>> metrics.count("/predict", 200, 0.03)
    >>> print(metrics.text().splitlines()[1])
    labelfield_requests_total{path="/predict",status="200"} 1
    """

    def __init__(
        self, paths: Iterable[str], gauges: Mapping[str, Callable[[], float]] | None = None
    ) -> None:
        self.paths = frozenset(paths)
        self.gauges = dict(gauges or {})
        self._requests: Counter[tuple[str, int]] = Counter()
        self._below: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()

    def count(self, path: str, status: int, seconds: float) -> None:
        """Count one request."""
        path = path if path in self.paths else "other"
        self._requests[path, status] += 1
        self._seconds[path] += seconds  # type: ignore[assignment]
        self._below[path, next((b for b in BUCKETS if seconds <= b), float("inf"))] += 1

    def text(self) -> str:
        """Return all numbers in the text format of Prometheus."""
        lines = ["# TYPE labelfield_requests_total counter"]
        for (path, status), n in sorted(self._requests.items()):
            lines.append(f'labelfield_requests_total{{path="{path}",status="{status}"}} {n}')
        lines.append("# TYPE labelfield_request_seconds histogram")
        for path in sorted(self._seconds):
            total = 0
            for bound in (*BUCKETS, float("inf")):
                total += self._below[path, bound]
                name = "+Inf" if bound == float("inf") else f"{bound:g}"
                lines.append(
                    f'labelfield_request_seconds_bucket{{path="{path}",le="{name}"}} {total}'
                )
            lines.append(
                f'labelfield_request_seconds_sum{{path="{path}"}} {self._seconds[path]:.6f}'
            )
            lines.append(f'labelfield_request_seconds_count{{path="{path}"}} {total}')
        for name, read in self.gauges.items():
            lines += [f"# TYPE labelfield_{name} gauge", f"labelfield_{name} {read():g}"]
        return "\n".join(lines) + "\n"
