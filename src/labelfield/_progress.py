"""Progress of long fits: the one module that knows scikit-learn's callbacks."""

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

_state = random.getstate()  # rich, which the next line loads, draws a number on import
from sklearn.callback import CallbackSupportMixin, with_callbacks  # noqa: E402

random.setstate(_state)

__all__ = [
    "CallbackSupportMixin",
    "Step",
    "fit_parts",
    "fit_steps",
    "report_steps",
    "with_callbacks",
]

Item = TypeVar("Item")
Step = Callable[[str], AbstractContextManager[None]]


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
    with fit_parts(estimator, total=total) as part:

        @contextmanager
        def step() -> Iterator[None]:
            with part(name, total=0):
                yield

        yield step


@contextmanager
def fit_parts(
    estimator: CallbackSupportMixin, *, total: int | None = None
) -> Iterator[Callable[..., AbstractContextManager[Step]]]:
    """Give a function for the parts of the estimator's `fit`, which have names and steps.

    The body of `with part("trees", total=6) as step:` is one of `total` parts; in it the body of
    `with step("fold"):` is one of six steps. `total=0` is for a part without steps, None for one
    whose steps are not known. Progress bars show the names of parts that have steps.
    """
    context = estimator._init_callback_context(max_subtasks=total)

    @contextmanager
    def part(name: str, *, total: int | None) -> Iterator[Step]:
        task = context.subcontext(task_name=name, max_subtasks=total)

        def step(name: str) -> AbstractContextManager[None]:
            return _told(task.subcontext(task_name=name), estimator)

        with _told(task, estimator):
            yield step

    with _told(context, estimator):
        yield part


@contextmanager
def _told(task: Any, estimator: CallbackSupportMixin) -> Iterator[None]:
    """Tell callbacks that a task begins, and that it ends if nothing is raised in it."""
    task.call_on_fit_task_begin(estimator=estimator)
    yield
    task.call_on_fit_task_end(estimator=estimator)
