"""Whether an instrument shows the share of lenders that its change needs (rule book PR-20).

The words are looked for, not the law behind them: an instrument that recites the required lenders, that every lender signs,
or that knows no group of lenders at all (one lender, who signs) shows its share. The class that it names must be the one to
which the agreement gives the change. Lenders who are taken to agree because they were silent need the agent's count.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from conformed.model.pack import LenderConsent
from conformed.rules.authority.consent_class import EVERY_LENDER, USUAL, classes_named

__all__ = ["consent_codes", "recites_share", "shows_consent", "stated_consent"]

_UNPROVEN, _WRONG = "review_consent_threshold_unproven", "review_wrong_consent_class"

_GROUP = r"(?:Lenders|Banks|Purchasers|Holders|Noteholders|Financial\s+Institutions)"
_MANY = re.compile(rf"\b{_GROUP}\b", re.IGNORECASE)
_SHARE = re.compile(
    rf"\b(?:Required|Majority|Requisite|Super-?\s?majority|Necessary)\s+(?:[\w-]+\s+){{0,3}}?{_GROUP}\b"
    rf"|\b(?:each|all|every)\s+(?:of\s+)?(?:the\s+)?(?:[\w-]+\s+)?(?:{_GROUP}|Lender|Bank)\b"
    rf"|\b{_GROUP}\s+(?:\w+\s+){{0,2}}?(?:party|parties|signatory|signatories)\s+(?:here)?to\b"
    rf"|\bundersigned\s+(?:\w+\s+){{0,2}}?{_GROUP}\b",
    re.IGNORECASE,
)
_SIGNS = re.compile(
    rf"\bas\s+(?:an?\s+)?(?:\w+\s+)?(?:Lender|Bank|Purchaser)\b|^[ \t]*(?:THE\s+)?{_GROUP}[ \t]*:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_SILENT = r"\b(?:(?:does|do|did|has|have)\s+not|fails?|failed|failing)\s+(?:to\s+)?(?:respond|reply|replied|object|answer|responded|objected|answered)\b"
_TAKEN = r"\b(?:(?:deemed|taken|treated|considered|counted)\s+(?:to|as|for)\b|excluded|disregarded|not\s+(?:be\s+)?counted)"
_DEEMED = re.compile(rf"{_SILENT}[^.]{{0,300}}?{_TAKEN}|{_TAKEN}[^.]{{0,300}}?{_SILENT}", re.IGNORECASE)
_PARTY = re.compile(rf"\b{_GROUP}\s+(?:\w+\s+){{0,2}}?(?:party|parties|signatory|signatories)\s+(?:here)?to\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"\bAgent\b[^.]{0,200}?\b(?:confirm|certif|count|record|receiv|determin)\w*[^.]{0,200}?(?:\d\s*(?:per\s+cent|%|percent)|\b(?:Required|Majority|Requisite)\b)"
    r"|\d\s*(?:per\s+cent\.?|%|percent)[^.]{0,120}?\b(?:agreed|consented|approved|voted)\b",
    re.IGNORECASE,
)
_PART = re.compile(r"\b(?:revolv\w*|term|tranche|facility|class|lien|delayed|initial|incremental)\b")
"""Words that make a class one of a part of the lenders."""
_END = 20_000


def shows_consent(text: str) -> bool:
    """Whether the needed share of lenders is recited, or lenders sign, or there is no group of lenders to ask.

    Args:
        text: live text of the instrument.
    """
    return _MANY.search(text) is None or recites_share(text)


def recites_share(text: str) -> bool:
    """Whether a text recites the needed share of lenders, or lenders sign it; one that knows no lenders shows none.

    Args:
        text: live text of the instrument.
    """
    return _SHARE.search(text) is not None or _SIGNS.search(text, max(0, len(text) - _END)) is not None


def stated_consent(consent: LenderConsent) -> tuple[str, ...]:
    """Review codes of consent that is given as facts: the class must be the one needed, and its share shown."""
    wrong = _WRONG if consent.given_by != consent.needed else ""
    return tuple(c for c in (wrong, "" if consent.shown else _UNPROVEN) if c)


def consent_codes(text: str, needed: Collection[str], others: Collection[str] = ()) -> tuple[str, ...]:
    """Review codes of the consent that an instrument recites.

    Args:
        text: live text of the instrument.
        needed: classes to which the agreement reserves what it changes, each enough; empty where the usual class can do it.
        others: every class that the agreement names.
    """
    if _DEEMED.search(text) and not _COUNTED.search(text) and not _PARTY.search(text):
        return (_UNPROVEN,)
    named = classes_named(text)
    if EVERY_LENDER in named:
        return ()
    if needed:
        return () if named & set(needed) else (_WRONG,) if named else (_UNPROVEN,)
    if named and USUAL in others and USUAL not in named and all(n in others or _PART.search(n) for n in named):
        return (_WRONG,)
    return () if shows_consent(text) else (_UNPROVEN,)
