"""Names are data: labels, columns and files may be called anything, so what they are called is
made safe for the terminal, the page or the spreadsheet that shows it."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["csv_cell", "join_names", "read_names", "split_names", "visible"]

# Control characters, line and paragraph separators, marks that turn the direction of writing, and
# halves of surrogate pairs: what a terminal obeys instead of showing it, or cannot encode.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def visible(text: str, keep: str = "") -> str:
    r"""Return text whose control characters are written out, except those in `keep`.

    Examples
    --------
    >>> from labelfield._names import visible
    >>> print(visible("two\nlines, \x1b[31mred"))
    two\nlines, \x1b[31mred
    """

    def written_out(found: re.Match[str]) -> str:
        character = found[0]
        return character if character in keep else character.encode("unicode_escape").decode()

    return UNSEEN.sub(written_out, text)


def csv_cell(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula.

    Text that begins with = + - @ (wide ones too), a tab or a line break gets an apostrophe in
    front, as OWASP recommends against CSV injection. So does text with apostrophes before such a
    beginning: dropping the first apostrophe of these cells gives back every text. Numbers, also
    those written as text, stay as they are.

    Examples
    --------
    >>> from labelfield._names import csv_cell
    >>> [csv_cell(value) for value in ("=1+1", "-3.5", -3.5, "'tis", "a=b")]
    ["'=1+1", '-3.5', -3.5, "'tis", 'a=b']
    """
    if not isinstance(value, str) or NUMBER.fullmatch(value) or not FORMULA.match(value):
        return value
    return f"'{value}"


def join_names(names: Iterable[str], separator: str = ",") -> str:
    """Join names by the rules of CSV: one that would read otherwise is quoted.

    Examples
    --------
    >>> from labelfield._names import join_names
    >>> join_names(["sun", "sea, warm"])
    'sun,"sea, warm"'
    """

    def quoted(name: str) -> str:
        is_plain = name and name == name.strip() and not set(name) & {separator, '"', "\n", "\r"}
        return name if is_plain else '"' + name.replace('"', '""') + '"'

    return separator.join(quoted(name) for name in names)


def read_names(label_names: Sequence[Any] | None, L: int) -> list[str]:
    """Return L names as plain strings: those given, or "label 1" and so on."""
    if label_names is None:
        return [f"label {k + 1}" for k in range(L)]
    names = [str(name) for name in label_names]
    if len(names) != L:
        raise ValueError(f"label_names has {len(names)} names for {L} labels; give one per column.")
    return names


def split_names(joined: str, separator: str = ",") -> list[str]:
    """Read names joined by a separator; one that holds the separator stands in double quotes.

    Blanks after a separator are skipped unless they are quoted too.

    Examples
    --------
    >>> from labelfield._names import split_names
    >>> split_names('sun, "sea, warm"')
    ['sun', 'sea, warm']
    """
    lines = io.StringIO(joined, newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    try:
        lines = list(reader)
    except csv.Error as error:
        raise ValueError(
            f"The names {joined[:80]!r} cannot be separated ({error}); join them by {separator!r} "
            "and put a name that holds it in double quotes."
        ) from None
    return [name for line in lines for name in line if name]
