"""Other array libraries: array-api-strict, which is nothing but the standard, and torch."""

import pytest

from labelfield._namespaces import place_of

WHY = {"array_api_strict": "pip install array-api-strict", "torch": "pip install torch"}


@pytest.fixture(params=WHY)
def place(request):
    """A place of arrays that are not numpy's."""
    library = pytest.importorskip(request.param, reason=f"not installed: {WHY[request.param]}")
    return place_of(library.asarray([0.0]))


@pytest.fixture
def dispatch(monkeypatch):
    """Let estimators follow the library of X, as sklearn.set_config(array_api_dispatch=True)."""
    import sklearn

    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        yield
