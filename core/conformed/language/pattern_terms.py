"""A rounding clause beside a covenant, as data."""

from __future__ import annotations

import re

from conformed.language.pattern_words import Value

__all__ = ["rounding_of"]

_ROUND = re.compile(
    r"(?P<more>(?:worked\s+out|carried|calculated|computed|taken|carrying|extended|expressed|determined|round(?:ed|ing)(?:\s+first)?)\b[^.;]{0,60}?\bone\s+"
    r"(?:(?:decimal\s+)?(?:place|digit|figure)\s+(?:more|further|beyond)|(?:further|additional|extra|more)\s+(?:decimal\s+)?(?:place|digit|figure))\b[^.;,]{0,120}?(?=\s+and\b|[,.;]|\s*$))"
    r"[^.;]{0,40}?\bround(?:ed|ing)\b(?P<rest>[^.;]*)",
    re.IGNORECASE,
)
_HALF = re.compile(
    r"(?:an?\s+)?(?:exact\s+)?(?:half|halves|fives?|\.5)\b[^.;,]{0,30}?\b(?P<way>up(?:ward)?s?|down(?:ward)?s?|even)\b|\bround(?:ed|ing)?[- ](?P<other>up|down)\b",
    re.IGNORECASE,
)


def rounding_of(text: str, places: int | None, spans: dict[str, tuple[int, int]]) -> dict[str, Value] | None:
    """A rounding clause beside the covenant; ``places`` are those of the level as written."""
    m = _ROUND.search(text)
    if m is None:
        return None
    spans["rounding"] = m.span("more")
    half = _HALF.search(text, m.start("rest"), m.end("rest"))
    way = (half["way"] or half["other"] or "").lower() if half else ""
    if half:
        spans["half"] = half.span()
    carry = "round_one_more" if re.search(r"\bround", m["more"], re.IGNORECASE) else "truncate_one_more"
    return {
        "rule": "stated_places",
        "places": places,
        "carry": carry,
        "half": "up" if way.startswith("up") else "down" if way.startswith("down") else "even" if way else None,
    }
