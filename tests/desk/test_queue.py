"""The queue: who gets which case, what is audited, where reviewers agree."""

import itertools

import pytest
from sklearn.metrics import cohen_kappa_score
from sqlalchemy import select

from desk_cases import LABELS, MODEL, new_cases
from labelfield.desk.queue import (
    NewCase,
    add_cases,
    agreement,
    keep_lease,
    lease_next,
    progress,
    release,
)
from labelfield.desk.queue.agreement import pair_agreement
from labelfield.desk.record import Decision
from labelfield.desk.record.settling import Answer, settle
from labelfield.desk.record.tables import cases, draws

KEYS = map(str, itertools.count())


def decide(record, case, reviewer, labels):
    row = record.case(case)
    return record.decide(Decision(case, row.version, next(KEYS), reviewer, labels))


def test_the_largest_expected_gain_comes_first(record):
    model = record.register_model(**MODEL, labels=LABELS)
    sure, cheap, dear = ((0.9, 1.0), (0.5, 1.0), (0.7, 10.0))
    add_cases(
        record,
        model,
        [NewCase(f"{c}", {}, (), c, False, cost) for c, cost in (sure, cheap, dear)],
    )
    order = []
    while (case := lease_next(record, "anna", passed=order)) is not None:
        order.append(case.id)
        release(record, case.id, "anna")
    assert order == [3, 2, 1]


def test_nobody_gets_a_case_that_another_holds(any_record, fill):
    fill(any_record, 3)
    names = [lease_next(any_record, who).name for who in ("anna", "ben", "carl")]
    assert sorted(names) == ["case 0", "case 1", "case 2"]
    assert lease_next(any_record, "dora") is None
    assert lease_next(any_record, "anna").name == "case 0"
    assert not keep_lease(any_record, 1, "ben")
    assert keep_lease(any_record, 1, "anna", seconds=-1)
    assert lease_next(any_record, "dora").name == "case 0"


def test_conflicts_go_to_a_third(any_record, fill):
    fill(any_record, 1, double_rate=1.0)
    decide(any_record, 1, "anna", ("flu",))
    assert lease_next(any_record, "anna") is None
    assert decide(any_record, 1, "ben", ("fever",)).status == "conflict"
    assert lease_next(any_record, "ben") is None
    assert progress(any_record, "carl")["conflict"] == 1
    assert lease_next(any_record, "carl").id == 1
    assert decide(any_record, 1, "carl", ("fever",)).status == "settled"
    assert any_record.case(1).final == ["fever"]


def test_who_cannot_decide_leaves_the_case_to_others(record, fill):
    fill(record, 1)
    assert decide(record, 1, "anna", None).status == "open"
    assert lease_next(record, "anna") is None
    assert lease_next(record, "ben").id == 1
    assert progress(record, "anna")["unsure_by_me"] == 1


def test_the_audit_slice_is_random_and_recorded(record):
    model = record.register_model(**MODEL, labels=LABELS)
    many = new_cases(2000, accepted=1500)
    added = add_cases(record, model, many, audit_rate=0.1, seed="7")
    assert added.accepted == 1500
    assert 105 <= added.audited <= 195  # 150 and four standard deviations
    with record.reading() as connection:
        drawn = connection.execute(select(draws)).one()
        audit = connection.execute(select(cases).where(cases.c.audit)).all()
        opened = connection.execute(select(cases).where(cases.c.status == "open")).all()
    assert (drawn.audit_rate, drawn.seed, drawn.audited) == (0.1, "7", added.audited)
    assert all(case.accepted for case in audit)
    priorities = sorted(case.priority for case in opened if not case.audit)
    middle = sum(case.priority > priorities[250] for case in audit) / len(audit)
    assert 0.3 < middle < 0.7  # they wait among the others, not behind them
    again = add_cases(record, model, many, audit_rate=0.1)
    assert (again.new, again.known, again.audited) == (0, 2000, 0)


def test_a_new_model_takes_over_what_is_undecided(record, fill):
    fill(record, 2)
    decide(record, 1, "anna", ("flu",))
    newer = record.register_model(**{**MODEL, "hash": "1" * 64}, labels=LABELS)
    changed = [NewCase(case.name, case.fields, ("cough",), 0.5, False) for case in new_cases(2)]
    added = add_cases(record, newer, changed)
    assert (added.new, added.known) == (0, 2)
    assert [record.case(k).predicted for k in (1, 2)] == [["flu"], ["cough"]]


def test_names_must_differ(record):
    model = record.register_model(**MODEL, labels=LABELS)
    with pytest.raises(ValueError, match="1 cases share the name"):
        add_cases(record, model, [*new_cases(2), new_cases(2)[0]])
    with pytest.raises(ValueError, match="audit_rate"):
        add_cases(record, model, new_cases(2), audit_rate=2.0)


@pytest.mark.parametrize("needed", [1, 2])
def test_the_state_follows_from_the_answers(needed):
    a, b = ("a",), ("b",)
    for given in itertools.product([a, b, None], repeat=3):
        state = settle([Answer(str(k), one) for k, one in enumerate(given)], needed)
        sets = [one for one in given if one is not None]
        if len(sets) < needed:
            assert state.status == "open"
        elif needed == 1 or sets[0] == sets[1]:
            assert (state.status, state.final) == ("settled", sets[0])
        elif len(sets) == 2:
            assert state.status == "conflict"
        else:
            assert (state.status, state.final) == ("settled", sets[2])


def test_agreement_equals_another_library(record, fill):
    pairs = [("ab", "ab"), ("a", "abc"), ("", "c"), ("bc", "b")]
    sets = [(frozenset(one), frozenset(other)) for one, other in pairs]
    told = pair_agreement(sets, 4)
    answers = [[letter in one for one, _ in sets for letter in "abcd"]]
    answers.append([letter in other for _, other in sets for letter in "abcd"])
    assert told["kappa"] == pytest.approx(cohen_kappa_score(*answers))
    assert told["equal"] == 0.25
    fill(record, 2, double_rate=1.0)
    decide(record, 1, "anna", ("flu",))
    decide(record, 1, "ben", ("flu",))
    told = agreement(record, LABELS)
    assert (told["pairs"], told["equal"]) == (1, 1.0)
    assert told["reviewers"]["anna"]["sets"] == 1
