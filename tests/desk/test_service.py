"""The service: right answers, and clear refusals of everything else."""

import asyncio
import gc
import io
import json
import threading
import time

import numpy as np
import pytest
from fastapi.testclient import TestClient

from labelfield import BinaryRelevance, CalibratedSetClassifier
from labelfield.datasets import make_multilabel
from labelfield.desk.assist import DeskModel
from labelfield.desk.service import make_service
from labelfield.desk.service.batching import Batcher, BusyError
from labelfield.desk.service.guard import Limits
from labelfield.desk.service.logs import show_requests
from labelfield.desk.service.rows import RowReader
from labelfield.desk.service.tokens import add_token, new_token_hash, read_tokens, who_of

TOKEN, HASH = new_token_hash()


@pytest.fixture(scope="module")
def data():
    return make_multilabel(n_samples=200, n_features=3, n_labels=3, random_state=0)


@pytest.fixture(scope="module")
def fitted(data):
    return CalibratedSetClassifier(BinaryRelevance(alpha=0.1), promise=0.5).fit(data.X, data.Y)


def serve(fitted, reader=None, **options):
    app = make_service(
        DeskModel(fitted, hash="f" * 64),
        reader or RowReader(["a", "b", "c"]),
        who=who_of({"billing": HASH}),
        **options,
    )
    client = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    client.headers["Authorization"] = f"Bearer {TOKEN}"
    return client


@pytest.fixture
def client(fitted):
    with serve(fitted) as client:
        yield client


def test_predictions_are_those_of_the_model(client, fitted, data):
    X = data.X[:5]
    told = client.post(
        "/predict", json={"X": X.tolist(), "alternatives": 2, "probabilities": True}
    ).json()
    assert told["model"] == "f" * 64
    names = list(fitted.label_names_)
    sets, log_prob = fitted.calibrated_joint(X).top_k(2)
    for i, one in enumerate(told["predictions"]):
        assert one["labels"] == [names[j] for j in np.flatnonzero(fitted.predict(X)[i])]
        assert one["confidence"] == pytest.approx(fitted.predict_confidence(X)[i])
        assert one["probabilities"][names[1]] == pytest.approx(fitted.predict_proba(X)[i, 1])
        other = one["alternatives"][1]
        assert other["labels"] == [names[j] for j in np.flatnonzero(sets[i, 1])]
        assert other["probability"] == pytest.approx(np.exp(log_prob[i, 1]))


def test_what_the_first_answer_loaded_is_not_collected_again(fitted, data, monkeypatch):
    frozen = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(True))
    with serve(fitted) as client:
        assert client.post("/predict", json={"X": [["a", "b", "c"]]}).status_code == 422
        assert not frozen
        for row in data.X[:3].tolist():
            assert client.post("/predict", json={"X": [row]}).status_code == 200
    assert len(frozen) == 1


def test_records_find_their_columns(client, data):
    a, b, c = data.X[0].tolist()
    by_name = client.post("/predict", json={"records": [{"c": c, "b": b, "a": a, "z": 1}]}).json()
    assert by_name == client.post("/predict", json={"X": [[a, b, c]]}).json()


