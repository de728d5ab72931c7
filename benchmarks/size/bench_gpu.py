"""Fits and decisions on a GPU: seconds, and the floor of steps times the two products.

    SCIPY_ARRAY_API=1 PYTHONPATH=src python -m benchmarks.size.bench_gpu [--small] [--only coco,f1]

`--small` tries everything at tiny sizes, on the CPU where there is no GPU. Features are drawn, so
that they are easy: real ones need more steps. Dense fits are shown for alpha = .1 n and for
alpha=1, with which the rare labels of these data are all but separated: a hard problem.
"""

import argparse
import os
import time
import traceback
import warnings
from statistics import median

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # before scipy loads

from benchmarks.timing import show

warnings.filterwarnings("ignore", message="Sparse .* tensor support is in beta state")
TOL = 1e-3
SIZES = {  # rows, features, labels
    "coco": (123_287, 4096, 80),
    "million": (1_000_000, 1024, 200),
    "sparse": (780_000, 47_236, 2456),
    "f1": (1_000_000, 0, 80),
    "objective": (20_000, 600, 40),
    "mixture": (123_287, 4096, 80),
    "field": (123_287, 4096, 80),
    "cupy": (5_000, 50, 10),
}
SMALL = {
    "coco": (2_000, 60, 8),
    "million": (3_000, 30, 10),
    "sparse": (3_000, 800, 40),
    "f1": (2_000, 0, 12),
    "objective": (1_000, 40, 6),
    "mixture": (600, 20, 6),
    "field": (600, 20, 6),
    "cupy": (500, 10, 4),
}
LIMITS = {"coco": 0.15, "million": 0.5, "sparse": 10.0, "f1": 1.0, "mixture": 10.0, "field": 5.0}


