"""Condition notices that speak of another instrument than the one that waits for its conditions (P15)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

from conformed.language.dates import find_dates
from conformed.language.names import find_named
from conformed.model.decision import Reason
from conformed.model.pack import Instrument, InstrumentKind
from conformed.rules.instruments.chains import Chain
from conformed.rules.precedence.ground import Ground

__all__ = ["strange_notices"]

_WAITS = {"review_cp_evidence_missing", "review_possible_lapse"}
_BEARS = re.compile(
    r"\b(?:letter|amendment|agreement|waiver|consent|deed)\b[^.;]{0,60}?\bdated\s+(?:as\s+of\s+|the\s+)?$", re.IGNORECASE
)


def strange_notices(ground: Ground, chain: Chain, found: Iterable[Reason]) -> list[Reason]:
    """Notices of the pack that name no instrument of it, while one waits whose conditions nothing shows as met.

    Args:
        ground: the case.
        chain: the agreement and what changes it.
        found: what is in doubt about the covenant.
    """
    waiting = {r.subject for r in found if r.code in _WAITS}
    mine = [i for i in (*([chain.base] if chain.base else []), *chain.changes) if i.document in waiting]
    if not mine:
        return []
    reasons = []
    for notice in ground.admitted.known:
        if notice.kind is not InstrumentKind.CONDITION_NOTICE:
            continue
        view = ground.views[notice.document]
        numbers, dates = _named(view.text, notice)
        known = [i for i in ground.admitted.known if i is not notice]
        named = any(i.number in numbers or i.dated in dates for i in known if i.kind is not InstrumentKind.FACILITY_AGREEMENT)
        only_base = not numbers and dates <= {i.dated for i in known}
        if (numbers or dates) and not named and not only_base:
            sentence = f"{notice.document} says that conditions are met, of an instrument that is not the one in the pack."
            spans = view.spans(0, min(len(view.text), 400))
            reasons.append(Reason(code="review_base_reference_mismatch", sentence=sentence, subject=notice.document, spans=spans))
    return reasons


def _named(text: str, notice: Instrument) -> tuple[set[int], set[dt.date]]:
    """Numbers and dates of the instruments that a notice names."""
    numbers = {n.number for n in find_named(text)}
    dates = {t.date for t in find_dates(text) if t.date != notice.dated and _BEARS.search(text[max(0, t.start - 90) : t.start])}
    return numbers, dates
