"""Progress of long fits: the one module that knows scikit-learn's callbacks."""

import random
from collections.abc import Iterable, Iterator
from typing import TypeVar

_state = random.getstate()  # rich, which the next line loads, draws a number on import
from sklearn.callback import CallbackSupportMixin, with_callbacks  # noqa: E402

random.setstate(_state)

__all__ = ["CallbackSupportMixin", "report_steps", "with_callbacks"]

Item = TypeVar("Item")


def report_steps(
    estimator: CallbackSupportMixin, items: Iterable[Item], *, total: int | None, name: str
) -> Iterator[Item]:
    """Yield `items`, telling the estimator's callbacks about each as one step of its `fit`.

    The calling `fit` must be decorated with `with_callbacks`. `total` is the number of steps, or
    None where it is not known. Leaving the loop early is fine.
    """
    context = estimator._init_callback_context(max_subtasks=total)
    context.call_on_fit_task_begin(estimator=estimator)
    for item in items:
        step = context.subcontext(task_name=name)
        step.call_on_fit_task_begin(estimator=estimator)
        yield item
        step.call_on_fit_task_end(estimator=estimator)
    context.call_on_fit_task_end(estimator=estimator)