def main(arguments=()):
    import sklearn
    import torch

    options = _parser().parse_args(list(arguments))
    sklearn.set_config(array_api_dispatch=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    name = torch.cuda.get_device_name() if device.type == "cuda" else "no GPU: the CPU"
    torch.backends.cuda.matmul.allow_tf32 = options.tf32
    print(f"{name}, torch {torch.__version__}{', tf32' if options.tf32 else ''}")
    chosen = options.only.split(",") if options.only else list(SIZES)
    for size in chosen:
        shape = (SMALL if options.small else SIZES)[size]
        print(f"-- {size}: {' x '.join(map(str, shape))}", flush=True)
        torch.manual_seed(0)
        try:
            with torch.no_grad():
                MEASURES[size](torch, device, shape, options)
        except Exception:
            traceback.print_exc()
        if device.type == "cuda":
            print(f"   peak memory {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()


def _parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", help=f"some of {', '.join(SIZES)}")
    parser.add_argument("--tol", type=float, default=TOL)
    parser.add_argument("--tf32", action="store_true", help="products in TensorFloat-32")
    parser.add_argument("--profile", action="store_true", help="show where the first fit spends")
    return parser


def seconds(call, device, repeats=3):
    """Return the median wall-clock seconds of a call on a device, and its last answer."""
    import torch

    def wait():
        if device.type == "cuda":
            torch.cuda.synchronize()

    call()
    spent = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        answer = call()
        wait()
        spent.append(time.perf_counter() - start)
    return median(spent), answer


def dense_data(torch, device, shape):
    n, d, n_labels = shape
    X = torch.randn(n, d, device=device)
    W = torch.randn(d, n_labels, device=device) / d**0.5
    shift = torch.linspace(-3.5, -0.5, n_labels, device=device)
    Y = (X @ W + shift + torch.randn(n, n_labels, device=device) > 0).to(torch.uint8)
    return X, Y


def sparse_data(torch, device, shape, entries=75):
    """Return CSR features with power-law columns, and labels with power-law frequencies."""
    n, d, n_labels = shape
    entries = min(entries, d // 4)
    popular = 1.0 / torch.arange(10, d + 10, device=device, dtype=torch.float64)
    levels = torch.cumsum(popular / popular.sum(), 0)
    draws = torch.rand(n * entries, device=device, dtype=torch.float64)
    columns = torch.searchsorted(levels, draws).clamp(max=d - 1).reshape(n, entries)
    columns = torch.sort(columns, dim=1).values
    values = torch.rand(n, entries, device=device) * (2.0 / entries) ** 0.5
    values[:, 1:][columns[:, 1:] == columns[:, :-1]] = 0.0
    starts = torch.arange(0, n * entries + 1, entries, device=device)
    parts = starts, columns.reshape(-1), values.reshape(-1)
    X = torch.sparse_csr_tensor(*parts, size=(n, d), check_invariants=False)
    share = 1.0 / torch.arange(4, n_labels + 4, device=device)
    share = 4.8 * share / share.sum()
    Y = torch.empty(n, n_labels, dtype=torch.uint8, device=device)
    for first in range(0, n_labels, 256):
        last = min(first + 256, n_labels)
        scores = X @ torch.randn(d, last - first, device=device)
        scores += 0.3 * scores.std() * torch.randn_like(scores)
        bar = scores.mean(0) + scores.std(0) * torch.special.ndtri(1.0 - share[first:last])
        Y[:, first:last] = scores > bar
    return X, Y


def product_seconds(torch, device, X, n_labels):
    """Return the seconds of X W and X' R together."""
    W = torch.randn(X.shape[1], n_labels, device=device)
    R = torch.randn(X.shape[0], n_labels, device=device)
    if "sparse" not in str(X.layout):
        transposed = X.T
    else:
        turned = X.to_sparse_csc()
        parts = turned.ccol_indices(), turned.row_indices(), turned.values()
        size = (X.shape[1], X.shape[0])
        transposed = torch.sparse_csr_tensor(*parts, size=size, check_invariants=False)
    there, _ = seconds(lambda: X @ W, device, repeats=5)
    back, _ = seconds(lambda: transposed @ R, device, repeats=5)
    return there + back


def fit_and_floor(torch, device, name, X, Y, options, alpha=1.0, limited=True):
    from labelfield import BinaryRelevance

    def fit():
        return BinaryRelevance(alpha=alpha, tol=options.tol, max_iter=200).fit(X, Y)

    if options.profile:
        profiled(torch, fit)
    products = product_seconds(torch, device, X, Y.shape[1])
    spent, model = seconds(fit, device)
    floor = model.n_iter_ * products
    limits = (LIMITS[name], 2.0) if limited and not options.small else (None, None)
    show(f"two products x {model.n_iter_} steps: floor", floor)
    show(f"fit, alpha={alpha:g}, tol={options.tol:g}", spent, limits[0])
    show("fit / floor", spent / floor, limits[1] if name == "coco" else None, unit="x")
    trace = model.problems_.trace.objective
    print(f"   objective {trace[0]:.6g} -> {trace[-1]:.6g}")
    return model


def profiled(torch, call):
    call()
    kinds = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        kinds.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=kinds) as profile:
        call()
    order = "cuda_time_total" if torch.cuda.is_available() else "cpu_time_total"
    print(profile.key_averages().table(sort_by=order, row_limit=18, max_name_column_width=40))


def measure_dense(name):
    def measure(torch, device, shape, options):
        X, Y = dense_data(torch, device, shape)
        model = fit_and_floor(torch, device, name, X, Y, options, alpha=0.1 * shape[0])
        fit_and_floor(torch, device, name, X, Y, options, limited=False)
        spent, _ = seconds(lambda: model.predict_proba(X), device)
        show("predict_proba of the same rows", spent)

    return measure


def measure_sparse(torch, device, shape, options):
    X, Y = sparse_data(torch, device, shape)
    print(f"   {X.values().shape[0]} entries, {float(Y.sum()) / shape[0]:.2f} labels a row")
    fit_and_floor(torch, device, "sparse", X, Y, options)


def measure_f1(torch, device, shape, options):
    from labelfield import F1Decoder, IndependentJoint

    n, _, n_labels = shape
    logits = 1.5 * torch.randn(n, n_labels, device=device) - 4.0
    logits += 3.0 * (torch.rand(n, n_labels, device=device) < 0.06)
    spent, sets = seconds(lambda: F1Decoder().decode(IndependentJoint(logits)), device)
    show("F1 decisions, float32", spent, None if options.small else LIMITS["f1"])
    some = slice(0, 2000)
    host = F1Decoder().decode(IndependentJoint(logits[some].double().cpu().numpy()))
    same = (sets[some].cpu().numpy() == host).all(axis=1).mean()
    print(f"   {float(sets.sum()) / n:.2f} labels a row; {same:.4f} of 2000 sets as on the CPU")


def measure_objective(torch, device, shape, options):
    from labelfield import BinaryRelevance

    X, Y = dense_data(torch, device, shape)
    for tol in (options.tol, 1e-6):
        found = BinaryRelevance(alpha=1.0, tol=tol).fit(X, Y).problems_.trace.objective[-1]
        host = BinaryRelevance(alpha=1.0, tol=tol).fit(X.cpu().numpy(), Y.cpu().numpy())
        wanted = host.problems_.trace.objective[-1]
        difference = abs(found / wanted - 1.0)
        show(f"objective against the CPU's, relative, tol={tol:g}", difference, 1e-4, unit="")


def measure_mixture(torch, device, shape, options):
    from labelfield import ConditionalBernoulliMixture

    X, Y = dense_data(torch, device, shape)
    components = 4 if options.small else 30

    def fit():
        model = ConditionalBernoulliMixture(
            n_components=components,
            alpha=1.0,
            max_iter=10,
            init="sets",
            early_stopping=False,
            random_state=0,
        )
        return model.fit(X, Y)

    if options.profile:
        profiled(torch, fit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spent, model = seconds(fit, device, repeats=1)
    limit = None if options.small else LIMITS["mixture"]
    show(f"mixture, {components} components, {model.trace_.n_iter + 1} rounds of EM", spent, limit)


def measure_field(torch, device, shape, options):
    from labelfield import PairwiseCRF

    X, Y = dense_data(torch, device, shape)
    n_sets = 40 if options.small else 5000
    rows = torch.randint(0, n_sets, (shape[0],), device=device)
    kept = torch.unique(Y, dim=0)
    if kept.shape[0] > n_sets:  # every row gets the listed set nearest to it, of some tried
        listed = kept[torch.randperm(kept.shape[0], device=device)[:n_sets]].float()
        for part in torch.arange(shape[0], device=device).split(10_000):
            rows[part] = torch.cdist(Y[part].float(), listed, p=1.0).argmin(dim=1)
        Y = listed.to(torch.uint8)[rows]

    def fit():
        return PairwiseCRF(alpha=1.0, tol=options.tol).fit(X, Y)

    if options.profile:
        profiled(torch, fit)
    spent, model = seconds(fit, device, repeats=1)
    limit = None if options.small else LIMITS["field"]
    show(f"field on {len(model.sets_)} sets, {model.trace_.n_iter} steps", spent, limit)


def measure_cupy(torch, device, shape, options):
    try:
        import cupy
    except ImportError:
        print("   cupy is not installed")
        return
    from labelfield import BinaryRelevance

    X, Y = (tensor.cpu().numpy() for tensor in dense_data(torch, device, shape))
    model = BinaryRelevance(alpha=1.0).fit(cupy.asarray(X), cupy.asarray(Y))
    wanted = BinaryRelevance(alpha=1.0).fit(X, Y)
    difference = abs(model.coef_.get() - wanted.coef_).max()
    show("CuPy: largest difference of weights from the CPU's", float(difference), 1e-3, unit="")
    sets = model.predict(cupy.asarray(X), decoder="f1")
    same = (sets.get() == wanted.predict(X, decoder="f1")).all(axis=1).mean()
    print(f"   {type(sets).__module__}: {same:.4f} of the F1 decisions as on the CPU")


MEASURES = {
    "coco": measure_dense("coco"),
    "million": measure_dense("million"),
    "sparse": measure_sparse,
    "f1": measure_f1,
    "objective": measure_objective,
    "mixture": measure_mixture,
    "field": measure_field,
    "cupy": measure_cupy,
}

if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
