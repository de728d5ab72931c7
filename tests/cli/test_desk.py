"""The commands of the review desk."""

import json
import runpy
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sqlalchemy", reason="the desk needs labelfield[desk]")

from desk_cases import LABELS, MODEL, new_cases  # noqa: E402
from labelfield import BinaryRelevance  # noqa: E402
from labelfield.cli.input.cases import case_fields, case_names  # noqa: E402
from labelfield.cli.input.data import DataChoice  # noqa: E402
from labelfield.cli.input.reading import read_cases  # noqa: E402
from labelfield.datasets import Dataset  # noqa: E402
from labelfield.desk.queue import add_cases  # noqa: E402
from labelfield.desk.record import Decision, Record  # noqa: E402

ROOT = Path(__file__).parents[2]


@pytest.fixture
def record(folder):
    """A record with a settled case."""
    record = Record("desk.review")
    model = record.register_model(**MODEL, labels=LABELS)
    add_cases(record, model, new_cases(3))
    record.decide(Decision(1, 0, "a key", "anna", ("flu",), note="sure"))
    yield record
    record.close()


def test_export_backup_redact_and_monitor(record, run, run_json, complaint):
    run("desk", "export", "desk.review", "--as", "jsonl", "--out", "out.jsonl")
    (line,) = Path("out.jsonl").read_text().splitlines()
    assert json.loads(line)["labels"] == ["flu"]
    assert "exists" in complaint("desk", "export", "desk.review", "--out", "out.jsonl")
    assert "one of csv" in complaint("desk", "export", "desk.review", "--as", "x", "--out", "y")
    run("desk", "backup", "desk.review", "--out", "copy.review")
    run("desk", "redact", "desk.review", "case 0", "--reason", "asked")
    assert record.case(1).fields is None
    told = run_json("monitor", "desk.review")
    assert told["cases"] == {"open": 2, "settled": 1}
    assert told["agreement"]["reviewers"]["anna"]["sets"] == 1
    shown = run("monitor", "copy.review").stdout
    assert "anna: 1 sets" in shown
    assert "Drift of features: too few cases to say." in shown
    assert "/enter?token=" in run("desk", "reviewer", "desk.review", "ben").stdout
    assert "There is no record 'nowhere'" in complaint("monitor", "nowhere")


def test_tokens_are_printed_once(folder, run):
    token = run("desk", "token", "tokens", "billing").stdout.strip()
    assert len(token) > 30
    assert token not in Path("tokens").read_text()


def test_without_the_extra_the_way_out_is_named(folder, complaint, monkeypatch):
    monkeypatch.setattr("labelfield.desk.extra.PACKAGES", ("fastapi", "no_such_package"))
    for words in (["serve", "toy.lf"], ["review", "toy.lf", "toy.csv"], ["monitor", "x"]):
        assert complaint(*words) == (
            "Error: The review desk needs no_such_package: pip install 'labelfield[desk]'."
        )


def test_mistakes_of_review_are_explained(folder, run, complaint):
    run(
        "fit",
        "toy.csv",
        "--label-columns",
        "sea,sun,sand",
        "--model",
        "br",
        "--alpha",
        "1",
        "--out",
        "toy.lf",
    )
    assert "no column 'text'" in complaint("review", "toy.lf", "toy.csv", "--text", "text")
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    port = taken.getsockname()[1]
    assert "give another --port" in complaint("review", "toy.lf", "toy.csv", "--port", port)
    assert "give another --port" in complaint("serve", "toy.lf", "--port", port)
    taken.close()
    assert not Path("toy.review").exists()


def test_what_is_shown_of_a_case():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"note": ["ill", None], "age": [3, 4], "tags": ["flu", "cold"]})
    data = Dataset(frame, np.zeros((2, 1), dtype=np.uint8), tuple(frame.columns), ("flu",))
    assert case_fields(data, {"tags"}) == [{"note": "ill", "age": "3"}, {"note": None, "age": "4"}]
    matrix = Dataset(np.array([[0.0, 1.5]]), np.zeros((1, 1), dtype=np.uint8), ("a", "b"), ("x",))
    assert case_fields(matrix) == [{"b": "1.5"}]
    assert case_names({}, 2) == ["row 1", "row 2"]
    assert case_names({"id": ["a", "b"], "part": ["1", "2"]}, 2) == ["a / 1", "b / 2"]


def test_scores_from_elsewhere_are_cases_too(tmp_path):
    lines = [
        {"id": "a", "scores": {"sand": 0.2, "sea": 0.9}, "note": "waves"},
        {"id": "b", "scores": {"sand": 0.7}, "note": "dunes"},
    ]
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    notes = {"label_names": ["sand", "sea"], "taggers": ["scores"]}
    table, fields = read_cases(DataChoice(data=str(path)), notes)
    assert case_names(table.ids, 2) == ["a", "b"]
    assert fields == [{"note": "waves"}, {"note": "dunes"}]
    np.testing.assert_array_equal(table.data.X, [[0.2, 0.9], [0.7, np.nan]])


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_service_runs_answers_the_client_and_stops(tmp_path, workers):
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] * 10)
    tags = [["rain"], ["wind"], ["rain", "wind"]] * 10
    BinaryRelevance(alpha=0.1).fit(X, tags).save(tmp_path / "model.lf")
    words = [sys.executable, "-m", "labelfield.cli", "serve", "model.lf", "--port", "0"]
    words += ["--workers", workers]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        address = server.stdout.readline().split()[-1]
        token = server.stdout.readline().split()[-1]
        ask = runpy.run_path(str(ROOT / "deploy" / "client.py"))["ask"]
        told = ask(address, token, "predict", {"X": [[1.0, 0.0]]})
        assert told["predictions"][0]["labels"] == ["rain"]
        with pytest.raises(ValueError, match="422: Row 0 has 1 cells"):
            ask(address, token, "predict", {"X": [[1.0]]})
        with pytest.raises(ValueError, match="401: A token is needed"):
            ask(address, "guess", "predict", {"X": [[1.0, 0.0]]})
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) in (0, -signal.SIGTERM, 143)
        lines = [json.loads(line) for line in server.stderr.read().splitlines()]
    assert [line["status"] for line in lines if line["event"] == "request"] == [200, 422, 401]


def test_the_steps_of_the_image_are_those_that_the_script_tries():
    import tomllib

    extras, command, health = runpy.run_path(str(ROOT / "scripts" / "try_container.py"))["steps"]()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras.strip("[]").split(",")) <= set(project["optional-dependencies"])
    assert command[:2] == ["sh", "-c"]
    assert "exec labelfield serve model.lf" in command[2]  # exec: SIGTERM reaches the service
    assert health[0] == "python"
    assert "/health" in health[2]


@pytest.mark.slow
def test_the_demo_opens_the_desk_on_pictures(monkeypatch):
    from fastapi.testclient import TestClient

    from labelfield.cli.commands import demo
    from labelfield.desk.record.accounts import new_token

    def settle_one(app, record, place, reviewers, browser):
        token = new_token(record, reviewers[0], days=1)
        headers = {"Authorization": f"Bearer {token}"}
        with TestClient(app, base_url="http://127.0.0.1", headers=headers) as client:
            told = client.post("/desk/next", json={}).json()
            assert told["case"] is not None
            assert told["picture"].startswith("data:image/png")
        place.close()
        seen.append(told)

    seen = []
    monkeypatch.setattr(demo, "announce_desk", settle_one)
    demo.review_digits(0)
    assert len(seen) == 1
