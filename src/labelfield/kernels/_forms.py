"""Which form of a loop an array gets: the compiled one, or whole-array operations."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from labelfield._namespaces import is_tensor

__all__ = ["tensor_form"]

Function = TypeVar("Function", bound=Callable[..., object])


def tensor_form(form: Callable[..., object]) -> Callable[[Function], Function]:
    """Call `form` instead of a compiled loop where the first argument is a tensor.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.kernels._forms import tensor_form
    >>> tensor_form(lambda x: "tensor")(lambda x: "array")(np.zeros(2))
    'array'
    """

    def join(loop: Function) -> Function:
        @wraps(loop)
        def either(*args: object) -> object:
            return form(*args) if is_tensor(args[0]) else loop(*args)

        return cast(Function, either)

    return join
