"""A queue of numbered items that yields the cheapest first, the lower number if tied."""

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["pop", "push"]


@compiled
def _before(cost: FloatArray, a: int, b: int) -> bool:
    return bool(cost[a] < cost[b] or (cost[a] == cost[b] and a < b))


@compiled
def push(queue: IntArray, size: int, cost: FloatArray, item: int) -> None:
    """Add an item to the first `size` entries of `queue`."""
    place = size
    while place > 0:
        above = (place - 1) // 2
        if not _before(cost, item, queue[above]):
            break
        queue[place] = queue[above]
        place = above
    queue[place] = item


@compiled
def pop(queue: IntArray, size: int, cost: FloatArray) -> int:
    """Take the cheapest item out of the first `size` entries of `queue`."""
    first, last = queue[0], queue[size - 1]
    place = 0
    while 2 * place + 1 < size - 1:
        below = 2 * place + 1
        if below + 1 < size - 1 and _before(cost, queue[below + 1], queue[below]):
            below += 1
        if not _before(cost, queue[below], last):
            break
        queue[place] = queue[below]
        place = below
    queue[place] = last
    return int(first)
