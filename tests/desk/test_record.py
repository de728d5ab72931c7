"""The record: nothing lost, nothing doubled, nothing overwritten."""

import json
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from desk_cases import LABELS, MODEL
from labelfield.desk.record import (
    AlreadyDecidedError,
    Decision,
    KeyReusedError,
    NothingToUndoError,
    Record,
    StaleCaseError,
    database,
)
from labelfield.desk.record.accounts import hash_token, new_token, reviewer_of
from labelfield.desk.record.exports import EXPORTS, export, training_rows
from labelfield.desk.record.tables import accounts, decisions
from labelfield.desk.record.upkeep import back_up, redact


def decide(record, case=1, version=0, key="k", reviewer="anna", labels=("flu",), **more):
    return record.decide(Decision(case, version, key, reviewer, labels, **more))


def test_a_decision_settles_a_case(any_record, fill):
    fill(any_record)
    saved = decide(any_record, note="sure")
    assert (saved.status, saved.version, saved.repeated) == ("settled", 1, False)
    assert any_record.case(1).final == ["flu"]
    assert [one["note"] for one in any_record.history(1)] == ["sure"]
    assert any_record.count_by_status() == {"settled": 1, "open": 4}


def test_a_key_saves_once(any_record, fill):
    fill(any_record)
    first, second = decide(any_record), decide(any_record)
    assert second.id == first.id
    assert second.repeated
    assert len(any_record.history(1)) == 1
    with pytest.raises(KeyReusedError, match="another decision"):
        decide(any_record, labels=("fever",))


def test_the_slower_browser_is_told(any_record, fill):
    fill(any_record)
    decide(any_record)
    with pytest.raises(StaleCaseError, match="version 0 is now 1"):
        decide(any_record, key="other", reviewer="ben", labels=())
    with pytest.raises(AlreadyDecidedError, match="undo"):
        decide(any_record, key="other", version=1)
    assert any_record.case(1).final == ["flu"]


def test_one_of_many_at_once_wins(any_record, fill):
    fill(any_record)

    def attempt(i):
        try:
            return decide(any_record, key=f"k{i}", reviewer=f"r{i}", labels=(str(i),)).id
        except StaleCaseError:
            return None

    with ThreadPoolExecutor(8) as pool:
        won = [one for one in pool.map(attempt, range(16)) if one is not None]
    assert len(won) == 1
    assert len(any_record.history(1)) == 1


def test_the_same_decision_sent_at_once_is_saved_once(any_record, fill):
    fill(any_record)
    with ThreadPoolExecutor(8) as pool:
        ids = {saved.id for saved in pool.map(lambda _: decide(any_record), range(16))}
    assert len(ids) == len(any_record.history(1)) == 1


def test_undo_keeps_the_history(any_record, fill):
    fill(any_record)
    decide(any_record)
    undone = any_record.withdraw("anna", "u1")
    assert undone.status == "open"
    assert any_record.withdraw("anna", "u1").repeated
    assert [one["verdict"] for one in any_record.history(1)] == ["set", "withdrawn"]
    with pytest.raises(NothingToUndoError):
        any_record.withdraw("anna", "u2")
    decide(any_record, version=2, key="again", labels=("fever",))
    assert any_record.case(1).final == ["fever"]


def test_decisions_cannot_be_changed_or_deleted(any_record, fill):
    fill(any_record)
    decide(any_record)
    for change in ("DELETE FROM decisions", "UPDATE decisions SET reviewer = 'x'"):
        with pytest.raises(DBAPIError, match="append-only"), any_record.writing() as connection:
            connection.exec_driver_sql(change)


def test_tokens_are_hashed_and_expire(any_record):
    token = new_token(any_record, "anna")
    assert reviewer_of(any_record, token) == "anna"
    assert reviewer_of(any_record, "anna") is None
    assert reviewer_of(any_record, new_token(any_record, "ben", days=-1)) is None
    with any_record.reading() as connection:
        kept = connection.scalars(select(accounts.c.token_hash)).all()
    assert hash_token(token) in kept
    assert token not in kept


def test_redaction_keeps_the_decision(record, fill):
    fill(record)
    decide(record, note="secret words")
    redact(record, "case 0", "asked by the patient")
    assert record.case(1).fields is None
    (kept,) = record.history(1)
    assert (kept["labels"], kept["note"]) == (["flu"], None)
    raw = record.place.read_bytes() + record.place.with_name("desk.review-wal").read_bytes()
    assert b"secret words" not in raw
    assert b"note 0" not in raw
    with pytest.raises(ValueError, match="no case called 'nobody'"):
        redact(record, "nobody", "")


