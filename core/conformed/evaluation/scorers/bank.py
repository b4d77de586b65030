"""A candidate bank: kept responses to items with known outcomes, through which every revision of a scorer is replayed.

JSON lines, one candidate a line, named by the SHA-256 of the file's bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field, model_validator

from conformed.errors import UsageError
from conformed.evaluation.items import Whole
from conformed.evaluation.jsonlines import lines_of, read_bytes, validated
from conformed.evaluation.runner.config import digest
from conformed.model.answer import Outcome
from conformed.model.base import Frozen

__all__ = ["Bank", "Candidate", "Step", "bank_of", "read_bank", "scorer_input"]

MOST_BYTES = 1 << 30
"""Largest bank."""


class Step(Frozen):
    """One step of a worked response."""

    text: str
    """The step, as it stands in the response."""
    sound: bool | None
    """Whether it is right by a deterministic check; None where nothing told. A label: no scorer is shown it."""


class Candidate(Frozen):
    """One kept response."""

    item: Annotated[str, Field(min_length=1, max_length=200)]
    """Id of the item."""
    sample: Whole
    """Which sample of the item, from 0, whoever generated it."""
    split: Annotated[str, Field(min_length=1)]
    """``train``, ``development``, ``test`` ..."""
    generator: Annotated[str, Field(min_length=1)]
    """What generated it, with its revision: the policy that is judged."""
    generator_trained_with: tuple[str, ...] = ()
    """Scorers, with revision, whose scores or labels trained that generator."""
    prompt: str
    """What was asked."""
    response: str
    """The raw response."""
    answer: str | None
    """Normalised answer; None where none parsed."""
    outcome: Outcome
    """Against the reference. A label: no scorer is shown it."""
    check: Outcome | None = None
    """What a deterministic verifier said without the reference; None where there is none. No scorer is shown it."""
    calculation: str = ""
    """A calculation that the answer may be held against; empty where there is none."""
    steps: tuple[Step, ...] = ()
    """Its steps; empty where it shows none."""
    logprobs: tuple[Annotated[float, Field(allow_inf_nan=False, le=0)], ...] = ()
    """Log-probability of each token under the generator; empty where nobody kept them."""
    terminal_tokens: Whole = 0
    """How many of the last tokens are the final field; 0 where that is not known."""
    slices: Mapping[str, str] = Field(default_factory=lambda: MappingProxyType({}))
    """Slices by name."""

    @model_validator(mode="after")
    def _sound(self) -> Candidate:
        if self.terminal_tokens > len(self.logprobs):
            raise ValueError(f"{self.terminal_tokens} tokens of a final field stand among {len(self.logprobs)} tokens")
        return self

    @property
    def key(self) -> tuple[str, int]:
        """Item and sample."""
        return self.item, self.sample


@dataclass(frozen=True, slots=True)
class Bank:
    """Candidates and the bytes from which they were read."""

    name: str
    """The file's name, without its folder."""
    digest: str
    """SHA-256 of its exact bytes, 64 hex digits."""
    candidates: tuple[Candidate, ...]
    """Sorted by item and sample, whatever their order in the file."""

    def items(self, split: str | None = None) -> Mapping[str, tuple[Candidate, ...]]:
        """Candidates by item, both sorted; of one split where it is named."""
        found: dict[str, list[Candidate]] = {}
        for one in self.candidates:
            if split is None or one.split == split:
                found.setdefault(one.item, []).append(one)
        return MappingProxyType({item: tuple(candidates) for item, candidates in found.items()})


def scorer_input(one: Candidate) -> dict[str, Any]:
    """What a scorer is shown of a candidate: nothing that says whether it is right, nor who generated it."""
    return {
        "prompt": one.prompt,
        "response": one.response,
        "answer": one.answer,
        "calculation": one.calculation,
        "steps": [step.text for step in one.steps],
        "logprobs": list(one.logprobs),
        "terminal_tokens": one.terminal_tokens,
    }


def read_bank(path: Path) -> Bank:
    """Reads a bank: one candidate a line, as JSON; blank lines are passed over.

    Raises:
        UsageError: when it cannot be read, naming file, line and field.
    """
    return bank_of(read_bytes(path, "bank", MOST_BYTES), name=path.name)


def bank_of(data: bytes, *, name: str) -> Bank:
    """A bank from its bytes.

    Args:
        data: the exact bytes.
        name: how it is called in messages.

    Raises:
        UsageError: for a line that is no candidate, a candidate that stands twice, an item with two prompts or in two splits,
            and a bank without candidates.
    """
    found: dict[tuple[str, int], Candidate] = {}
    asked: dict[str, tuple[str, str]] = {}
    for place, line in lines_of(data, name):
        one = validated(line, Candidate, place, "docs/scorers.md lists the fields of a candidate.")
        if one.key in found:
            raise UsageError(f"{place}: sample {one.sample} of {one.item!r} stands twice.", "Number the samples of an item.")
        if asked.setdefault(one.item, (one.prompt, one.split)) != (one.prompt, one.split):
            raise UsageError(f"{place}: {one.item!r} stands with two prompts or in two splits.", "Give each its own id.")
        found[one.key] = one
    if not found:
        raise UsageError(f"The bank {name} holds no candidate.", "Write one candidate a line, as JSON.")
    return Bank(name, digest(data), tuple(found[key] for key in sorted(found)))
