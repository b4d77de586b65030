"""Periods shorter than a year: how a definition annualises them, and earnings that it deems for named quarters.

Nothing is annualised by habit: a factor counts only for the quarter that the words give it to (rules CA-23, CA-24).
"""

from __future__ import annotations

import datetime as dt
import re
from fractions import Fraction

from conformed.language.amounts import Amount, Convention, find_amounts
from conformed.language.dates import find_dates
from conformed.language.words import mixed_number, number_in_words
from conformed.model.base import Exact, Frozen
from conformed.model.covenant import Definition, Doubt
from conformed.model.span import Span

__all__ = ["Annualised", "Deemed", "read_annualised", "read_deemed"]


class Annualised(Frozen):
    """One test date for which earnings since closing are multiplied."""

    end: dt.date | None
    """Quarter end that the words name; None where they name it by its place after closing."""
    ordinal: int | None
    """Which full quarter after closing; None where a date is named."""
    quarters: int | None
    """How many quarters are added before they are multiplied; None where the words do not say."""
    factor: Exact
    """What their sum is multiplied by."""
    raw: str
    """The words."""
    spans: tuple[Span, ...] = ()
    """Where the definition stands."""


class Deemed(Frozen):
    """Earnings that the agreement fixes for one quarter, whatever the accounts say."""

    end: dt.date
    """Quarter end."""
    amount: Amount
    """The earnings of that quarter."""
    raw: str
    """The words."""
    spans: tuple[Span, ...] = ()
    """Where the definition stands."""


_COUNT = {"one": 1, "two": 2, "three": 3, "four": 4, "1": 1, "2": 2, "3": 3, "4": 4}
_ORDINAL = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_FACTOR = re.compile(
    r"\bmultipl(?:ied|ying)\s+(?:(?:such|that|the)\s+\w+\s+)?by\s+(?:\([a-z]\)\s*)?(?P<factor>\d{1,2}\s\d/\d|\d{1,2}/\d{1,2}|\d{1,2}(?:\.\d{1,6})?|"
    r"(?:one|two|three|four|twelve|six|nine)(?:[\s-](?:and\s(?:one|a)[\s-])?(?:thirds?|halves|half|fourths?|quarters?))?)(?![\w.%/])(?!\s*(?:%|per\s?cent))",
    re.IGNORECASE,
)
_QUARTERS = re.compile(
    r"\b(?P<count>one|two|three|four|[1-4])(?:\s*\([1-4]\))?[\s-]+(?:consecutive\s+)?(?:full\s+)?(?:fiscal\s+|financial\s+)?quarters?",
    re.IGNORECASE,
)
_ONE_QUARTER = re.compile(r"\b(?:for|of)\s+(?:such|that|the)\s+(?:fiscal\s+|financial\s+)?quarter\b", re.IGNORECASE)
_NTH = re.compile(
    r"\b(?P<nth>first|second|third|fourth)\s+(?:full\s+)?(?:(?:fiscal|financial)\s+quarter|Quarter\s+Date|Test\s+Period|test\s+date)"
    r"[^.;]{0,40}?\b(?:after|following)\s+the\s+(?:Closing|Effective|Completion)\s+Date",
    re.IGNORECASE,
)


def _number(words: str) -> Fraction | None:
    words = words.strip()
    if re.fullmatch(r"\d{1,2}(?:\.\d{1,6})?", words):
        return Fraction(words)
    return mixed_number(words) or number_in_words(words)


def read_annualised(definition: Definition, text: str) -> tuple[tuple[Annualised, ...], tuple[Doubt, ...]]:
    """Every factor of a definition with the quarter that it belongs to; a factor without one is a doubt.

    Args:
        definition: a definition of earnings, or of the ratio.
        text: its words on one line.
    """
    found: list[Annualised] = []
    doubts: list[Doubt] = []
    at = 0
    for match in _FACTOR.finditer(text):
        limb = text[max(at, match.start() - 400) : match.start()]
        at = match.end()
        factor = _number(match["factor"])
        days = find_dates(limb)
        nth = list(_NTH.finditer(limb))
        counted = list(_QUARTERS.finditer(limb))
        quarters = _COUNT[counted[-1]["count"].lower()] if counted else 1 if _ONE_QUARTER.search(limb) else None
        if factor is None or not (days or nth):
            sentence = (
                f"The definition of {definition.term} multiplies earnings of a part of a year, and for which period is not read."
            )
            doubts.append(Doubt(code="review_period_incomplete", sentence=sentence, spans=definition.spans))
            continue
        end = days[-1].date if days else None
        ordinal = _ORDINAL[nth[-1]["nth"].lower()] if nth and not days else None
        raw = " ".join(f"{limb}{match[0]}".split())[-160:]
        found.append(Annualised(end=end, ordinal=ordinal, quarters=quarters, factor=factor, raw=raw, spans=definition.spans))
    if not found and not doubts and re.search(r"\bannuali[sz]", text, re.IGNORECASE):
        sentence = f"The definition of {definition.term} annualises by words that were not read as factors for named quarters."
        doubts.append(Doubt(code="review_period_incomplete", sentence=sentence, spans=definition.spans))
    return tuple(found), tuple(doubts)


_FIXES = re.compile(
    r"\b(?:deemed\s+(?:to\s+(?:be|equal|have\s+been)|equal\s+to)|shall\s+(?:be|equal)\s+(?:\([a-z]{1,3}\)\s*)?(?=[$€£]|US\s?\$|U\.S\.))",
    re.IGNORECASE,
)
_STOP = re.compile(r"(?<!U\.S)(?<!No)\.\s+(?=[A-Z\"])")


def read_deemed(
    definition: Definition, text: str, convention: Convention | None, home: str
) -> tuple[tuple[Deemed, ...], tuple[Doubt, ...]]:
    """Earnings deemed for named quarters: amounts and quarter ends paired in the order of the words.

    Args:
        definition: a definition of earnings.
        text: its words on one line.
        convention: how the agreement writes its numbers.
        home: what a bare ``$`` means.
    """
    found: list[Deemed] = []
    doubts: list[Doubt] = []
    done = 0
    for match in _FIXES.finditer(text):
        if match.start() < done:
            continue
        left = max((m.end() for m in _STOP.finditer(text, 0, match.start())), default=0)
        done = next((m.start() for m in _STOP.finditer(text, match.end())), len(text))
        amounts = [a for _, _, a in find_amounts(text[match.start() : done], convention=convention, home=home)]
        if not amounts:
            continue  # deems something else than an amount
        inside = text[max(left, match.start() - 300) : done]
        days = list(find_dates(inside))
        read = [a for a in amounts if isinstance(a, Amount)]
        if len(read) != len(amounts) or len(days) != len(read) or len({d.date for d in days}) != len(days):
            sentence = f"The definition of {definition.term} fixes earnings for quarters, and amounts and quarters do not pair."
            doubts.append(Doubt(code="review_period_mismatch", sentence=sentence, spans=definition.spans))
            continue
        raw = " ".join(text[match.start() : done].split())[:160]
        found += [Deemed(end=d.date, amount=a, raw=raw, spans=definition.spans) for d, a in zip(days, read, strict=True)]
    return tuple(found), tuple(doubts)
