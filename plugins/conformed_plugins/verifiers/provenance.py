"""The provenance verifier: every field of a candidate quotes a given source, letter by letter, at the place it names."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed_plugins.verifiers.options import ProvenanceOptions
from conformed_plugins.verifiers.strict_json import plain, read_json, written

__all__ = ["ProvenanceVerifier"]

VERSION = "1.0.0"
_SCALE = re.compile(r"\s?(?:%|per\s?cent|thousand|million|billion|trillion|mm?\b|mn\b|bn\b|k\b)", re.IGNORECASE)
"""Words that make another number of the one before them."""


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Quote(_Closed):
    source: str
    start: Annotated[int, Field(ge=0)] | None = None
    end: Annotated[int, Field(ge=0)] | None = None
    text: Annotated[str, Field(min_length=1)]


_Value = str | int | bool | None


class _Field(_Closed):
    value: _Value
    spans: Annotated[list[_Quote], Field(min_length=1)]


class _Answer(_Closed):
    fields: Annotated[dict[str, _Field], Field(min_length=1)]


class _Facts(_Closed):
    sources: Annotated[dict[str, str], Field(min_length=1)]
    required: list[str] = []


class ProvenanceVerifier:
    """Checks quotations.

    The candidate is JSON: ``{"fields": {NAME: {"value": ..., "spans": [{"source": NAME, "start": 0, "end": 9,
    "text": "..."}]}}}``; start and end count code points and may be left out where the words stand once in the source.

    Facts: ``sources`` (texts by name) and ``required`` (names of fields that must be there). A reference, where there is one, is
    JSON of the right values by name.

    Args:
        options: limits.
    """

    def __init__(self, options: ProvenanceOptions | None = None) -> None:
        self._options = options or ProvenanceOptions()

    def check(self, request: AnswerCheck) -> AnswerVerdict:
        """correct: every quotation stands, shows its value, and the values are right; incorrect: one does not stand or is wrong.

        review: a value that its quotation does not show as written, or a place that cannot be told; error: bad facts.
        """
        outcome, code = self._found(request)
        return AnswerVerdict(outcome=outcome, code=code, verifier="provenance", version=VERSION)

    def _found(self, request: AnswerCheck) -> tuple[Outcome, str]:
        given = {name: plain(value) for name, value in request.facts.items() if name in ("sources", "required")}
        try:
            facts = _Facts.model_validate(given)
        except ValidationError:
            return Outcome.ERROR, "facts_malformed" if "sources" in given else "sources_missing"
        right, code = read_json(request.reference) if request.reference else ({}, "")
        if code or not isinstance(right, dict):
            return Outcome.ERROR, "reference_malformed"
        read, code = read_json(request.candidate, characters=self._options.characters)
        if code:
            return Outcome.REVIEW, code
        try:
            fields = _Answer.model_validate(read).fields
        except ValidationError:
            return Outcome.REVIEW, "answer_malformed"
        code = next((code for one in fields.values() for quote in one.spans if (code := _wrong(quote, facts.sources))), "")
        if not code and not set(facts.required) | set(right) <= set(fields):
            code = "field_missing"
        if not code and any(written(fields[name].value) != written(value) for name, value in right.items()):
            code = "field_differs"
        if code:
            return Outcome.INCORRECT, code
        places = {name: [_place(quote, facts.sources[quote.source]) for quote in one.spans] for name, one in fields.items()}
        if any(start is None for starts in places.values() for start in starts):
            return Outcome.REVIEW, "quote_ambiguous"
        for name, one in fields.items():
            if not any(
                _shown(one.value, facts.sources[q.source], at, len(q.text)) for q, at in zip(one.spans, places[name], strict=True)
            ):
                return Outcome.REVIEW, "value_not_shown"
        return Outcome.CORRECT, "every_field_quoted"


def _wrong(quote: _Quote, sources: dict[str, str]) -> str:
    """Why a quotation does not stand; empty where it does."""
    source = sources.get(quote.source)
    if source is None:
        return "source_unknown"
    if quote.start is None or quote.end is None:
        return "" if quote.text in source else "quote_differs"
    stands = quote.end <= len(source) and source[quote.start : quote.end] == quote.text
    return "" if stands else "quote_differs"


def _place(quote: _Quote, source: str) -> int | None:
    """Where a quotation that stands begins; None where that cannot be told."""
    if quote.start is not None and quote.end is not None:
        return quote.start
    first = source.find(quote.text)
    return first if quote.start is quote.end is None and source.find(quote.text, first + 1) < 0 else None


def _shown(value: _Value, source: str, start: int | None, length: int) -> bool:
    """Whether a value can be read in a quotation, as a whole word or number.

    It is looked at in the source, so that a quotation which cuts a number short shows nothing.
    """
    if isinstance(value, bool) or value is None or value == "" or start is None:
        return False
    text, end = str(value), start + length
    at = source.find(text, start, end)
    while at >= 0:
        after = at + len(text)
        if not _joined(source[max(0, at - 2) : at][::-1], text[0]) and not _joined(source[after : after + 2], text[-1]):
            signed = text[0].isdecimal() and source[max(0, at - 1) : at] in ("-", "−", "–")
            scaled = text[-1].isdecimal() and _SCALE.match(source, after) is not None
            if not signed and not scaled:
                return True
        at = source.find(text, at + 1, end)
    return False


def _joined(beside: str, edge: str) -> bool:
    """Whether what stands beside belongs to the same word or number: ``4.75`` in ``14.75`` or ``4.755``, ``.75`` in ``4.75``."""
    if not beside:
        return False
    if beside[0].isalnum() or beside[0] == "_":
        return edge.isalnum() or edge in "_.,-/−"
    return edge.isdecimal() and beside[0] in ".,/" and beside[1:].isdecimal()
