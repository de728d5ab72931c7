"""Rules against the list of all sets: what they allow, what follows, how they are read."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield.kernels.sets.bits import all_sets
from labelfield.rules import LabelRules, Rule
from labelfield.rules.logic import Logic
from nasty_names import NASTY
from strategies import generators, random_rule, random_rules

NAMES = ["flu", "fever", "mild", "severe"]


def keeps_slowly(rule, y):
    count = sum(y[label] for label in rule.labels)
    return (rule.given is not None and not y[rule.given]) or rule.low <= count <= rule.high


@settings(max_examples=100, deadline=None)
@given(rng=generators, L=st.integers(1, 7))
def test_sets_that_keep_the_rules(rng, L):
    rules, sets = random_rules(rng, L), all_sets(L)
    expected = [all(keeps_slowly(rule, y) for rule in rules) for y in sets]
    np.testing.assert_array_equal(rules.keeps(sets), expected)
    np.testing.assert_array_equal(rules.keeps(sets[None, :, None])[0, :, 0], expected)
    np.testing.assert_array_equal(~rules.check(sets).broken, expected)


@settings(max_examples=100, deadline=None)
@given(rng=generators, L=st.integers(1, 7))
def test_tables_allow_each_set_that_keeps_the_rules_once(rng, L):
    rules = random_rules(rng, L)
    n_hidden, tables = rules.factors
    if n_hidden > 12:
        return
    everything = all_sets(L + n_hidden)
    allowed = np.ones(len(everything), dtype=bool)
    for table in tables:
        digits = 1 << np.arange(len(table.scope))[::-1]
        allowed &= table.allowed[everything[:, table.scope] @ digits]
    found = everything[allowed][:, :L]
    np.testing.assert_array_equal(found, all_sets(L)[rules.keeps(all_sets(L))])


@settings(max_examples=100, deadline=None)
@given(rng=generators, L=st.integers(1, 6))
def test_logic_agrees_with_the_list_of_all_sets(rng, L):
    sets = all_sets(L)
    rules = LabelRules([f"y{k}" for k in range(L)], [random_rule(rng, L) for _ in range(4)])
    kept = sets[rules.keeps(sets)]
    logic = Logic(rules.rules)
    assert logic.possible({}) == (len(kept) > 0)
    for label in range(L):
        for value in (0, 1):
            assert logic.possible({label: value}) == bool((kept[:, label] == value).any())
    other = random_rule(rng, L)
    assert logic.follows(other) == bool(LabelRules(rules.label_names, [other]).keeps(kept).all())
    for number, rule in enumerate(rules):
        rest = LabelRules(rules.label_names, rules.rules[:number] + rules.rules[number + 1 :])
        says_more = rest.keeps(sets) & ~LabelRules(rules.label_names, [rule]).keeps(sets)
        assert logic.follows(rule, without=number) == (not says_more.any())


@settings(max_examples=60, deadline=None)
@given(rng=generators, L=st.integers(1, 6))
def test_findings_name_rules_that_suffice(rng, L):
    sets = all_sets(L)
    rules = LabelRules([f"y{k}" for k in range(L)], [random_rule(rng, L) for _ in range(4)])
    for finding in rules.review():
        named = LabelRules.from_text(rules.label_names, "\n".join(finding.rules))
        kept = sets[named.keeps(sets)]
        label = rules.label_names.index(finding.labels[0])
        if finding.kind == "contradiction":
            assert not len(kept)
        elif finding.kind in ("never", "always"):
            assert not (kept[:, label] == (finding.kind == "never")).any()


@settings(max_examples=60, deadline=None)
@given(rng=generators, L=st.integers(1, 6), nasty=st.booleans())
def test_rules_survive_text_and_json(rng, L, nasty):
    names = list(rng.choice(list(NASTY.values()), L, replace=False)) if nasty else range(L)
    rules = LabelRules(names, [random_rule(rng, L) for _ in range(4)])
    for again in (
        LabelRules.from_text(names, rules.to_text()),
        LabelRules.from_json(names, rules.to_json()),
    ):
        sets = all_sets(L)
        np.testing.assert_array_equal(again.keeps(sets), rules.keeps(sets))
        assert str(again) == str(rules)


def test_methods_say_what_they_mean():
    rules = LabelRules(NAMES)
    for made, sentence in [
        (rules.implies("flu", "fever"), "flu implies fever"),
        (rules.implies("flu", "fever", "mild"), "flu implies fever, mild"),
        (rules.forbids("flu", "mild"), "flu forbids mild"),
        (rules.exclusive("mild", "severe"), "mild, severe exclude each other"),
        (rules.exactly_one("mild", "severe"), "exactly 1 of mild, severe"),
        (
            rules.exactly_one("mild", "severe", given="flu"),
            "exactly 1 of mild, severe given flu",
        ),
        (rules.any_of("flu", needs=("mild", "severe")), "flu needs one of mild, severe"),
        (rules.at_most(2), "at most 2 of flu, fever, mild, severe"),
        (rules.at_least(1, "mild", "severe", "flu"), "at least 1 of flu, mild, severe"),
    ]:
        assert str(made) == sentence
        assert LabelRules.from_text(NAMES, sentence) == made
        assert not len(rules)
    assert rules.implies("flu", "fever").keeps([[1, 0, 0, 0], [0, 1, 0, 0]]).tolist() == [
        False,
        True,
    ]
    both = rules.implies("flu", "fever") & rules.exclusive("mild", "severe")
    assert len(both) == len(list(both)) == 2
    assert repr(both) == "LabelRules(4 labels, 2 rules)"


def test_hierarchies_from_everywhere(tmp_path):
    names = ["a", "a/b", "a/b/c", "d"]
    tree = LabelRules.from_paths(names)
    table = "label,parent\na/b,a\na/b/c,a/b\nd,root\na,\n"
    (tmp_path / "parents.csv").write_text(table)
    (tmp_path / "rules.json").write_text(tree.to_json())
    (tmp_path / "rules.txt").write_text("# a tree\n" + tree.to_text())
    assert LabelRules.from_parents(names, {"a/b": "a", "a/b/c": ["a/b"], "d": None}) == tree
    assert LabelRules.from_parents(names, [-1, 0, 1, -1]) == tree
    for path in tmp_path.iterdir():
        assert LabelRules.from_file(names, path) == tree
    dag = LabelRules.from_csv(names, "a/b,a\na/b,d\n")
    assert str(dag) == "a/b implies a\na/b implies d"
    np.testing.assert_array_equal(tree.closure([[0, 0, 1, 0]]), [[1, 1, 1, 0]])
    partly = tree.closure([[np.nan, 1, np.nan, 0]])
    np.testing.assert_array_equal(partly, [[1, 1, np.nan, 0]])


def test_unknown_labels_break_a_rule_only_if_nothing_mends_it():
    rules = LabelRules(NAMES).implies("flu", "fever").exclusive("mild", "severe")
    found = rules.check([[1, np.nan, 1, np.nan], [1, 0, np.nan, 0], [np.nan, 0, 1, 1]])
    assert found.rows.tolist() == [1, 2]
    assert found.rules.tolist() == [0, 1]
    assert found.counts.tolist() == [1, 1]
    assert len(found) == 2
    assert "flu implies fever: 1 row, first row 1" in str(found)


def test_suggestions_find_the_rules_that_made_the_data():
    names = ["hate", "person", "group", "weak", "strong", "other"]
    rng = np.random.default_rng(0)
    Y = np.zeros((400, 6), dtype=int)
    Y[:, 0] = rng.random(400) < 0.5
    person = rng.random(400) < 0.5
    Y[:, 1], Y[:, 2] = Y[:, 0] & person, Y[:, 0] & ~person
    weak = rng.random(400) < 0.4
    Y[:, 3], Y[:, 4] = Y[:, 0] & weak, Y[:, 0] & ~weak
    Y[:, 5] = rng.random(400) < 0.5
    found = [suggestion.sentence for suggestion in LabelRules(names).suggest(Y)]
    assert sorted(found) == [
        "exactly 1 of person, group given hate",
        "exactly 1 of weak, strong given hate",
        "group implies hate",
        "person implies hate",
        "strong implies hate",
        "weak implies hate",
    ]
    told = LabelRules.from_text(names, "\n".join(found))
    assert not len(told.check(Y))
    assert told.suggest(Y) == []
    noise = rng.random((400, 6)) < 0.3
    assert LabelRules(names).suggest(noise) == []
    apart = np.eye(4, dtype=int)[rng.integers(0, 4, 300)][:, :3]
    suggestions = LabelRules(["a", "b", "c"]).suggest(apart)
    assert [s.sentence for s in suggestions] == ["a, b, c exclude each other"]


def test_more_than_all_labels_is_no_bound():
    rules = LabelRules(NAMES).at_most(9, "flu", "fever")
    assert rules == LabelRules.from_text(NAMES, "at most 9 of flu, fever")
    assert rules.keeps(all_sets(4)).all()


def test_hierarchies_of_arff_files(tmp_path):
    path = tmp_path / "genes.arff"
    path.write_text(
        "@relation g\n@ATTRIBUTE x numeric\n@ATTRIBUTE class  hierarchical 01,01/03/02,03 %\n"
    )
    names = ["01", "03", "01/03", "01/03/02"]
    tree = LabelRules.from_file(names, path)
    assert str(tree) == "01/03 implies 01\n01/03/02 implies 01/03"
    pairs = "@attribute class hierarchical root/a,root/b,a/c,b/c"
    assert str(LabelRules.from_arff(["a", "b", "c"], pairs)) == "c implies a\nc implies b"
    with pytest.raises(ValueError, match="declares a hierarchy"):
        LabelRules.from_arff(["a"], "@attribute class {a}")


WRONG = {
    "a misspelt label": (lambda r: r.implies("flue", "fever"), "did you mean 'flu'"),
    "an unknown label": (lambda r: r.implies("xyzzy", "fever"), "the labels are flu, fever"),
    "a label with itself": (lambda r: r.implies("flu", "flu"), "different labels"),
    "no label": (lambda r: r.exactly_one(), "at least one"),
    "too many": (lambda r: r.at_least(3, "flu", "fever"), "no set can hold"),
    "half a label": (lambda r: r.at_most(1.5), "must be an integer"),
    "a number in words": (lambda r: r.at_most("two"), "must be an integer, got 0, 'two'"),
    "fewer than none": (lambda r: r.at_most(-1), "no set can hold"),
    "sets of fewer labels": (lambda r: r.keeps([[1, 0]]), "last axis must be 4 labels"),
    "a parent by number": (lambda r: r.hierarchy({"flu": 3}), "there is no label '3'"),
    "an odd key": (
        lambda r: LabelRules.from_json(NAMES, '{"rules": [{"labels": ["flu"], "least": 1}]}'),
        'perhaps "low"',
    ),
    "a cycle": (
        lambda r: r.hierarchy({"flu": "fever", "fever": "mild", "mild": "flu"}),
        "cycle: 'flu' -> 'fever' -> 'mild' -> 'flu'",
    ),
    "parents of other labels": (lambda r: r.hierarchy([0, 1]), "4 integers"),
    "parents out of range": (lambda r: r.hierarchy([0, 1, 2, 4]), "from -1 to 3"),
    "rules of other labels": (lambda r: r & LabelRules(["a"]), "different labels"),
    "sets of other labels": (lambda r: r.check([[1, 0]]), "2 labels, the rules are about 4"),
    "no sentence": (lambda r: LabelRules.from_text(NAMES, "flu and fever"), "line 1.*is no rule"),
    "no number": (lambda r: LabelRules.from_text(NAMES, "at most many of flu"), "is no number"),
    "no JSON": (lambda r: LabelRules.from_json(NAMES, "{"), "no JSON"),
    "no list": (lambda r: LabelRules.from_json(NAMES, "[]"), 'a list "rules"'),
    "an odd entry": (lambda r: LabelRules.from_json(NAMES, json.dumps({"rules": [3]})), "rules.0."),
    "three columns": (lambda r: LabelRules.from_csv(NAMES, "flu,fever,mild"), "label,parent"),
    "one text": (lambda r: LabelRules("flu"), "must list the labels"),
    "a name twice": (lambda r: LabelRules(["a", "a"]), "'a' twice"),
    "no names": (lambda r: LabelRules([]), "is empty"),
}


@pytest.mark.parametrize(("ask", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_rules_are_refused(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(LabelRules(NAMES))


def test_contradictions_and_redundant_rules_are_named():
    rules = LabelRules(NAMES).at_least(1, "flu").forbids("flu", "fever").implies("flu", "fever")
    with pytest.raises(ValueError, match="contradict each other: no label set keeps all rules"):
        rules.implies("mild", "severe").require_satisfiable()
    assert [str(finding) for finding in rules.review()] == [
        "no label set keeps all rules: exactly 1 of flu; flu forbids fever; flu implies fever"
    ]
    chain = (
        LabelRules(NAMES).implies("flu", "fever").implies("fever", "mild").implies("flu", "mild")
    )
    assert [(f.kind, f.rules) for f in chain.review()] == [("redundant", ("flu implies mild",))]


def test_reviewing_a_large_tree_is_quick():
    parents = np.array([-1, *(np.arange(1, 2000) - 1) // 3])
    rules = LabelRules.from_parents([f"y{k}" for k in range(2000)], parents)
    assert rules.review() == []
    assert len(rules.check(np.ones((3, 2000)))) == 0


def test_files_are_named_in_errors(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("flu implies feverr\n")
    with pytest.raises(ValueError, match=r"rules.txt: line 1.*did you mean 'fever'"):
        LabelRules.from_file(NAMES, path)
    packed = tmp_path / "rules.txt.gz"
    packed.write_bytes(gzip.compress(b"flu implies fever"))
    with pytest.raises(ValueError, match=r"rules.txt.gz is no text in UTF-8; unpack it"):
        LabelRules.from_file(NAMES, packed)


def test_rules_are_values():
    rules = LabelRules(NAMES).implies("flu", "fever")
    same = LabelRules(NAMES, [Rule((1,), 1, 1, 0)])
    assert rules == same
    assert hash(rules) == hash(same)
    assert rules != LabelRules(NAMES)
    assert rules != "flu implies fever"
