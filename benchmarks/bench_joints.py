"""CPU seconds of the joints' kernels, one thread, beside the floor set by memory or arithmetic.

Run with `python -m benchmarks.bench_joints`, with OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np

from labelfield import kernels
from labelfield.decode import F1Decoder
from labelfield.joints import IndependentJoint, IsingJoint, MixtureJoint, PooledJoint
from labelfield.joints.factor_graph import FactorGraph

REPEATS = 5
Row = tuple[str, str, str]


def cpu_seconds(function: Callable[[], object]) -> float:
    """Return the median CPU seconds of `REPEATS` calls after one to warm up."""
    function()
    seconds = []
    for _ in range(REPEATS):
        start = process_time()
        function()
        seconds.append(process_time() - start)
    return median(seconds)


def random_mixture(n: int, K: int, L: int, centre: float, spread: float) -> MixtureJoint:
    """Return mixtures with a few strong components and log-odds from a normal distribution."""
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.full(K, 0.3), n) + 1e-9
    log_weights = np.log(weights / weights.sum(axis=1, keepdims=True))
    return MixtureJoint(log_weights, rng.normal(centre, spread, (n, K, L)))


def bench_best_sets() -> list[Row]:
    """K best sets of products, in the compact form that lists the flips of the mode."""
    n, L, k = 10_000, 1000, 50
    joint = IndependentJoint(np.random.default_rng(0).normal(-3.0, 2.0, (n, L)))
    seconds = cpu_seconds(lambda: joint.best_flips(k))
    floor = cpu_seconds(lambda: np.abs(joint.logits).min(axis=1))
    return [
        (
            f"k best sets, N={n} L={L} k={k}, compact (flips and log-probabilities)",
            f"{seconds:.3f} s; floor: one pass over the {joint.logits.nbytes / 1e6:.0f} MB of "
            f"log-odds {floor:.3f} s",
            "<= 1 s",
        )
    ]


def bench_expected_f1() -> list[Row]:
    """F1-optimal sets of mixtures from exact, untruncated size marginals."""
    n, K, L = 1000, 20, 100
    rows = []
    for mean_size, centre in [(3, -5.0), (13, -3.0), (50, 0.0)]:
        joint = random_mixture(n, K, L, centre, 2.0)
        p_empty = np.exp(joint.log_prob(np.zeros((n, L), dtype=np.uint8)))
        P = joint.size_marginals()
        sizes = cpu_seconds(joint.size_marginals)
        decision = cpu_seconds(lambda: kernels.sets.gfm.maximize_f1(P, p_empty))  # noqa: B023
        rows.append(
            (
                f"F1-optimal sets, N={n} K={K} L={L}, {mean_size} labels a set",
                f"{sizes + decision:.3f} s (sizes {sizes:.3f}, decision {decision:.3f}); floor: "
                f"{n * K * L * 4 * P.any(axis=(0, 1)).sum() / 1e6:.0f} Mflop for sizes",
                "<= 0.5 s",
            )
        )
    return rows


def bench_mixture_mode() -> list[Row]:
    """Exact modes of mixtures shaped like those of scene and of bibtex."""
    rows = []
    for n, K, L, centre in [(20_000, 20, 6, -2.0), (500, 20, 159, -5.0)]:
        joint = random_mixture(n, K, L, centre, 2.5)
        seconds = cpu_seconds(lambda: joint.mode(allow_empty=False))  # noqa: B023
        floor = cpu_seconds(lambda: np.exp(-np.abs(joint.logits)))  # noqa: B023
        rows.append(
            (
                f"mixture mode, K={K} L={L}",
                f"{n / seconds:.0f} rows/s; floor: one exponential per log-odds "
                f"{n / floor:.0f} rows/s",
                "report",
            )
        )
    return rows


def bench_pool() -> list[Row]:
    """Best sets and F1 decisions of a pool of eight members shaped like those of scene."""
    n, L = 2400, 6
    rng = np.random.default_rng(0)
    logits = rng.normal(-1.5, 2.0, (n, L))
    graph = FactorGraph.complete(L)
    sets = np.unique((rng.random((15, L)) < 0.4).astype(np.uint8), axis=0)
    field = IsingJoint(logits, graph, rng.normal(-0.5, 0.5, graph.n_cliques))
    product = IndependentJoint(logits)
    members = [field, product, random_mixture(n, 10, L, -1.5, 2.0), product.restrict(sets)]
    pool = PooledJoint(2 * members, rng.dirichlet(np.ones(8)))
    decoder = F1Decoder()
    figures = {
        "mode": cpu_seconds(pool.mode),
        "ten best sets": cpu_seconds(lambda: pool.top_k(10)),
        "F1 decisions": cpu_seconds(lambda: decoder.decode(pool)),
    }
    return [
        (f"pool of 8 members, L={L}: {what}", f"{n / seconds:.0f} rows/s", ">= 2000 rows/s")
        for what, seconds in figures.items()
    ]


def main() -> list[Row]:
    """Measure, print and return (name, figure, target)."""
    benches = (bench_best_sets, bench_expected_f1, bench_mixture_mode, bench_pool)
    rows = [row for bench in benches for row in bench()]
    for name, figure, target in rows:
        print(f"{name}: {figure} (target {target})")
    return rows


if __name__ == "__main__":
    main()
