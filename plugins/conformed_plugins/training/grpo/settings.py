"""Settings of the trainer ``grpo``, apart from what it does: listing plugins then imports no torch."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from conformed_plugins.training.losses import loss_named
from conformed_plugins.training.runs.stops import check_rules, stop_rule

__all__ = ["OPERATIONAL", "GrpoSettings"]

Count = Annotated[int, Field(ge=1, strict=True)]
NotNegative = Annotated[int, Field(ge=0, strict=True)]

OPERATIONAL = frozenset(
    {"updates", "cap_seconds", "microbatch_prompts", "update_threads", "rollout_workers", "evaluate_every", "save_every"}
    | {"keep_checkpoints", "evaluation_tokens", "best_split"}
)
"""Settings that a run may be taken up again with changed: how long, how fast and how often looked at. The rest make it another run.
``microbatch_prompts`` is among them although it changes the last bits of a gradient."""


class GrpoSettings(BaseModel):
    """How to train. One *update* is one step of the optimiser.

    A *generation* samples ``prompts * steps_per_generation`` prompts, ``group`` responses each; its responses feed
    ``steps_per_generation`` updates of ``prompts`` prompts, and are gone through ``num_iterations`` times.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    updates: Count = 50
    """Most updates: the run's cap."""
    cap_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Most seconds, those before an interruption included; None is no cap."""
    seed: Annotated[int, Field(strict=True)] = 0
    """Of the order of prompts and of every draw."""

    prompts: Count = 8
    """Prompts of one update."""
    group: Annotated[int, Field(ge=2, strict=True)] = 8
    """Responses to each prompt."""
    steps_per_generation: Count = 1
    """Updates that one pass over a generation feeds."""
    num_iterations: Count = 1
    """Passes over a generation."""
    max_new_tokens: Count = 128
    """Most tokens of a response."""
    temperature: float = 1.0
    """Only 1. The sampled distribution is then the model's own, and the kept log-probabilities are those of the ratio's denominator."""
    top_p: float = 1.0
    """Only 1, likewise."""
    truncated: Literal["scored", "excluded"] = "scored"
    """What becomes of a response that the cap on tokens cut: scored as it is, or left out of its group and counted."""

    supervision: Literal["outcome", "process"] = "outcome"
    """Outcome: every token of a response has its response's advantage. Process: rewards at the ends of steps, summed backwards; the plan
    then needs a check of steps."""
    loss: Annotated[str, Field(min_length=1)] = "grpo"
    """Name of the loss (``training.losses``)."""
    clip_epsilon: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.2
    """Clipping of the ratio on both sides."""
    kl_beta: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Weight of the distance to the reference."""
    measure_kl: bool = False
    """Whether the distance is measured where its weight is 0, which costs a pass of the reference."""
    advantage_eps: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1e-6
    """Added to a group's variance."""

    learning_rate: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1e-5
    """Of AdamW."""
    warmup_updates: NotNegative = 0
    """Updates in which the learning rate rises from 0."""
    decay_updates: Count | None = None
    """Updates after the warm-up in which it falls to 0, in a straight line; None leaves it constant."""
    betas: tuple[
        Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)], Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
    ] = (0.9, 0.999)
    """Of AdamW."""
    adam_eps: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1e-8
    """Of AdamW."""
    weight_decay: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    """Of AdamW."""
    replay_tolerance: Annotated[float, Field(gt=0, le=1e-3, allow_inf_nan=False)] = 1e-5
    """Largest difference between a log-probability of the rollout and its replay under the same weights. A trained network may need more
    than the default: with sharp attention the rounding of float32 alone is some 1e-5."""
    max_gradient_norm: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """To which the gradient is clipped."""

    microbatch_prompts: Count = 1
    """Prompts whose gradient is computed together. Changes memory and speed; the gradient only in its last bits."""
    update_threads: Count = 1
    """Threads of the update, a microbatch each. Changes no bit."""
    rollout_workers: NotNegative = 0
    """Processes of one thread each that sample; 0 samples in this one. Changes no bit."""

    evaluate_every: NotNegative = 10
    """Updates between two evaluations on the held-out sets, greedy; 0 evaluates only before the first and after the last."""
    evaluation_tokens: Count | None = None
    """Most tokens of an answer in an evaluation; None is ``max_new_tokens``."""
    best_split: str | None = None
    """The held-out set by whose accuracy the best checkpoint is chosen; None keeps the last."""
    save_every: NotNegative = 10
    """Updates between two checkpoints; 0 saves only at the end."""
    keep_checkpoints: Annotated[int, Field(ge=2, strict=True)] = 2
    """How many are kept: at least two, so that there is one before a broken one."""
    most_outages: Count = 3
    """Updates in a row without one judged group after which the run ends."""
    stop_rules: tuple[str, ...] = ()
    """When to end before the cap: ``SERIES above NUMBER for N updates``, or below (``training.runs.stops``). Declared before the run, looked
    at after each update; of a series that an update does not have nothing is counted."""

    @model_validator(mode="after")
    def _sampled_as_it_is(self) -> Self:
        if self.temperature != 1 or self.top_p != 1:
            raise ValueError(
                f"temperature is {self.temperature} and top_p is {self.top_p}: training samples the model's own distribution, both 1"
            )
        if not loss_named(self.loss).scaled and self.supervision == "process":
            raise ValueError(f"the loss {self.loss} does not scale advantages, and process supervision does: choose one")
        rules = [stop_rule(text) for text in self.stop_rules]
        if None in rules:
            raise ValueError(
                f"the stop rule {self.stop_rules[rules.index(None)]!r} is not of the form SERIES above NUMBER for N updates"
            )
        check_rules(self.stop_rules)
        if not self.with_reference and any(one is not None and one.series == "sampled_kl" for one in rules):
            raise ValueError("a stop rule looks at sampled_kl, and nothing measures it: set kl_beta above 0, or measure_kl")
        return self

    @property
    def with_reference(self) -> bool:
        """Whether the reference scores each generation."""
        return self.kl_beta > 0 or self.measure_kl

    @property
    def window(self) -> int:
        """Updates that one generation feeds."""
        return self.steps_per_generation * self.num_iterations

    @property
    def digest(self) -> str:
        """SHA-256 of all that makes the run this run and no other."""
        return hashlib.sha256(self.model_dump_json(exclude=set(OPERATIONAL)).encode()).hexdigest()

    def rate(self, update: int) -> float:
        """Learning rate of an update, the first of which is 1."""
        if update <= self.warmup_updates:
            return self.learning_rate * update / self.warmup_updates
        if self.decay_updates is None:
            return self.learning_rate
        past = update - self.warmup_updates - 1
        return self.learning_rate * max(0.0, 1 - past / self.decay_updates)
