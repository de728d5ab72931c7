"""Rules as sentences, one a line, as JSON, and as tables of parents."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["read_json", "read_parents", "read_sentence", "sentences", "split_labels"]

AMOUNT = r"(?:exactly (?P<exactly>\w+)|at most (?P<most>\w+)|at least (?P<least>\w+)|"
AMOUNT += r"between (?P<from>\w+) and (?P<to>\w+))"
SENTENCES = {
    "implies": re.compile(r"(?P<given>.+?) implies (?P<labels>.+)"),
    "forbids": re.compile(r"(?P<given>.+?) forbids (?P<labels>.+)"),
    "needs": re.compile(r"(?P<given>.+?) needs one of (?P<labels>.+)"),
    "exclusive": re.compile(r"(?P<labels>.+) exclude each other"),
    "amount": re.compile(rf"{AMOUNT} of (?P<labels>.+?)(?: given (?P<given>.+))?"),
}
BOUNDS: dict[str, dict[str, Any]] = {
    "implies": {"low": "all"},
    "forbids": {"low": 0, "high": 0},
    "needs": {"low": 1},
    "exclusive": {"low": 0, "high": 1},
}
HELP = (
    "write 'a implies b', 'a forbids b', 'a needs one of b, c', 'a, b exclude each other', "
    "'exactly 1 of a, b given c', 'at most 2 of a, b, c' or 'at least 1 of a, b'"
)
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
KEYS = {"labels", "low", "high", "given"}
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def sentences(text: str) -> Iterable[tuple[int, str]]:
    """Yield the lines that hold a rule, with their numbers; # begins a comment."""
    for number, line in enumerate(text.splitlines(), start=1):
        hidden, names = _hide(line)
        kept = _show(hidden.split("#")[0], names).strip()
        if kept:
            yield number, kept


def read_sentence(sentence: str) -> dict[str, Any]:
    """Return `labels` (names), and where the sentence has them, `low`, `high` and `given`.

    A missing `high` is the number of labels; `low` may be "all".

    Examples
    --------
    >>> from labelfield.rules.text import read_sentence
    >>> read_sentence("at most 2 of sun, sea, snow")
    {'labels': ['sun', 'sea', 'snow'], 'low': 0, 'high': 2}
    """
    hidden, names = _hide(sentence)
    for kind, pattern in SENTENCES.items():
        found = pattern.fullmatch(" ".join(hidden.split()))
        if found:
            parts = found.groupdict()
            answer: dict[str, Any] = {"labels": split_labels(parts["labels"], names)}
            answer.update(_bounds(kind, parts, sentence))
            if parts.get("given"):
                answer["given"] = _show(parts["given"].strip(), names, plain=True)
            return answer
    raise ValueError(f"{sentence!r} is no rule; {HELP}. Names with commas stand in quotes.")


def split_labels(listed: str, names: list[str] | None = None) -> list[str]:
    """Return the names of a list separated by commas."""
    if names is None:
        listed, names = _hide(listed)
    parts = [part.strip() for part in listed.split(",")]
    return [_show(part, names, plain=True) for part in parts if part]


def _bounds(kind: str, parts: dict[str, str], sentence: str) -> dict[str, Any]:
    if kind != "amount":
        return BOUNDS[kind]
    if parts["exactly"]:
        exactly = _number(parts["exactly"], sentence)
        return {"low": exactly, "high": exactly}
    if parts["most"]:
        return {"low": 0, "high": _number(parts["most"], sentence)}
    if parts["least"]:
        return {"low": _number(parts["least"], sentence)}
    return {"low": _number(parts["from"], sentence), "high": _number(parts["to"], sentence)}


def _number(word: str, sentence: str) -> int:
    if word.isdecimal():
        return int(word)
    if word in NUMBERS:
        return NUMBERS[word]
    raise ValueError(f"{sentence!r}: {word!r} is no number; write digits.")


def _hide(text: str) -> tuple[str, list[str]]:
    """Replace quoted names by marks that hold no words of the language."""
    names: list[str] = []

    def mark(found: re.Match[str]) -> str:
        names.append(found[0])
        return f"\x00{len(names) - 1}\x00"

    return QUOTED.sub(mark, text.replace("\x00", "")), names


def _show(text: str, names: list[str], plain: bool = False) -> str:
    def back(found: re.Match[str]) -> str:
        name = names[int(found[1])]
        return _unquoted(name) if plain else name

    return re.sub("\x00(\\d+)\x00", back, text)


def _unquoted(name: str) -> str:
    try:
        return str(json.loads(name))
    except json.JSONDecodeError as error:
        raise ValueError(f"The quoted name {name} cannot be read: {error}.") from None


def read_json(text: str) -> list[dict[str, Any]]:
    """Return the rules of a JSON file as `read_sentence` returns one."""
    try:
        stored = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"The rules are no JSON: {error}.") from None
    rules = stored.get("rules") if isinstance(stored, dict) else None
    if not isinstance(rules, list):
        raise ValueError('The JSON of rules must be an object with a list "rules".')
    answer: list[dict[str, Any]] = []
    for number, rule in enumerate(rules):
        if isinstance(rule, str):
            answer.append(read_sentence(rule))
        elif (
            isinstance(rule, dict) and isinstance(rule.get("labels"), list) and rule.keys() <= KEYS
        ):
            answer.append(rule)
        else:
            raise ValueError(
                f'rules[{number}] must be a sentence or an object with "labels" and perhaps '
                f'"low", "high", "given"; got {rule!r}.'
            )
    return answer


def read_parents(text: str, known: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Return (label, parent) of every line of a table of two columns.

    A first line whose entries are no labels is a header; a label without parent, or with the
    parent "root" that is no label, is a top one.
    """
    lines = list(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True))
    rows = [[cell.strip() for cell in line] for line in lines if any(map(str.strip, line))]
    if rows and len(rows[0]) == 2 and not any(known(cell) for cell in rows[0]):
        rows = rows[1:]
    pairs = []
    for row in rows:
        if len(row) not in (1, 2):
            raise ValueError(f"A line of parents is 'label,parent'; got {','.join(row)!r}.")
        parent = row[1] if len(row) == 2 else ""
        if parent and (known(parent) or parent.lower() != "root"):
            pairs.append((row[0], parent))
    return pairs
