"""Amounts that may be negative: a minus sign in any of its forms."""

from __future__ import annotations

import re

__all__ = ["negative"]

_WORDED = re.compile(
    r"(?:dollars?|pounds?|sterling|euros?|/100|\b(?:hundred|thousand|million|billion|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|"
    r"(?:twen|thir|for|fif|six|seven|eigh|nine)ty))\W*$",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?:(?<![^\s(\[])[-\u2212\u2013]|<\s*|\b(?:negative|minus)\s+(?:an?\s+amount\s+of\s+)?)$", re.IGNORECASE)
"""A dash with a space behind it ("Liquidity - $5,000,000") is none."""


def negative(text: str, start: int, end: int) -> bool:
    """Whether an amount may be a negative one: ``-$5``, ``<$5>``, ``($5)`` that repeats no words, ``negative $5``.

    An amount in brackets right behind its words (``Five Million Dollars ($5,000,000)``) is not.

    Args:
        text: the text.
        start: where the amount's token begins.
        end: one past its end.
    """
    before = text[max(0, start - 60) : start]
    if _MINUS.search(before):
        return True
    opened = re.search(r"\(\s*$", before)
    return bool(opened and re.match(r"\s*\)", text[end:]) and not _WORDED.search(before[: opened.start()]))
