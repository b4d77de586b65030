"""Amounts that an exception lets through ("no Debt, except for ... other debt not to exceed $1,000,000"): baskets, no tests of a figure."""

from __future__ import annotations

import re

from conformed.language.conditions import Found

__all__ = ["carved_out"]

_EXCEPT = re.compile(
    r"\bexcept(?:ing)?\b(?!\s+as\b)|\b(?:other\s+than|save)\b(?=[^.]*\((?:[a-z]|[ivx]{1,4}|\d)\))", re.IGNORECASE
)


def carved_out(text: str, subject_end: int, predicate: int) -> list[Found]:
    """A doubt where an exception opens between the figure and the words that bound an amount.

    What is bound is then the thing excepted, not the figure that stands first. Ratios need no such look: every word before
    their level is accounted for elsewhere.

    Args:
        text: the text.
        subject_end: one past the figure's name.
        predicate: where the bounding words begin.
    """
    m = _EXCEPT.search(text, subject_end, predicate)
    if m is None:
        return []
    words = "The amount bounds an exception, so that which figure is tested is not plain."
    return [Found(m.start(), m.end(), "review_clause_not_fully_read", None, words)]
