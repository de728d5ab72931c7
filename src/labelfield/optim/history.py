"""How many pairs of steps and gradient changes limited-memory BFGS keeps."""

__all__ = ["HISTORY", "HISTORY_BYTES", "SHORTEST", "history_length"]

HISTORY = 12
HISTORY_BYTES = 128 * 2**20  # longer histories than fit in this are cut, to SHORTEST at most
SHORTEST = 4


def history_length(n_problems: int, size: int, budget: float) -> int:
    """Return how many pairs of so many problems (p,) fit into a budget in bytes.

    Examples
    --------
    >>> from labelfield.optim.history import history_length
    >>> history_length(10, 1000, 2**20)
    6
    """
    fits = int(budget // (16 * max(n_problems * size, 1)))
    return min(max(fits, SHORTEST), HISTORY)
