"""The declarations above @data in an ARFF file."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from labelfield._exceptions import DataFormatError
from labelfield.datasets._arff.hierarchy import Hierarchy
from labelfield.datasets._source import Source

__all__ = ["NUMBER", "Attribute", "Header", "Nominal", "parse_header", "shown", "unquote"]

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_DATA = re.compile(rb"^[ \t]*@data[ \t]*(?:%.*)?\n", re.IGNORECASE | re.MULTILINE)
_KEYWORD = re.compile(r"@[A-Za-z]*")
_NAME = rf"(?:[ \t]+|(?=['\"]))({_QUOTED}|[^ \t'\"{{}},%][^ \t]*)"
_ATTRIBUTE = re.compile(rf"@attribute{_NAME}(?:[ \t]+(.*))?$", re.IGNORECASE)
_RELATION = re.compile(rf"@relation(?:[ \t]+|(?=['\"]))({_QUOTED}|[^ \t'\"].*)$", re.IGNORECASE)
_VALUE = re.compile(rf"[ \t]*({_QUOTED}|[^ \t,{{}}'\"%]+)[ \t]*([,}}])")
_NUMERIC_TYPES = frozenset({"numeric", "real", "integer"})
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_HIERARCHY = re.compile(r"hierarchical[ \t]+(.+)", re.IGNORECASE)
_READABLE = "labelfield reads numeric, real, integer, nominal {...} and hierarchical attributes"


@dataclass(frozen=True)
class Nominal:
    """The declared values of a nominal attribute and the number each one becomes."""

    values: tuple[str, ...]
    codes: dict[str, float]

    @classmethod
    def declared(cls, values: tuple[str, ...]) -> "Nominal":
        """Numeric values keep their value, others take their position."""
        numbers = [float(v) for v in values if NUMBER.fullmatch(v)]
        usable = len(set(numbers)) == len(values) and np.isfinite(numbers).all()
        codes = numbers if usable else range(len(values))
        return cls(values, {v: float(c) for v, c in zip(values, codes, strict=True)})

    @property
    def shown(self) -> tuple[str, ...]:
        """The values, for messages."""
        return self.values

    def code_of(self, text: str) -> float | None:
        """Return the number of a value, None if it is not declared."""
        return self.codes.get(text)


class Attribute(NamedTuple):
    """One declared column; nominal is None for a numeric one."""

    name: str
    line: int
    nominal: Nominal | Hierarchy | None


@dataclass(frozen=True)
class Header:
    """What an ARFF file declares, and where its data section begins."""

    relation: str
    attributes: list[Attribute]
    data_at: int
    position: dict[str, int] = field(repr=False)

    @property
    def hierarchy_at(self) -> int | None:
        """Which attribute is hierarchical, None if there is none."""
        kinds = [isinstance(attribute.nominal, Hierarchy) for attribute in self.attributes]
        return kinds.index(True) if any(kinds) else None


def unquote(token: str) -> str:
    """The text meant by a quoted or plain token."""
    if token[:1] not in ("'", '"'):
        return token
    return re.sub(
        r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), token[1:-1], flags=re.DOTALL
    )


def parse_header(source: Source) -> Header:
    """Read the declarations; raise DataFormatError at the first line that is not one."""
    end = _DATA.search(source.raw)
    text = source.raw[: end.start() if end else None].decode("utf-8")
    relation = ""
    attributes: list[Attribute] = []
    position: dict[str, int] = {}
    types: dict[str, Nominal | Hierarchy | None] = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip(" \t")
        if not line or line[0] == "%":
            continue
        try:
            if found := _ATTRIBUTE.match(line):
                name, nominal = _declaration(found.group(1), found.group(2), types)
                if name in position:
                    first = attributes[position[name]].line
                    raise DataFormatError(
                        f"attribute {name!r} was already declared in line {first}"
                    )
                if isinstance(nominal, Hierarchy) and any(
                    isinstance(other.nominal, Hierarchy) for other in attributes
                ):
                    raise DataFormatError("a second hierarchical attribute; one holds the labels")
                position[name] = len(attributes)
                attributes.append(Attribute(name, number, nominal))
            elif found := _RELATION.match(line):
                relation = unquote(found.group(1))
            else:
                raise DataFormatError(_unexpected(line))
        except DataFormatError as error:
            raise source.error(number, str(error)) from None
    if end is None:
        raise source.error(source.last_line, "the file ends without a line @data")
    if not attributes:
        raise source.error_at(end.start(), "@data comes before any @attribute")
    return Header(relation, attributes, end.end(), position)


def _declaration(token: str, kind: str | None, types: dict[str, Nominal | Hierarchy | None]):
    """(name, nominal) of one attribute; equal types are read once and shared."""
    if not kind:
        raise DataFormatError(f"attribute {shown(token)} has no type; quote names that hold blanks")
    if kind not in types:
        types[kind] = _type(kind, token)
    return unquote(token), types[kind]


def _type(kind: str, name: str) -> Nominal | Hierarchy | None:
    if kind[0] == "{":
        return Nominal.declared(_nominal_values(kind, name))
    word = kind.split("%", 1)[0].strip(" \t")
    if word.lower() in _NUMERIC_TYPES:
        return None
    if found := _HIERARCHY.fullmatch(word):
        return Hierarchy.declared(found.group(1))
    raise DataFormatError(f"attribute {shown(name)} is of type {shown(word)}; {_READABLE}")


def _nominal_values(kind: str, name: str) -> tuple[str, ...]:
    values: dict[str, None] = {}
    at, closed = 1, False
    while not closed:
        found = _VALUE.match(kind, at)
        if found is None:
            raise DataFormatError(
                f"attribute {shown(name)}: the list of values is broken at {shown(kind[at:])}; "
                "it needs commas, a closing brace, and quotes around values with blanks"
            )
        value = unquote(found.group(1))
        if value in values:
            raise DataFormatError(f"attribute {shown(name)} declares {shown(value)} twice")
        values[value] = None
        at, closed = found.end(), found.group(2) == "}"
    if kind[at:].split("%", 1)[0].strip(" \t"):
        raise DataFormatError(f"attribute {shown(name)}: text after }}: {shown(kind[at:])}")
    return tuple(values)


def _unexpected(line: str) -> str:
    word = _KEYWORD.match(line)
    if word and word.group().lower() == "@data":
        return f"text after @data: {shown(line)}"
    if word and word.group().lower() in ("@attribute", "@relation"):
        return f"no readable name in {shown(line)}"
    return f"expected @relation, @attribute or @data, found {shown(line)}"


def shown(text: str) -> str:
    """The text in quotes, cut to what a message can carry."""
    return repr(text if len(text) <= 40 else text[:40] + "...")
