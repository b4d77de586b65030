"""What training and its evaluation exchange: a question with an exact answer, and what a check found of a response to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from conformed.model.answer import Outcome

__all__ = ["Check", "Checked", "Split", "Task", "TrainingItem"]


class Task(StrEnum):
    """The four tasks."""

    FIELDS = "fields"
    """Fields of a clause into a fixed schema, each value copied letter by letter."""
    CLAUSE = "clause"
    """The applicable clause of a set."""
    TRACE = "trace"
    """A calculation, step by step; every step is recomputed."""
    SOURCES = "sources"
    """The source of each claim."""


class Split(StrEnum):
    """Where an item belongs. A wording belongs to one of them, or to the two that differ in nothing but values."""

    SFT = "sft"
    """Wordings and values that supervised training sees, with their answers."""
    KNOWN = "known"
    """The wordings of ``sft`` with fresh values of the same ranges."""
    VALUES = "values"
    """The wordings of ``sft`` with values outside the ranges of training."""
    GRPO = "grpo"
    """Wordings that supervised training never sees; training with rewards sees them, and of their answers only the reward."""
    GRPO_KNOWN = "grpo_known"
    """The wordings of ``grpo`` with fresh values."""
    UNSEEN = "unseen"
    """Wordings that no training sees; checkpoints are chosen on them."""
    CHALLENGE = "challenge"
    """Missing amendments, conflicting clauses, adversarial formatting, the verifier's boundary cases."""
    RETENTION = "retention"
    """Other extraction that a policy must not unlearn."""
    FINAL = "final"
    """Wordings of its own, used once; the use is logged."""


@dataclass(frozen=True, slots=True)
class TrainingItem:
    """One question with its right answer. The text of both is invented."""

    id: str
    """SHA-256 of task, prompt and answer, its first 16 hex digits."""
    task: Task
    """Which of the four."""
    split: Split
    """Where it belongs."""
    template: str
    """Name of the wording that it was made from."""
    prompt: str
    """What is asked: a short instruction line for the task, a line break, then the clauses."""
    answer: str
    """The one canonical right answer: JSON of one form, values copied letter by letter with the blank before them."""
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What the check needs beside the answer, as plain JSON without floats. Never shown to a policy."""
    tags: tuple[str, ...] = ()
    """For slices: the kind of challenge, the pattern of the rule book, the range of values."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found of a response."""

    outcome: Outcome
    """Correct, incorrect, review or error. Review and error are no numbers, and teach nothing."""
    format_ok: bool
    """Whether it has the asked form."""
    code: str
    """Reason code, lower case words with underscores."""
    parts: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    """For each field of the right answer whether the response has it; empty where it could not be read."""


Check = Callable[[TrainingItem, str], Checked]
"""Judges a response. Whatever it raises is an error of the check, never a wrong answer."""
