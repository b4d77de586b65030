"""The one rule for characters beyond ASCII, and for length.

Mapped: the minus sign (U+2212) to ``-``; the no-break, figure, thin and narrow no-break spaces (U+00A0, U+2007, U+2009,
U+202F) to a space. Each of them is one way to print the same thing. Everything else beyond ASCII is refused: digits of
other scripts, full-width forms, dashes of any length (a range may be meant), letters that only look like Latin ones, and
marks that cannot be seen. Currency signs are left for the reader of money. White space at both ends is left out.
"""

from __future__ import annotations

__all__ = ["LONGEST", "plain"]

LONGEST = 640
"""Most characters: below the least limit that Python can be given for turning digits into an int, so that none is ever met."""

_MAPPED = {"\u2212": "-", "\u00a0": " ", "\u2007": " ", "\u2009": " ", "\u202f": " "}
_TABLE = str.maketrans(_MAPPED)


def plain(text: str, *, signs: str = "") -> str | None:
    """The text in ASCII, or None where it is too long or has a character that the rule does not map.

    Args:
        text: an answer.
        signs: characters beyond ASCII that may stay, such as currency signs.

    Raises:
        TypeError: when the answer is no text.
    """
    if not isinstance(text, str):
        raise TypeError(f"An answer of type {type(text).__name__} is no text. Give a str.")
    if len(text) > LONGEST:
        return None
    if not text.isascii():
        text = text.translate(_TABLE)
        if not text.isascii() and not all(mark in signs for mark in text if not mark.isascii()):
            return None
    return text.strip(" \t\n\r\f\v")
