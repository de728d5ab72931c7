"""Numbers as people read them; None (no value) is a dash."""

__all__ = ["count", "decimal", "percent", "signed"]

DASH = "–"
NARROW_SPACE = "\u202f"


def percent(share: float | None, digits: int = 0) -> str:
    """Return a share as a percentage that is 0 or 100 only where it truly is.

    Examples
    --------
    >>> from labelfield.report.formatting import percent
    >>> [percent(share).replace("\u202f", " ") for share in (0.624, 0.9999, 0.0001, 1)]
    ['62 %', '>99 %', '<1 %', '100 %']
    """
    if share is None:
        return DASH
    if share in (0, 1):
        return f"{100 * share:.0f}{NARROW_SPACE}%"
    step = 10.0**-digits
    text = f"{100 * share:.{digits}f}"
    if float(text) == 100:
        text = f">{100 - step:.{digits}f}"
    elif float(text) == 0:
        text = f"<{step:.{digits}f}"
    return f"{text}{NARROW_SPACE}%"


def count(number: int | None) -> str:
    """Return a whole number in groups of three digits.

    Examples
    --------
    >>> from labelfield.report.formatting import count
    >>> count(1234567).split("\u202f")
    ['1', '234', '567']
    """
    if number is None:
        return DASH
    return f"{number:,}".replace(",", NARROW_SPACE)


def decimal(number: float | None, digits: int = 3) -> str:
    """Return a number with a fixed count of decimals.

    Examples
    --------
    >>> from labelfield.report.formatting import decimal
    >>> decimal(0.71249), decimal(None)
    ('0.712', '–')
    """
    return DASH if number is None else f"{number:.{digits}f}"


def signed(number: float | None, digits: int = 2) -> str:
    """Return a number with its sign, a true minus for negative ones.

    Examples
    --------
    >>> from labelfield.report.formatting import signed
    >>> signed(0.5), signed(-0.25)
    ('+0.50', '−0.25')
    """
    return DASH if number is None else f"{number:+.{digits}f}".replace("-", "\u2212")
