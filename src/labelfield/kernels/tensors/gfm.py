"""Sizes of the sets of highest expected F1; see `labelfield.kernels.sets.gfm`."""

from typing import Any

from labelfield._namespaces import namespace

__all__ = ["choose_sizes"]


def choose_sizes(P: Any, bounds: Any, first: int, last: int, value: Any) -> tuple[Any, Any]:
    """Return the best size of each row (n,), 0 where `value` (n,) beats all, and its worth (n,).

    P (n, L, S); bounds (n, L + 1), no set of size k is worth more, falling in k.
    """
    xp = namespace(P)
    sizes = xp.arange(1, P.shape[2] + 1, dtype=P.dtype, device=P.device)
    chosen = xp.zeros_like(value, dtype=xp.int64)
    for k in range(first, last + 1):
        open_rows = bounds[:, k] > value
        if not xp.any(open_rows):
            break
        gains = xp.sort(xp.matmul(P, 2.0 / (sizes + k)), axis=1, descending=True)
        worth = xp.sum(gains[:, :k], axis=1)
        better = open_rows & (worth > value)
        value = xp.where(better, worth, value)
        chosen = xp.where(better, k, chosen)
    return chosen, value
