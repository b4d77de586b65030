"""Figures of generation and their conditions. A figure is printed with all of its conditions or not at all."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Conditions", "Figures", "Report", "lines"]


class Conditions(BaseModel):
    """Under which conditions something was measured. None may be left out or empty."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

    model: str = Field(min_length=1)
    """Which model, and where its weights come from."""
    parameters: int = Field(ge=1)
    """Numbers in its weights."""
    decoder: str = Field(min_length=1)
    """batched, or a row at a time and why."""
    dtype: str = Field(min_length=1)
    """Type of weights and cache."""
    device: str = Field(min_length=1)
    """Device, with the processor's name where it is known."""
    threads: int = Field(ge=1)
    """Threads of torch."""
    prompts: int = Field(ge=1)
    """Prompts of the batch."""
    samples: int = Field(ge=1)
    """Answers to each, sharing its computation."""
    prompt_tokens: int = Field(ge=1)
    """Tokens of a prompt."""
    new_tokens: int = Field(ge=2)
    """Tokens of each answer; no stop token ends one early."""
    sampling: str = Field(min_length=1)
    """Temperature and top-p, or greedy."""
    compiled: str = Field(min_length=1)
    """Compile time and number of graph variants."""
    libraries: str = Field(min_length=1)
    """Versions of what computes."""
    repeats: int = Field(ge=1)
    """Measurements, after one that is not counted; figures are medians."""
    load: str = Field(min_length=1)
    """Load of the machine when the measurement began."""


class Figures(BaseModel):
    """What was measured; None where it could not be."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

    cold_start_s: float
    """From the start of a process to the first token: libraries, weights, decoder, prompt."""
    first_token_ms: float
    """From a prompt's tokens to the first new one of every row, warm."""
    steady_tokens_s: float
    """New tokens of all rows a second after the first."""
    whole_tokens_s: float
    """New tokens of all rows a second, prompts' computation included, tokenisation not."""
    tokenised_tokens_s: float | None
    """The same from text to text; None for a model without a tokenizer."""
    planned_bytes: int
    """What the planner says: weights, packed weights, cache, logits."""
    peak_bytes: int | None
    """Highest resident memory above that of the process with its libraries loaded; on a GPU the highest allocated."""


class Report(BaseModel):
    """Figures beside their conditions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    conditions: Conditions
    """Under which conditions."""
    figures: Figures
    """What was measured."""


def lines(report: Report) -> tuple[str, ...]:
    """A report for people: conditions first."""
    given, found = report.conditions, report.figures
    tokenised = "not measured: the model has no tokenizer"
    if found.tokenised_tokens_s is not None:
        tokenised = f"{found.tokenised_tokens_s:,.0f} tokens/s"
    peak = "not measured on this system" if found.peak_bytes is None else f"{found.peak_bytes / 2**20:,.1f} MiB"
    return (
        f"Model       {given.model}, {given.parameters:,} parameters, {given.dtype} on {given.device}",
        f"Decoder     {given.decoder}; {given.compiled}; {given.libraries}",
        f"Batch       {given.prompts} prompts x {given.samples} samples, {given.prompt_tokens} + {given.new_tokens} tokens, {given.sampling}",
        f"Machine     {given.threads} thread(s), load {given.load}; medians of {given.repeats} after a warm-up",
        "",
        f"Cold start                     {found.cold_start_s:,.2f} s to the first token, in a process of its own",
        f"First token                    {found.first_token_ms:,.1f} ms for the whole batch, warm, without tokenisation",
        f"Steady                         {found.steady_tokens_s:,.0f} tokens/s after the first, without tokenisation",
        f"Prompts and answers            {found.whole_tokens_s:,.0f} tokens/s, without tokenisation",
        f"Text to text                   {tokenised}",
        f"Memory planned                 {found.planned_bytes / 2**20:,.1f} MiB",
        f"Memory measured                {peak}",
    )
