"""Sums over blocks, the same to the last bit whoever computes the blocks."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np
from sklearn import get_config, set_config  # type: ignore[attr-defined]
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from labelfield._namespaces import is_tensor, namespace
from labelfield._typing import FloatArray

__all__ = ["add_in_order", "in_order", "product_threads", "products_on"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")
AHEAD = 2  # blocks a thread may be ahead of the sum


def in_order(
    function: Callable[[Item], Answer], items: Iterable[Item], n_threads: int = 1
) -> Iterator[Answer]:
    """Yield `function(item)` of every item, in the order of the items.

    Threads share the work where there are several, each with products of one thread; no more than
    a few answers wait at a time, so that a stream of items is read as it is needed.

    Examples
    --------
    >>> from labelfield.optim.executors import in_order
    >>> list(in_order(abs, [-2, 1, -3], n_threads=2))
    [2, 1, 3]
    """
    if n_threads == 1:
        yield from map(function, items)
        return
    keep_settings = partial(set_config, **get_config())  # of scikit-learn, which each thread has
    pool = ThreadPoolExecutor(n_threads, initializer=keep_settings)
    with products_on(1), pool:
        waiting: deque[Future[Answer]] = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) == AHEAD * n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def products_on(n_threads: int) -> AbstractContextManager[Any]:
    """Return a context in which the libraries of matrix products use so many threads.

    Examples
    --------
    >>> from labelfield.optim.executors import product_threads, products_on
    >>> with products_on(1):
    ...     product_threads()
    1
    """
    context: AbstractContextManager[Any] = _products().limit(limits=n_threads, user_api="blas")
    return context


def product_threads() -> int:
    """Return how many threads the libraries of matrix products use now."""
    libraries = _products().select(user_api="blas").lib_controllers
    return max((library.num_threads for library in libraries), default=1)


@cache
def _products() -> ThreadpoolController:
    """Return what knows the libraries of matrix products in this process; slow to find."""
    return ThreadpoolController()


def add_in_order(parts: Iterable[tuple[FloatArray, ...]]) -> tuple[FloatArray, ...]:
    """Return the sums of what blocks gave, added one block after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim.executors import add_in_order
    >>> [total.tolist() for total in add_in_order([(np.ones(2), 1.0), (np.ones(2), 2.0)])]
    [[2.0, 2.0], 3.0]
    """
    totals: list[FloatArray] = []
    for part in parts:
        if totals:
            for total, value in zip(totals, part):
                total += value
        else:
            totals = [_own_copy(value) for value in part]
    return tuple(totals)


def _own_copy(value: Any) -> Any:
    """Return a copy to add to, in double precision."""
    if is_tensor(value):
        xp = namespace(value)
        return xp.astype(value, xp.float64)
    return np.array(value, dtype=np.float64)
