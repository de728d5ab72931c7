"""The API against requests drawn from its own description (schemathesis): `make test-browser`."""

import json

import pytest

schemathesis = pytest.importorskip(
    "schemathesis", reason="schemathesis is not installed: pip install 'labelfield[browser]'"
)

from fastapi.testclient import TestClient  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from schemathesis import GenerationMode  # noqa: E402
from schemathesis.core import NotSet  # noqa: E402

from labelfield import BinaryRelevance  # noqa: E402
from labelfield.datasets import make_multilabel  # noqa: E402
from labelfield.desk.assist import DeskModel  # noqa: E402
from labelfield.desk.service import make_service  # noqa: E402
from labelfield.desk.service.rows import RowReader  # noqa: E402
from labelfield.desk.service.tokens import new_token_hash, who_of  # noqa: E402

TOKEN, HASH = new_token_hash()
PATHS = ("/predict", "/route", "/condition", "/explain", "/health", "/metrics")
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def client():
    data = make_multilabel(n_samples=60, n_features=2, n_labels=3, random_state=0)
    model = DeskModel(BinaryRelevance(alpha=0.1).fit(data.X, data.Y))
    app = make_service(model, RowReader(["a", "b"]), who=who_of({"test": HASH}))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        yield client


@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("path", PATHS)
def test_no_request_makes_the_service_fail(client, path, mode):
    schema = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
    (operation,) = schema[path].values()
    seen = []

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    def check(case):
        content = b""
        if not isinstance(case.body, NotSet):
            content = case.body
            if not isinstance(content, bytes):
                content = json.dumps(content).encode("utf-8", "surrogatepass")
        kind = {"content-type": "application/json"}
        answer = client.request(case.method, path, content=content, headers=kind)
        seen.append(answer.status_code)
        assert answer.status_code in (200, 400, 405, 413, 422), answer.text
        if path != "/metrics":
            answer.json()

    if mode is GenerationMode.NEGATIVE and path in ("/health", "/metrics"):
        return  # nothing can be wrong with a request that says nothing
    check()
    assert seen
