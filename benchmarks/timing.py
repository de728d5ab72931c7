"""CPU seconds and one way to print a figure beside its target."""

import time
from statistics import median


def cpu_seconds(call, repeats=5, warm_up=1):
    """Return the median CPU seconds of `call()` over several repeats."""
    for _ in range(warm_up):
        call()
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        spent.append(time.process_time() - start)
    return median(spent)


def show(what, figure, target=None, *, at_most=True, unit="s"):
    """Print a figure, its target and whether it is met."""
    line = f"{what:64s} {figure:10.3f} {unit}"
    if target is not None:
        met = figure <= target if at_most else figure >= target
        line += f"   target {'<=' if at_most else '>='} {target:g}: {'met' if met else 'MISSED'}"
    print(line, flush=True)
