"""Instruments that another one names, or that a gap in the numbering implies, and that the pack does not hold (PR-06)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from conformed.model.pack import InstrumentKind, Recital
from conformed.rules.instruments.chains import Chain

__all__ = ["Absent", "missing_instruments"]

K = InstrumentKind
_CHANGES = {K.AMENDMENT, K.RESTATEMENT, K.WAIVER, K.CONSENT}


@dataclass(frozen=True, slots=True)
class Absent:
    """An instrument that is recited, or implied by a gap in numbering, and is not in the pack.

    Attributes:
        number: its number as an amendment, if it is named by one.
        dated: its date, if it is named by one.
        recited_by: document that names or implies it.
        words: how it is named.
    """

    number: int | None
    dated: datetime.date | None
    recited_by: str
    words: str = ""

    @property
    def name(self) -> str:
        """Words for a person."""
        if self.number is not None:
            return f"Amendment No. {self.number}"
        return f"{self.words or 'An instrument'} of {self.dated}"


def missing_instruments(chain: Chain) -> tuple[Absent, ...]:
    """Instruments of the chain that the pack does not hold. Those from before a restatement do not matter and are left out."""
    known = (*([chain.base] if chain.base else []), *chain.older, *chain.changes, *chain.spent)
    numbers = {i.number for i in chain.changes if i.number is not None}
    dates = {i.dated for i in known}
    start = chain.base.dated if chain.base is not None and chain.base.kind is K.RESTATEMENT else None

    def here(recital: Recital) -> bool:
        if recital.dated is not None and (recital.dated in dates or (start is not None and recital.dated < start)):
            return True
        if recital.number is not None:
            return recital.number in numbers
        return recital.dated is None or recital.kind not in _CHANGES

    found: dict[tuple[int, str], Absent] = {}
    for instrument in chain.changes:
        for recital in instrument.recites:
            if here(recital):
                continue
            key = (recital.number or 0, "" if recital.number is not None else str(recital.dated))
            before = found.get(key)
            if before is None or (before.dated is None and recital.dated is not None):
                found[key] = Absent(recital.number, recital.dated, instrument.document, recital.text)
    for instrument in chain.changes:
        if instrument.number is None or instrument.kind is not K.AMENDMENT:
            continue
        named = {r.number for r in instrument.recites}
        for number in range(1, instrument.number):
            if number not in numbers and number not in named and (number, "") not in found:
                found[(number, "")] = Absent(number, None, instrument.document)
    return tuple(found[k] for k in sorted(found))
