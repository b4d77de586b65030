"""Settings of the way from nothing to a policy, apart from what it does: listing plugins then imports no torch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from conformed_plugins.training.actor.size import ModelSize
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.items import Split, Task
from conformed_plugins.training.sft.settings import SftSettings

__all__ = ["COMPARED", "COUNTS", "REPLAY_TOLERANCE", "PolicySettings"]

Count = Annotated[int, Field(ge=1, strict=True)]

COUNTS: Mapping[Split, int] = {
    Split.SFT: 24_000, Split.KNOWN: 560, Split.VALUES: 400, Split.GRPO: 2_000, Split.GRPO_KNOWN: 560, Split.UNSEEN: 400,
    Split.CHALLENGE: 260, Split.RETENTION: 320,
}  # fmt: skip
"""Items of each split. The final set is not made: its one use is the promotion's."""

COMPARED = (Split.KNOWN, Split.VALUES, Split.GRPO_KNOWN, Split.UNSEEN, Split.CHALLENGE, Split.RETENTION)
"""Splits of the report, in its order."""

REPLAY_TOLERANCE = 2e-4
"""Of training with rewards. Attention that copies is sharp: in float32 its rounding alone came to 5e-5 over 400 updates."""


def _sft() -> SftSettings:
    return SftSettings()


def _grpo() -> GrpoSettings:
    return GrpoSettings(
        updates=400,
        prompts=16,
        group=8,
        learning_rate=2e-4,
        warmup_updates=5,
        kl_beta=0.02,
        replay_tolerance=REPLAY_TOLERANCE,
        max_new_tokens=80,
        microbatch_prompts=4,
        update_threads=2,
        rollout_workers=2,
        evaluate_every=20,
        save_every=0,
        best_split="choice",
        stop_rules=("evaluation.kept.accuracy below 0.9 for 2 evaluations",),
    )


class PolicySettings(BaseModel):
    """How a policy is made. One seed gives the data, the weights at the start, and every order and draw after it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,47}$")] = "covenant-fields"
    """Name of the policy: of its folder in a mirror, and of its card."""
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
    """Of everything."""
    minutes: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] = 10.0
    """Most minutes by the clock, evaluation and report included."""
    tasks: tuple[Task, ...] = (Task.FIELDS,)
    """Tasks that are trained."""
    counts: Mapping[Split, Annotated[int, Field(ge=0, strict=True)]] = Field(default_factory=lambda: dict(COUNTS))
    """Items of each split."""
    choosing: Count = 160
    """Items of ``known`` and of ``grpo_known`` each by which checkpoints are chosen; the report never looks at them."""
    retention_share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.25
    """Part of the examples of supervised training that is of the retention set's wordings; the data set has one in eight, and others are left out."""
    symbols: Count = 768
    """Tokens of the tokenizer."""
    tokenizer_items: Count = 4_000
    """Items of supervised training of whose text the tokenizer is learned."""
    size: ModelSize = Field(default_factory=ModelSize)
    """Sizes of the network."""
    sft: SftSettings = Field(default_factory=_sft)
    """Of supervised training; seed and seconds are set from those above."""
    grpo: GrpoSettings = Field(default_factory=_grpo)
    """Of training with rewards; seed and seconds are set from those above."""
    sft_share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.6
    """Most of the minutes that supervised training takes."""
    report_share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.12
    """Part of the minutes that is kept for evaluation and report."""
    least_retention: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.95
    """Gate: with fewer right answers on the retention set the policy of supervised training is given out, and not that of GRPO."""

    @model_validator(mode="after")
    def _enough(self) -> Self:
        for split in (Split.KNOWN, Split.GRPO_KNOWN, Split.RETENTION):
            if self.counts.get(split, 0) <= self.choosing:
                raise ValueError(
                    f"{self.counts.get(split, 0)} items of {split.value} leave none to report on: {self.choosing} are for choosing"
                )
        for split in (Split.SFT, Split.GRPO, *COMPARED):
            if not self.counts.get(split, 0):
                raise ValueError(f"there is no item of {split.value}")
        if self.sft_share + self.report_share >= 1:
            raise ValueError("sft_share and report_share leave no time for training with rewards")
        return self

    @property
    def digest(self) -> str:
        """SHA-256 of all settings."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()
