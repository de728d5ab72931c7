"""The tables of the record.

`decisions`, `showings` and `draws` only ever grow. `cases` holds the state that follows from the
decisions, so that queues are quick. What a person may ask to be forgotten (the fields of a case,
notes) stands in columns of its own.
"""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

__all__ = [
    "APPEND_ONLY",
    "accounts",
    "cases",
    "decisions",
    "draws",
    "facts",
    "metadata",
    "models",
    "notes",
    "redactions",
    "showings",
]

DATA = JSON(none_as_null=True)
MOMENT = String(32)  # UTC, ISO 8601: sorted as text it is sorted by time

metadata = MetaData()

facts = Table(
    "facts",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("value", Text, nullable=False),
)

models = Table(
    "models",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("hash", String(64), nullable=False),
    Column("file", Text, nullable=False),
    Column("kind", String(200), nullable=False),
    Column("version", String(50), nullable=False),  # of labelfield
    Column("labels", DATA, nullable=False),
    Column("accuracy", Float),  # promised for accepted sets; None where nothing is accepted
    Column("confidence_level", Float),
    Column("threshold", Float),
    Column("promise", Text),  # what exactly was promised, in words
    Column("added", MOMENT, nullable=False),
)

draws = Table(
    "draws",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("model", ForeignKey("models.id"), nullable=False),
    Column("audit_rate", Float, nullable=False),
    Column("double_rate", Float, nullable=False),
    Column("seed", String(40), nullable=False),
    Column("accepted", Integer, nullable=False),
    Column("audited", Integer, nullable=False),
    Column("made", MOMENT, nullable=False),
)

cases = Table(
    "cases",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(500), nullable=False, unique=True),  # as the user's file calls it
    Column("fields", DATA),  # what is shown of it; None once redacted
    Column("predicted", DATA, nullable=False),
    Column("confidence", Float),
    Column("model", ForeignKey("models.id"), nullable=False),
    Column("draw", ForeignKey("draws.id"), nullable=False),
    Column("accepted", Boolean, nullable=False),
    Column("audit", Boolean, nullable=False),
    Column("priority", Float, nullable=False),
    Column("needed", Integer, nullable=False),  # sets wanted, from as many reviewers
    Column("status", String(20), nullable=False),  # accepted, open, conflict or settled
    Column("final", DATA),
    Column("version", Integer, nullable=False),
    Column("lease_by", String(200)),
    Column("lease_until", MOMENT),
    Column("added", MOMENT, nullable=False),
    Index("cases_waiting", "status", "priority"),
)

showings = Table(
    "showings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("case", ForeignKey("cases.id"), nullable=False, index=True),
    Column("reviewer", String(200), nullable=False),
    Column("blind", Boolean, nullable=False),
    Column("content", DATA, nullable=False),  # set, probabilities and alternatives as shown
    Column("shown", MOMENT, nullable=False),
)

decisions = Table(
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("case", ForeignKey("cases.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("key", String(100), nullable=False, unique=True),
    Column("reviewer", String(200), nullable=False, index=True),
    Column("verdict", String(20), nullable=False),  # set, unsure or withdrawn
    Column("labels", DATA),
    Column("withdraws", ForeignKey("decisions.id"), unique=True),
    Column("showing", ForeignKey("showings.id")),
    Column("model", ForeignKey("models.id"), nullable=False),
    Column("trail", DATA),  # labels in the order in which they were switched
    Column("seconds", Float),
    Column("decided", MOMENT, nullable=False),
    UniqueConstraint("case", "version"),
)

notes = Table(
    "notes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("case", ForeignKey("cases.id"), nullable=False, index=True),
    Column("decision", ForeignKey("decisions.id"), nullable=False, index=True),
    Column("text", Text),  # None once redacted
)

redactions = Table(
    "redactions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("case", ForeignKey("cases.id"), nullable=False),
    Column("reason", Text, nullable=False),
    Column("made", MOMENT, nullable=False),
)

accounts = Table(
    "accounts",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("reviewer", String(200), nullable=False),
    Column("expires", MOMENT, nullable=False),
)

APPEND_ONLY = ("decisions", "showings", "draws", "redactions")
