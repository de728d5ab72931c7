"""Run the benchmarks and print one table: what, figure, target, met or missed."""

import os
import sys
from importlib import import_module
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # one thread, before numpy loads

FOLDER = Path(__file__).parent


def main(names):
    available = sorted(path.stem for path in FOLDER.glob("bench_*.py"))
    chosen = [f"bench_{name}" for name in names] or available
    unknown = sorted(set(chosen) - set(available))
    if unknown:
        sys.exit(f"no benchmark {unknown}; there are {available}")
    for name in chosen:
        print(f"\n== {name.removeprefix('bench_')}", flush=True)
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
