"""What `alpha="auto"` means to a field."""

from labelfield.learners import settle_strength

__all__ = ["COUPLING_ALPHA", "settle_field_strength"]

# Log-odds and couplings move log-odds by about one, whatever the features are.
COUPLING_ALPHA = 1.0


def settle_field_strength(alpha, estimator, X, Y, **options):
    """Return the strength of the unary terms and the StrengthPath behind it, if there is one.

    "auto" is that of logistic regressions without couplings, which is near the best one of the
    field and much cheaper to find; where the terms are log-odds of an estimator it is 1.
    """
    if alpha == "auto" and estimator is not None:
        return COUPLING_ALPHA, None
    return settle_strength(alpha, X, Y, **options)
