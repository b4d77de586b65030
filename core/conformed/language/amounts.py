"""Money and plain numbers: a closed grammar. A token is read whole, or refused with the question that a person must answer.

Never guessed: the decimal mark of ``EUR 1.250`` in a document whose habit is unknown, the dollar of a bare ``$``, the
meaning of a capital ``M``, a lone ``(1)`` (minus one, or a note mark), a dash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction

from conformed.language.currency import CODES, SIGNS, UNKNOWN, currency_of
from conformed.language.words import mixed_number, number_in_words
from conformed.model.base import Exact, Frozen, Missing

__all__ = [
    "Amount",
    "Convention",
    "convention_of",
    "find_amounts",
    "fold",
    "is_dash",
    "is_nil",
    "read_amount",
    "read_number",
    "words_and_digits",
]

MALFORMED = "review_numeric_token_malformed"


class Convention(StrEnum):
    """How one document writes its numbers."""

    POINT = "point"
    """``1,250,000.00``: comma between groups, point before decimals."""
    COMMA = "comma"
    """``1.250.000,00``."""
    APOSTROPHE = "apostrophe"
    """``1'250'000.00``."""
    INDIAN = "indian"
    """``12,50,000.00``."""


class Amount(Frozen):
    """A number that was read to its last character."""

    value: Exact
    """In whole units, after the token's own scale word."""
    currency: str | None
    """ISO 4217; ``XXX`` for a dollar sign that the document does not settle; None where no currency is written."""
    raw: str
    """As written."""
    scale: int = 1
    """What the token's own scale word multiplies by; 1 where it has none."""
    places: int = 0
    """Decimals as written."""
    note: str = ""
    """A note mark that follows, such as ``(1)``."""


_FORMS: dict[Convention, str] = {
    Convention.POINT: r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?",
    Convention.COMMA: r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d+)?",
    Convention.APOSTROPHE: r"\d{1,3}(?:'\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?",
    Convention.INDIAN: r"\d{1,2}(?:,\d{2})*,\d{3}(?:\.\d+)?|\d+(?:\.\d+)?",
}
_PROOFS: dict[Convention, str] = {  # what only one habit can have written
    Convention.POINT: r"\d{1,3}(?:,\d{3}){2,}(?:\.\d+)?|\d{1,3}(?:,\d{3})+\.\d{1,2}|\d{1,2}\.\d{1,2}(?=\s*(?:x\b|:\s*1|"
    r"to\s+1|%|million|billion))",
    Convention.COMMA: r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,2},\d{1,2}(?=\s*(?:x\b|:\s*1|"
    r"to\s+1|%|million|billion))",
    Convention.APOSTROPHE: r"\d{1,3}(?:'\d{3})+(?:\.\d+)?",
    Convention.INDIAN: r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?",
}
_SCALES = {
    "thousand": 10**3, "k": 10**3, "million": 10**6, "millions": 10**6, "mm": 10**6, "mn": 10**6, "m": 10**6,
    "billion": 10**9, "bn": 10**9, "b": 10**9, "trillion": 10**12,
}  # fmt: skip
_SIGN = "|".join(re.escape(sign) for sign in sorted(SIGNS, key=len, reverse=True)) + r"|\$|" + "|".join(sorted(CODES))
_SCALE = r"thousand|millions?|billion|trillion|MM|mm|mn|bn|m|M|k|b"
_FOLD = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "−": "-", "’": "'", "\uff04": "$"})
_TOKEN = re.compile(
    rf"(?P<open>\()?\s?(?P<minus>-)?\s?(?P<sign>{_SIGN})?\s{{0,3}}(?P<inner>\()?(?P<minus2>-)?(?P<number>\d[\d.,']*\d|\d)"
    rf"(?:\s?(?P<scale>{_SCALE})(?![A-Za-z]))?(?:\s(?P<after>{'|'.join(sorted(CODES))}|"
    rf"[Dd]ollars))?\s?(?P<close>\))?(?:\s?(?P<note>\(\d{{1,2}}\)|\*+|†))?"
)
_IN_TEXT = re.compile(
    rf"(?<![A-Za-z0-9$€£¥₹.,])(?:{_SIGN})\s{{0,3}}-?\d(?:[\d.,']*\d)?(?:\s?(?:{_SCALE})(?![A-Za-z]))?(?:\s[Dd]ollars)?"
)

