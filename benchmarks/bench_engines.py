"""Engines of inference for label fields: speed beside targets, cost by size, error by graph.

Run with `python -m benchmarks engines`. Speeds are CPU seconds of one thread, compilation not
counted. Errors are against the list of all sets, on fields with standard normal unaries.
"""

from functools import partial

import numpy as np

from benchmarks.timing import cpu_seconds, show
from labelfield import kernels
from labelfield.joints import IsingJoint
from labelfield.joints.factor_graph import FactorGraph

ENGINES = ("junction_tree", "sum_product", "max_product", "mean_field", "gibbs")
N_ROWS = 100


def random_joint(graph, n, strength, **options):
    rng = np.random.default_rng(0)
    unary = rng.normal(size=(n, graph.n_labels))
    return IsingJoint(unary, graph, rng.normal(0.0, strength, graph.n_cliques), **options)


def bench_messages():
    """Fifty rounds, none of them saved by convergence."""
    for n_labels, shape in [(20, "complete"), (20, "chain")]:
        graph = FactorGraph.complete(n_labels)
        if shape == "chain":
            graph = FactorGraph(n_labels, [(i, i + 1) for i in range(n_labels - 1)])
        joint = random_joint(graph, 2000, 0.3, inference="sum_product")
        field = joint.unary, graph.arrays, np.atleast_2d(joint.coupling)
        for name, maximize in [("max-product", True), ("sum-product", False)]:
            for schedule, sequential in [("sequential", True), ("parallel", False)]:
                call = partial(
                    kernels.fields.messages.pass_messages,
                    *field,
                    maximize,
                    sequential,
                    0.5,
                    50,
                    -1.0,
                )
                what = f"{name}, {schedule}, 2000 rows, {shape} graph of 20, 50 rounds"
                show(what, cpu_seconds(call), 0.05)


def bench_exact():
    """Rows a second of exact answers."""
    joint = random_joint(FactorGraph.complete(14), 1000, 1.0)
    for what, answer, target in [
        ("mode", IsingJoint.mode, 5000),
        ("marginals", IsingJoint.marginals, None),
        ("size_marginals", IsingJoint.size_marginals, None),
    ]:
        seconds = cpu_seconds(lambda: answer(joint.take(slice(None))), 3)  # noqa: B023
        what = f"{what} by {joint.method}, complete graph of 14"
        show(what, len(joint) / seconds, target, at_most=False, unit="rows/s")
    rng = np.random.default_rng(0)
    pairs = np.column_stack(np.triu_indices(100, 1))
    graph = FactorGraph(100, pairs[rng.choice(len(pairs), 120, replace=False)])
    joint = random_joint(graph, 200, 1.0)
    for what in ("mode", "marginals", "size_marginals"):
        seconds = cpu_seconds(lambda: getattr(joint.take(slice(None)), what)(), 3)  # noqa: B023
        what = f"{what} by {joint.method}, 100 labels, 120 edges, width {graph.treewidth}"
        show(what, len(joint) / seconds, unit="rows/s")


def bench_growth():
    """CPU microseconds a row and iteration against labels and rows, complete graphs."""
    print(
        "\nmicroseconds a row: one sequential round of messages, one sweep of MPLP, of mean field,"
    )
    print("and exact marginals and mode by enumeration")
    print(
        f"{'L':>4s} {'n':>6s} {'sum':>8s} {'max':>8s} {'MPLP':>8s} {'mean':>8s} {'exact':>9s} mode"
    )
    for n_labels, n in [(5, 2000), (10, 200), (10, 2000), (10, 20_000), (16, 200), (40, 2000)]:
        graph = FactorGraph.complete(n_labels)
        joint = random_joint(graph, n, 0.3, inference="auto")
        field = joint.unary, graph.arrays, np.atleast_2d(joint.coupling)
        passing = partial(kernels.fields.messages.pass_messages, *field)
        calls = [
            partial(passing, False, True, 0.5, 10, -1.0),
            partial(passing, True, True, 0.5, 10, -1.0),
            partial(kernels.fields.mplp.mplp, *field, 10, -1.0),
            partial(kernels.fields.sweeps.mean_field, *field, 10, -1.0),
        ]
        figures = [cpu_seconds(call, 3) / (10 * n) for call in calls]
        if joint.exact:
            for answer in (IsingJoint.marginals, IsingJoint.mode):
                call = partial(lambda answer, joint: answer(joint.take(slice(None))), answer, joint)
                figures.append(cpu_seconds(call, 1) / n)
        print(f"{n_labels:4d} {n:6d} " + " ".join(f"{1e6 * figure:8.2f}" for figure in figures))


def graphs():
    """Yield names and graphs of 12 labels."""
    labels = np.arange(12)
    yield "tree", [(i, (i - 1) // 2) for i in labels[1:]]
    yield "cycle", [(i, (i + 1) % 12) for i in labels]
    yield "grid", [(i, i + 1) for i in labels if i % 4 < 3] + [(i, i + 4) for i in labels[:8]]
    yield "complete", [(i, j) for j in labels for i in labels[:j]]
    yield "triples", [(i, (i + 1) % 12, (i + 4) % 12) for i in labels]


def bench_errors():
    """Print how far each engine is from the truth, by graph and strength of couplings."""
    print(f"\n{N_ROWS} fields of 12 labels; error: mean absolute, of P(y_l = 1) and of log Z")
    print("| graph | couplings | engine | marginals | log Z | settled | best set found | proven |")
    print("|---|---|---|---|---|---|---|---|")
    for name, cliques in graphs():
        for strength in (0.5, 2.0):
            graph = FactorGraph(12, cliques)
            truth = random_joint(graph, N_ROWS, strength, inference="enumeration")
            best = truth.log_score(truth.mode())
            for inference in ENGINES:
                joint = random_joint(graph, N_ROWS, strength, inference=inference)
                error = np.abs(joint.marginals() - truth.marginals()).mean()
                log_error = np.abs(joint.log_partition() - truth.log_partition()).mean()
                found = (joint.log_score(joint.mode()) >= best - 1e-9).mean()
                known = "-" if np.isnan(log_error) else f"{log_error:.4f}"
                print(
                    f"| {name} | {strength} | {inference} | {error:.4f} | {known} "
                    f"| {joint.converged.mean():.2f} | {found:.2f} "
                    f"| {joint.certified().mean():.2f} |"
                )


def main():
    """Measure and print everything."""
    bench_messages()
    bench_exact()
    bench_growth()
    bench_errors()


if __name__ == "__main__":
    main()
