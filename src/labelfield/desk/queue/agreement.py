"""How far reviewers agree with each other, and with what was pre-ticked."""

from collections import defaultdict
from typing import Any

from sqlalchemy import select

from labelfield.desk.record.record import Record, standing
from labelfield.desk.record.tables import cases, decisions, showings

__all__ = ["agreement", "pair_agreement"]

Sets = tuple[frozenset[str], frozenset[str]]


def agreement(record: Record, labels: list[str]) -> dict[str, Any]:
    """Return the agreement of the first two reviewers of each case that has two, and by reviewer.

    `reviewers` says for each how many sets they gave, which share of the pre-ticked ones they
    left as they were, and the median of the seconds they took.
    """
    first_two: dict[int, list[frozenset[str]]] = defaultdict(list)
    reviewers: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    wanted = (
        select(decisions, cases.c.predicted, showings.c.blind)
        .join(cases, cases.c.id == decisions.c.case)
        .outerjoin(showings, showings.c.id == decisions.c.showing)
        .where(standing, decisions.c.verdict == "set")
        .order_by(decisions.c.id)
    )
    with record.reading() as connection:
        for row in connection.execute(wanted):
            given = frozenset(row.labels)
            if len(first_two[row.case]) < 2:
                first_two[row.case].append(given)
            told = reviewers[row.reviewer]
            told["sets"].append(given)
            if row.blind is False:
                told["kept"].append(given == frozenset(row.predicted))
            if row.seconds is not None:
                told["seconds"].append(row.seconds)
    pairs: list[Sets] = [(two[0], two[1]) for two in first_two.values() if len(two) == 2]
    return {
        **pair_agreement(pairs, len(labels)),
        "reviewers": {
            name: {
                "sets": len(told["sets"]),
                "kept": sum(told["kept"]) / len(told["kept"]) if told["kept"] else None,
                "seconds": _median(told["seconds"]),
            }
            for name, told in sorted(reviewers.items())
        },
    }


def pair_agreement(pairs: list[Sets], n_labels: int) -> dict[str, Any]:
    """Return the share of equal sets, the mean Jaccard index and Cohen's kappa over all labels.

    kappa counts every label of every pair as one yes-or-no answer; it is None where chance alone
    would explain everything or there are no pairs.

    Examples
    --------
    >>> from labelfield.desk.queue.agreement import pair_agreement
    >>> same, part = frozenset("ab"), frozenset("a")
    >>> pair_agreement([(same, same), (same, part)], n_labels=4)
    {'pairs': 2, 'equal': 0.5, 'jaccard': 0.75, 'kappa': 0.75}
    """
    if not pairs:
        return {"pairs": 0, "equal": None, "jaccard": None, "kappa": None}
    cells = len(pairs) * n_labels
    both = sum(len(a & b) for a, b in pairs)
    first, second = sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs)
    observed = 1.0 - (first + second - 2 * both) / cells
    chance = (first * second + (cells - first) * (cells - second)) / cells**2
    return {
        "pairs": len(pairs),
        "equal": sum(a == b for a, b in pairs) / len(pairs),
        "jaccard": sum(len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs) / len(pairs),
        "kappa": (observed - chance) / (1.0 - chance) if chance < 1.0 else None,
    }


def _median(values: list[float]) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
