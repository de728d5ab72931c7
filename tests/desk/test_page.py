"""The page without a browser: what it is told, what it may do, what it cannot be made to do."""

import base64
import itertools

import numpy as np
import pytest
from fastapi.testclient import TestClient

from labelfield import BinaryRelevance, CalibratedSetClassifier, LabelRules
from labelfield.datasets import make_multilabel
from labelfield.desk.assist import DeskModel
from labelfield.desk.page import Desk, make_desk
from labelfield.desk.queue import NewCase, add_cases
from labelfield.desk.record.accounts import new_token
from labelfield.desk.record.tables import cases
from labelfield.desk.record.upkeep import redact
from labelfield.desk.watch import watch

NAMES = ["<script>alert(1)</script>", "fever", "flu"]
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)
KEYS = (f"key number {k}" for k in itertools.count())


@pytest.fixture(scope="module")
def model():
    data = make_multilabel(n_samples=300, n_features=4, n_labels=3, random_state=0)
    rules = LabelRules(NAMES).implies("flu", "fever")
    tags = [[n for n, on in zip(NAMES, row) if on] for row in rules.closure(data.Y)]
    inner = BinaryRelevance(alpha=0.1, rules=rules)
    fitted = CalibratedSetClassifier(inner, promise=0.5).fit(data.X, tags)
    return DeskModel(fitted, columns=["a", "b", "c", "d"], file="flu.lf", hash="0" * 64), data.X


@pytest.fixture
def desk(record, model, tmp_path):
    helper, X = model
    told = helper.predictions(X[:40], accuracy=0.3)
    id = record.register_model(**helper.about(told.promise))
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "one.png").write_bytes(PNG)
    (tmp_path / "secret.png").write_bytes(PNG)
    new = [
        NewCase(
            f"case {i}",
            {"note": f"<b>note</b> {i}", "age": i, "picture": "one.png"},
            helper.names_of(told.sets[i]),
            float(told.confidence[i]),
            accepted=i >= 30,
        )
        for i in range(40)
    ]
    add_cases(record, id, new, audit_rate=1.0, seed="1")
    rows = {case.name: i for i, case in enumerate(new)}
    return Desk(
        record,
        helper,
        id,
        X[:40],
        rows,
        texts=["note"],
        picture="picture",
        folder=tmp_path / "pictures",
    )


def sign_in(desk, reviewer):
    client = TestClient(make_desk(desk), base_url="http://127.0.0.1", follow_redirects=False)
    client.headers["X-Labelfield-Desk"] = "1"
    assert (
        client.get("/enter", params={"token": new_token(desk.record, reviewer)}).status_code == 303
    )
    return client


@pytest.fixture
def anna(desk):
    with sign_in(desk, "anna") as client:
        yield client


def take(client, blind=False):
    """Return the next case that is, or is not, shown blind."""
    passed = []
    while True:
        told = client.post("/desk/next", json={"passed": passed}).json()
        if told["blind"] == blind:
            return told
        client.post("/desk/release", json={"case": told["case"]})
        passed.append(told["case"])


def decide(client, told, labels, **more):
    body = {name: told[name] for name in ("case", "version", "showing")}
    return client.post("/desk/decide", json={**body, "key": next(KEYS), "labels": labels, **more})


def test_a_case_is_shown_with_help(anna, desk, model):
    helper, X = model
    told = take(anna)
    row = desk.rows[told["name"]]
    assert told["texts"] == [["note", f"<b>note</b> {row}"]]
    assert told["fields"] == [["age", str(row)]]
    ticked = [label["name"] for label in told["labels"] if label["ticked"]]
    assert tuple(sorted(ticked)) == tuple(sorted(helper.names_of(helper.fitted.predict(X)[row])))
    p = {label["name"]: label["p"] for label in told["labels"]}
    assert p["flu"] == pytest.approx(
        helper.fitted.calibrated_joint(X[row : row + 1]).marginals()[0, helper.labels.index("flu")],
        abs=1e-4,
    )
    assert told["alternatives"]
    assert told["ask_first"] in NAMES


