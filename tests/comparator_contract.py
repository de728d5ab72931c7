"""The promises of all classifiers, but for those that a comparator cannot keep."""

from labelfield.checks import CHECKS


def keeps_promises(estimator, **reasons):
    """Run every check on a comparator, but for those named with a reason why it cannot pass."""
    unknown = set(reasons) - {check.__name__ for check in CHECKS}
    assert not unknown, f"no check is called {unknown}"
    for check in CHECKS:
        if check.__name__ not in reasons:
            check(estimator)