def test_route_condition_and_explain(client, fitted, data):
    X = data.X[:4].tolist()
    told = client.post("/route", json={"X": X, "accuracy": 0.2}).json()
    route = fitted.route(data.X[:4], accuracy=0.2)
    assert [one["accept"] for one in told["rows"]] == route.accept.tolist()
    assert told["threshold"] == pytest.approx(max(route.threshold, 0.0))
    known = {"y0": True}
    told = client.post("/condition", json={"X": X[:1], "known": known}).json()
    given = fitted.calibrated_joint(data.X[:1]).condition([[1.0, np.nan, np.nan]])
    assert list(told["probabilities"].values()) == pytest.approx(given.marginals()[0].tolist())
    assert "y0" in told["best"]
    why = client.post("/explain", json={"X": X[:1], "sets": [["y1"]]}).json()["rows"][0]
    assert why["labels"] == ["y1"]


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/predict", {"X": [[1.0, 2.0]]}, 422, "Row 0 has 2 cells; the model has 3 columns"),
        ("/predict", {"X": [[1.0, 2.0, "x"]]}, 422, "rows of numbers"),
        ("/predict", {"X": ["a text"]}, 422, "rows of numbers"),
        ("/predict", {"X": [[1.0, 2.0, None]]}, 422, "NaN"),
        ("/predict", {"X": []}, 422, "at least one row"),
        ("/predict", {}, 422, "either X or records"),
        ("/predict", {"X": [[1, 2, 3]], "records": []}, 422, "either X or records"),
        ("/predict", {"X": [[1, 2, 3]], "colour": "red"}, 422, "colour"),
        ("/predict", {"X": [[1, 2, 3]], "alternatives": 10**9}, 422, "alternatives"),
        ("/predict", {"records": [{"a": 1}]}, 422, "lacks 2 columns: 'b', 'c'"),
        ("/predict", {"X": [[1, 2, 3]] * 1001}, 422, "1000"),
        ("/route", {"X": [[1, 2, 3]], "accuracy": 1.5}, 422, "accuracy"),
        ("/condition", {"X": [[1, 2, 3]], "known": {"nobody": True}}, 422, "no label 'nobody'"),
        ("/condition", {"X": [[1, 2, 3]] * 2}, 422, "one row at a time; got 2"),
        ("/explain", {"X": [[1, 2, 3]] * 21}, 422, "20 rows at most"),
        ("/explain", {"X": [[1, 2, 3]], "sets": [[], []]}, 422, "1 rows and 2 sets"),
        ("/nothing", {}, 404, "Not Found"),
        ("/../../etc/passwd", {}, 404, "Not Found"),
        ("/%2e%2e/%2e%2e/etc/passwd", {}, 404, "Not Found"),
    ],
)
def test_bad_requests_get_a_reason(client, path, body, status, words):
    answer = client.post(path, json=body)
    assert answer.status_code == status
    assert words in json.dumps(answer.json(), ensure_ascii=False)