def test_an_audit_is_blind(anna, desk):
    told = take(anna, blind=True)
    assert desk.record.case(told["case"]).accepted
    assert not any(label["ticked"] or label["p"] is not None for label in told["labels"])
    assert [label["name"] for label in told["labels"]] == desk.model.labels
    assert (told["alternatives"], told["ask_first"], told["confidence"]) == ([], None, None)
    live = anna.post(
        "/desk/condition", json={"case": told["case"], "known": {"flu": True}, "ticked": ["flu"]}
    ).json()
    assert live["help"] is False
    assert "probabilities" not in live
    assert anna.get(f"/desk/reasons/{told['case']}").json() == {}


def test_live_answers_and_rules(anna, model, desk):
    helper, X = model
    told = take(anna)
    live = anna.post(
        "/desk/condition", json={"case": told["case"], "known": {"flu": True}, "ticked": ["flu"]}
    ).json()
    row = desk.rows[told["name"]]
    joint = helper.fitted.calibrated_joint(X[row : row + 1])
    given = joint.condition(helper.as_known({"flu": True})[None]).marginals()[0]
    assert list(live["probabilities"].values()) == pytest.approx(given.tolist())
    assert live["broken"] == ["flu implies fever"]
    refused = decide(anna, told, ["flu"])
    assert refused.status_code == 422
    assert "flu implies fever" in refused.json()["detail"]
    assert decide(anna, told, ["flu", "fever"]).json()["status"] == "settled"


def test_what_was_shown_is_recorded(anna, desk):
    told = take(anna)
    decide(anna, told, ["fever"], note="clear", trail=["fever", "flu"])
    (kept,) = desk.record.history(told["case"])
    assert (kept["reviewer"], kept["labels"], kept["note"]) == ("anna", ["fever"], "clear")
    assert kept["trail"] == ["fever", "flu"]
    assert 0.0 <= kept["seconds"] < 60.0
    with desk.record.reading() as connection:
        content = connection.exec_driver_sql(
            f"SELECT content FROM showings WHERE id = {told['showing']}"
        ).scalar()
    assert '"confidence": ' in content


def test_two_browsers_do_not_overwrite_each_other(anna, desk):
    told = take(anna)
    with sign_in(desk, "ben") as ben:
        desk.record.engine.connect().close()
        with desk.record.writing() as connection:  # as if the lease had run out
            connection.execute(cases.update().values(lease_by=None))
        other = take(ben)
        assert other["case"] == told["case"]
        assert decide(ben, other, ["fever"]).status_code == 200
    late = decide(anna, told, [])
    assert late.status_code == 409
    assert late.json()["kind"] == "StaleCaseError"
    assert desk.record.case(told["case"]).final == ["fever"]


def test_undo_gives_the_case_back(anna):
    told = take(anna)
    decide(anna, told, ["fever"])
    undone = anna.post("/desk/undo", json={"key": next(KEYS)}).json()
    assert undone == {"case": told["case"], "status": "open"}
    again = anna.post("/desk/next", json={}).json()
    assert (again["case"], again["version"]) == (told["case"], 2)
    assert anna.post("/desk/undo", json={"key": next(KEYS)}).status_code == 409


def test_a_decision_needs_its_own_showing(anna, desk):
    told = take(anna)
    assert decide(anna, {**told, "showing": 999}, []).status_code == 422
    with sign_in(desk, "ben") as ben:
        refused = decide(ben, told, [])
    assert "was not shown to ben" in refused.json()["detail"]
    assert decide(anna, told, ["nobody"]).status_code == 422


def test_writes_must_come_from_the_page(anna, desk):
    told = take(anna)
    body = {"case": told["case"]}
    elsewhere = {"Origin": "http://evil.example"}
    assert anna.post("/desk/keep", json=body, headers=elsewhere).status_code == 403
    assert anna.post("/desk/keep", json=body, headers={"X-Labelfield-Desk": "0"}).status_code == 403
    assert anna.post("/desk/keep", content=b"case=1").status_code == 422
    assert anna.post("/desk/keep", json=body).json() == {"kept": True}
    own = {"Origin": "http://127.0.0.1"}
    assert anna.post("/desk/keep", json=body, headers=own).status_code == 200


