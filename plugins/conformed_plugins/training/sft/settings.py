"""Settings of supervised training, apart from what it does: listing plugins then imports no torch."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["OPERATIONAL", "SftSettings"]

Count = Annotated[int, Field(ge=1, strict=True)]
Rate = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]

OPERATIONAL = frozenset({"cap_updates", "cap_seconds", "threads", "save_every"})
"""Settings that a run may be taken up again with changed."""


class SftSettings(BaseModel):
    """How to train. One *update* is one step of the optimiser on one batch."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    seed: Annotated[int, Field(strict=True)] = 0
    """Of the order of examples."""
    batch: Count = 32
    """Examples of an update."""
    window: Count = 16
    """Batches that are cut together, so that examples of one length come together; their order is drawn again afterwards."""

    altered: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.3
    """Share of the examples whose digits and value words are exchanged on both sides (``sft.altering``); 0 alters none."""

    optimiser: Literal["muon", "adamw"] = "muon"
    """What steps the matrices of the layers. Everything else is stepped by AdamW."""
    matrix_rate: Rate = 3e-3
    """Rate of ``optimiser`` on the matrices."""
    other_rate: Rate = 3e-3
    """Rate of AdamW on embedding and norms."""
    warmup_updates: Annotated[int, Field(ge=0, strict=True)] = 40
    """Updates in which the rates rise from 0."""
    decay_at: Share = 0.9
    """Exactness on the sample at which the rates begin to fall."""
    decay_by: Count = 600
    """The last update at full rates, where that exactness was not reached before."""
    decay_updates: Count = 250
    """Updates in which they fall, in a straight line, to a fiftieth."""
    max_gradient_norm: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """To which the gradient is clipped."""

    enough: Share = 0.985
    """Exactness on the sample of held-out items at which training may end: the criterion."""
    times: Count = 2
    """Evaluations in a row that must reach it."""
    evaluate_every: Count = 25
    """Updates between two evaluations."""
    max_new_tokens: Count = 128
    """Most tokens of an answer in an evaluation."""
    cap_updates: Count = 900
    """Most updates. A run that ends here has not met the criterion, and says so."""
    cap_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Most seconds, those before an interruption included; None is no cap."""

    microbatches: Count = 2
    """Parts of a batch whose gradients are computed apart and added in order. Changes the gradient in its last bits only."""
    threads: Count = 2
    """Threads, a part each. Changes no bit."""
    save_every: Annotated[int, Field(ge=0, strict=True)] = 0
    """Updates between two checkpoints; 0 makes none."""

    @property
    def digest(self) -> str:
        """SHA-256 of all that makes the run this run and no other."""
        return hashlib.sha256(self.model_dump_json(exclude=set(OPERATIONAL)).encode()).hexdigest()

    def share(self, update: int, decay_from: int | None) -> float:
        """Share of the full rates at an update.

        Args:
            update: its number, the first is 1.
            decay_from: the last update at full rates, once that is known.
        """
        last = self.decay_by if decay_from is None else min(decay_from, self.decay_by)
        if update > last:
            return max(0.02, 1 - (update - last) / self.decay_updates)
        return min(1.0, update / self.warmup_updates) if self.warmup_updates else 1.0
