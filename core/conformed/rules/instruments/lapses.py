"""Notices that an instrument ended unborn: its conditions failed by its long-stop date (rule book 3.2, on_cp)."""

from __future__ import annotations

import datetime as dt
import re

from conformed.language.dates import find_dates
from conformed.language.names import find_named
from conformed.language.traced import Traced
from conformed.model.pack import Instrument, InstrumentKind
from conformed.model.span import Span
from conformed.rules.unread.spoken_places import sentence_at

__all__ = ["apply_lapses"]

K = InstrumentKind
_ENDED = re.compile(
    r"\b(?:has|have|had)\s+(?:accordingly\s+|therefore\s+|automatically\s+)*(?:lapsed|ended|terminated|expired|ceased)\b"
    r"|\b(?:lapsed|terminated|expired)\s+(?:unborn|automatically|on|without\s+(?:having\s+)?(?:taken|taking)\s+effect)\b|\bis\s+(?:void|of\s+no\s+(?:force|effect))\b"
    r"|\b(?:never|not)\s+(?:taken?\s+effect|became\s+effective|become\s+effective|come\s+into\s+effect)\b",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\bconditions?\b[^.]{0,200}?\b(?:not|never|none)\b[^.]{0,60}?\b(?:satisfied|fulfilled|met|waived|received)\b"
    r"|\b(?:failed|failure)\b[^.]{0,120}?\bconditions?\b|\bconditions?\b[^.]{0,120}?\bfailed\b"
    r"|\b(?:long-?\s?stop\s+date|outside\s+date|deadline)\b[^.]{0,160}?\b(?:passed|expired|without)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:if|unless|may|might|will|shall|would|should|could|expect\w*|alleg\w+|disput\w+|extend\w*)\b", re.IGNORECASE
)
_SPEAKS = {K.CONDITION_NOTICE, K.NOTICE, K.OTHER, K.RESERVATION}


def apply_lapses(instruments: tuple[Instrument, ...], views: dict[str, Traced]) -> tuple[Instrument, ...]:
    """Gives each instrument the day from which a notice of the pack shows that it ended unborn; an attested day stays.

    The notice must say both that the conditions failed and that the instrument ended, of one amendment by its number, and
    bear a date: that is the day from which the failure was shown.
    """
    shown: dict[str, tuple[dt.date, tuple[Span, ...]]] = {}
    for notice in instruments:
        if notice.kind not in _SPEAKS or notice.dated is None:
            continue
        text = views[notice.document].text
        for m in _ENDED.finditer(text):
            a, b = sentence_at(text, *m.span())
            near = text[max(0, a - 400) : min(len(text), b + 400)]
            if _UNSURE.search(text[a:b]) or _FAILED.search(near) is None:
                continue
            numbers = {n.number for n in find_named(text, a, b)} or {n.number for n in find_named(text)}
            dates = {t.date for t in find_dates(text, a, b)}
            changes = [
                i for i in instruments if i.kind in {K.AMENDMENT, K.WAIVER, K.CONSENT, K.RESTATEMENT} and i.effective_on is None
            ]
            meant = [i for i in changes if i.number in numbers] or [i for i in changes if not numbers and i.dated in dates]
            if len(meant) == 1:
                shown.setdefault(meant[0].document, (notice.dated, views[notice.document].spans(a, b)))
    return tuple(
        i.model_copy(update={"lapsed_on": shown[i.document][0], "lapse_evidence": shown[i.document][1]})
        if i.lapsed_on is None and i.document in shown
        else i
        for i in instruments
    )
