"""The card of a scorer: what the registry knows of it. One YAML file a scorer, under policies/scorers/."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from conformed.evaluation.calibration import Event
from conformed.model.base import Exact, Frozen
from conformed.policy.refused import RefusedError

__all__ = ["CalibrationData", "DriftBounds", "KnownSlice", "ScorerCard", "Thresholds", "Weights"]

Line = Annotated[str, Field(min_length=1, max_length=300)]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Share = Exact


class Weights(Frozen):
    """The file of a learned scorer."""

    file: Line
    """Its name, beside the card."""
    sha256: Hash
    """SHA-256 of its bytes; another file is never loaded."""


class CalibrationData(Frozen):
    """On what its scores were calibrated."""

    data: Line
    """The file of held-out labels: never a name of a benchmark alone."""
    sha256: Hash
    """SHA-256 of its bytes."""
    date: Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    """When, year-month-day."""

    @model_validator(mode="after")
    def _a_day(self) -> CalibrationData:
        try:
            dt.date.fromisoformat(self.date)
        except ValueError:
            raise RefusedError(f"{self.date} is not a day of the calendar", "Write a real day.", ("date",)) from None
        return self


class KnownSlice(Frozen):
    """A slice and what is known of the scorer there."""

    name: Line
    """The slice."""
    why: Line
    """What was seen there, or why it is expected to hold."""


class Thresholds(Frozen):
    """From which score on the deployed procedure takes a candidate."""

    accept: Exact | None = None
    """The best candidate of an item is taken from this score on; below it, and without a score, it is for a person. None: the
    scorer only orders, and the best is taken whatever its score."""


class DriftBounds(Frozen):
    """What a replacement may change on the fixed bank. Passing one ends `conformed scorers drift` with exit code 1."""

    most_changed: Share
    """Greatest share of items whose selected candidate is another."""
    most_regressed: Share
    """Greatest share of items that were right and are no longer."""
    worse_p: Share
    """With more items regressed than improved, the bound is passed when McNemar's exact p-value is at or below this."""
    most_review_change: Share
    """Greatest change of the share of items for a person, up or down."""
    most_length_correlation: Share
    """Greatest rank correlation of score and length, up or down."""

    @model_validator(mode="after")
    def _shares(self) -> DriftBounds:
        for name in type(self).model_fields:
            if not 0 <= getattr(self, name) <= 1:
                raise RefusedError(f"{name} is {getattr(self, name)}", "Give a share from 0 to 1.", (name,))
        return self


class ScorerCard(Frozen):
    """A scorer as it is registered for use."""

    scorer_id: Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,63}$")]
    """Unique; the file's name."""
    revision: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+){0,3}$")]
    """Of this card: changes with plugin, options, weights or thresholds."""
    family: Literal["likelihood", "learned", "deterministic"]
    """What kind of scorer it is."""
    plugin: Line
    """Registered name of the plugin."""
    version: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+){0,3}$")]
    """Version of the plugin's behaviour that the card is of."""
    options: Mapping[str, Any] = Field(default_factory=lambda: MappingProxyType({}))
    """Options of the plugin."""
    weights: Weights | None = None
    """Weights of a learned scorer; None for others."""
    training_data_revision: Line
    """SHA-256 of its training data; ``none`` where nothing was trained."""
    trained_on_generators: tuple[Line, ...] = ()
    """Generators whose responses and labels trained it, with their revisions: of them it is no independent judge."""
    target_event: Event
    """The event that its score is about."""
    input_schema: tuple[Literal["prompt", "response", "answer", "calculation", "steps", "logprobs", "terminal_tokens"], ...]
    """Fields of a candidate that it reads; it is shown no others."""
    output_schema: Literal["probability", "logarithm", "order"]
    """``probability``: from 0 to 1 for the event, still to be calibrated. ``logarithm``: natural logarithm of a probability of
    text. ``order``: nothing but an order."""
    calibration: CalibrationData | None = None
    """Its calibration; None where it was never calibrated, and then its score is no confidence."""
    supported_slices: tuple[KnownSlice, ...]
    """Where it was found fit."""
    failure_slices: tuple[KnownSlice, ...]
    """Where it is known to fail."""
    thresholds: Thresholds = Thresholds()
    """Thresholds of its use."""
    drift: DriftBounds
    """What a later revision may change before a person looks."""
    owner: Line
    """Who answers for it: a role or a department."""

    @model_validator(mode="after")
    def _consistent(self) -> ScorerCard:
        if (self.family == "learned") != (self.weights is not None):
            raise RefusedError(f"a {self.family} scorer {'has' if self.weights else 'has no'} weights",
                               "Weights belong to learned scorers, and to each of them.", ("weights",))  # fmt: skip
        if self.family == "learned" and self.training_data_revision == "none":
            raise RefusedError("a learned scorer says nothing of its training data", "Write its SHA-256.",
                               ("training_data_revision",))  # fmt: skip
        if self.thresholds.accept is not None and self.calibration is None and self.family != "deterministic":
            raise RefusedError("a threshold stands without a calibration", "Calibrate on held-out labels first.", ("thresholds",))
        return self

    @property
    def name(self) -> str:
        """Scorer and revision, as records name it."""
        return f"{self.scorer_id} {self.revision}"
