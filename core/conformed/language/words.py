"""Number words and mixed numbers: a closed grammar that reads a text whole or not at all.

``twenty-five million``, ``three and one-half``, ``3 1/2``, ``3½``, ``one hundred and twenty-three thousand``. Anything
that is not consumed to its last word gives None; nothing is guessed ("two million five hundred thousand" is 2,500,000,
"two five hundred" is nothing).
"""

from __future__ import annotations

import re
from fractions import Fraction

__all__ = ["mixed_number", "number_in_words", "ratio_in_words"]

_UNITS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * (index + 2)
    for index, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "fifth": 5, "fifths": 5, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10, "hundredth": 100, "hundredths": 100,
}  # fmt: skip
_VULGAR = {
    "¼": Fraction(1, 4), "½": Fraction(1, 2), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3),
    "⅕": Fraction(1, 5), "⅛": Fraction(1, 8), "⅜": Fraction(3, 8), "⅝": Fraction(5, 8), "⅞": Fraction(7, 8),
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+")


def _words(text: str) -> list[str] | None:
    """Lower-case words, or None where anything but words, hyphens, commas and white space stands in the text."""
    if re.fullmatch(r"[A-Za-z,\s‐‑-]+", text) is None:
        return None
    return [word.lower() for word in _WORD.findall(text)]


def _below_hundred(words: list[str], at: int) -> tuple[int, int] | None:
    if at >= len(words):
        return None
    if words[at] in _TENS:
        value = _TENS[words[at]]
        if at + 1 < len(words) and 1 <= _UNITS.get(words[at + 1], 0) <= 9:
            return value + _UNITS[words[at + 1]], at + 2
        return value, at + 1
    if words[at] in _UNITS:
        return _UNITS[words[at]], at + 1
    return None


def _below_thousand(words: list[str], at: int) -> tuple[int, int] | None:
    head = (1, at + 1) if words[at : at + 2] == ["a", "hundred"] else _below_hundred(words, at)
    if head is None:
        return None
    value, at = head
    if at < len(words) and words[at] == "hundred" and 1 <= value <= 99:
        value, at = value * 100, at + 1
        skip = 1 if at < len(words) and words[at] == "and" else 0
        rest = _below_hundred(words, at + skip)
        if rest is not None and rest[0] > 0 and not _starts_part(words, at + skip):
            return value + rest[0], rest[1]
    return value, at


def _starts_part(words: list[str], at: int) -> bool:
    """Whether a fraction such as ``one half`` or ``three quarters`` starts here."""
    return at + 1 < len(words) and _UNITS.get(words[at], 0) >= 1 and words[at + 1] in _PARTS


def _cardinal(words: list[str], at: int) -> tuple[int, int] | None:
    """Groups of falling scale: ``two million five hundred thousand and one``."""
    total, ceiling, found = 0, 10**15, False
    while at < len(words):
        skip = 1 if found and words[at] == "and" else 0
        if _starts_part(words, at + skip):
            break
        group = _below_thousand(words, at + skip) if at + skip < len(words) else None
        if group is None:
            break
        value, after = group
        scale = _SCALES.get(words[after], 1) if after < len(words) else 1
        if scale >= ceiling or (scale > 1 and value == 0) or (found and value == 0):
            return None
        total, ceiling, found, at = total + value * scale, scale, True, after + (1 if scale > 1 else 0)
        if scale == 1:
            break
    return (total, at) if found else None


def number_in_words(text: str) -> Fraction | None:
    """The value of a text that is nothing but number words, else None.

    Reads cardinals below a thousand trillion, fractions (``one-half``, ``three quarters``), mixed numbers (``three and
    one-half``) and spoken decimals (``three point seven five``).
    """
    words = _words(text)
    if not words:
        return None
    if _starts_part(words, 0) and len(words) == 2:
        return Fraction(_UNITS[words[0]], _PARTS[words[1]])
    head = _cardinal(words, 0)
    if head is None:
        return None
    whole, at = head
    rest = words[at:]
    if not rest:
        return Fraction(whole)
    if rest[0] == "point" and len(rest) > 1 and all(_UNITS.get(word, 10) <= 9 for word in rest[1:]):
        digits = "".join(str(_UNITS[word]) for word in rest[1:])
        return whole + Fraction(int(digits), 10 ** len(digits))
    if rest[0] == "and":
        rest = ["one", *rest[2:]] if rest[1:2] == ["a"] else rest[1:]
        if len(rest) == 2 and _starts_part(rest, 0) and _UNITS[rest[0]] < _PARTS[rest[1]]:
            return whole + Fraction(_UNITS[rest[0]], _PARTS[rest[1]])
    return None


def mixed_number(text: str) -> Fraction | None:
    """The value of ``3 1/2``, ``3-1/2``, ``3½``, ``½`` or ``7/2``, else None."""
    folded = text.replace("\u00a0", " ").replace("⁄", "/").strip()
    vulgar = re.fullmatch(r"(\d{1,4})?[ -]?([¼½¾⅓⅔⅕⅛⅜⅝⅞])", folded)
    if vulgar:
        return Fraction(int(vulgar[1] or 0)) + _VULGAR[vulgar[2]]
    plain = re.fullmatch(r"(?:(\d{1,4})[ -])?(\d{1,4})/(\d{1,4})", folded)
    if plain is None or int(plain[3]) == 0:
        return None
    part = Fraction(int(plain[2]), int(plain[3]))
    if plain[1] is None:
        return part
    return int(plain[1]) + part if part < 1 else None


def _term(text: str) -> Fraction | None:
    text = text.strip()
    if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text):
        return Fraction(text)
    value = mixed_number(text)
    return value if value is not None else number_in_words(text)


def ratio_in_words(text: str) -> Fraction | None:
    """The quotient of ``three and one-half to one``, ``3½ to 1`` or ``3 1/2 to 1.0``, else None."""
    parts = re.split(r"\s+to\s+|\s*:\s*", text.strip())
    if len(parts) != 2:
        return None
    left, right = _term(parts[0]), _term(parts[1])
    if left is None or right is None or right == 0:
        return None
    return left / right
