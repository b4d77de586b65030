"""What checks of short answers exchange: an answer against a reference, and what a check found."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from conformed.model.base import Exact, Frozen, Missing

__all__ = ["AnswerCheck", "AnswerVerdict", "Facts", "Outcome"]


def _plain(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    for name, value in facts.items():
        if (odd := _odd(value)) is not None:
            raise ValueError(f"the fact {name!r} holds a {odd}; write plain JSON, and a number with a fraction as text")
    return facts


def _odd(value: Any) -> str | None:
    """Name of the first type inside a value that is no plain JSON without floats."""
    if value is None or type(value) in (str, int, bool):
        return None
    if type(value) in (list, tuple):
        return next((odd for one in value if (odd := _odd(one))), None)
    if isinstance(value, Mapping) and all(type(key) is str for key in value):
        return next((odd for one in value.values() if (odd := _odd(one))), None)
    return type(value).__name__


Facts = Annotated[Mapping[str, Any], AfterValidator(_plain), Field(default_factory=lambda: MappingProxyType({}))]
"""Plain JSON by name, without floats; empty where nothing is said."""


class Outcome(StrEnum):
    """Of an answer against a reference. Whatever is neither clearly right nor clearly wrong is for a person."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    REVIEW = "review"
    """It could not be told: an answer that does not parse, syntax outside the allow-list, a time limit."""
    ERROR = "error"
    """The check itself failed; the contract's on_verifier_error says what follows."""


class AnswerCheck(Frozen):
    """One answer to be checked."""

    candidate: str
    """The answer, as it was taken from the response. For code: the program."""
    reference: str
    """The right answer. For code: may be empty, the tests are among the facts."""
    item: str = ""
    """Id of the item."""
    prompt: str = ""
    """What was asked. Data: never evaluated."""
    facts: Facts
    """Whatever else the check needs, as plain JSON without floats: assumptions, tests, a schema, sources."""


class AnswerVerdict(Frozen):
    """What a check found."""

    outcome: Outcome
    """Correct, incorrect, review or error."""
    code: str
    """Reason code: lower case words with underscores, with colons between a code and its details."""
    score: Exact | Missing = Missing(reason="This check gives no score.", code="no_score")
    """A score between 0 and 1, exact; Missing where the check gives none."""
    sentence: str = ""
    """The same in words, where the check has more to say than its code."""
    feedback: tuple[str, ...] = ()
    """What whoever answered may be told before another attempt: public findings only, no hidden test and no reference."""
    verifier: str = ""
    """Registered name."""
    version: str = ""
    """Version of the verifier's behaviour."""
