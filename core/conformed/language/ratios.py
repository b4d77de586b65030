"""Ratio tokens: ``3.50 to 1.00``, ``3.50:1``, ``3.50x``, ``375 per cent.``, ``three and one-half to one``; and what is not one.

A token is read whole or refused: a letter among its digits, a decimal comma, a second term that is not one, or words that
disagree with figures make a doubt with the raw token, never a number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["RatioToken", "find_ratios", "number_words"]

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20,
}  # fmt: skip
_PARTS = {"half": Fraction(1, 2), "third": Fraction(1, 3), "quarter": Fraction(1, 4), "fourth": Fraction(1, 4), "tenth": Fraction(1, 10),
          "quarters": Fraction(1, 4), "fourths": Fraction(1, 4), "thirds": Fraction(1, 3), "tenths": Fraction(1, 10)}  # fmt: skip
_UNIT_WORDS = "|".join(sorted(_UNITS, key=len, reverse=True))
_WORDS = (
    rf"(?:(?:{_UNIT_WORDS})(?:[\s-]+point(?:[\s-]+(?:{_UNIT_WORDS}))+"
    rf"|(?:\s+and)?[\s-]+(?:{_UNIT_WORDS}|a)[\s-]+(?:{'|'.join(sorted(_PARTS, key=len, reverse=True))}))?)"
)
_FIGURE = r"(?:\d+[\s-]+\d/\d|\d*[\u00bc\u00bd\u00be]|[0-9][0-9OolISBZ]*(?:[.,]{1,2}[0-9OolISBZ]+)*|[OlISBZ][.,]\d[0-9OolISBZ]*)"
_YEAR = r"(?!(?:19|20)\d\d\s*:)"  # "June 30, 2026: 4.75 to 1.00" holds one ratio
_NUMBERED = r"(?<!ection\s)(?<!SECTION\s)(?<!lause\s)(?<!ragraph\s)"  # "in Section 7.11 to 5.00 to 1.00" holds one ratio
_ONE = r"(?:one\b|[0-9OolI]+(?:[.,:][0-9OolI]+)*)"
_TOKEN = re.compile(
    rf"(?<![\w.,:/$£€-])(?:(?P<words>{_WORDS})\s*\(\s*(?P<paren>{_FIGURE})\s*\)\s*(?:to|:)\s*(?P<one_a>{_ONE})(?:\s*\(\s*1(?:\.0+)?\s*\))?"
    rf"|(?P<only>{_WORDS})\s+to\s+(?P<one_b>one)(?:\s*\(\s*(?P<after>{_FIGURE})\s*(?:to|:)\s*1(?:\.0+)?\s*\))?"
    rf"|{_NUMBERED}{_YEAR}(?P<figure>{_FIGURE})\s*(?:(?:to|:)\s*(?P<one_c>{_ONE})(?![\w%])|(?P<times>[xX]|\s?times)(?![\w]))"
    rf"|(?P<percent>\d+(?:\.\d+)?)\s*(?:%|per\s?cent\.?|percent)(?=\s+of\b))",
    re.IGNORECASE,
)
_CLEAN = re.compile(r"\d+(?:\.\d+)?")
_VULGAR = {"\u00bc": Fraction(1, 4), "\u00bd": Fraction(1, 2), "\u00be": Fraction(3, 4)}


@dataclass(frozen=True, slots=True)
class RatioToken:
    """One ratio in a text.

    Attributes:
        start: first offset.
        end: one past the last.
        raw: as written.
        value: exact quotient; None where the token is refused.
        places: decimals as written; None where it is not written as a decimal.
        form: ``to``, ``times``, ``percent`` or ``words``.
        problem: reason code where the token is refused or open.
        readings: where two readings are open, both.
    """

    start: int
    end: int
    raw: str
    value: Fraction | None
    places: int | None
    form: str
    problem: str = ""
    readings: tuple[Fraction, ...] = ()


def number_words(text: str) -> Fraction | None:
    """Reads small numbers in words (``three and one-half``, ``three point seven five``); None if not wholly understood."""
    words = [w for w in re.split(r"[\s-]+", text.lower().strip()) if w and w != "and"]
    if not words or words[0] not in _UNITS:
        return None
    whole = Fraction(_UNITS[words[0]])
    rest = words[1:]
    if not rest:
        return whole
    if rest[0] == "point":
        digits = [_UNITS.get(w, 99) for w in rest[1:]]
        if not digits or any(d > 9 for d in digits):
            return None
        return whole + Fraction(int("".join(map(str, digits))), 10 ** len(digits))
    if len(rest) == 2 and (rest[0] in _UNITS or rest[0] == "a") and rest[1] in _PARTS:
        return whole + _UNITS.get(rest[0], 1) * _PARTS[rest[1]]
    return None


def _figure(raw: str) -> tuple[Fraction | None, int | None]:
    if _CLEAN.fullmatch(raw):
        return Fraction(raw), len(raw.partition(".")[2])
    mixed = re.fullmatch(r"(\d+)[\s-]+(\d)/(\d)", raw)
    if mixed and mixed[3] != "0":
        return int(mixed[1]) + Fraction(int(mixed[2]), int(mixed[3])), None
    if raw and raw[-1] in _VULGAR and (raw[:-1].isdigit() or not raw[:-1]):
        return Fraction(raw[:-1] or 0) + _VULGAR[raw[-1]], None
    return None, None


def _is_one(raw: str) -> bool:
    return raw.lower() == "one" or re.fullmatch(r"1(?:\.0+)?", raw) is not None


def find_ratios(text: str, start: int = 0, end: int | None = None) -> list[RatioToken]:
    """All ratio tokens of a text, in order, refused ones included.

    Dates, clock times and section numbers do not match: a second term that is neither one nor near it is no ratio.
    """
    found: list[RatioToken] = []
    for m in _TOKEN.finditer(text, start, len(text) if end is None else end):
        token = _read(m)
        if token is not None:
            found.append(token)
    return found


def _read(m: re.Match[str]) -> RatioToken | None:
    raw = " ".join(m[0].split())
    place = (m.start(), m.end(), raw)
    if m["percent"]:
        value = Fraction(m["percent"]) / 100
        return RatioToken(*place, value, None, "percent")
    if m["times"]:
        value_x, places = _figure(m["figure"])
        return RatioToken(*place, value_x, places, "times", "" if value_x is not None else "review_numeric_token_malformed")
    if m["words"] or m["only"]:
        return _read_words(m, place)
    second = m["one_c"].rstrip(".:,")
    value_f, places = _figure(m["figure"])
    if value_f is not None and _is_one(second):
        return RatioToken(*place, value_f, places, "to")
    # 3.5O to 1.00, 3,50:1, 3.55:1:00, 6.5 to 10.0 look like ratios and are not readable as one; 12:30 and 3 to 5 are none at all.
    odd = r"[.,]\d*[OolISBZ]|[OolISBZ]\d*[.,]|\d,\d\d(?!\d)|[.,]{2}" + (r"|\.\d+\.\d" if "." in second else "")
    looks = bool(re.search(odd, m["figure"])) and bool(re.match(r"[1lI]", second))
    spoilt_one = "." in m["figure"] and re.fullmatch(
        r"1[.:][0O]+(?:[.:][0O]+)+|1:[0O]+|10\.0+|1[.,][0-9OolI]*[OolI][0-9OolI]*", second
    )
    if looks or spoilt_one:
        return RatioToken(*place, None, None, "to", "review_numeric_token_malformed")
    return None


def _read_words(m: re.Match[str], place: tuple[int, int, str]) -> RatioToken | None:
    words = number_words(m["words"] or m["only"])
    figures_raw = m["paren"] or m["after"]
    if m["words"] and not _is_one(m["one_a"]):
        return None
    if words is None:
        return None
    if figures_raw is None:
        return RatioToken(*place, words, None, "words")
    figures, places = _figure(figures_raw)
    if figures is None:
        return RatioToken(*place, None, None, "words", "review_numeric_token_malformed", (words,))
    if figures != words:
        return RatioToken(*place, None, places, "words", "review_words_figures_conflict", (words, figures))
    return RatioToken(*place, words, places, "words")
