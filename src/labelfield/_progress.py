"""Progress of long fits: the one module that knows scikit-learn's callbacks."""

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

_state = random.getstate()  # rich, which the next line loads, draws a number on import
from sklearn.callback import CallbackSupportMixin, with_callbacks  # noqa: E402

random.setstate(_state)

__all__ = ["CallbackSupportMixin", "fit_steps", "report_steps", "with_callbacks"]

Item = TypeVar("Item")


def report_steps(
    estimator: CallbackSupportMixin, items: Iterable[Item], *, total: int | None, name: str
) -> Iterator[Item]:
    """Yield `items`, telling the estimator's callbacks about each as one step of its `fit`.

    The calling `fit` must be decorated with `with_callbacks`. `total` is the number of steps, or
    None where it is not known. Leaving the loop early is fine.
    """
    with fit_steps(estimator, total=total, name=name) as step:
        for item in items:
            with step():
                yield item


@contextmanager
def fit_steps(
    estimator: CallbackSupportMixin, *, total: int | None = None, name: str
) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Give a function that makes the body of `with step():` one step of the estimator's `fit`.

    As `report_steps`, where the steps are not those of a single loop.
    """
    context = estimator._init_callback_context(max_subtasks=total)

    @contextmanager
    def step() -> Iterator[None]:
        task = context.subcontext(task_name=name)
        task.call_on_fit_task_begin(estimator=estimator)
        yield
        task.call_on_fit_task_end(estimator=estimator)

    context.call_on_fit_task_begin(estimator=estimator)
    yield step
    context.call_on_fit_task_end(estimator=estimator)
