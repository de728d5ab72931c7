"""What follows from rules: consequences of known labels, contradictions, what says nothing new."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from labelfield.rules.rule import Rule

__all__ = ["Logic", "smallest_conflict"]

MAX_TRIALS = 20_000  # decisions of a search, after which its answer is "possible"
Labels = dict[int, int]


class Logic:
    """Decides whether labels can be completed to a set that keeps rules.

    Known labels settle others (propagation) until nothing follows any more; where that is not
    enough, labels are tried both ways. Rules that are pairs of labels need no trials.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self._around: dict[int, list[int]] = {}
        for number, rule in enumerate(rules):
            for label in rule.scope:
                self._around.setdefault(label, []).append(number)
        self._pairs_only = all(_is_of_pairs(rule) for rule in rules)

    def consequences(self, known: Labels, without: int = -1) -> Labels | None:
        """Return the known labels and all that follow from them, None if they contradict rules.

        `without` is the number of a rule that is left out.
        """
        settled: Labels = {}
        waiting = set(range(len(self.rules))) if not known else set()
        if not self._settle(known.items(), settled, waiting):
            return None
        return settled if self._propagate(settled, waiting, without) else None

    def possible(self, known: Labels, without: int = -1) -> bool:
        """Return whether some set with these labels keeps the rules."""
        settled = self._at_first(without)
        if settled is None:
            return False
        waiting: set[int] = set()
        if not self._settle(known.items(), settled, waiting):
            return False
        if not self._propagate(settled, waiting, without):
            return False
        return self._pairs_only or self._search(settled, without)

    def _at_first(self, without: int) -> Labels | None:
        """Return a fresh copy of what follows from the rules alone."""
        if without >= 0 and self._alone == {}:
            return {}  # fewer rules say no more
        settled = self.consequences({}, without) if without >= 0 else self._alone
        return None if settled is None else dict(settled)

    @cached_property
    def _alone(self) -> Labels | None:
        return self.consequences({})

    def follows(self, rule: Rule, without: int = -1) -> bool:
        """Return whether every set that keeps the rules keeps this one too."""
        given: Labels = {} if rule.given is None else {rule.given: 1}
        if not _is_of_pairs(rule) or rule.given is None:
            return not any(self._breaks(given, broken, without) for broken in _negations(rule))
        value = 0 if rule.adds_all else 1
        return not any(self.possible({**given, label: value}, without) for label in rule.labels)

    def _breaks(self, given: Labels, broken: Rule, without: int) -> bool:
        left = [rule for number, rule in enumerate(self.rules) if number != without]
        return Logic([*left, broken]).possible(given)

    def _settle(
        self, labels: Iterable[tuple[int, int]], settled: Labels, waiting: set[int]
    ) -> bool:
        for label, value in labels:
            if settled.get(label, value) != value:
                return False
            if label not in settled:
                settled[label] = value
                waiting.update(self._around.get(label, ()))
        return True

    def _propagate(self, settled: Labels, waiting: set[int], without: int) -> bool:
        while waiting:
            number = waiting.pop()
            if number == without:
                continue
            forced = _forced(self.rules[number], settled)
            if forced is None or not self._settle(forced.items(), settled, waiting):
                return False
        return True

    def _search(self, settled: Labels, without: int) -> bool:
        stack, trials = [settled], 0
        while stack:
            trials += 1
            current = stack.pop()
            label = self._undecided(current, without)
            if label is None or trials > MAX_TRIALS:
                return True
            for value in (1, 0):
                tried, waiting = dict(current), set[int]()
                self._settle([(label, value)], tried, waiting)
                if self._propagate(tried, waiting, without):
                    stack.append(tried)
        return False

    def _undecided(self, settled: Labels, without: int) -> int | None:
        """Return a label that a rule still depends on, None where no rule can be broken."""
        for number, rule in enumerate(self.rules):
            if number == without or _value(rule.given, settled) == 0:
                continue
            present = sum(settled.get(label) == 1 for label in rule.labels)
            unknown = [label for label in rule.labels if label not in settled]
            if present < rule.low or present + len(unknown) > rule.high:
                open_labels = [label for label in rule.scope if label not in settled]
                if open_labels:
                    return open_labels[0]
        return None


def _forced(rule: Rule, settled: Labels) -> Labels | None:
    """Return what a rule says about further labels, None where it is broken."""
    given = _value(rule.given, settled)
    if given == 0:
        return {}
    values = [settled.get(label) for label in rule.labels]
    present, absent = values.count(1), values.count(0)
    if present > rule.high or len(values) - absent < rule.low:
        return {rule.given: 0} if given is None and rule.given is not None else None
    if given is None:
        return {}
    unknown = [label for label, value in zip(rule.labels, values) if value is None]
    if present == rule.high:
        return dict.fromkeys(unknown, 0)
    if len(values) - absent == rule.low:
        return dict.fromkeys(unknown, 1)
    return {}


def _value(given: int | None, settled: Labels) -> int | None:
    return 1 if given is None else settled.get(given)


def _is_of_pairs(rule: Rule) -> bool:
    """Return whether a rule says something about pairs of labels only."""
    if rule.given is not None:
        return rule.adds_all or rule.bars_all
    return (rule.low, rule.high) == (0, 1) or rule.adds_all or rule.bars_all


def _negations(rule: Rule) -> list[Rule]:
    """Return rules of which one holds where `rule`, with its `given`, is broken."""
    answer = []
    if rule.low > 0:
        answer.append(Rule(rule.labels, 0, rule.low - 1))
    if rule.high < len(rule.labels):
        answer.append(Rule(rule.labels, rule.high + 1, len(rule.labels)))
    return answer


def smallest_conflict(rules: Sequence[Rule], known: Labels) -> list[int]:
    """Return the numbers of rules that already forbid the known labels, none to be spared."""
    kept = list(range(len(rules)))
    step = max(1, len(kept) // 2)
    while True:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + step :]
            if Logic([rules[number] for number in fewer]).possible(known):
                at += step
            else:
                kept = fewer
        if step == 1:
            return kept
        step = max(1, step // 2)
