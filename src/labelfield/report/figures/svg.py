"""What the figures share: elements, a canvas, scales, ticks and names cut to length."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

__all__ = ["Scale", "canvas", "line", "points", "shorten", "tag", "text", "text_width", "ticks"]

LETTER_WIDTH = 0.62


@dataclass(frozen=True)
class Scale:
    """A straight map from data in [low, high] to positions in [start, end]."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low or 1.0
        return self.start + (value - self.low) / span * (self.end - self.start)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers inside [low, high], some `about` of them.

    Examples
    --------
    >>> from labelfield.report.figures.svg import ticks
    >>> ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if not high > low:
        return [low]
    rough = (high - low) / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough * 0.75)
    digits = max(0, -math.floor(math.log10(step)))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(k * step, digits) for k in range(first, last + 1)]


def shorten(name: str, longest: int) -> str:
    """Cut a name to at most `longest` letters, the last one an ellipsis where it was cut."""
    return name if len(name) <= longest else name[: longest - 1].rstrip() + "…"


def text_width(texts: Sequence[str], size: float) -> float:
    """Return about how wide the longest of the texts is at a font size."""
    return max((len(text) for text in texts), default=0) * size * LETTER_WIDTH


def tag(name: str, *content: Any, **attributes: Any) -> Markup:
    """Return an SVG element; text inside is escaped, `Markup` is kept, None is left out.

    Parameters
    ----------
    name : str
    *content : str, number, Markup, None, or an iterable of these
    **attributes
        `_` becomes `-` and a trailing `_` is dropped, so `class_="x", stroke_width=2` works.
        None leaves the attribute out; floats are rounded to two decimals.

    Examples
    --------
    >>> from labelfield.report.figures.svg import tag
    >>> print(tag("text", "1 < 2", x=0.3333, class_="note"))
    <text x="0.33" class="note">1 &lt; 2</text>
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{name}{given}>{_inside(content)}</{name}>")


def _inside(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, Iterable) and not isinstance(content, str):
        return "".join(_inside(part) for part in content)
    return escape(content)


def _attribute(key: str, value: Any) -> str:
    if value is None:
        return ""
    name = key.removesuffix("_").replace("_", "-")
    shown = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
    return f' {name}="{escape(shown)}"'


def canvas(width: float, height: float, label: str, *content: Any, **attributes: Any) -> Markup:
    """Return an SVG picture that screen readers announce as `label`."""
    given = {"role": "img", "viewBox": f"0 0 {width:g} {height:g}", **attributes}
    return tag("svg", *content, aria_label=label, **given)


def text(x: float, y: float, content: Any, class_: str = "tick", **attributes: Any) -> Markup:
    """Return text at a position."""
    return tag("text", content, x=x, y=y, class_=class_, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, class_: str = "grid") -> Markup:
    """Return a straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def points(pairs: Sequence[tuple[float, float]]) -> str:
    """Return positions in the form of polyline's `points`."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in pairs)
