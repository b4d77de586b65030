"""Agreements of another borrower that lie in the pack: clearly another facility, and set aside with certainty (PR-02)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from conformed.language.traced import Traced
from conformed.model.pack import Instrument, InstrumentKind

__all__ = ["strangers"]

_BASES = (InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT)
_SUFFIX = re.compile(
    r"\b(?:inc|incorporated|corp|corporation|co|company|llc|lp|llp|ltd|limited|plc|sa|nv|bv|gmbh|ag|holdings?|group|the)\b"
)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9 ]", " ", re.sub(r"[.']", "", text.lower())).split())


def strangers(borrower: str | None, known: Sequence[Instrument], views: Mapping[str, Traced]) -> frozenset[str]:
    """Agreements in whose whole text the borrower's name does not occur, and which share no party with one that has it.

    A borrower that was renamed keeps its agent: such an agreement is not set aside. Without an attested borrower none is.

    Args:
        borrower: the borrower's name as attested, if it is.
        known: instruments known at the knowledge date.
        views: live text of each document.
    """
    name = " ".join(_SUFFIX.sub(" ", _plain(borrower or "")).split())
    bases = [i for i in known if i.kind in _BASES]
    if len(name) < 4 or len(bases) < 2:
        return frozenset()
    named = {i.document for i in known if f" {name} " in f" {_plain(views[i.document].text)} "}
    mine = [i for i in known if i.document in named]
    parties = {party for i in mine for party in i.parties}
    changed = {i.amends.dated for i in mine if i.amends is not None and i.amends.dated is not None}
    return frozenset(
        i.document
        for i in bases
        if i.document not in named
        and any(b.document in named for b in bases)
        and i.parties
        and not parties & set(i.parties)
        and i.dated not in changed
    )