def test_strangers_see_nothing(anna, desk):
    anna.cookies.clear()
    for path in ("/", "/monitor", "/desk/progress", "/desk/picture/1", "/openapi.json"):
        assert anna.get(path).status_code == 401
    assert anna.get("/enter", params={"token": "guess"}).status_code == 401
    assert "set-cookie" not in anna.get("/enter", params={"token": "guess"}).headers


def test_the_cookie_is_kept_from_scripts_and_other_sites(desk):
    client = TestClient(make_desk(desk), base_url="http://127.0.0.1", follow_redirects=False)
    answer = client.get("/enter", params={"token": new_token(desk.record, "anna")})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_pictures_stay_in_their_folder(anna, desk):
    answer = anna.get("/desk/picture/1")
    assert (answer.headers["content-type"], answer.content) == ("image/png", PNG)
    for name in ("../secret.png", "/etc/passwd", "one.svg", "", None, 5, "\0", "data:image/x"):
        with desk.record.writing() as connection:
            changed = cases.update().where(cases.c.id == 1)
            connection.execute(changed.values(fields={"picture": name}))
        assert anna.get("/desk/picture/1").status_code in (404, 422)


def test_static_files_are_two(anna):
    assert "function" in anna.get("/static/desk.js").text
    assert ":root" in anna.get("/static/desk.css").text
    for name in ("app.py", "..%2fapp.py", "%2e%2e/desk.py", "desk.js%00"):
        assert anna.get(f"/static/{name}").status_code == 404


def test_pages_escape_names(anna, desk):
    desk.record.show(1, "anna", False, {})
    page = anna.get("/").text
    assert "<script src=" in page
    assert page.count("<script") == 1
    assert anna.get("/monitor").status_code == 200
    assert "<script>" not in anna.get("/monitor").text


def test_a_redacted_case_can_still_be_settled(anna, desk):
    told = take(anna)
    redact(desk.record, told["name"], "asked")
    again = anna.post("/desk/next", json={}).json()
    assert again["redacted"]
    assert again["texts"] == [["note", ""]]
    assert decide(anna, again, ["fever"]).status_code == 200


def test_reasons_name_features(anna):
    told = take(anna)
    reasons = anna.get(f"/desk/reasons/{told['case']}").json()
    assert set(itertools.chain(*reasons.values())) <= {"a", "b", "c", "d", *NAMES}


def test_all_are_settled_in_the_end_and_the_promise_is_watched(anna, desk):
    while (told := anna.post("/desk/next", json={}).json())["case"] is not None:
        predicted = desk.record.case(told["case"]).predicted
        saved = decide(anna, told, predicted)
        assert saved.status_code == 200, saved.text
    assert told["progress"]["for_me"] == 0
    assert told["progress"]["settled"] == 40
    seen = watch(desk.record)
    assert seen["audit"]["drawn"] == 10
    if seen["promise"] is not None:
        assert (seen["promise"]["audited"], seen["promise"]["right"]) == (10, 10)
        assert not seen["promise"]["alarm"]
    assert seen["agreement"]["reviewers"]["anna"]["kept"] == 1.0


def test_the_watch_sees_a_broken_promise_and_drift(record):
    id = record.register_model(
        hash="0", file="f", kind="k", version="0", labels=["a", "b"], accuracy=0.9,
        confidence_level=0.95, threshold=0.8, promise="p",
    )  # fmt: skip
    new = [NewCase(str(i), {}, ("a",) if i < 40 else ("b",), 0.9, True) for i in range(80)]
    add_cases(record, id, new, audit_rate=1.0)
    from labelfield.desk.record import Decision

    for i in range(30):
        record.decide(Decision(i + 1, 0, f"k{i}", "anna", ("a",) if i % 2 else ()))
    seen = watch(record)
    assert seen["promise"]["alarm"]
    assert (seen["promise"]["audited"], seen["promise"]["right"]) == (30, 15)
    assert seen["drift"]["alarm"]
    assert seen["drift"]["smallest"][0]["what"] in ("label a", "label b")
    assert np.isclose(seen["drift"]["smallest"][-1]["p"], 1.0)