@pytest.mark.parametrize(
    "body", [b"{", b"", b"null", b"[1]", b'{"X": [[NaN, 1, 1]]}', b"\xff\xfe", b"[" * 100_000]
)
def test_bad_json_is_no_failure(client, body):
    answer = client.post("/predict", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert "detail" in answer.json()


def test_only_tokens_open(client, fitted):
    assert client.get("/health", headers={"Authorization": ""}).json()["status"] == "ok"
    for given in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {HASH}", "Bearer \xff"):
        headers = {"Authorization": given.encode("latin-1")}
        answer = client.post("/predict", json={}, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
    for path in ("/metrics", "/openapi.json", "/nothing"):
        assert client.get(path, headers={"Authorization": ""}).status_code == 401


def test_other_hosts_are_refused(client):
    for host in ("evil.example", "127.0.0.1.evil.example", "", "evil.example:8000"):
        assert client.get("/health", headers={"host": host}).status_code == 421
    for host in ("localhost:8000", "[::1]:8000", "127.0.0.1"):
        assert client.get("/health", headers={"host": host}).status_code == 200


def test_long_and_slow_bodies_are_refused(fitted):
    with serve(fitted, limits=Limits(max_bytes=1000, body_seconds=0.2)) as client:
        assert client.post("/predict", content=b"x" * 1001).status_code == 413
        assert client.post("/predict", content=iter([b"x" * 600] * 2)).status_code == 413
        assert client.post("/predict", headers={"content-length": "-1"}).status_code == 413


def test_a_slow_client_is_dropped(fitted):
    app = make_service(
        DeskModel(fitted),
        RowReader(["a", "b", "c"]),
        who=lambda token: "x",
        limits=Limits(body_seconds=0.05),
    )
    sent = []

    async def never():
        await asyncio.sleep(10)

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/predict",
        "headers": [(b"host", b"localhost"), (b"authorization", b"Bearer x")],
    }
    asyncio.run(app(scope, never, send))
    assert sent[0]["status"] == 408


def test_answers_carry_safe_headers(client):
    headers = client.get("/health").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers
    assert client.options("/predict", headers={"origin": "http://x"}).status_code == 405


def test_metrics_and_description(client):
    client.post("/predict", json={"X": [[1, 2, 3]]})
    client.get("/nothing/else")
    text = client.get("/metrics").text
    assert 'labelfield_requests_total{path="/predict",status="200"} 1' in text
    assert 'labelfield_requests_total{path="other",status="404"} 1' in text
    assert "labelfield_rows_predicted 1" in text
    described = client.get("/openapi.json").json()
    assert {"/predict", "/route", "/condition", "/explain"} <= set(described["paths"])
    assert "POST /condition" in client.get("/docs").text


def test_logs_are_lines_of_json_without_content(client):
    stream = io.StringIO()
    show_requests(stream)
    client.post("/predict?secret=1", json={"X": [[1, 2, 31415.0]]})
    (line,) = stream.getvalue().splitlines()
    told = json.loads(line)
    assert (told["path"], told["status"], told["who"]) == ("/predict", 200, "billing")
    assert "31415" not in line
    assert "secret" not in line
    assert TOKEN not in line


def test_a_failure_tells_nothing(fitted, monkeypatch):
    def fail(*words):
        raise KeyError("inner secrets")

    monkeypatch.setattr("labelfield.desk.service.answers.condition", fail)
    stream = io.StringIO()
    show_requests(stream)
    with serve(fitted) as client:
        answer = client.post("/condition", json={"X": [[1, 2, 3]]})
    assert answer.status_code == 500
    assert "inner" not in answer.text
    assert "inner secrets" in stream.getvalue()


def test_waiting_requests_are_answered_together():
    seen = []

    def slow(works):
        seen.append(len(works))
        time.sleep(0.05)
        if "bad" in works:
            raise ValueError("bad")
        return [2 * work for work in works]

    async def ask_many():
        batcher = Batcher(slow, max_size=6)
        batcher.start()
        answers = await asyncio.gather(
            *(batcher.ask(work) for work in (1, 2, "bad", 4, 5, 6, 7, 8)), return_exceptions=True
        )
        await batcher.stop()
        return answers

    answers = asyncio.run(ask_many())
    assert [answers[k] for k in (0, 1, 3, 4, 5, 6, 7)] == [2, 4, 8, 10, 12, 14, 16]
    assert isinstance(answers[2], ValueError)
    assert max(seen) == 6


def test_a_full_queue_says_so():
    release = threading.Event()

    async def overfill():
        batcher = Batcher(lambda works: [release.wait(5) for _ in works], max_waiting=2)
        batcher.start()
        asked = [asyncio.create_task(batcher.ask(k)) for k in range(2)]
        await asyncio.sleep(0.05)  # these are being answered
        asked += [asyncio.create_task(batcher.ask(k)) for k in range(2)]
        await asyncio.sleep(0.01)
        with pytest.raises(BusyError):
            await batcher.ask(3)
        release.set()
        await asyncio.gather(*asked)
        await batcher.stop()

    asyncio.run(overfill())


def test_tables_and_texts(data):
    pd = pytest.importorskip("pandas")
    reader = RowReader(["note", "age"], kinds={"note": "text", "age": "number"})
    frame = reader.records([{"age": 3, "note": "ill"}, {"age": None, "note": "well"}])
    pd.testing.assert_frame_equal(
        frame, pd.DataFrame({"note": ["ill", "well"], "age": [3.0, np.nan]}), check_dtype=False
    )
    assert RowReader().texts(["a", "b"]) == ["a", "b"]
    with pytest.raises(ValueError, match="does not know the names"):
        RowReader(n_features=2).records([{}])


def test_files_of_tokens(tmp_path):
    path = tmp_path / "tokens"
    token = add_token(path, "billing")
    add_token(path, "night run")
    assert who_of(read_tokens(path))(token) == "billing"
    assert token not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(ValueError, match="choose another name"):
        add_token(path, "billing")
    path.write_text("nonsense")
    with pytest.raises(ValueError, match="line 1"):
        read_tokens(path)
