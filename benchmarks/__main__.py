"""Run the benchmarks and print one table: what, figure, target, met or missed."""

import os
import sys
from importlib import import_module
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # one thread, before numpy loads

FOLDER = Path(__file__).parent


def main(names):
    available = {path.stem.removeprefix("bench_"): path for path in FOLDER.rglob("bench_*.py")}
    unknown = sorted(set(names) - set(available))
    if unknown:
        sys.exit(f"no benchmark {unknown}; there are {sorted(available)}")
    for name in names or sorted(available):
        print(f"\n== {name}", flush=True)
        folders = available[name].relative_to(FOLDER).with_suffix("").parts
        import_module(".".join(("benchmarks", *folders))).main()


if __name__ == "__main__":
    main(sys.argv[1:])
