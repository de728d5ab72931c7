"""Is the promise kept, do the cases drift, do reviewers agree?"""

from typing import Any

import numpy as np
from scipy.stats import fisher_exact, ks_2samp
from sqlalchemy import select

from labelfield.desk.queue import agreement
from labelfield.desk.record.record import Record
from labelfield.desk.record.tables import cases, decisions, draws, models
from labelfield.promise import PromiseMonitor

__all__ = ["watch"]

LEVEL = 0.05
FEWEST = 30  # cases in each half before anything is said of drift


def watch(record: Record) -> dict[str, Any]:
    """Return the state of a record: progress, the promise, drift and agreement, as plain data.

    The promise is watched on the audit slice of the latest model only: accepted cases drawn at
    random and settled blind. Its test may be looked at any time. Drift compares the earlier half
    of the model's cases with the later one: their confidence (Kolmogorov-Smirnov) and the rate of
    each predicted label (Fisher), the smallest p-value multiplied by the number of tests.
    """
    with record.reading() as connection:
        model = connection.execute(select(models).order_by(models.c.id.desc())).first()
        rows = connection.execute(select(cases).order_by(cases.c.id)).all()
        drawn = connection.execute(select(draws).order_by(draws.c.id)).all()
        when = dict(
            connection.execute(
                select(decisions.c.case, decisions.c.id).order_by(decisions.c.id)
            ).all()
        )
    if model is None:
        raise ValueError(f"The record {record.place} holds no model and no case yet.")
    own = [case for case in rows if case.model == model.id]
    return {
        "model": {name: getattr(model, name) for name in ("file", "kind", "hash", "promise")},
        "cases": record.count_by_status(),
        "audit": {
            "rates": [{"made": one.made, "rate": one.audit_rate} for one in drawn],
            "drawn": sum(case.audit for case in own),
        },
        "promise": _promise(model, own, when),
        "drift": _drift(own, model.labels),
        "agreement": agreement(record, model.labels),
    }


def _promise(model: Any, own: list[Any], when: dict[int, int]) -> dict[str, Any] | None:
    """Return what the audit slice says of the promise, in the order of its decisions."""
    if model.threshold is None:
        return None
    audited = [case for case in own if case.audit and case.status == "settled"]
    audited.sort(key=lambda case: when[case.id])
    hits = [float(set(case.final) == set(case.predicted)) for case in audited]
    monitor = PromiseMonitor(model.accuracy, alpha=LEVEL)
    if hits:
        monitor.update(hits)
    low, high = monitor.interval() if hits else (0.0, 1.0)
    return {
        "accuracy": model.accuracy,
        "audited": len(hits),
        "right": int(sum(hits)),
        "low": float(low),
        "high": float(high),
        "evidence": monitor.capital,
        "alarm": monitor.alarm,
        "words": str(monitor) if hits else "Nothing of the audit slice is settled yet.",
    }


def _drift(own: list[Any], labels: list[str]) -> dict[str, Any] | None:
    """Compare the earlier half of the cases with the later one; None if they are too few."""
    half = len(own) // 2
    if half < FEWEST:
        return None
    tests: dict[str, float] = {}
    sure = [case.confidence for case in own]
    if None not in sure:
        tests["confidence"] = float(ks_2samp(sure[:half], sure[half:]).pvalue)
    position = {name: j for j, name in enumerate(labels)}
    Y = np.zeros((len(own), len(labels)), dtype=bool)
    for row, case in zip(Y, own):
        row[[position[name] for name in case.predicted]] = True
    earlier, later = Y[:half].sum(axis=0), Y[half:].sum(axis=0)
    for name, a, b in zip(labels, earlier.tolist(), later.tolist()):
        if a + b:
            tests[f"label {name}"] = float(
                fisher_exact([[a, half - a], [b, len(own) - half - b]]).pvalue
            )
    found = {name: min(1.0, p * len(tests)) for name, p in tests.items()}
    ordered = sorted(found.items(), key=lambda one: one[1])
    return {
        "tests": len(tests),
        "alarm": bool(ordered and ordered[0][1] < LEVEL),
        "smallest": [{"what": name, "p": p} for name, p in ordered[:5]],
    }
