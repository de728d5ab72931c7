"""Which attributes of an ARFF file are labels: MULAN's XML list or MEKA's -C option."""

import re
from collections.abc import Iterable, Sequence
from numbers import Integral
from os import PathLike
from pathlib import Path
from xml.parsers import expat

from labelfield._exceptions import DataFormatError
from labelfield.datasets._arff.header import Header, shown
from labelfield.datasets._source import Source
from labelfield.io._inputs import read_input

__all__ = ["LabelChoice", "class_names", "label_positions", "read_label_xml"]

LabelChoice = None | int | str | PathLike[str] | Sequence[str]

MAX_XML_BYTES = 2**24
_MEKA_OPTION = re.compile(r"(?:^|[\s:])-[Cc]\s+(-?\d+)")
_HOW = (
    "give labels= the MULAN label file (.xml), the label names, or their number "
    "(positive: first columns, negative: last columns)"
)


def label_positions(source: Source, header: Header, labels: LabelChoice) -> list[int]:
    """Columns of the labels, in label order, each checked to be a 0/1 attribute."""
    if labels is None:
        beside = _xml_beside(source.path)
        labels = beside if beside is not None else _meka_count(source, header)
    if isinstance(labels, Integral):
        at = _counted(source, header, int(labels))
    elif isinstance(labels, str | PathLike):
        at = _listed(header, read_label_xml(labels), str(labels))
    elif isinstance(labels, Iterable):
        at = _named(source, header, list(labels))
    else:
        raise ValueError(f"{_HOW}; got {labels!r}.")
    for j in at:
        _refuse_unless_binary(source, header, j)
    return at


def class_names(source: Source, header: Header, labels: LabelChoice) -> tuple[str, ...]:
    """The labels of a file with a hierarchical attribute: its classes, or those asked for."""
    attribute = header.attributes[header.hierarchy_at]
    paths = attribute.nominal.paths
    if labels is None:
        return paths
    if isinstance(labels, Integral | str | PathLike) or not isinstance(labels, Iterable):
        raise ValueError(
            f"the labels are the classes of the hierarchical attribute {shown(attribute.name)}; "
            f"labels= may list names of classes, got {labels!r}."
        )
    names = tuple(str(name) for name in labels)
    unknown = set(names) - set(paths)
    if unknown:
        name = next(name for name in names if name in unknown)
        raise DataFormatError(
            f"{source.path}: the attribute {shown(attribute.name)} has no class {shown(name)}"
        )
    if len(set(names)) < len(names):
        raise DataFormatError(f"{source.path}: labels= names a class twice")
    return names


def read_label_xml(path: str | PathLike[str]) -> dict[str, int]:
    """Label names of a MULAN label file, in file order, each with its line number.

    Document types and entities are refused, so that a small file cannot grow in memory.
    """
    raw = read_input(path, MAX_XML_BYTES)
    names: dict[str, int] = {}
    parser = expat.ParserCreate(namespace_separator=" ")

    def refuse(problem: str) -> None:
        raise DataFormatError(f"{path}, line {parser.CurrentLineNumber}: {problem}")

    def doctype(*_) -> None:
        refuse("a document type or entity is refused; a label file needs none")

    def element(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] != "label":
            return
        name = attributes.get("name")
        if name is None:
            refuse("<label> without a name")
        if name in names:
            refuse(f"label {shown(name)} was already listed in line {names[name]}")
        names[name] = parser.CurrentLineNumber

    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = doctype
    parser.StartElementHandler = element
    try:
        parser.Parse(raw, True)
    except DataFormatError:
        raise
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise DataFormatError(
            f"{path}, line {parser.CurrentLineNumber}: not a readable XML file ({error})"
        ) from None
    if not names:
        raise DataFormatError(f'{path}, line 1: no <label name="..."> in this file')
    return names


def _xml_beside(path: str) -> Path | None:
    """scene.xml for scene.arff, packed or not."""
    stem = re.sub(r"(?i)(\.arff)?(\.gz|\.bz2|\.xz|\.zip)?$", "", path)
    beside = Path(f"{stem}.xml")
    return beside if beside.is_file() else None


def _meka_count(source: Source, header: Header) -> int:
    counts = _MEKA_OPTION.findall(header.relation)
    if not counts:
        raise DataFormatError(
            f"{source.path}: the relation name has no -C option and no XML file of the same "
            f"name lies beside it; {_HOW}"
        )
    if len(counts) > 1:
        raise DataFormatError(
            f"{source.path}: the relation name says -C {len(counts)} times "
            f"(an attribute filter was applied), so it does not tell where the labels are; {_HOW}"
        )
    if len(counts[0]) > 10:
        raise DataFormatError(f"{source.path}: -C {counts[0][:12]}... is larger than any file")
    return int(counts[0])


def _counted(source: Source, header: Header, count: int) -> list[int]:
    m = len(header.attributes)
    if count == 0 or abs(count) > m:
        raise DataFormatError(
            f"{source.path}: {count} label columns asked for (-C {count}), "
            f"but the file declares {m} attributes"
        )
    return list(range(m))[:count] if count > 0 else list(range(m))[count:]


def _listed(header: Header, names: dict[str, int], xml: str) -> list[int]:
    for name, line in names.items():
        if name not in header.position:
            raise DataFormatError(
                f"{xml}, line {line}: label {shown(name)} is not an attribute of the ARFF file"
            )
    return [header.position[name] for name in names]


def _named(source: Source, header: Header, names: list[str]) -> list[int]:
    for name in names:
        if name not in header.position:
            raise DataFormatError(f"{source.path}: no attribute is called {shown(str(name))}")
    if len(set(names)) < len(names):
        raise DataFormatError(f"{source.path}: labels= names an attribute twice")
    return [header.position[name] for name in names]


def _refuse_unless_binary(source: Source, header: Header, j: int) -> None:
    attribute = header.attributes[j]
    if attribute.nominal is not None and set(attribute.nominal.values) != {"0", "1"}:
        declared = shown(",".join(attribute.nominal.values))
        raise source.error(
            attribute.line, f"label {shown(attribute.name)} must be {{0,1}}, not {declared}"
        )
