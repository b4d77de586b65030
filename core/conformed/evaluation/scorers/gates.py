"""Gates of a learned scorer, declared in YAML before it is evaluated. It may be used only when every one is passed.

A gate looks at the end of an interval that speaks against the scorer, not at the point alone (the calibration error, which has
no interval and errs upward on few data, is the exception); what could not be measured is not passed.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from conformed.evaluation.calibration import Event
from conformed.model.base import Exact, Frozen
from conformed.policy.refused import RefusedError

__all__ = ["GateResult", "ScorerGates"]

Count = Annotated[int, Field(ge=1, strict=True)]


class ScorerGates(Frozen):
    """What a learned scorer must reach."""

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,63}$")]
    """Name of this set of gates; the file's name."""
    event: Event
    """The event that the scorer must be about."""
    tune_on: Annotated[str, Field(min_length=1)]
    """Split on which the threshold is picked."""
    test_on: Annotated[str, Field(min_length=1)]
    """Split on which everything is stated; the scorer was neither trained nor tuned on it."""
    shift_on: Annotated[str, Field(min_length=1)]
    """Split of generators and habits that the scorer never saw."""
    least_items: Count
    """Fewest items of the test split."""
    least_auroc: Exact
    """The lower end of the area under the ROC curve on the test split reaches this."""
    least_auroc_shift: Exact
    """The same on the split of shift."""
    most_calibration_error: Exact
    """The expected calibration error on the test split stays within this."""
    most_risk: Exact
    """At the threshold picked for this risk, the upper end of the risk on the test split stays within it."""
    least_coverage: Exact
    """At that threshold, the lower end of the coverage on the test split reaches this."""
    most_rise: Exact
    """For every probe, the upper end of the mean rise of the score stays within this."""
    most_lifted: Exact
    """For every probe, the upper end of the share of wrong candidates lifted over the threshold stays within this."""
    independent: bool
    """Whether the scorer must be an independent judge of every generator of the test split."""
    seed: Annotated[int, Field(ge=0, strict=True)]
    """Of every bootstrap and of the random row."""
    smallest_slice: Count
    """Fewest items with which a slice may be read."""

    @model_validator(mode="after")
    def _apart(self) -> ScorerGates:
        if len({self.tune_on, self.test_on, self.shift_on}) != 3:
            raise RefusedError("two of the three splits are one", "Tune, test and look at shift on three splits.", ("test_on",))
        for name in ("least_auroc", "least_auroc_shift", "most_calibration_error", "most_risk", "least_coverage", "most_rise",
                     "most_lifted"):  # fmt: skip
            if not 0 <= getattr(self, name) <= 1:
                raise RefusedError(f"{name} is {getattr(self, name)}", "Give a number from 0 to 1.", (name,))
        return self


class GateResult(Frozen):
    """One gate and what was found."""

    gate: str
    """Its name."""
    passed: bool
    """Whether it was passed."""
    found: str
    """What was found against what was asked, in a sentence."""
