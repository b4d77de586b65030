"""What no rule can read for certain: digits of other scripts, and numbers of endless length."""

from __future__ import annotations

import re

__all__ = ["unreadable"]

_LONG_NUMBER = re.compile(r"[0-9][0-9.,]{199}")


def unreadable(text: str) -> bool:
    """Whether a text has digits that are not ASCII, or a number of 200 signs and more: nobody can tell by rule what is meant."""
    if not text.isascii() and any(mark.isdigit() and not mark.isascii() for mark in text):
        return True
    return len(text) >= 200 and _LONG_NUMBER.search(text) is not None
