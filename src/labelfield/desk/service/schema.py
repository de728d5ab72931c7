"""What requests may say; FastAPI checks them by it and shows it in its OpenAPI description."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "ConditionRequest",
    "Conditioned",
    "ExplainRequest",
    "Explained",
    "PredictRequest",
    "Predicted",
    "RouteRequest",
    "Routed",
    "Rows",
]

MAX_ROWS = 1000
Number = Annotated[float, Field(allow_inf_nan=False)]
Cell = Number | str | None
Record = dict[str, Number | str | bool | None]
Share = Annotated[float, Field(gt=0.0, lt=1.0)]


class Rows(BaseModel):
    """Rows for the model: `X`, numbers in the order of its columns or texts, or `records`."""

    model_config = ConfigDict(extra="forbid")

    X: list[list[Cell]] | list[str] | None = Field(
        default=None, max_length=MAX_ROWS, description="Rows of cells in the order of the columns."
    )
    records: list[Record] | None = Field(
        default=None, max_length=MAX_ROWS, description="Rows as {column: value}."
    )

    @model_validator(mode="after")
    def one_of_both(self) -> "Rows":
        """Refuse both, none, and no row."""
        if (self.X is None) == (self.records is None):
            raise ValueError("give either X or records")
        if not (self.X or self.records):
            raise ValueError("give at least one row")
        return self


class PredictRequest(Rows):
    """What to predict."""

    alternatives: int = Field(default=0, ge=0, le=50, description="How many best sets to list.")
    probabilities: bool = Field(default=False, description="Whether to add P(label) of each label.")


class RouteRequest(Rows):
    """Which sets to accept."""

    accuracy: Share = 0.95
    confidence_level: Share = 0.95


class ConditionRequest(Rows):
    """One row, and what is known of its labels."""

    known: dict[str, bool] = Field(default_factory=dict, description="{label: present}")


class ExplainRequest(Rows):
    """Rows, and the sets to explain; by default the predicted ones."""

    sets: list[list[str]] | None = Field(default=None, max_length=MAX_ROWS)


class Alternative(BaseModel):
    """A set and its probability; null where the model knows ratios only."""

    labels: list[str]
    probability: float | None


class Prediction(BaseModel):
    """One row's answer."""

    labels: list[str]
    confidence: float | None
    alternatives: list[Alternative] | None = None
    probabilities: dict[str, float] | None = None


class Predicted(BaseModel):
    """Answers in the order of the rows."""

    model: str = Field(description="SHA-256 of the model file")
    predictions: list[Prediction]


class Route(BaseModel):
    """Whether a set needs no review."""

    labels: list[str]
    confidence: float | None
    accept: bool


class Routed(BaseModel):
    """Decisions in the order of the rows, and the promise behind them."""

    model: str
    promise: str
    threshold: float | None
    rows: list[Route]


class Conditioned(BaseModel):
    """What follows from the known labels."""

    probabilities: dict[str, float]
    best: list[str]
    probability: float | None
    ask_first: str | None
    possible: bool
    from_best_sets: int | None = Field(
        description="The answer comes from so many best sets; null if it is exact."
    )


class Explained(BaseModel):
    """Why each row has its set."""

    rows: list[dict[str, Any]]
