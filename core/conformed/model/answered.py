"""What flows in a run for a short answer: a task, responses, answers, checked answers, and the record of the one that was chosen."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from conformed.model.answer import AnswerVerdict, Facts
from conformed.model.base import Exact, Frozen, Missing

__all__ = [
    "Answer",
    "AnswerRecord",
    "Answers",
    "Basis",
    "Checked",
    "CheckedAnswer",
    "Response",
    "Responses",
    "Route",
    "Routed",
    "Selection",
    "Task",
]

Whole = Annotated[int, Field(ge=0, strict=True)]


class Task(Frozen):
    """One question. It holds nothing that only an evaluation may know: no reference answer, no hidden test."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    """Name of the task, for the log."""
    prompt: Annotated[str, Field(min_length=1)]
    """What is asked."""
    form: str = ""
    """Answer form, which names the verifier: ``numeric``, ``symbolic``, ``code`` ...; empty for the contract's own."""
    check: str = ""
    """What an answer is held against, where the task brings it: a calculation, an expression; empty where it brings nothing."""
    facts: Facts
    """Whatever else the verifier needs, as plain JSON without floats: public tests, assumptions, a schema."""
    difficulty: Exact | None = None
    """Estimated difficulty from 0 to 1; None for the contract's assumption."""

    @property
    def checkable(self) -> bool:
        """Whether the task brings what a deterministic verifier needs."""
        return bool(self.check or self.facts)


class Route(StrEnum):
    """Where a question goes."""

    DIRECT = "direct"
    """One answer."""
    SAMPLE_AND_VERIFY = "sample_and_verify"
    """Several answers, each verified."""
    HUMAN_REVIEW = "human_review"
    """A person; the machine may prepare the file and concludes nothing."""


class Routed(Frozen):
    """What the step route gives."""

    route: Route
    """Who answers."""
    samples: Whole
    """How many responses are asked for: none, one, or the contract's number."""
    code: str
    """Which rule of the router it was."""
    reason: str
    """Why, in one sentence."""


class Response(Frozen):
    """One response of a backend."""

    text: str
    """The raw text."""
    tokens: Whole
    """Tokens generated."""
    stop: str
    """eos, length or context."""
    producer: str
    """Digest of what produced it."""


class Responses(Frozen):
    """What the step generate gives."""

    responses: tuple[Response, ...]
    """In the order of the samples."""


class Answer(Frozen):
    """What was taken from one response."""

    sample: Whole
    """Which response, from 0."""
    answer: str | None
    """The final field; None where there is none."""
    normal: str | None
    """Its normal form, by which answers are counted as the same; None where it has none."""
    code: str
    """``ok``, or why there is no answer."""


class Answers(Frozen):
    """What the step answer gives."""

    answers: tuple[Answer, ...]
    """In the order of the samples."""


class CheckedAnswer(Frozen):
    """One answer with what the verifier found."""

    answer: Answer
    """The answer."""
    verdict: AnswerVerdict | Missing
    """The verdict; Missing where nothing could be checked, and why."""


class Checked(Frozen):
    """What the step verify gives."""

    answers: tuple[CheckedAnswer, ...]
    """In the order of the samples."""


class Basis(StrEnum):
    """On what an answer rests."""

    VERIFIED = "verified"
    """A deterministic verifier found it right."""
    SINGLE = "single"
    """The one sample that was asked for gave it; nothing could be checked."""


class Selection(Frozen):
    """What the step select gives."""

    answer: str | Missing
    """The answer in its normal form, or why there is none."""
    basis: Basis | Missing
    """On what it rests."""
    votes: Whole
    """Samples that gave it."""
    valid: Whole
    """Samples with an answer that parses."""
    total: Whole
    """All samples."""


class AnswerRecord(Frozen):
    """The record of one run for a short answer."""

    shape: Literal["conformed.answer/1"] = "conformed.answer/1"
    """Version of this shape."""
    run: str
    """Run id."""
    task: str
    """Name of the task."""
    contract: str
    """Name and version of the contract."""
    contract_digest: str
    """SHA-256 of its exact bytes."""
    result: Literal["answered", "review"]
    """Whether the machine has an answer."""
    route: Route | Missing
    """Who answers, by the rule of the router."""
    answer: str | Missing
    """The answer, or why there is none."""
    basis: Basis | Missing
    """On what it rests."""
    votes: Whole
    """Samples that gave it."""
    valid: Whole
    """Samples with an answer that parses."""
    total: Whole
    """All samples."""
    codes: tuple[str, ...]
    """Reason codes of the samples and of the choice, sorted, each once."""
    sentences: tuple[str, ...]
    """What stands open, in plain words; empty where nothing does."""
