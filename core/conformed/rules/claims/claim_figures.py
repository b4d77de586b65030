"""Figures, dates, sections and quotations of a drafted sentence, by where they start: each read whole, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.amounts import Amount, Convention, find_amounts
from conformed.language.currency import CODES
from conformed.language.dates import find_dates
from conformed.language.ratios import find_ratios
from conformed.rules.claims.claim_spoken import spoken_days, spoken_months, spoken_shares

__all__ = ["Token", "fixed_tokens", "quotes_in"]


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of a sentence and what it is.

    Attributes:
        kind: quote, name, text, date, section, money, ratio, percent, fraction, number, comparator, negator, modal, require, forbidden, permit, cue,
            hedge, operator, result, sign, cause, neutral, break, unknown.
        value: code of a word, or the ISO date (year and month alone where no day is given), section number or name.
        number: exact value of money (whole units), ratio, share or fraction.
        unit: ``x``, ``share`` or a currency code.
        step: what the last digit shown stands for (1/100 for 3.50x); 0 where nothing was rounded.
        start: first offset.
        end: one past the last.
        raw: the words.
    """

    kind: str
    start: int
    end: int
    raw: str
    value: str = ""
    number: Fraction | None = None
    unit: str = ""
    step: Fraction = Fraction(0)


_RANK = ("quote", "date", "section", "money", "ratio", "percent", "fraction")
_QUOTE = re.compile('[“"](?P<inner>[^“”"]*)[”"]')
_NUMBERED = r"[0-9A-Z][0-9A-Za-z]*(?:\.[0-9A-Za-z]+)*(?:\s?\([0-9A-Za-z]{1,5}\))*"
_SECTION = re.compile(
    rf"(?:\b(?:sections?|clauses?|articles?|schedules?|paragraphs?)|\b(?:sec|cl|s|art)\.(?=\s?\d)|§)\s*(?P<number>{_NUMBERED})",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![\w.(])\d+(?:\.\d+)*(?:\([0-9A-Za-z]{1,5}\))+(?!\w)")
_PART_OF = re.compile(
    r"\b(?:paragraph|limb|sub-?paragraph|sub-?section|sub-?clause|clause)\s*(?P<part>(?:\([0-9A-Za-z]{1,5}\))+)\s+of\s+(?:section|clause|article)\s*"
    r"(?P<number>[0-9][0-9A-Za-z]*(?:\.[0-9A-Za-z]+)*)(?!\s?\()",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"-?\d+(?:\.\d+)?\s?(?:%|per\s?cent\.?|percent)")
_NEGATIVE = re.compile(r"(?<![\w.])(?P<value>-\d+(?:\.(?P<decimals>\d+))?)x(?!\w)")
_OTHER_RATIO = re.compile(
    r"(?<![\w.,-])(?P<value>\d+(?:\.(?P<decimals>\d+))?)(?:-to-(?:1(?:\.0+)?|one)(?![\w.]*\d)|\s?×(?!\s?[\d$€£])|\s(?:of a turn|turns?)\b)",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"(?<![\w/.])-?\d+/\d+(?![\w/])")
_NAMED = {"us dollars": "USD", "u.s. dollars": "USD", "pounds sterling": "GBP", "pounds": "GBP", "euros": "EUR", "euro": "EUR"}
_SCALES = {
    "": 1,
    "thousand": 10**3,
    "k": 10**3,
    "million": 10**6,
    "m": 10**6,
    "mn": 10**6,
    "mm": 10**6,
    "billion": 10**9,
    "bn": 10**9,
}
_POSTFIX = re.compile(
    r"(?<![\w.,$€£¥-])(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<decimals>\d+))?\s?(?P<scale>thousand|million|billion|mm|mn|bn|m|k|)\s?"
    rf"(?P<code>{'|'.join(sorted(CODES))}|(?i:{'|'.join(re.escape(n) for n in _NAMED)}))(?!\w)"
)
_DOLLARS = ("USD", "AUD", "CAD", "HKD", "NZD", "SGD")
_MINUS = re.compile(r"(?:(?:(?<=[\s(])|^)[-−]|\b(?:minus|negative)\s)$", re.IGNORECASE)
_TAKEN_FROM = re.compile(r"(?:\d\w*\)?|%|\bmillion|\bbillion|\bthousand|\bcent\.?)\s*$", re.IGNORECASE)


def _signed(text: str, start: int) -> tuple[int, int]:
    """Where a figure starts with its minus sign, and its sign; a minus after another figure is arithmetic and no sign."""
    m = _MINUS.search(text[:start])
    return (m.start(), -1) if m and not _TAKEN_FROM.search(text[: m.start()]) else (start, 1)


def quotes_in(text: str) -> list[tuple[int, int, str]]:
    """Quotations in double marks: start, end, words inside."""
    return [(m.start(), m.end(), m["inner"]) for m in _QUOTE.finditer(text)]


def _set_aside(text: str, found: list[Token]) -> str:
    """The text with quotes, dates and sections covered, so that no figure is read across their edge ("2024: 3.40x")."""
    for token in found:
        text = text[: token.start] + "¦" * (token.end - token.start) + text[token.end :]
    return text


def _places(text: str) -> Iterator[Token]:
    """Quotations, dates and sections."""
    for start, end, inner in quotes_in(text):
        yield Token("quote", start, end, text[start:end], inner)
    for day in find_dates(text):
        yield Token("date", day.start, day.end, text[day.start : day.end], day.date.isoformat())
    for start, end, said in (*spoken_days(text), *spoken_months(text)):
        yield Token("date", start, end, text[start:end], said)
    for m in _PART_OF.finditer(text):
        yield Token("section", m.start(), m.end(), m[0], m["number"] + m["part"])
    for m in _BARE.finditer(text):
        yield Token("section", m.start(), m.end(), m[0], m[0])
    for m in _SECTION.finditer(text):
        yield Token("section", m.start(), m.end(), m[0], re.sub(r"\s", "", m["number"]).rstrip("."))


def _money(text: str, bare: str, home: str) -> Iterator[Token]:
    dollar = home if home in _DOLLARS else ""  # a bare $ is never a pound
    for start, end, amount in find_amounts(bare, convention=Convention.POINT, home=dollar):
        if isinstance(amount, Amount):
            scale = re.match(r"\s?(?P<word>million|billion|thousand)\b", bare[end:], re.IGNORECASE) if amount.scale == 1 else None
            times = _SCALES[scale["word"].lower()] if scale else 1
            start, sign = _signed(text, start)
            step = Fraction(amount.scale * times, 10**amount.places)
            until = end + (scale.end() if scale else 0)
            yield Token("money", start, until, text[start:until], "", sign * amount.value * times, amount.currency or "", step)
    for m in _POSTFIX.finditer(bare):
        unit = m["code"] if m["code"] in CODES else _NAMED[m["code"].lower()]
        decimals, scale_of = m["decimals"] or "", _SCALES[m["scale"].lower()]
        value = Fraction(f"{m['digits'].replace(',', '')}.{decimals or '0'}") * scale_of
        start, sign = _signed(text, m.start())
        yield Token(
            "money", start, m.end(), text[start : m.end()], "", sign * value, unit, Fraction(scale_of, 10 ** len(decimals))
        )


def _shares(text: str, bare: str) -> Iterator[Token]:
    """Ratios, percentages and exact fractions."""
    for ratio in find_ratios(bare):
        if ratio.value is not None and ratio.form != "percent":
            yield Token("ratio", ratio.start, ratio.end, ratio.raw, "", ratio.value, "x", Fraction(1, 10 ** (ratio.places or 0)))
    for m in (*_NEGATIVE.finditer(text), *_OTHER_RATIO.finditer(text)):
        yield Token("ratio", m.start(), m.end(), m[0], "", Fraction(m["value"]), "x", Fraction(1, 10 ** len(m["decimals"] or "")))
    for m in _PERCENT.finditer(text):
        digits = re.match(r"-?\d+(?:\.(\d+))?", m[0])
        assert digits is not None
        step = Fraction(1, 100 * 10 ** len(digits[1] or ""))
        start, sign = _signed(text, m.start())
        yield Token("percent", start, m.end(), text[start : m.end()], "", sign * Fraction(digits[0]) / 100, "share", step)
    for start, end, share in spoken_shares(text):
        yield Token("percent", start, end, text[start:end], "", share, "share", Fraction(1, 100))
    for m in _FRACTION.finditer(text):
        top, _, bottom = m[0].partition("/")
        if int(bottom):
            yield Token("fraction", m.start(), m.end(), m[0], "", Fraction(int(top), int(bottom)))


def fixed_tokens(text: str, home: str) -> dict[int, Token]:
    """Quotes, dates, sections and figures, by where they start; where two readings lie over each other the safer kind stands, then the longer.

    Args:
        text: the sentence.
        home: what a bare ``$`` means.
    """
    found = list(_places(text))
    bare = _set_aside(text, found)
    found += [*_money(text, bare, home), *_shares(text, bare)]
    chosen: dict[int, Token] = {}
    covered: list[tuple[int, int]] = []
    for token in sorted(found, key=lambda t: (_RANK.index(t.kind), t.start, -t.end)):
        if not any(s < token.end and token.start < e for s, e in covered):
            covered.append((token.start, token.end))
            chosen[token.start] = token
    return chosen
