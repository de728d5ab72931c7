"""What the page shows and does, as plain data."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Row, select

from labelfield._names import visible
from labelfield.desk.assist import Consultation, DeskModel
from labelfield.desk.queue import keep_lease, lease_next, progress
from labelfield.desk.record import Decision, Record
from labelfield.desk.record.database import moment
from labelfield.desk.record.tables import showings
from labelfield.desk.service.answers import conditioned

__all__ = ["Desk"]

N_SHOWN = 30
N_ALTERNATIVES = 5
N_KEPT = 200
PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


class Desk:
    """Cases of a record, with the model that helps to settle them.

    Parameters
    ----------
    record : Record
    model : DeskModel
    model_id : int
        The number of the model in the record.
    X : rows as the fitted model takes them
    rows : mapping of str to int
        Where the row of a case stands, by the name of the case.
    texts : sequence of str
        Fields shown as running text, above the others.
    picture : str, optional
        The field that names a file with a picture, or holds a data URI of one.
    folder : path, optional
        Where such files are; nothing outside is shown.
    """

    def __init__(
        self,
        record: Record,
        model: DeskModel,
        model_id: int,
        X: Any,
        rows: Mapping[str, int],
        *,
        texts: Sequence[str] = (),
        picture: str | None = None,
        folder: Path | None = None,
    ) -> None:
        self.record = record
        self.model = model
        self.model_id = model_id
        self.X = X
        self.rows = rows
        self.texts = tuple(texts)
        self.picture_field = picture
        self.folder = None if folder is None else folder.resolve()
        self._consulted: OrderedDict[str, Consultation] = OrderedDict()
        self._lock = threading.Lock()

    def next_case(self, reviewer: str, passed: Sequence[int] = ()) -> dict[str, Any]:
        """Return the next case for a reviewer, as shown; "case" is None if nothing waits."""
        case = lease_next(self.record, reviewer, passed=passed)
        if case is None:
            return {"case": None, "progress": progress(self.record, reviewer)}
        shown = self._blind(case) if case.audit else self._helped(case)
        kept = {} if case.audit else shown  # a blind showing tells nothing of the model
        number = self.record.show(case.id, reviewer, case.audit, kept | {"model": self.model_id})
        return {
            "case": case.id,
            "name": visible(case.name),
            "version": case.version,
            "showing": number,
            "blind": case.audit,
            **shown,
            "answers": self._earlier(case) if case.status == "conflict" else [],
            **self._fields(case),
            "progress": progress(self.record, reviewer),
        }

    def condition(self, case_id: int, known: Mapping[str, bool], ticked: Sequence[str]) -> Any:
        """Return what follows from the labels that a reviewer has switched."""
        case = self._case(case_id)
        broken = self.model.broken_rules(self.model.as_set(ticked))
        consultation = None if case.audit else self._consult(case)
        if consultation is None:
            return {"help": False, "broken": broken}
        return {"help": True, "broken": broken, **conditioned(self.model, consultation, known)}

    def decide(self, reviewer: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Save what a reviewer decided; returns when it is on the disk."""
        labels = given["labels"]
        if labels is not None:
            chosen = self.model.as_set(labels)
            broken = self.model.broken_rules(chosen)
            if broken:
                raise ValueError(f"The set breaks a rule: {'; '.join(broken)}.")
            labels = self.model.names_of(chosen)
        saved = self.record.decide(
            Decision(
                case=given["case"],
                version=given["version"],
                key=given["key"],
                reviewer=reviewer,
                labels=labels,
                note=given["note"],
                showing=given["showing"],
                seconds=self._seconds(given["showing"], given["case"], reviewer),
                trail=tuple(given["trail"]),
                model=self.model_id,
            )
        )
        return {"saved": saved.id, "status": saved.status, "repeated": saved.repeated}

    def undo(self, reviewer: str, key: str) -> dict[str, Any]:
        """Withdraw the last decision of a reviewer and give them the case again."""
        saved = self.record.withdraw(reviewer, key)
        keep_lease(self.record, saved.case, reviewer)
        return {"case": saved.case, "status": saved.status}

    def reasons(self, case_id: int) -> dict[str, list[str]]:
        """Return what speaks for each label of the predicted set."""
        case = self._case(case_id)
        if case.audit or case.name not in self.rows:
            return {}
        with self._lock:
            chosen = self.model.as_set(case.predicted)
            return self.model.reasons(self.X, self.rows[case.name], chosen)

    def picture(self, case_id: int) -> tuple[bytes, str] | None:
        """Return the picture of a case and its type, None if it has none that may be shown."""
        fields = self._case(case_id).fields or {}
        name = fields.get(self.picture_field) if self.picture_field else None
        if not isinstance(name, str) or self.folder is None:
            return None
        path = (self.folder / name).resolve()
        kind = PICTURES.get(path.suffix.lower())
        if kind is None or not path.is_relative_to(self.folder) or not path.is_file():
            return None
        return path.read_bytes(), kind

    def _case(self, case_id: int) -> Row[Any]:
        case = self.record.case(case_id)
        if case is None:
            raise ValueError(f"There is no case number {case_id}.")
        return case

    def _consult(self, case: Row[Any]) -> Consultation | None:
        """Return the joint of a case, kept for a while; None without one."""
        if not self.model.has_joint or case.name not in self.rows:
            return None
        with self._lock:
            if case.name not in self._consulted:
                self._consulted[case.name] = self.model.consult(self.X, self.rows[case.name])
            self._consulted.move_to_end(case.name)
            while len(self._consulted) > N_KEPT:
                self._consulted.popitem(last=False)
            return self._consulted[case.name]

    def _blind(self, case: Row[Any]) -> dict[str, Any]:
        """Nothing of the model: what is ticked beforehand would measure agreement, not truth."""
        labels = [{"name": name, "ticked": False, "p": None} for name in self.model.labels]
        return _shown(labels, [], None, None)

    def _helped(self, case: Row[Any]) -> dict[str, Any]:
        predicted = set(case.predicted)
        consultation = self._consult(case)
        if consultation is None:
            labels = [{"name": n, "ticked": n in predicted, "p": None} for n in self.model.labels]
            labels.sort(key=lambda one: not one["ticked"])
            return _shown(labels, [], None, case.confidence)
        given = consultation.given(np.full(len(self.model.labels), np.nan))
        p = given.probabilities
        ticked = self.model.as_set(case.predicted)
        order = np.lexsort((-p, -ticked.astype(int)))
        order = order[: max(N_SHOWN, int(ticked.sum()))]
        labels = [
            {"name": self.model.labels[j], "ticked": bool(ticked[j]), "p": round(float(p[j]), 4)}
            for j in order
        ]
        found = self.model.alternatives(self.X, self.rows[case.name], consultation, N_ALTERNATIVES)
        others = [
            {"labels": self.model.names_of(one), "p": None if q is None else round(q, 4)}
            for one, q in zip(found.sets, found.probabilities)
        ]
        ask = None if given.ask is None else self.model.labels[given.ask]
        coverage = found.coverage if found.complete else None
        return _shown(labels, others, ask, case.confidence) | {"coverage": coverage}

    def _fields(self, case: Row[Any]) -> dict[str, Any]:
        fields = case.fields or {}
        hidden = {*self.texts, self.picture_field}
        value = fields.get(self.picture_field) if self.picture_field else None
        inline = isinstance(value, str) and value.startswith("data:image/")
        return {
            "texts": [[visible(name), str(fields.get(name, ""))] for name in self.texts],
            "fields": [
                [visible(str(name)), "" if value is None else str(value)]
                for name, value in fields.items()
                if name not in hidden
            ],
            "picture": value if inline else f"/desk/picture/{case.id}" if value else None,
            "redacted": case.fields is None,
        }

    def _earlier(self, case: Row[Any]) -> list[list[str]]:
        """Return the sets that do not agree, without names of people."""
        given = [one for one in self.record.history(case.id) if one["verdict"] == "set"]
        undone = {one["withdraws"] for one in self.record.history(case.id)}
        return [one["labels"] for one in given if one["id"] not in undone]

    def _seconds(self, showing: int, case: int, reviewer: str) -> float:
        """Return how long ago this was shown to this reviewer."""
        with self.record.reading() as connection:
            shown = connection.execute(select(showings).where(showings.c.id == showing)).first()
        if shown is None or (shown.case, shown.reviewer) != (case, reviewer):
            raise ValueError(f"Case {case} was not shown to {reviewer} under number {showing}.")
        taken = datetime.fromisoformat(moment()) - datetime.fromisoformat(shown.shown)
        return round(taken.total_seconds(), 3)


def _shown(labels: Any, others: Any, ask: Any, confidence: Any) -> dict[str, Any]:
    return {
        "labels": labels,
        "alternatives": others,
        "coverage": None,  # with which probability the truth is among the alternatives
        "ask_first": ask,
        "confidence": confidence,
    }
