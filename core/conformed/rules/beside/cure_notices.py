"""Notices of a cure and what other papers show of its money, read as far as their words go (rule book P40, PR-45).

A notice is the borrower's word: it says what is claimed and for which test. That the money came, and when, another paper must show.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from conformed.language.dates import find_dates
from conformed.language.limits import find_limits
from conformed.language.traced import Traced
from conformed.model.pack import Execution, Instrument, InstrumentKind
from conformed.model.span import Span
from conformed.rules.beside.cure_conditions import CureUse

__all__ = ["barring_notices", "cure_uses"]

K = InstrumentKind
_SPEAK = {K.NOTICE, K.OTHER, K.CONDITION_NOTICE}
_LONGEST = 40_000
_MONEY = re.compile(
    r"\b(?:cure\s+(?:amounts?|rights?|contributions?|notice)|equity\s+cures?|specified\s+equity\s+contributions?|new\s+shareholder\s+injections?|permitted\s+cure|notice\s+of\s+cure)\b",
    re.IGNORECASE,
)
_USES = re.compile(
    r"\b(?:exercis\w+|elects?|elected|appl(?:y|ies|ied)|added\s+to|counted|cure\s+notice|notice\s+of\s+cure|hereby\s+(?:gives?\s+)?notif\w+)\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\b(?:(?:relevant|test|measurement)\s+period|(?:fiscal|financial)\s+quarter|quarter|quarter\s+date|test\s+date|testing\s+date)\s*(?:that\s+)?"
    r"(?:end(?:ed|ing|s)?|expir(?:ed|ing|es)|of|falling\s+on)?\s*(?:on\s+)?(?:of\s+)?$",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\bfirst\s+(?:use|exercise|occasion|time|cure)\b|\b(?:has|have)\s+not\s+(?:previously|before)\s+(?:been\s+)?(?:exercised|used|made)\b|\bhas\s+not\s+been\s+(?:exercised|used)\s+(?:before|previously|earlier)\b|"
    r"\bno\s+(?:previous|earlier|prior|other)\s+(?:use|exercise|cure|injection|contribution)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:previously|earlier|before)\b[^.;]{0,60}?\b(?:exercised|used|cured|made)\b|\b(?:exercised|used)\s+(?:previously|before|earlier)\b",
    re.IGNORECASE,
)
_NOT_CASH = re.compile(
    r"\b(?:not|nor|no\s+part)\b[^.;]{0,80}\b(?:net(?:ted)?|deducted|cash|net\s+debt|taken\s+off)\b", re.IGNORECASE
)
_CASH = re.compile(
    r"\b(?:netted|deducted|taken\s+off|counted\s+as\s+cash|included\s+in\s+(?:cash|the\s+cash))\b[^.;]{0,60}", re.IGNORECASE
)
_CAME = re.compile(r"\b(?:received|credited|credit|deposit(?:ed)?|paid\s+in|cleared|booked|incoming)\b", re.IGNORECASE)
_PENDING = re.compile(
    r"\b(?:not|will|shall|would|to\s+be|expect\w*|pending|if|until|unless|reversed|returned|rejected)\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{4,}(?:\.\d+)?")
_BARS = re.compile(r"\b(?:accelerat(?:e|es|ed|ion|ing)|enforcement|due\s+and\s+payable)\b", re.IGNORECASE)
_NONE_GIVEN = re.compile(
    r"\bno\s+(?:such\s+)?notice\b[^.;]{0,160}\b(?:accelerat\w+|enforcement|clause|section)\b[^.;]{0,80}\b(?:was|were|has\s+been|had\s+been)\s+(?:given|served|delivered)\b|"
    r"\b(?:has|have|had)\s+(?:not\s+given|given\s+no)\s+(?:any\s+)?notice\b[^.;]{0,80}\b(?:accelerat\w+|enforcement|clause|section)\b",
    re.IGNORECASE,
)


def _sentences(text: str) -> list[tuple[int, int]]:
    cuts = [0, *(m.end() for m in re.finditer(r"(?<=[a-z0-9)\"])[.;]\s+(?=[A-Z(])|\n", text)), len(text)]
    return [(a, b) for a, b in itertools.pairwise(cuts) if b > a]


def _papers(instruments: Sequence[Instrument], views: Mapping[str, Traced], known: dt.date) -> list[tuple[Instrument, Traced]]:
    found = []
    for one in instruments:
        later = one.dated is not None and one.dated > known
        if one.kind in _SPEAK and not later and len(views[one.document].text) < _LONGEST and one.execution is not Execution.DRAFT:
            found.append((one, views[one.document]))
    return found


def cure_uses(instruments: Sequence[Instrument], views: Mapping[str, Traced], known: dt.date) -> tuple[CureUse, ...]:
    """The uses of a right to cure that notices of a pack claim, each with what the other papers show of its money.

    Args:
        instruments: instruments that were known.
        views: live text by document.
        known: the knowledge date.
    """
    papers = _papers(instruments, views, known)
    claims = [(i, v) for i, v in papers if _MONEY.search(v.text) and _USES.search(v.text) and _tested(v.text)]
    return tuple(_use(i, v, [p for p in papers if p[0] is not i]) for i, v in claims)


def _tested(text: str) -> list[tuple[dt.date, int, int]]:
    """Ends of periods that a text names."""
    return [
        (t.date, t.start, t.end)
        for t in find_dates(text)
        if _PERIOD.search(" ".join(text[max(0, t.start - 80) : t.start].split()) + " ")
    ]


def _use(notice: Instrument, view: Traced, others: list[tuple[Instrument, Traced]]) -> CureUse:
    text = view.text
    before = _earlier_sentence(text)
    periods = [(d, a, b) for d, a, b in _tested(text) if before is None or not before[0] <= a < before[1]]
    days = {d for d, _, _ in periods}
    amounts = [t for a, b in _sentences(text) if _MONEY.search(text, a, b) for t in find_limits(text, a, b, "amount")]
    values = {(t.value, t.currency) for t in amounts if t.value is not None}
    value, currency = values.pop() if len(values) == 1 else (None, None)
    shown = [place for paper, there in others for place in _receipt(there, value)] if value is not None else []
    dates = {day for day, _ in shown}
    first, none_netted, netted = _FIRST.search(text), _NOT_CASH.search(text), _CASH.search(text)
    earlier: tuple[dt.date, ...] | None = () if first is not None and before is None else None
    if before is not None and first is None:
        earlier = tuple(sorted(t.date for t in find_dates(text, *before))) or None
    places = [*((a, b) for _, a, b in periods[:1]), *((t.start, t.end) for t in amounts[:1])]
    return CureUse(
        document=notice.document,
        test_date=days.pop() if len(days) == 1 else None,
        amount=value,
        currency=currency,
        received_on=dates.pop() if len(dates) == 1 else None,
        noticed_on=notice.dated if notice.execution is Execution.EXECUTED else None,
        earlier=earlier,
        netted=False if none_netted else True if netted else None,
        spans=(*(s for place in places for s in view.spans(*place)), *(s for _, spans in shown for s in spans)),
    )


def _earlier_sentence(text: str) -> tuple[int, int] | None:
    """The sentence that tells earlier uses, which is not one that denies them."""
    for a, b in _sentences(text):
        if _BEFORE.search(text, a, b) and not _FIRST.search(text, a, b) and find_dates(text, a, b):
            return a, b
    return None


def _receipt(view: Traced, amount: Fraction | None) -> list[tuple[dt.date, tuple[Span, ...]]]:
    """Where a paper shows that an amount came, and on which day."""
    found = []
    for a, b in _sentences(view.text):
        line = view.text[a:b]
        days = {t.date for t in find_dates(line)}
        same = any(Fraction(n[0].replace(",", "")) == amount for n in _NUMBER.finditer(line)) or any(
            t.value == amount for t in find_limits(line, 0, len(line), "amount")
        )
        if same and len(days) == 1 and _CAME.search(line) and not _PENDING.search(line):
            found.append((days.pop(), view.spans(a, b)))
    return found


def barring_notices(instruments: Sequence[Instrument], views: Mapping[str, Traced], known: dt.date) -> tuple[dt.date, ...] | None:
    """Days of notices of acceleration or enforcement; empty where a paper says that none was given, None where nothing is said.

    Args:
        instruments: instruments that were known.
        views: live text by document.
        known: the knowledge date.
    """
    days, denied = [], False
    for instrument, view in _papers(instruments, views, known):
        if _NONE_GIVEN.search(view.text):
            denied = True
        elif _BARS.search(view.text):
            days.append(instrument.dated or dt.date.min)
    return tuple(sorted(days)) if days else () if denied else None
