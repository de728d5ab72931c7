"""What every labelfield classifier promises, beside scikit-learn's own checks.

`check_classifier(estimator)` runs all of them; each is a function of one unfitted estimator that
raises AssertionError with the reason.
"""

from labelfield.checks import contract, inside

__all__ = ["CHECKS", "check_classifier"]

CHECKS = [
    check
    for name, check in sorted((vars(contract) | vars(inside)).items())
    if name.startswith("check_")
]
globals().update({check.__name__: check for check in CHECKS})  # checks.check_pickle and so on


def check_classifier(estimator):
    """Run every check on an unfitted classifier.

    Examples
    --------
    >>> from labelfield import BinaryRelevance
    >>> from labelfield.checks import check_classifier
    >>> check_classifier(BinaryRelevance(tol=1e-9))
    """
    for check in CHECKS:
        check(estimator)
