"""Is the promise kept, do the cases drift, do reviewers agree?"""

from typing import Any

from sqlalchemy import select

from labelfield.desk.drift import drift_of_features, drift_of_predictions
from labelfield.desk.queue import agreement
from labelfield.desk.record.record import Record
from labelfield.desk.record.tables import cases, decisions, draws, models
from labelfield.promise import PromiseMonitor

__all__ = ["watch"]

LEVEL = 0.05


def watch(record: Record) -> dict[str, Any]:
    """Return the state of a record: progress, the promise, drift and agreement, as plain data.

    The promise is watched on the audit slice of the latest model only: accepted cases drawn at
    random and settled blind. Its test may be looked at any time. Drift compares the earlier half
    of the model's cases with the later one, in what is predicted and in the fields of the cases;
    see `labelfield.desk.drift`.
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
        "drift": drift_of_predictions(own, model.labels),
        "feature_drift": drift_of_features(own),
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