_LOOK_BACK = 160
_WORDS_OF_MONEY = re.compile(
    r"((?:[A-Za-z-]+,?\s+){1,16})(?:U\.S\.\s+|United\s+States\s+)?(?:[Dd]ollars?|[Pp]ounds(?:\s+[Ss]terling)?|[Ee]uros?)\s*\(\s*$"
)


def fold(text: str) -> str:
    """Odd spaces, minus signs and apostrophes as plain ones, one for one, so that offsets keep."""
    return text.translate(_FOLD)


def is_dash(text: str) -> bool:
    """Whether a cell holds only a dash: zero in a column that adds up so, else nothing (rule CA-03)."""
    return re.fullmatch(r"\(?[$€£]?\s*[-–—‐]+\s*\)?", fold(text).strip()) is not None


def is_nil(text: str) -> bool:
    """Whether a cell says in words that the figure is zero."""
    return fold(text).strip().lower().strip(".$ ") in ("nil", "none", "zero", "-0-")


def convention_of(text: str) -> Convention | None:
    """The one habit that a document's own numbers prove; None where none or more than one is proved."""
    text = fold(text)
    shown = {name for name, proof in _PROOFS.items() if re.search(rf"(?<![\d.,'])(?:{proof})(?![\d']|[.,]\d)", text)}
    return shown.pop() if len(shown) == 1 else None


def read_number(text: str, convention: Convention | None = None) -> Fraction | Missing:
    """An unsigned number as written, in one habit.

    Args:
        text: the token, without sign, currency or scale.
        convention: the document's habit; None where it is not known, and then only a token that every habit reads alike,
            or that one habit alone can have written, is read.
    """
    text = fold(text).strip()
    tried = (convention,) if convention else (Convention.POINT, Convention.COMMA, Convention.APOSTROPHE)
    values = {_value(text, habit) for habit in tried if re.fullmatch(_FORMS[habit], text)}
    if convention is None and re.fullmatch(r"\d+,\d+", text):  # 5,00 may be a slip for 5,000 as well as a decimal comma
        values |= {_value(text, Convention.POINT), _value(text, Convention.COMMA)}
    if len(values) == 1:
        return values.pop()
    if values:
        return Missing(reason=f"{text!r} has two readings and the document does not show which mark is decimal.", code=MALFORMED)
    return Missing(reason=f"{text!r} is not a number as the document writes numbers.", code=MALFORMED)


def _value(text: str, habit: Convention) -> Fraction:
    if habit is Convention.COMMA:
        return Fraction(text.replace(".", "").replace(",", "."))
    return Fraction(text.replace(",", "").replace("'", ""))


def read_amount(
    text: str, *, convention: Convention | None = None, home: str = UNKNOWN, capital_m: int | None = None
) -> Amount | Missing:
    """Reads one amount to its last character, or says what must be asked.

    Args:
        text: the token alone, e.g. ``$(3,118)``, ``£2.5m``, ``U.S. $75 million``, ``Twenty Dollars ($20)``.
        convention: the document's habit of writing numbers, where known.
        home: what a bare ``$`` means in the document.
        capital_m: what ``M`` stands for where the document defines it; without it an ``M`` is refused (rule CA-11).
    """
    raw, text = text, fold(text).strip()
    if (
        "(" in text
        and text[:1].isalpha()
        and text.split("(")[0].rstrip()[-1:].isalpha()
        and currency_of(text.split("(")[0]) is None
    ):
        return words_and_digits(raw, convention=convention, home=home)
    if re.fullmatch(r"\(\d{1,2}\)", text):
        return Missing(reason=f"{raw!r} is a negative number or a note mark.", code=MALFORMED)
    match = _TOKEN.fullmatch(text)
    if match is None:
        return _words_only(raw, text, home)
    opened = bool(match["open"]) + bool(match["inner"])
    minus = bool(match["minus"]) + bool(match["minus2"])
    if opened != bool(match["close"]) or minus + opened > 1:
        return Missing(reason=f"{raw!r} has brackets or signs that do not pair.", code=MALFORMED)
    if match["scale"] == "M" and capital_m is None:
        return Missing(
            reason=f"{raw!r}: M can mean thousand or million and the document does not say.", code="review_scale_unknown"
        )
    if match["scale"] in ("m", "k", "b", "M") and not (match["sign"] or match["after"]):
        return Missing(reason=f"{raw!r} has a scale letter without a currency.", code=MALFORMED)
    number = read_number(match["number"], convention)
    if isinstance(number, Missing):
        return number
    codes = {currency_of(token, home) for token in (match["sign"], match["after"]) if token}
    if match["after"] in ("Dollars", "dollars") and match["sign"] == "$":
        codes = {home}
    if len(codes) > 1:
        return Missing(reason=f"{raw!r} names two currencies.", code="review_currency_mismatch")
    scale = capital_m or 1 if match["scale"] == "M" else _SCALES.get((match["scale"] or "").lower(), 1)
    return Amount(
        value=number * scale * (-1 if minus or opened else 1),
        currency=codes.pop() if codes else None,
        raw=raw,
        scale=scale,
        places=_places(match["number"], convention),
        note=match["note"] or "",
    )


