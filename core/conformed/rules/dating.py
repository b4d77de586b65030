"""The effective date of each operation, as against a test date (rule book 3.2)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from conformed.model.operation import EffectiveMode, Operation
from conformed.model.pack import Instrument

__all__ = ["Standing", "standing_of"]

M = EffectiveMode


@dataclass(frozen=True, slots=True)
class Standing:
    """How an operation stands on a test date.

    Attributes:
        state: ``in_force``, ``not_yet``, ``doubt`` (it may or may not be in force) or ``lapsed``.
        date: day from which it counts, where established; for ordering also where in doubt.
        codes: codes that go with it (review codes with ``doubt``).
        retroactive: it is in force only because it reaches back.
    """

    state: str
    date: datetime.date | None
    codes: tuple[str, ...] = ()
    retroactive: bool = False


def _signed(instrument: Instrument) -> datetime.date | None:
    return instrument.signed_on or (instrument.dated if instrument.execution_attested or instrument.effective_on else None)


def standing_of(operation: Operation, instrument: Instrument, test: datetime.date, known: datetime.date) -> Standing:
    """The standing of one operation on a test date.

    Args:
        operation: the operation; its words say how the date is found.
        instrument: the document that makes it; its evidenced day says when conditions were met.
        test: legal date.
        known: knowledge date.
    """
    rule = operation.effective
    shown = instrument.effective_on if instrument.effective_on is not None and instrument.effective_on <= known else None
    made = _signed(instrument) or instrument.dated
    if rule.mode is M.AS_OF:
        return _reaching_back(operation, shown or _signed(instrument), test)
    if rule.mode is M.AS_OF_ON_CP:
        return _dated_back(rule.date, shown, test, known, rule.long_stop)
    if rule.mode is M.FIXED and rule.date is not None:
        if made is not None and made > test:
            return Standing("not_yet", made, ("reject_not_yet_effective",))
        return _plain(rule.date, test)
    if rule.mode is M.LATER_OF and rule.date is not None and rule.date > test:
        return Standing("not_yet", rule.date, ("reject_not_yet_effective",))
    if rule.mode in {M.ON_CP, M.ON_EVENT, M.ON_CLOSING, M.LATER_OF}:
        day = max(shown, rule.date) if shown and rule.date and rule.mode is M.LATER_OF else shown
        if day is not None:
            return _plain(day, test)
        return _unmet(made, test, known, rule.long_stop)
    day = _signed(instrument) or shown
    if day is not None:
        return _plain(max(day, shown) if shown else day, test)
    if instrument.dated is not None and instrument.dated > test:
        return Standing("not_yet", instrument.dated, ("reject_not_yet_effective",))
    return Standing("doubt", instrument.dated, ("review_effective_date_ambiguous",))


def _plain(day: datetime.date, test: datetime.date) -> Standing:
    return Standing("in_force", day) if day <= test else Standing("not_yet", day, ("reject_not_yet_effective",))


def _unmet(made: datetime.date | None, test: datetime.date, known: datetime.date, long_stop: datetime.date | None) -> Standing:
    if made is not None and made > test:
        return Standing("not_yet", made, ("reject_not_yet_effective",))
    if long_stop is not None and known > long_stop:
        return Standing("doubt", made, ("review_possible_lapse",))
    return Standing("doubt", made, ("review_cp_evidence_missing",))


def _dated_back(
    written: datetime.date | None,
    met: datetime.date | None,
    test: datetime.date,
    known: datetime.date,
    long_stop: datetime.date | None,
) -> Standing:
    if written is not None and test < written:
        return Standing("not_yet", met or written, ("reject_not_yet_effective",))
    if met is None:
        return _unmet(None, test, known, long_stop)
    if test >= met:
        return Standing("in_force", met)
    return Standing("doubt", written, ("review_effective_date_ambiguous",))


def _reaching_back(operation: Operation, complete: datetime.date | None, test: datetime.date) -> Standing:
    back = operation.effective.date
    if back is not None and test < back:
        return Standing("not_yet", back, ("reject_not_yet_effective",))
    if complete is None:
        return Standing("doubt", back, ("review_cp_evidence_missing",))
    if test >= complete:
        return Standing("in_force", back or complete)
    if operation.effective.waives_default:
        return Standing("in_force", back, ("accept_retroactive_express", "finding_retroactive_basis_shown"), retroactive=True)
    # Without a waiver it counts only if the test was met on the old level too, which the calculation may still show.
    return Standing("doubt", back, ("review_retroactive_without_waiver", "finding_retroactive_basis_shown"), retroactive=True)