def test_backup_is_a_record(record, fill, tmp_path):
    fill(record)
    decide(record)
    back_up(record, tmp_path / "copy.review")
    copy = Record(tmp_path / "copy.review")
    assert copy.case(1).final == ["flu"]
    copy.close()


@pytest.mark.parametrize("form", EXPORTS)
def test_exports_hold_the_decisions(record, fill, tmp_path, form):
    fill(record)
    decide(record, labels=("flu", "fever"), note="=1+1")
    decide(record, case=2, key="k2", labels=None)
    redact(record, "case 2", "asked")
    out = tmp_path / "out"
    n_rows = export(record, form, out)
    text = out.read_text()
    assert n_rows == {"csv": 2, "jsonl": 2, "training": 1}.get(form, 5)
    if form in ("csv", "training"):
        assert "flu|fever" in text
        assert ",=1+1" not in text
    else:
        first = json.loads(text)[0] if form == "label-studio" else json.loads(text.split("\n")[0])
        assert '"flu", "fever"' in json.dumps(first)
        assert MODEL["hash"] in text


def test_training_rows_name_their_coders(record, fill):
    fill(record, double_rate=1.0)
    decide(record)
    decide(record, key="k2", reviewer="ben", version=1, labels=("fever",))
    assert list(training_rows(record)) == [
        {"note": "note 0", "labels": ["flu"], "coder": "anna", "case": "case 0"},
        {"note": "note 0", "labels": ["fever"], "coder": "ben", "case": "case 0"},
    ]


def test_an_older_form_is_brought_up_to_date(tmp_path, monkeypatch):
    first_form = partial(database.migrate, steps=database.STEPS[:1])
    monkeypatch.setattr(database, "migrate", first_form)
    Record(tmp_path / "old").close()
    monkeypatch.undo()
    record = Record(tmp_path / "old")
    record.register_model(**MODEL, labels=LABELS)
    with record.reading() as connection:
        triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        assert len(connection.exec_driver_sql(triggers).all()) == 2 * len(database.APPEND_ONLY)
        assert connection.exec_driver_sql("SELECT value FROM facts").scalar() == str(
            database.SCHEMA
        )
    record.close()


def test_a_newer_form_is_refused(tmp_path):
    record = Record(tmp_path / "new")
    with record.writing() as connection:
        connection.exec_driver_sql("UPDATE facts SET value = '99'")
    record.close()
    with pytest.raises(ValueError, match="newer labelfield"):
        Record(tmp_path / "new")


def test_places_that_are_no_record(tmp_path):
    (tmp_path / "text").write_text("no database, " * 100)
    with pytest.raises(ValueError, match="cannot be opened"):
        Record(tmp_path / "text")
    with pytest.raises(ValueError, match="no file and no address"):
        Record("nonsense://x")


CHILD = """
import sys
from labelfield.desk.record import Decision, Record
record = Record(sys.argv[1])
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    saved = record.decide(Decision(number + 1, 0, f"key {number}", "anna", ("flu",), note="n"))
    print(number, flush=True)
"""


def kill_while_deciding(place, n_cases, n_kills, seed):
    """Decide all cases in processes that are killed; return what each was told to be saved."""
    rng, told, kills = random.Random(seed), [], 0
    while len(told) < n_cases:
        words = [sys.executable, "-c", CHILD, str(place), str(len(told)), str(n_cases)]
        child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        left = n_cases if kills == n_kills else rng.randint(1, 2 * n_cases // max(n_kills, 1))
        for line in child.stdout:
            told.append(int(line))
            left -= 1
            if left == 0 and kills < n_kills:
                child.kill()
                kills += 1
                break
        told += [int(line) for line in child.stdout.read().split()]  # told before it died
        child.stdout.close()
        assert child.wait() in (0, -signal.SIGKILL)
    return told, kills


def check_nothing_lost_or_doubled(place, fill, n_cases, n_kills):
    record = Record(place)
    fill(record, n_cases)
    told, kills = kill_while_deciding(place, n_cases, n_kills, seed=0)
    with record.reading() as connection:
        keys = connection.scalars(select(decisions.c.key).order_by(decisions.c.case)).all()
        sound = connection.exec_driver_sql("PRAGMA integrity_check").scalar()
    record.close()
    assert sound == "ok"
    assert told == list(range(n_cases))
    assert keys == [f"key {number}" for number in range(n_cases)]
    return kills


def test_killed_in_between(tmp_path, fill):
    assert check_nothing_lost_or_doubled(tmp_path / "desk.review", fill, 60, 3) >= 2


@pytest.mark.slow
def test_a_thousand_decisions_and_many_kills(tmp_path, fill):
    assert check_nothing_lost_or_doubled(tmp_path / "desk.review", fill, 1000, 50) >= 30
