"""Options of the trainer ``trl``, apart from what it does: listing plugins then imports neither torch nor TRL."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["ServedOptions", "TrlOptions"]

Count = Annotated[int, Field(ge=1, strict=True)]
NotNegative = Annotated[int, Field(ge=0, strict=True)]


class ServedOptions(BaseModel):
    """Rollouts by vLLM instead of the model's own ``generate``. Sampling is fixed as everywhere here: temperature 1, nothing cut off."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    mode: Literal["server", "colocate"]
    """A server of its own, or in the trainer's process beside the weights."""
    base_url: Annotated[str, Field(pattern=r"^https?://[^\s/]+(?:/\S*)?$", max_length=300)] | None = None
    """The server's address; needed for ``server``. It is given the weights after every update, so it must be one's own."""
    group_port: Annotated[int, Field(ge=1, le=65_535, strict=True)] = 51_216
    """Port over which weights go to the server."""
    timeout_seconds: Count = 240
    """How long to wait for the server to come up."""
    memory_share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.3
    """For ``colocate``: share of the accelerator's memory that vLLM takes."""
    tensor_parallel: Count = 1
    """For ``colocate``: devices over which the model is split."""
    context: Count | None = None
    """For ``colocate``: most tokens of prompt and response together; None takes the model's own."""
    ratio_cap: Annotated[float, Field(ge=1, allow_inf_nan=False)] = 3.0
    """Cap of the importance ratio between the trainer's and vLLM's log-probabilities of a token: their arithmetic differs."""

    @model_validator(mode="after")
    def _addressed(self) -> Self:
        if (self.mode == "server") != (self.base_url is not None):
            raise ValueError("base_url goes with the mode server, and only with it")
        return self


class TrlOptions(BaseModel):
    """Options of the trainer ``trl``.

    How the rows of an update divide: ``prompts * group`` rows, in passes of ``microbatch`` rows a device.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    folder: Path
    """The model's folder in the mirror, with its manifest. It is the policy's start and the reference."""
    manifest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of the manifest; another is refused before anything is loaded."""
    dtype: Literal["float32", "bfloat16"]
    """In which numbers it computes: bfloat16 on an accelerator, float32 on a CPU."""
    device: Literal["cpu", "cuda"]
    """Where it trains. Which accelerators, and how many processes, is accelerate's business (``accelerate launch``)."""
    system: Annotated[str, Field(max_length=20_000)] | None = None
    """Message that stands before every prompt; None leaves it to the template. Use the backend's, or the policy is trained on other text."""

    prompts: Count = 8
    """Prompts of one update, over all devices."""
    group: Annotated[int, Field(ge=2, strict=True)] = 8
    """Responses to each prompt."""
    microbatch: Count = 8
    """Rows of one pass on one device."""
    max_new_tokens: Count = 128
    """Most tokens of a response."""

    loss_type: Literal["grpo"] = "grpo"
    """Tokens averaged within a response, then responses: TRL's other reductions are other experiments."""
    scale_rewards: Literal["group"] = "group"
    """Advantages are scaled by the standard deviation of their group."""
    clip_epsilon: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.2
    """Clipping of the ratio on both sides: TRL's ``epsilon``."""
    kl_beta: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Weight of the distance to the reference: TRL's ``beta``. 0 loads no reference."""
    advantage_eps: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1e-6
    """Added to a group's variance."""
    num_iterations: Count = 1
    """Passes over a generation."""
    steps_per_generation: Count = 1
    """Updates that one pass over a generation feeds. TRL counts passes of the model where this counts updates."""

    learning_rate: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1e-6
    """Of AdamW."""
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    """How the learning rate goes on after the warm-up."""
    warmup_updates: NotNegative = 0
    """Updates in which the learning rate rises."""
    weight_decay: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    """Of AdamW."""
    max_gradient_norm: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """To which the gradient is clipped."""
    gradient_checkpointing: bool = False
    """Computes activations twice to save memory."""
    served: ServedOptions | None = None
    """Rollouts through vLLM; None generates with the model itself."""

    evaluate_every: NotNegative = 10
    """Updates between two evaluations on the held-out sets, greedy; 0 evaluates only before the first and after the last."""
    evaluation_tokens: Count | None = None
    """Most tokens of an answer in an evaluation; None is ``max_new_tokens``."""
    save_every: NotNegative = 0
    """Updates between two checkpoints; 0 saves none, and such a run cannot be resumed."""
    keep_checkpoints: Count = 2
    """How many of the last checkpoints are kept."""
    resume_inexact: bool = False
    """Lets a run be resumed whose next updates differ from those of an uninterrupted one. The diary says so."""
    most_outages: Count = 3
    """Updates in a row without one judged group after which the run ends."""
