"""Clauses beside the definitions that change a calculation: frozen accounting (rule book P43) and rights to cure (P40)."""

from __future__ import annotations

import re

from conformed.language.cure_limits import CureLimits, read_cure_limits
from conformed.model.base import Frozen
from conformed.model.span import Span

__all__ = ["CureTerms", "FrozenBasis", "accounting_of", "read_cure", "read_frozen"]


class FrozenBasis(Frozen):
    """A clause that keeps the ratio on the accounting of an earlier day."""

    raw: str
    """Its words."""
    spans: tuple[Span, ...] = ()
    """Where."""


class CureTerms(Frozen):
    """A right to cure by new money."""

    kind: str
    """``ebitda`` or ``debt``; empty where the words count the money as both or as neither."""
    raw: str = ""
    """The words that say how the money counts."""
    limits: CureLimits = CureLimits()
    """Until when, how often and how much."""
    spans: tuple[Span, ...] = ()
    """Where."""


_FROZEN = re.compile(
    r"\b(?:computed|calculated|determined|tested|made|prepared|interpreted|construed)\b[^.;]{0,120}\b(?:accounting\s+(?:principles|policies|practices|standards|bas[ei]s)|"
    r"GAAP|IFRS)\b[^.;]{0,160}\b(?:used|applied|in\s+effect|in\s+force|adopted|immediately\s+before|prior\s+to|as\s+at)\b[^.;]{0,80}"
    r"(?:\boriginal\s+financial\s+statements|\b(?:before|prior\s+to)\s+(?:the|such|that|any)\s+(?:accounting\s+)?change|\bon\s+the\s+(?:closing|effective|signing)\s+date|"
    r"\bas\s+in\s+effect\s+(?:on|prior|before)|\boriginal\b)|"
    r"\bwithout\s+giving\s+effect\s+to\s+(?:such|any|that)\s+(?:accounting\s+)?change\b[^.;]{0,80}",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:change\s+in\s+(?:GAAP|IFRS|accounting)|accounting\s+change|change\s+(?:in|to)\s+the\s+accounting)\b", re.IGNORECASE
)
_ADOPTS = re.compile(
    r"\b(?:adopt(?:ed|ion\s+of)|first[- ]time\s+application\s+of|appl(?:ied|ication\s+of)|transition(?:ed)?\s+to|change\s+(?:in|to))\s+(?:the\s+)?(?:new\s+)?"
    r"(?:\w+\s+){0,4}?(?:IFRS\s?\d+|FRS\s?\d+|IAS\s?\d+|ASC\s?(?:Topic\s?)?\d+|ASU\s?[\d-]+|accounting\s+(?:standards?|polic(?:y|ies)|principles?))",
    re.IGNORECASE,
)

_LEASES = re.compile(r"\b(?:IFRS\s?16|ASC\s?(?:Topic\s?)?842|ASU\s?(?:No\.\s?)?2016-02|right[- ]of[- ]use)\b", re.IGNORECASE)


def read_frozen(text: str, spans: tuple[Span, ...] = ()) -> FrozenBasis | None:
    """The clause of a text that freezes the accounting of a ratio, or None.

    Args:
        text: a definition or a provision.
        spans: where it stands.
    """
    line = " ".join(text.split())
    match = _FROZEN.search(line)
    if match is None or not (_CHANGE.search(line) or "original financial statements" in match[0].lower()):
        return None
    return FrozenBasis(raw=match[0], spans=spans)


def accounting_of(text: str) -> str:
    """What a certificate says of its accounting, in one word.

    ``frozen`` where it is kept as it was, ``changed`` where a standard was adopted, ``leases`` where a line follows the lease
    standards of 2019 to 2022 (whether that is a change or not), or empty.
    """
    line = " ".join(text.split())
    kept = _FROZEN.search(line)
    if kept is not None and "original" in kept[0].lower():
        return "frozen"
    if _ADOPTS.search(line):
        return "changed"
    return "leases" if _LEASES.search(line) else ""


_CURE = re.compile(
    r"\b(?:cure\s+(?:amount|right|contribution)|equity\s+cure|specified\s+equity\s+contribution|new\s+shareholder\s+injections?|permitted\s+cure|cure\s+securities)\b",
    re.IGNORECASE,
)
_AS_EARNINGS = re.compile(
    r"\b(?:added\s+to|includ(?:ed|ing)\s+in|increas(?:e|es|ed|ing)(?:\s+(?:to|in|of))?|be\s+deemed\s+(?:to\s+be\s+)?(?:an\s+)?increase|counted\s+as|treated\s+as)\b[^.;]{0,100}\b(?:EBITDA\w*|earnings)\b",
    re.IGNORECASE,
)
_AS_DEBT = re.compile(
    r"\b(?:reduc(?:e|es|ed|ing|tion)|deducted\s+from|applied\s+(?:in|to|towards?)\s+(?:the\s+)?(?:prepay\w*|reduc\w*|repay\w*)(?:\s+(?:of|in))?)\b[^.;]{0,100}\b(?:debt|indebtedness|borrowings|loans)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|no|disregard\w*|without)\b[^.;,]{0,80}$", re.IGNORECASE)


def read_cure(text: str, spans: tuple[Span, ...] = ()) -> CureTerms | None:
    """How new money counts under a right to cure, or None where a text gives no such right.

    Args:
        text: a definition or a provision.
        spans: where it stands.
    """
    line = " ".join(text.split())
    if not _CURE.search(line):
        return None

    def said(pattern: re.Pattern[str]) -> re.Match[str] | None:
        return next((m for m in pattern.finditer(line) if not _NEGATED.search(line, max(0, m.start() - 100), m.start())), None)

    earnings, debt = said(_AS_EARNINGS), said(_AS_DEBT)
    if earnings is None and debt is None:
        return None
    kind = "" if earnings and debt else "ebitda" if earnings else "debt"
    found = earnings or debt
    assert found is not None
    return CureTerms(kind=kind, raw=found[0], limits=read_cure_limits(line), spans=spans)
