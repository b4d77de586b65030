"""Words of scale beside an amount: a level of "$19,000 (in thousands)" is read by a person."""

from __future__ import annotations

import re

from conformed.language.conditions import Found

__all__ = ["scaled"]

_SCALE = re.compile(
    r"\bin\s+(?:(?:U\.?S\.?|US)?\s*\$?\s*)?(?:thousands|millions|billions)\b|\b(?:thousands|millions)\s+of\s+(?:U\.?S\.?\s+)?dollars\b|"
    r"[($\u20ac\u00a3]\s*'?000(?:'?s)?(?:\s+omitted)?\s*\)?(?![\d,.])|\(\s*\$?\s*(?:MM|mm|M|millions?|thousands?)\s*\)",
)


def scaled(text: str, start: int, end: int, lead: str) -> list[Found]:
    """A doubt where words of scale ("(in thousands)") stand in the provision of an amount, or above it.

    Args:
        text: the text.
        start: where the provision begins.
        end: one past its end.
        lead: words of the enclosing provision.
    """
    m = _SCALE.search(text, start, end)
    if m is None and not _SCALE.search(lead):
        return []
    at = (m.start(), m.end()) if m else (start, start)
    return [
        Found(
            *at,
            "review_scale_unknown",
            None,
            "A scale is written beside the amounts; for which of them it counts was not settled.",
        )
    ]
