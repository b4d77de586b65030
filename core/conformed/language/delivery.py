"""Within how many days of a period's end accounts and certificates must be delivered, as the agreement says it."""

from __future__ import annotations

import re

from conformed.language.pattern_words import count_of
from conformed.model.base import Frozen
from conformed.model.span import Span

__all__ = ["Delivery", "read_deliveries"]


class Delivery(Frozen):
    """One duty to deliver."""

    period: str
    """``quarter`` or ``year``: after the end of which period."""
    days: int
    """How many days after it."""
    business: bool = False
    """Whether these are business days."""
    certificate: bool = False
    """Whether the certificate itself is named; accounts otherwise, with which a certificate is delivered."""
    spans: tuple[Span, ...] = ()
    """Where."""


_N = r"(?P<n>\d{1,3}|[a-z]+(?:[- ](?:one|two|three|four|five|six|seven|eight|nine|twenty|hundred))*)(?:\s*\(\d{1,3}\))?"
_DUE = re.compile(
    rf"\b(?:within|(?:no|not)\s+later\s+than|not\s+more\s+than)\s+{_N}\s+(?P<business>business\s+|working\s+)?(?:calendar\s+)?days\s+(?:after|of|following|from)\s+"
    r"(?:the\s+)?(?:end|close|last\s+day)?\s*(?:of\s+)?(?P<of>(?:(?:each|any|every|its|their|the|such|that|a|of|first|second|third|three|other|and)\s+|"
    r"(?:fiscal|financial|calendar|accounting)\s+|(?:quarter|year|half|period|month)s?\b\s*(?:-|\s)?)+)(?P<end>end)?",
    re.IGNORECASE,
)
_PAPERS = re.compile(
    r"\b(?:compliance\s+certificates?|officer['’]?s['’]?\s+certificates?|certificates?|accounts|financial\s+statements|balance\s+sheets?)\b",
    re.IGNORECASE,
)
_CERTIFICATE = re.compile(r"\bcertificates?\b", re.IGNORECASE)
_PERIOD = re.compile(r"quarter|year", re.IGNORECASE)
_STOP = re.compile(r"[.;]\s|\n\s*\n|$")


def read_deliveries(text: str, spans: tuple[Span, ...] = ()) -> list[Delivery]:
    """The duties of a text to deliver accounts or certificates after the end of a quarter or of a year.

    Args:
        text: a provision.
        spans: where it stands.
    """
    found = []
    for m in _DUE.finditer(text):
        before = text[max(0, m.start() - 300) : m.start()]
        start = m.start() - len(re.split(r"[.;]\s|\n\s*\n", before)[-1])
        stop = _STOP.search(text, m.end())
        sentence = text[start : stop.start() if stop else len(text)]
        days = count_of(m["n"])
        first = _PERIOD.search(m["of"])  # "the first three fiscal quarters of each fiscal year" speaks of quarters
        papers = _PAPERS.search(sentence)
        if days is None or papers is None or first is None:
            continue
        found.append(
            Delivery(
                period=first[0].lower(),
                days=days,
                business=m["business"] is not None,
                certificate=_CERTIFICATE.search(sentence) is not None,
                spans=spans,
            )
        )
    return found
