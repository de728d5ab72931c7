"""Run the tests as other machines would: other BLAS kernels, CPUs, threads, interpreters, versions.

    python scripts/test_machines.py             everything, about an hour on two cores
    python scripts/test_machines.py --short     two BLAS kernels on the tests that solve something
    python scripts/test_machines.py --only blas,python

Prints one line for each machine and exits with 1 if the tests failed on any.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLAS_KERNELS = ("SkylakeX", "Haswell", "Zen", "Prescott")
SHORT_KERNELS = ("SkylakeX", "Prescott")
SOLVING_TESTS = ("learners", "optim", "joints", "models", "restore", "common/test_docstrings.py")
PYTHONS = ("python3.11", "python3.12", "python3.13")
KINDS = ("blas", "cpu", "threads", "python", "versions")


@dataclass
class Machine:
    """A way to run the tests: variables, or a virtual environment made from `base`."""

    kind: str
    name: str
    variables: dict[str, str] = field(default_factory=dict)
    base: str = ""
    constraints: str = ""
    missing: str = ""

    @property
    def folder(self):
        """Where the virtual environment of the machine is."""
        return ROOT / ".venv" / f"machine-{re.sub('[^a-z0-9.]+', '-', self.name)}"

    @property
    def python(self):
        """The interpreter that runs the tests."""
        return str(self.folder / "bin" / "python") if self.base else sys.executable


def machines():
    """Return every machine that can be imitated, those that are missing here among them."""
    found = [
        Machine("blas", f"OpenBLAS {name}", {"OPENBLAS_CORETYPE": name}) for name in BLAS_KERNELS
    ]
    cache = str(ROOT / ".venv" / "numba-generic")
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": cache}
    found.append(Machine("cpu", "numba for a generic CPU", generic))
    for n_threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        found.append(Machine("threads", f"{n_threads} thread(s)", dict.fromkeys(names, n_threads)))
    found += [interpreter(name) for name in PYTHONS]
    lowest = "constraints-lowest.txt"
    found.append(Machine("versions", "lowest versions", base="python3.11", constraints=lowest))
    found.append(Machine("versions", "newest versions", base="python3"))
    return found


def interpreter(name):
    """Return the machine of an interpreter on PATH."""
    path = shutil.which(name)
    if path is None:
        return Machine("python", name, missing="not found on PATH")
    if subprocess.run([path, "--version"], capture_output=True).returncode:
        return Machine("python", name, missing=f"{path} does not start (a shim of no version?)")
    return Machine("python", name, base=path, constraints="constraints.txt")


def prepare(machine):
    """Make the virtual environment of a machine that has its own; return an error or nothing."""
    if not machine.base:
        return ""
    pinned = ["-c", machine.constraints] if machine.constraints else ["--upgrade"]
    install = [machine.python, "-m", "pip", "install", "--quiet", *pinned, "-e", ".[dev]"]
    for command in ([machine.base, "-m", "venv", str(machine.folder)], install):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            return f"could not be set up: {done.stderr.strip().splitlines()[-1]}"
    return ""


def run(machine, tests):
    """Run the tests on a machine; return whether they passed, and a line about it."""
    problem = machine.missing or prepare(machine)
    if problem:
        return bool(machine.missing), problem
    started = time.monotonic()
    command = [machine.python, "-m", "pytest", "-q", "-n", "auto", *tests]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | machine.variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = done.stdout.strip().splitlines()
    failures = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    summary = "; ".join([lines[-1].strip("= ") if lines else "no output", *failures])
    return done.returncode == 0, f"{summary} ({time.monotonic() - started:.0f} s)"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--short", action="store_true", help="two BLAS kernels, solving tests")
    parser.add_argument("--only", default=",".join(KINDS), help=f"some of {','.join(KINDS)}")
    parser.add_argument("tests", nargs="*", help="files or folders instead of all tests")
    options = parser.parse_args()
    chosen = [m for m in machines() if m.kind in options.only.split(",")]
    tests = options.tests
    if options.short:
        chosen = [m for m in chosen if m.variables.get("OPENBLAS_CORETYPE") in SHORT_KERNELS]
        tests = tests or [f"tests/{part}" for part in SOLVING_TESTS]
    passed = True
    for machine in chosen:
        good, line = run(machine, tests)
        passed &= good
        print(f"{machine.name}: {line}", flush=True)
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
