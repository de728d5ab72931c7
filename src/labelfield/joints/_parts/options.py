"""What the options of joints may be: one table, checked when a joint is made."""

from numbers import Real

from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    validate_parameter_constraints,
)

from labelfield._parameters import whole

__all__ = ["check_options"]

AT_LEAST_ONE = [whole(1)]
OPTIONS = {
    "damping": [Interval(Real, 0, 1, closed="left")],
    "max_beam": AT_LEAST_ONE,
    "max_iter": AT_LEAST_ONE,
    "max_listed": AT_LEAST_ONE,
    "max_visits": AT_LEAST_ONE,
    "n_draws": AT_LEAST_ONE,
    "random_state": [whole(0)],
    "schedule": [StrOptions({"sequential", "parallel"})],
    "tol": [Interval(Real, 0, None, closed="left")],
}


def check_options(owner: str, **options: object) -> None:
    """Refuse options of the class `owner` that the table does not allow, by name.

    Examples
    --------
    >>> from labelfield.joints._parts.options import check_options
    >>> check_options("ChainJoint", max_beam=0)
    Traceback (most recent call last):
    ...
    sklearn.utils._param_validation.InvalidParameterError: The 'max_beam' parameter of ChainJoint \
must be an int in the range [1, inf). Got 0 instead.
    """
    validate_parameter_constraints(OPTIONS, options, owner)
