"""Do the later cases differ from the earlier ones: in what is predicted, and in what comes in?"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import chi2_contingency, fisher_exact, ks_2samp

__all__ = ["drift_of_features", "drift_of_predictions"]

LEVEL = 0.05
FEWEST = 30  # cases in each half before anything is said of drift
MAX_KINDS = 10  # different texts in a column that count as kinds and not as text
LEAST_COUNT = 10  # cases of a kind that is looked at by itself
MAX_WORDS = 30  # most frequent words of a column of texts
SHOWN = 5
PICTURE = "data:"  # how a picture begins that is kept in its field
WORD = re.compile(r"\w+")

Test = tuple[str, float]


def drift_of_predictions(own: Sequence[Any], labels: Sequence[str]) -> dict[str, Any] | None:
    """Compare confidences (Kolmogorov-Smirnov) and predicted labels (Fisher) of both halves.

    None if the cases are too few.
    """
    half = len(own) // 2
    if half < FEWEST:
        return None
    position = {name: j for j, name in enumerate(labels)}
    Y = np.zeros((len(own), len(labels)), dtype=bool)
    for row, case in zip(Y, own):
        row[[position[name] for name in case.predicted]] = True
    sure = [case.confidence for case in own]
    found = [] if None in sure else [("confidence", _p_of_numbers(sure[:half], sure[half:]))]
    found += [
        (f"label {name}", _p_of_shares(told[:half], told[half:]))
        for name, told in zip(labels, Y.T)
        if told.any()
    ]
    return _together(found)


def drift_of_features(own: Sequence[Any]) -> dict[str, Any] | None:
    """Compare the fields of the earlier half of the cases with those of the later half.

    Numbers by Kolmogorov-Smirnov, kinds by chi-squared, texts by their length and their most
    frequent words, and every field by how often it is missing; pictures are not looked at. Cases
    whose fields were redacted are left out. None if the cases are too few or have no fields.
    """
    kept = [case.fields for case in own if case.fields]
    half = len(kept) // 2
    if half < FEWEST:
        return None
    names = dict.fromkeys(name for fields in kept for name in fields)
    found: list[Test] = []
    for name in names:
        cells = [fields.get(name) for fields in kept]
        found += _tests_of_column(name, cells[:half], cells[half:])
    return _together(found)


def _tests_of_column(name: str, earlier: list[Any], later: list[Any]) -> Iterator[Test]:
    missing = [np.array([_is_missing(cell) for cell in part]) for part in (earlier, later)]
    if missing[0].any() or missing[1].any():
        yield f"{name} missing", _p_of_shares(*missing)
    a, b = ([cell for cell in part if not _is_missing(cell)] for part in (earlier, later))
    if not a or not b:
        return
    numbers = _as_numbers(a), _as_numbers(b)
    if numbers[0] is not None and numbers[1] is not None:
        yield name, _p_of_numbers(*numbers)
        return
    texts, others = [str(cell) for cell in a], [str(cell) for cell in b]
    if any(text.startswith(PICTURE) for text in texts + others):
        return
    if len({*texts, *others}) <= MAX_KINDS:
        yield name, _p_of_kinds(texts, others)
        return
    words, other_words = (
        [set(WORD.findall(text.lower())) for text in part] for part in (texts, others)
    )
    yield (
        f"{name}, number of words",
        _p_of_numbers(*(list(map(len, p)) for p in (words, other_words))),
    )
    counts = Counter(word for part in words + other_words for word in part)
    for word, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MAX_WORDS]:
        if count >= LEAST_COUNT:
            held = (np.array([word in told for told in part]) for part in (words, other_words))
            yield f"{name}, word {word!r}", _p_of_shares(*held)


def _as_numbers(cells: list[Any]) -> list[float] | None:
    """Return cells as numbers, which cases show as texts; None if one of them is none."""
    try:
        return [float(cell) for cell in cells]
    except (TypeError, ValueError):
        return None


def _is_missing(cell: Any) -> bool:
    return cell is None or cell == "" or (isinstance(cell, float) and np.isnan(cell))


def _p_of_numbers(earlier: Sequence[float], later: Sequence[float]) -> float:
    return float(ks_2samp(earlier, later).pvalue)


def _p_of_shares(earlier: np.ndarray, later: np.ndarray) -> float:
    table = [[int(part.sum()), len(part) - int(part.sum())] for part in (earlier, later)]
    return float(fisher_exact(table).pvalue)


def _p_of_kinds(earlier: list[str], later: list[str]) -> float:
    """Compare how often each kind comes; rare kinds count together."""
    first, second = Counter(earlier), Counter(later)
    table, rare = [], np.zeros(2, dtype=int)
    for kind in first | second:
        pair = np.array([first[kind], second[kind]])
        if pair.sum() >= LEAST_COUNT:
            table.append(pair)
        else:
            rare += pair
    table += [rare] if rare.any() else []
    return float(chi2_contingency(np.array(table)).pvalue) if len(table) > 1 else 1.0


def _together(found: Sequence[Test]) -> dict[str, Any]:
    """Return the smallest p-values, each multiplied by the number of tests."""
    p = {name: min(1.0, value * len(found)) for name, value in found}
    ordered = sorted(p.items(), key=lambda one: one[1])
    return {
        "tests": len(found),
        "alarm": bool(ordered and ordered[0][1] < LEVEL),
        "smallest": [{"what": name, "p": value} for name, value in ordered[:SHOWN]],
    }
