"""The effective date of each operation, as against a test date (rule book 3.2)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from conformed.model.operation import EffectiveMode, Operation
from conformed.model.pack import Instrument

__all__ = ["Standing", "standing_of"]

M = EffectiveMode
_CONDITIONAL = {M.ON_CP, M.ON_EVENT, M.ON_CLOSING, M.LATER_OF}
_ENDS = _CONDITIONAL | {M.AS_OF_ON_CP}
_NOT_YET = ("reject_not_yet_effective",)
_LAPSED = ("reject_lapsed_instrument",)
_RETRO = "finding_retroactive_basis_shown"


@dataclass(frozen=True, slots=True)
class Standing:
    """How an operation stands on a test date.

    Attributes:
        state: ``in_force``, ``not_yet`` (or never) or ``doubt`` (it may or may not be in force).
        date: day from which it counts, where established; for ordering also where in doubt.
        codes: codes that go with it (review codes with ``doubt``).
        retroactive: it reaches back over the test date.
    """

    state: str
    date: datetime.date | None
    codes: tuple[str, ...] = ()
    retroactive: bool = False

    @property
    def undated(self) -> bool:
        """Whether the day from which it counts is not established, so that it may stand anywhere in the order."""
        return self.state == "doubt" and not self.retroactive


def _signed(instrument: Instrument, known: datetime.date) -> datetime.date | None:
    """Signing date: as evidenced; else the printed date where a person attests execution, or evidence of effect exists."""
    if instrument.signed_on is not None:
        return instrument.signed_on if instrument.signed_on <= known else None
    return instrument.dated if instrument.execution_attested or instrument.effective_on else None


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
    signed = _signed(instrument, known)
    made = signed or instrument.dated
    if (
        (made is None or made <= test)
        and rule.mode in _ENDS
        and instrument.lapsed_on is not None
        and instrument.lapsed_on <= known
    ):
        # It ended unborn; evidence that its conditions were met all the same leaves the question open.
        return Standing("not_yet", None, _LAPSED) if shown is None else Standing("doubt", shown, ("review_possible_lapse",))
    if rule.mode is M.AS_OF:
        if rule.event and shown is None:
            # Conditions that no paper shows: nothing reaches back, and nothing is in force yet (3.2, as_of).
            back = test < made if made is not None else False
            codes = ("review_cp_evidence_missing", _RETRO) if back else ("review_cp_evidence_missing",)
            early = rule.date is not None and test < rule.date
            return Standing("not_yet", rule.date, _NOT_YET) if early else Standing("doubt", rule.date, codes)
        complete = max(d for d in (shown, signed) if d is not None) if shown or signed else None
        return _reaching_back(rule.date, complete, test, waived=rule.waives_default)
    if rule.mode is M.AS_OF_ON_CP:
        return _dated_back(rule.date, shown, test, known, rule.long_stop)
    if rule.mode is M.FIXED and rule.date is not None:
        return _fixed(rule.date, made, shown, test, waived=rule.waives_default)
    if rule.mode is M.LATER_OF and rule.date is not None and rule.date > test:
        return Standing("not_yet", rule.date, _NOT_YET)
    if rule.mode in _CONDITIONAL:
        if shown is None:
            return _unmet(made, test, known, rule.long_stop)
        day = max(shown, rule.date) if rule.date and rule.mode is M.LATER_OF else shown
        if rule.long_stop is not None and shown > rule.long_stop and test >= day:
            return Standing("doubt", day, ("review_possible_lapse",))
        # Conditions shown as met before the instrument bears its date: one of the two is not what it seems.
        return _spread(day, made, test) if made is not None and made > day else _plain(day, test)
    one = signed or shown
    if one is not None:
        return _spread(one, shown or one, test)
    if instrument.dated is not None and instrument.dated > test:
        return Standing("not_yet", instrument.dated, _NOT_YET)
    return Standing("doubt", instrument.dated, ("review_effective_date_ambiguous",))


def _plain(day: datetime.date, test: datetime.date) -> Standing:
    return Standing("in_force", day) if day <= test else Standing("not_yet", day, _NOT_YET)


def _spread(one: datetime.date, other: datetime.date, test: datetime.date) -> Standing:
    """Two days that both claim to be the one: only a test date between them is in doubt."""
    first, last = min(one, other), max(one, other)
    if first <= test < last:
        return Standing("doubt", last, ("review_effective_date_ambiguous",))
    return _plain(last, test)


def _fixed(
    written: datetime.date, made: datetime.date | None, shown: datetime.date | None, test: datetime.date, *, waived: bool
) -> Standing:
    if test < written:
        return Standing("not_yet", written, _NOT_YET)
    if made is None:
        return Standing("doubt", written, ("review_effective_date_ambiguous",))
    if made > test:
        return _reaching_back(written, made, test, waived=waived)
    return _spread(written, shown, test) if shown is not None and shown > written else _plain(written, test)


def _unmet(made: datetime.date | None, test: datetime.date, known: datetime.date, long_stop: datetime.date | None) -> Standing:
    if made is not None and made > test:
        return Standing("not_yet", made, _NOT_YET)
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
        return Standing("not_yet", met or written, _NOT_YET)
    if met is None:
        return _unmet(None, test, known, long_stop)
    if long_stop is not None and met > long_stop:
        return Standing("doubt", met, ("review_possible_lapse",))
    if test >= met:
        return Standing("in_force", met)
    return Standing("doubt", written, ("review_effective_date_ambiguous",))


def _reaching_back(back: datetime.date | None, complete: datetime.date | None, test: datetime.date, *, waived: bool) -> Standing:
    if back is not None and test < back:
        return Standing("not_yet", back, _NOT_YET)
    if complete is None:
        return Standing("doubt", back, ("review_cp_evidence_missing",))
    if test >= complete:
        return Standing("in_force", back or complete)
    if back is None:
        return Standing("doubt", complete, ("review_effective_date_ambiguous",))
    if waived:
        return Standing("in_force", back, ("accept_retroactive_express", _RETRO), retroactive=True)
    # Without a waiver it counts only if the test was met on the old level too, which the calculation may still show.
    return Standing("doubt", back, ("review_retroactive_without_waiver", _RETRO), retroactive=True)
