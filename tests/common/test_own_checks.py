"""Our own checks over the registry; what is expected to fail must still fail."""

import pytest

from labelfield import checks, registry

CASES = [
    pytest.param(entry, check, id=f"{entry.id}-{check.__name__}")
    for entry in registry.CLASSIFIERS.values()
    for check in checks.CHECKS
]


@pytest.mark.parametrize(("entry", "check"), CASES)
def test_own_checks(entry, check):
    if check.__name__ in entry.expected_failures:
        with pytest.raises(AssertionError):
            check(entry.make_tiny())
    else:
        check(entry.make_tiny())


def test_unknown_id():
    with pytest.raises(ValueError, match=r"'nope'.*br"):
        registry.get("nope")