def _places(number: str, convention: Convention | None) -> int:
    mark = "," if convention is Convention.COMMA or (convention is None and re.search(r"\.\d{3},", number)) else "."
    whole, found, decimals = number.rpartition(mark)
    grouped = mark == "." and whole.count(".") > 0
    return len(decimals) if found and not grouped else 0


def _words_only(raw: str, text: str, home: str) -> Amount | Missing:
    """``Twenty-Five Million Dollars``, ``3 1/2``."""
    words, _, unit = text.rpartition(" ")
    if unit in ("Dollars", "dollars", "Dollar", "dollar"):
        value = number_in_words(words)
        currency: str | None = home
    else:
        value = mixed_number(text)
        value, currency = (value if value is not None else number_in_words(text)), None
    if value is None:
        return Missing(reason=f"{raw!r} could not be read whole as an amount.", code=MALFORMED)
    return Amount(value=value, currency=currency, raw=raw)


def words_and_digits(text: str, *, convention: Convention | None = None, home: str = UNKNOWN) -> Amount | Missing:
    """``Twenty-Five Million Dollars ($25,000,000)``: one amount when words and digits agree, else the conflict."""
    match = re.fullmatch(r"(?P<words>[^()]+?)\s*\((?P<digits>[^()]+|[^()]*\([^()]*\))\)", fold(text).strip())
    if match is None:
        return Missing(reason=f"{text!r} could not be read whole as an amount.", code=MALFORMED)
    unit = re.search(r"\s+(?:U\.S\.\s+|United States\s+)?([Dd]ollars?|[Pp]ounds(?:\s+[Ss]terling)?|[Ee]uros?)$", match["words"])
    spoken = number_in_words(match["words"][: unit.start()] if unit else match["words"])
    written = read_amount(match["digits"], convention=convention, home=home)
    if spoken is None:
        return Missing(reason=f"The words of {text!r} are not a number.", code=MALFORMED)
    if isinstance(written, Missing):
        return written
    if spoken != written.value:
        return Missing(
            reason=f"{text!r}: the words say {spoken} and the digits {written.value}.", code="review_words_figures_conflict"
        )
    return written.model_copy(update={"raw": text})


def find_amounts(
    text: str, *, convention: Convention | None = None, home: str = UNKNOWN
) -> Iterator[tuple[int, int, Amount | Missing]]:
    """Amounts with a currency in running text, in order: start, end, and what was read or why it was not.

    An amount in brackets behind its words (``Twenty-Five Million Dollars ($25,000,000)``) is held against them.
    """
    folded = fold(text)
    for match in _IN_TEXT.finditer(folded):
        start, end = match.span()
        found = read_amount(text[start:end], convention=convention, home=home)
        spoken = _spoken(folded[max(0, start - _LOOK_BACK) : start]) if folded[end : end + 1] == ")" else None
        if not isinstance(found, Missing) and spoken is not None and spoken != found.value:
            said = f"The words before {text[start:end]!r} say {spoken} and the digits {found.value}."
            found = Missing(reason=said, code="review_words_figures_conflict")
        yield start, end, found


def _spoken(before: str) -> Fraction | None:
    """The number that the words right before an opening bracket say, if they are a number of money."""
    match = _WORDS_OF_MONEY.search(before)
    words = match[1].split() if match else []
    return next((value for n in range(len(words)) if (value := number_in_words(" ".join(words[n:]))) is not None), None)
