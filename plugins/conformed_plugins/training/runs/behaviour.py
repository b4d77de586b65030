"""Figures of behaviour out of raw samples: lengths, stops, where the answer stands, repetition, scripts, unique answers, codes.

A sample is a mapping with ``item`` and ``response``; the rest is optional, and a figure whose key some sample lacks is left out:
``prompt``, ``prompt_tokens``, ``response_tokens``, ``stop``, ``outcome``, ``format_ok``, ``code``, ``violations`` (a list),
``tool_calls``, ``claims`` and ``citations`` (numbers).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from conformed.errors import GivenValueError
from conformed_plugins.training.runs.answers import find_answer

__all__ = ["PHRASE_TIMES", "PHRASE_WORDS", "Sample", "behaviour_metrics", "has_repeated_phrase", "switches_script"]

Sample = Mapping[str, Any]
PHRASE_WORDS, PHRASE_TIMES = 6, 3
"""A phrase is repeated when so many words in a row stand so many times in a response."""
_WORD = re.compile(r"\w+")
_CODE = re.compile(r"[^a-z0-9_:-]+")


def behaviour_metrics(samples: Sequence[Sample]) -> dict[str, float | int]:
    """The figures of some samples, by the names of ``names``.

    Args:
        samples: of one update.

    Raises:
        GivenValueError: for a sample without ``item`` or ``response``.
    """
    if not samples:
        return {}
    for one in samples:
        if not isinstance(one.get("item"), str) or not isinstance(one.get("response"), str):
            raise GivenValueError("A sample has no item or no response.", "Give both, as text.")
    total = len(samples)
    answers = [find_answer(one["response"]) for one in samples]
    ends = [one.end for one in answers if one.end is not None]
    figures: dict[str, float | int] = {
        "responses": total,
        "invalid_answer_rate": sum(one.count == 0 for one in answers) / total,
        "multiple_answer_rate": sum(one.count > 1 for one in answers) / total,
        "repeated_phrase_rate": sum(has_repeated_phrase(one["response"]) for one in samples) / total,
        "language_switch_rate": sum(switches_script(one["response"], one.get("prompt", "")) for one in samples) / total,
    }
    if ends:
        figures["answer_end_mean"] = sum(ends) / len(ends)
    unique = _unique([one["item"] for one in samples], [one.text for one in answers])
    if unique is not None:
        figures["unique_answer_rate"] = unique
    figures |= _lengths(samples) | _codes(samples)
    if (stops := _all(samples, "stop", str)) is not None:
        figures |= {f"stop:{_word(stop)}": count / total for stop, count in sorted(Counter(stops).items())}
    if (forms := _all(samples, "format_ok", bool)) is not None:
        figures["form_valid_rate"] = sum(forms) / total
    if (outcomes := _all(samples, "outcome", str)) is not None:
        figures["review_rate"] = outcomes.count("review") / total
        figures["error_rate"] = outcomes.count("error") / total
    if (calls := _all(samples, "tool_calls", int)) is not None:
        figures["tool_calls_mean"] = sum(calls) / total
    claims, citations = _all(samples, "claims", int), _all(samples, "citations", int)
    if claims is not None and citations is not None and sum(claims):
        figures["citations_per_claim"] = sum(citations) / sum(claims)
    return figures


def has_repeated_phrase(text: str) -> bool:
    """Whether PHRASE_WORDS words in a row stand PHRASE_TIMES times or more."""
    words = _WORD.findall(text.lower())
    counts = Counter(tuple(words[at : at + PHRASE_WORDS]) for at in range(len(words) - PHRASE_WORDS + 1))
    return max(counts.values(), default=0) >= PHRASE_TIMES


def switches_script(response: str, prompt: str) -> bool:
    """Whether a response has a letter of a script (Cyrillic, Han ...) of which its prompt has none; Latin is always at home."""
    return bool(_scripts(response) - _scripts(prompt) - {"LATIN"})


def _scripts(text: str) -> set[str]:
    """Scripts of the letters beyond ASCII, by the first word of their names."""
    letters = {
        character for character in text if character > "\x7f" and unicodedata.category(character) in ("Lo", "Ll", "Lu", "Lt")
    }
    return {unicodedata.name(letter, "UNKNOWN").split()[0] for letter in letters}


def _unique(items: Sequence[str], answers: Sequence[str | None]) -> float | None:
    """Different answers over samples, of the items with two samples or more; a response without an answer is a value, too."""
    groups: dict[str, list[str | None]] = {}
    for item, answer in zip(items, answers, strict=True):
        groups.setdefault(item, []).append(answer)
    shares = [len(set(group)) / len(group) for group in groups.values() if len(group) > 1]
    return math.fsum(shares) / len(shares) if shares else None


def _lengths(samples: Sequence[Sample]) -> dict[str, float | int]:
    figures: dict[str, float | int] = {}
    if (prompts := _all(samples, "prompt_tokens", int)) is not None:
        figures["prompt_tokens_mean"] = sum(prompts) / len(prompts)
    if (lengths := _all(samples, "response_tokens", int)) is not None:
        ordered = sorted(lengths)
        figures["mean_response_tokens"] = sum(lengths) / len(lengths)
        figures["response_tokens_p90"] = ordered[math.ceil(0.9 * len(ordered)) - 1]  # the nearest rank
    return figures


def _codes(samples: Sequence[Sample]) -> dict[str, int]:
    reasons = Counter(_word(one["code"]) for one in samples if isinstance(one.get("code"), str))
    violations = Counter(_word(code) for one in samples for code in one.get("violations", ()) if isinstance(code, str))
    return {f"code:{code}": count for code, count in reasons.items()} | {
        f"violation:{code}": count for code, count in violations.items()
    }


def _all(samples: Sequence[Sample], name: str, kind: type) -> list[Any] | None:
    """A key's values, where every sample has one of that type exactly."""
    values = [one.get(name) for one in samples]
    return values if all(type(value) is kind or (kind is str and isinstance(value, str)) for value in values) else None


def _word(code: str) -> str:
    """A code as the last part of a series' name."""
    return _CODE.sub("_", code.lower()).strip("_:-") or "none"
