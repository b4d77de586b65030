"""Where the answer stands in a raw response: a final field, or one JSON object or list. For figures of behaviour, never for a verdict."""

from __future__ import annotations

import json
from dataclasses import dataclass

from conformed.evaluation.answers import extract_final

__all__ = ["MOST_CHARACTERS", "FoundAnswer", "find_answer"]

MOST_CHARACTERS = 20_000
"""Longest response that is looked at; what lies behind is not."""
_MOST_TRIES = 64
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """What a response holds."""

    count: int
    """Answers in it: 1 is as it should be."""
    end: float | None
    """Where the last of them ends, as a share of the response's characters; None without one."""
    text: str | None
    """The one answer in a form that can be compared (JSON with sorted keys); None where there is none, or more than one."""
    empty: bool
    """Whether it says nothing: no text at all, or an answer whose values are all blank."""


def find_answer(response: str) -> FoundAnswer:
    """Looks for the answer. Work is bounded, whatever the response holds."""
    text = response[:MOST_CHARACTERS]
    if not text.strip():
        return FoundAnswer(0, None, None, empty=True)
    if "<final" in text.lower():
        return _final(text)
    at, tries, found, end = 0, 0, [], 0
    while tries < _MOST_TRIES and (at := _next(text, at)) >= 0:
        tries += 1
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            found.append(value)
            at = end
    if not found:
        return FoundAnswer(0, None, None, empty=False)
    one = json.dumps(found[0], sort_keys=True, ensure_ascii=False) if len(found) == 1 else None
    return FoundAnswer(len(found), end / len(text), one, empty=all(_blank(value) for value in found))


def _final(text: str) -> FoundAnswer:
    answer, code = extract_final(text)
    at = text.lower().rfind("</final>")
    end = (at + len("</final>")) / len(text) if at >= 0 else None
    if answer is not None:
        return FoundAnswer(1, end, answer, empty=False)
    count = 2 if code == "multiple_final_fields" else 0
    return FoundAnswer(count, end, None, empty=code == "empty_final")


def _next(text: str, at: int) -> int:
    places = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
    return min(places, default=-1)


def _blank(value: object) -> bool:
    """Whether a JSON value holds no text, number or truth value."""
    if isinstance(value, dict):
        return all(_blank(one) for one in value.values())
    if isinstance(value, list):
        return all(_blank(one) for one in value)
    return value is None or (isinstance(value, str) and not value.strip())
