"""The four stages of one response, each failing apart: an exception, or something malformed, is that response's error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from conformed.evaluation.items import Item, Result, Versions
from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome

__all__ = ["Generated", "Stages", "checked_responses", "judged"]


@dataclass(frozen=True, slots=True)
class Generated:
    """One response, or why there is none."""

    response: str
    """The raw text; empty where there is none."""
    latency_ms: int
    """Time that it took, milliseconds."""
    prompt_tokens: int
    """Tokens of the prompt."""
    response_tokens: int
    """Tokens of the response."""
    error: str = ""
    """Code of a failed generation; empty where there is a response."""


@dataclass(frozen=True, slots=True)
class Stages:
    """What does the work. None of these is believed: what they return is checked."""

    generate: Callable[[Item, Sequence[int], int], Sequence[Generated]]
    """Responses to an item: its samples by number, from one seed; one a number, in that order."""
    extract: Callable[[str], tuple[str | None, str]]
    """The answer in a response and ``ok``; or None and why there is none."""
    normalise: Callable[[str, Item], tuple[str | None, str]]
    """The normal form of an answer and its kind; or None and why it has none."""
    verify: Callable[[AnswerCheck, Item], AnswerVerdict]
    """Holds an answer against the item's reference."""
    versions: Versions
    """Versions of the last three."""


def checked_responses(stages: Stages, item: Item, samples: Sequence[int], seed: int) -> list[Generated]:
    """Responses of one item, one a sample; each an error where the stage raised or returned something else."""
    try:
        given: Any = stages.generate(item, samples, seed)
    except Exception as problem:  # noqa: BLE001 - one item's exception is that item's error and never ends the run
        return [Generated("", 0, 0, 0, f"generate_exception:{type(problem).__name__}") for _ in samples]
    if not isinstance(given, list | tuple) or len(given) != len(samples):
        return [Generated("", 0, 0, 0, "generate_malformed") for _ in samples]
    return [one if _sound(one) else Generated("", 0, 0, 0, "generate_malformed") for one in given]


def _sound(one: Any) -> bool:
    if type(one) is not Generated or type(one.response) is not str or type(one.error) is not str:
        return False
    try:
        one.response.encode("utf-8")
    except UnicodeEncodeError:
        return False
    counts = (one.latency_ms, one.prompt_tokens, one.response_tokens)
    return all(type(count) is int and count >= 0 for count in counts)


def judged(stages: Stages, item: Item, sample: int, seed: int, given: Generated) -> Result:
    """One response through extraction, normalisation and verification."""
    answer: str | None = None
    normal: str | None = None

    def result(outcome: Outcome, code: str) -> Result:
        return Result(
            item=item.id, sample=sample, seed=seed, response=given.response, answer=answer, normalised=normal, outcome=outcome,
            code=code, latency_ms=given.latency_ms, prompt_tokens=given.prompt_tokens, response_tokens=given.response_tokens,
            versions=stages.versions,
        )  # fmt: skip

    if given.error:
        return result(Outcome.ERROR, given.error)
    try:
        taken: Any = stages.extract(given.response)
    except Exception as problem:  # noqa: BLE001 - as above
        return result(Outcome.ERROR, f"extract_exception:{type(problem).__name__}")
    if not _pair(taken):
        return result(Outcome.ERROR, "extract_malformed")
    answer, code = taken
    if answer is None:
        return result(Outcome.REVIEW, code)
    try:
        formed: Any = stages.normalise(answer, item)
    except Exception as problem:  # noqa: BLE001 - as above
        return result(Outcome.ERROR, f"normalise_exception:{type(problem).__name__}")
    if not _pair(formed):
        return result(Outcome.ERROR, "normalise_malformed")
    normal, kind = formed
    if normal is None:
        return result(Outcome.REVIEW, kind)
    asks = AnswerCheck(candidate=answer, reference=item.reference, item=item.id, prompt=item.prompt, facts=item.all_facts)
    try:
        found: Any = stages.verify(asks, item)
    except Exception as problem:  # noqa: BLE001 - as above
        return result(Outcome.ERROR, f"verify_exception:{type(problem).__name__}")
    if type(found) is not AnswerVerdict or not found.code:
        return result(Outcome.ERROR, "verify_malformed")
    return result(found.outcome, found.code)


def _pair(value: Any) -> bool:
    """Whether something is a text or None, and a code."""
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    first, code = value
    return (first is None or type(first) is str) and type(code) is str and bool(code)
