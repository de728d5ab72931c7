"""Rules between labels: said in Python or in a file, checked on data, handed to joints."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from labelfield._gate.indicator import read_dense_indicator
from labelfield._typing import BoolArray, LabelArray
from labelfield.rules.counts import RuleCounts, with_implied
from labelfield.rules.factors import Factors, factors_of
from labelfield.rules.findings import Finding, Violations, review
from labelfield.rules.hierarchy import (
    listed,
    named_parents,
    parents_of_paths,
    read_declared_parents,
    refuse_cycles,
)
from labelfield.rules.logic import Logic
from labelfield.rules.names import checked_names, unknown_label
from labelfield.rules.rule import Rule
from labelfield.rules.suggestions import Suggestion, suggested_rules
from labelfield.rules.text import read_json, read_parents, read_sentence, sentences

__all__ = ["LabelRules"]


class LabelRules:
    """Rules that label sets must keep; immutable, every method returns new rules.

    Parameters
    ----------
    label_names : sequence of L str
        Names of the labels, in the order of the columns of Y.
    rules : sequence of Rule, optional

    Attributes
    ----------
    label_names : tuple of str
    rules : tuple of Rule

    Examples
    --------
    >>> from labelfield import LabelRules
    >>> rules = (
    ...     LabelRules(["flu", "fever", "mild", "severe"])
    ...     .implies("flu", "fever")
    ...     .exactly_one("mild", "severe", given="fever")
    ... )
    >>> print(rules)
    flu implies fever
    exactly 1 of mild, severe given fever
    >>> rules.keeps([[1, 1, 1, 0], [1, 1, 1, 1]])
    array([ True, False])
    """

    def __init__(self, label_names: Any, rules: Sequence[Rule] = ()) -> None:
        self.label_names = checked_names(label_names)
        self._number = {name: number for number, name in enumerate(self.label_names)}
        self.rules = tuple(dict.fromkeys(rules))

    @classmethod
    def from_parents(cls, label_names: Any, parents: Any) -> "LabelRules":
        """Return the rules of a hierarchy: a label implies those above it.

        Parameters
        ----------
        label_names : sequence of L str
        parents : mapping of a name to its parent, or to several; or (L,) array of int
            The array holds the number of the parent, -1 for labels at the top.

        Examples
        --------
        >>> from labelfield import LabelRules
        >>> print(LabelRules.from_parents(["pet", "dog", "pug"], {"dog": "pet", "pug": "dog"}))
        dog implies pet
        pug implies dog
        """
        return cls(label_names).hierarchy(parents)

    @classmethod
    def from_paths(cls, label_names: Any, separator: str = "/") -> "LabelRules":
        """Return the rules of labels named by paths, as in hierarchical ARFF: a/b implies a.

        Examples
        --------
        >>> from labelfield import LabelRules
        >>> print(LabelRules.from_paths(["01", "01/03", "01/03/02"]))
        01/03 implies 01
        01/03/02 implies 01/03
        """
        empty = cls(label_names)
        return empty.hierarchy(parents_of_paths(empty.label_names, separator))

    @classmethod
    def from_text(cls, label_names: Any, text: str) -> "LabelRules":
        """Return the rules of sentences, one a line; # begins a comment.

        The sentences are those that `print(rules)` shows. Names that hold commas or words of the
        sentences stand in double quotes.

        Examples
        --------
        >>> from labelfield import LabelRules
        >>> print(LabelRules.from_text(["a", "b", "c"], "a implies b\\nat most 1 of b, c  # why"))
        a implies b
        b, c exclude each other
        """
        rules = cls(label_names)
        parts = []
        for number, sentence in sentences(text):
            try:
                parts.append(rules._read(**read_sentence(sentence)))
            except ValueError as error:
                raise ValueError(f"line {number} of the rules: {error}") from None
        return rules._with(*parts)

    @classmethod
    def from_json(cls, label_names: Any, text: str) -> "LabelRules":
        """Return the rules that `to_json` wrote; sentences are allowed in its list too."""
        empty = cls(label_names)
        return empty._with(*(empty._read(**stored) for stored in read_json(text)))

    @classmethod
    def from_csv(cls, label_names: Any, text: str) -> "LabelRules":
        """Return the hierarchy of a table with columns label and parent, a line for each parent."""
        rules = cls(label_names)
        parents: dict[str, list[str]] = {}
        for label, parent in read_parents(text, rules._number.__contains__):
            parents.setdefault(label, []).append(parent)
        return rules.hierarchy(parents)

    @classmethod
    def from_arff(cls, label_names: Any, text: str) -> "LabelRules":
        """Return the hierarchy that the text of an ARFF file declares (type `hierarchical`)."""
        rules = cls(label_names)
        return rules.hierarchy(read_declared_parents(text, rules._number.__contains__))

    @classmethod
    def from_file(cls, label_names: Any, path: Any) -> "LabelRules":
        """Return the rules of a file: .json, .csv (parents), .arff (hierarchy), else sentences."""
        path = Path(path)
        readers = {".json": cls.from_json, ".csv": cls.from_csv, ".arff": cls.from_arff}
        read = readers.get(path.suffix.lower(), cls.from_text)
        try:
            return read(label_names, path.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError:
            raise ValueError(f"{path} is no text in UTF-8; unpack it if it is packed.") from None
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    def implies(self, label: str, *others: str) -> "LabelRules":
        """Return rules with: where `label` is present, all `others` are."""
        return self._with(self._make(others, len(others), len(others), label))

    def forbids(self, label: str, *others: str) -> "LabelRules":
        """Return rules with: where `label` is present, none of `others` is."""
        return self._with(self._make(others, 0, 0, label))

    def exclusive(self, *labels: str) -> "LabelRules":
        """Return rules with: at most one of `labels` is present."""
        return self.at_most(1, *labels)

    def exactly_one(self, *labels: str, given: str | None = None) -> "LabelRules":
        """Return rules with: where `given` is present (always, if None), one of `labels` is.

        Nothing is said of sets without `given`: add `implies(label, given)` for such labels.
        """
        return self._with(self._make(labels, 1, 1, given))

    def any_of(self, label: str, needs: Sequence[str]) -> "LabelRules":
        """Return rules with: where `label` is present, at least one of `needs` is."""
        if isinstance(needs, str):
            needs = (needs,)
        return self._with(self._make(needs, 1, len(needs), label))

    def at_most(self, k: int, *labels: str, given: str | None = None) -> "LabelRules":
        """Return rules with: no more than k of `labels` (of all, if none is named) are present."""
        return self.between(0, k, *labels, given=given)

    def at_least(self, k: int, *labels: str, given: str | None = None) -> "LabelRules":
        """Return rules with: no fewer than k of `labels` (of all, if none is named) are present."""
        return self.between(k, len(labels or self.label_names), *labels, given=given)

    def between(self, low: int, high: int, *labels: str, given: str | None = None) -> "LabelRules":
        """Return rules with: `low` to `high` of `labels` (of all, if none is named) are present."""
        return self._with(self._make(labels or self.label_names, low, high, given))

    def hierarchy(self, parents: Any) -> "LabelRules":
        """Return rules with: a label implies its parents; see `from_parents`."""
        if not isinstance(parents, Mapping):
            parents = named_parents(parents, self.label_names)
        pairs = {}
        for label, above in parents.items():
            pairs[self._find(label)] = [self._find(parent) for parent in listed(above)]
        refuse_cycles(pairs, self.label_names)
        made = [Rule((p,), 1, 1, label) for label, above in pairs.items() for p in above]
        return self._with(*made)

    def __and__(self, other: "LabelRules") -> "LabelRules":
        """Return the rules of both."""
        if self.label_names != other.label_names:
            raise ValueError("rules of different labels cannot be joined.")
        return self._with(*other.rules)

    def for_labels(self, label_names: Any) -> "LabelRules":
        """Return the rules for labels in another order; y0, y1, ... are labels without names."""
        names = [str(name) for name in label_names]
        if tuple(names) == self.label_names:
            return self
        if len(names) != self.n_labels:
            raise ValueError(f"the rules are about {self.n_labels} labels, not {len(names)}.")
        if names == [f"y{k}" for k in range(len(names))]:
            return self
        place = list(map(LabelRules(names)._find, self.label_names))
        return LabelRules(names, [rule.moved(place) for rule in self.rules])

    def check(self, Y: Any) -> Violations:
        """Return which rows of Y (n, L) break which rules.

        Unknown labels (NaN) break nothing unless every way to fill them in does.

        Examples
        --------
        >>> from labelfield import LabelRules
        >>> rules = LabelRules(["flu", "fever"]).implies("flu", "fever")
        >>> len(rules.check([[1, 0], [1, 1]])), len(rules.check([[1, float("nan")]]))
        (1, 0)
        """
        present, unknown = self._read_sets(Y)
        rows, rules = self._counts.broken_pairs(present, present | unknown)
        sentences = tuple(rule.sentence(self.label_names) for rule in self.rules)
        return Violations(rows, rules, sentences, len(present))

    def keeps(self, Y: Any) -> BoolArray:
        """Return which sets (..., L) of 0 and 1 keep all rules: (...,)."""
        sets = np.asarray(Y)
        if sets.shape[-1:] != (self.n_labels,):
            raise ValueError(
                f"Y has shape {sets.shape}; the last axis must be {self.n_labels} labels."
            )
        flat = sets.reshape(-1, self.n_labels) != 0
        answer = np.ones(len(flat), dtype=bool)
        for rows, broken in self._counts.broken(flat, flat):
            answer[rows] = ~broken.any(axis=0)
        return answer.reshape(sets.shape[:-1])

    def closure(self, Y: Any) -> LabelArray:
        """Return Y (n, L) with the labels that present ones imply.

        Unknown labels (NaN) that are not implied stay unknown, and the answer is float then.

        Examples
        --------
        >>> from labelfield import LabelRules
        >>> LabelRules.from_paths(["a", "a/b", "c"]).closure([[0, 1, 0]])
        array([[1, 1, 0]], dtype=uint8)
        """
        present, unknown = self._read_sets(Y)
        closed = with_implied(self.rules, present)
        if unknown.any():
            return np.where(unknown & ~closed, np.nan, closed)
        return closed.astype(np.uint8)

    def suggest(self, Y: Any, min_count: int = 10) -> list[Suggestion]:
        """Return rules that no row of Y (n, L) breaks and that do not follow from these rules.

        Parameters
        ----------
        Y : array of shape (n, L)
            Unknown labels (NaN) count as absent.
        min_count : int, default=10
            Labels in fewer rows are left alone; so is what chance alone would explain.
        """
        present, _ = self._read_sets(Y)
        logic = Logic(self.rules)
        return [
            Suggestion(rule.sentence(self.label_names), count, float(expected), rule)
            for rule, count, expected in suggested_rules(present.astype(np.uint8), min_count)
            if not self.rules or not logic.follows(rule)
        ]

    def review(self) -> list[Finding]:
        """Return contradictions, labels that can never be present (or absent), redundant rules."""
        return review(self)

    def require_satisfiable(self) -> None:
        """Raise an error that names the rules in conflict where no label set keeps all rules."""
        if not self.satisfiable:
            raise ValueError(f"The rules contradict each other: {self.review()[0]}.")

    @cached_property
    def satisfiable(self) -> bool:
        """Whether some label set keeps all rules."""
        empty_set_does = all(rule.given is not None or rule.low == 0 for rule in self.rules)
        return empty_set_does or Logic(self.rules).possible({})

    @property
    def n_labels(self) -> int:
        """Number of labels L."""
        return len(self.label_names)

    @cached_property
    def factors(self) -> Factors:
        """The rules as small tables over labels and hidden counters."""
        return factors_of(self.rules, self.n_labels)

    def to_text(self) -> str:
        """Return one sentence a line, for `from_text`."""
        return "".join(f"{rule.sentence(self.label_names)}\n" for rule in self.rules)

    def to_json(self) -> str:
        """Return a JSON text for `from_json`."""
        stored = [rule.to_dict(self.label_names) for rule in self.rules]
        return json.dumps({"rules": stored}, ensure_ascii=False, indent=1)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self.rules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelRules):
            return NotImplemented
        mine, theirs = (self.label_names, self.rules), (other.label_names, other.rules)
        return self is other or mine == theirs

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.label_names, self.rules))

    def __getstate__(self) -> dict[str, Any]:
        return {"label_names": list(self.label_names), "rules": self.to_json()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Read rules of a file again, so that they are checked."""
        self.__dict__.update(vars(LabelRules.from_json(state["label_names"], state["rules"])))

    def __copy__(self) -> "LabelRules":
        return self

    def __deepcopy__(self, memo: Any) -> "LabelRules":
        return self

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def __repr__(self) -> str:
        return f"LabelRules({self.n_labels} labels, {len(self)} rules)"

    def _with(self, *rules: Rule) -> "LabelRules":
        return LabelRules(self.label_names, self.rules + rules)

    def _read(self, labels: Any, low: Any = 0, high: Any = None, given: str | None = None) -> Rule:
        low = len(labels) if low == "all" else low
        high = len(labels) if high is None else high
        return self._make(labels, low, high, given)

    def _make(self, labels: Any, low: int, high: int, given: str | None) -> Rule:
        numbers = [self._find(label) for label in labels]
        condition = None if given is None else self._find(given)
        named = [*numbers, *([] if condition is None else [condition])]
        if not numbers or len(set(named)) < len(named):
            raise ValueError(f"a rule names different labels, at least one; got {list(labels)}.")
        if not all(isinstance(k, int | np.integer) for k in (low, high)):
            raise ValueError(f"the number of labels must be an integer, got {low!r}, {high!r}.")
        high = min(high, len(numbers))
        if not 0 <= low <= high:
            raise ValueError(
                f"no set can hold between {low} and {high} of {len(numbers)} labels; give numbers "
                f"from 0 to {len(numbers)}."
            )
        return Rule(tuple(sorted(numbers)), int(low), int(high), condition)

    def _find(self, name: Any) -> int:
        number = self._number.get(str(name))
        if number is None:
            raise unknown_label(name, self.label_names)
        return number

    def _read_sets(self, Y: Any) -> tuple[BoolArray, BoolArray]:
        present, unknown = read_dense_indicator(Y, "Y")
        n_labels = present.shape[1]
        if n_labels != self.n_labels:
            raise ValueError(f"Y has {n_labels} labels, the rules are about {self.n_labels}.")
        return present, unknown

    @cached_property
    def _counts(self) -> RuleCounts:
        return RuleCounts(self.rules, self.n_labels)
