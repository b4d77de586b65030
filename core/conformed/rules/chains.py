"""Chains of instruments: one base agreement, its restatements, and what changes it (rule book PR-02, PR-06, PR-08)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from conformed.model.operation import Op, Operation
from conformed.model.pack import Instrument, InstrumentKind

__all__ = ["Absent", "Chain", "build_chains", "ends_by_name", "missing_instruments"]

K = InstrumentKind
_BASE = {K.FACILITY_AGREEMENT, K.RESTATEMENT}


@dataclass(frozen=True, slots=True)
class Chain:
    """One agreement through time.

    Attributes:
        base: the agreement whose text is in force, None where no agreement of the chain is in the pack.
        older: agreements that the base restated.
        changes: amendments, waivers and consents that change the base.
        spent: instruments that a restatement dropped.
        mismatched: instruments that name another agreement than any in the pack.
    """

    base: Instrument | None
    older: tuple[Instrument, ...] = ()
    changes: tuple[Instrument, ...] = ()
    spent: tuple[Instrument, ...] = ()
    mismatched: tuple[Instrument, ...] = field(default=())


def _belongs(change: Instrument, bases: list[Instrument]) -> Instrument | None:
    """The agreement that an instrument says it changes."""
    if len(bases) == 1 and (change.amends is None or change.amends.dated is None):
        return bases[0]
    if change.amends is None or change.amends.dated is None:
        return None
    for base in bases:
        if base.dated == change.amends.dated:
            return base
    for base in bases:
        # An instrument may still name the agreement by the date of the text that was later restated.
        if base.amends is not None and base.amends.dated == change.amends.dated:
            return base
    return None


def build_chains(
    instruments: tuple[Instrument, ...], in_force: dict[str, bool], ended: dict[str, datetime.date]
) -> tuple[Chain, ...]:
    """Groups instruments into chains as they stand on one test date.

    Args:
        instruments: admitted instruments.
        in_force: for each agreement, whether it is in force on the test date.
        ended: agreements that a later one ended by name, with the day.

    Returns:
        Chains whose base is in force; one without a base where the pack holds none.
    """
    bases = sorted((i for i in instruments if i.kind in _BASE), key=lambda i: (i.dated or datetime.date.min, i.document))
    changes = [i for i in instruments if i.kind not in _BASE]
    if not bases:
        return (Chain(None, changes=tuple(sorted(changes, key=_order))),) if changes else ()
    live = [b for b in bases if in_force.get(b.document) and b.document not in ended]
    replaced: dict[str, Instrument] = {}
    for base in live:
        if base.kind is K.RESTATEMENT:
            for older in bases:
                if (
                    older is not base
                    and (older.dated or datetime.date.max) <= (base.dated or datetime.date.min)
                    and _restates(base, older, bases)
                ):
                    replaced[older.document] = base
    chains = []
    for base in live:
        if base.document in replaced:
            continue
        older = tuple(o for o in bases if replaced.get(o.document) is base)
        own, spent, other = [], [], []
        for change in sorted(changes, key=_order):
            belongs = _belongs(change, bases)
            if belongs is base:
                own.append(change)
            elif belongs is not None and belongs in older:
                (spent if (change.dated or datetime.date.min) <= (base.dated or datetime.date.max) else own).append(change)
            elif belongs is None:
                other.append(change)
        chains.append(Chain(base, older, tuple(own), tuple(spent), tuple(other)))
    return tuple(chains)


def _restates(base: Instrument, older: Instrument, bases: list[Instrument]) -> bool:
    if base.amends is None or base.amends.dated is None:
        return len([b for b in bases if (b.dated or datetime.date.max) < (base.dated or datetime.date.min)]) == 1
    return base.amends.dated == older.dated or (older.amends is not None and older.amends.dated == base.amends.dated)


def _order(instrument: Instrument) -> tuple[datetime.date, int, str]:
    return (instrument.dated or datetime.date.min, instrument.number or 0, instrument.document)


@dataclass(frozen=True, slots=True)
class Absent:
    """An instrument that is recited, or implied by a gap in numbering, and is not in the pack."""

    number: int
    dated: datetime.date | None
    recited_by: str


def missing_instruments(chain: Chain) -> tuple[Absent, ...]:
    """Amendments of the chain that the pack does not hold. Those from before a restatement do not matter and are left out."""
    here = {i.number for i in chain.changes if i.number is not None}
    here_dates = {i.dated for i in (*chain.changes, *chain.spent)}
    start = chain.base.dated if chain.base is not None and chain.base.kind is K.RESTATEMENT else None
    found: dict[int, Absent] = {}
    for instrument in (*([chain.base] if chain.base else []), *chain.changes):
        for recital in instrument.recites:
            if recital.number is None or recital.number in here or (recital.dated is not None and recital.dated in here_dates):
                continue
            if start is not None and recital.dated is not None and recital.dated < start:
                continue
            if instrument is chain.base:
                continue
            known = found.get(recital.number)
            if known is None or (known.dated is None and recital.dated is not None):
                found[recital.number] = Absent(recital.number, recital.dated, instrument.document)
    numbered = [i for i in chain.changes if i.number is not None and i.kind is K.AMENDMENT]
    for instrument in numbered:
        for number in range(1, instrument.number or 1):
            if number not in here and number not in found and not any(r.number == number for r in instrument.recites):
                found[number] = Absent(number, None, instrument.document)
    return tuple(found[n] for n in sorted(found))


def ends_by_name(
    operations: tuple[Operation, ...], instruments: tuple[Instrument, ...], in_force: dict[str, bool]
) -> dict[str, datetime.date]:
    """Agreements that another agreement in force ended by name."""
    ended: dict[str, datetime.date] = {}
    for operation in operations:
        if operation.op is not Op.TERMINATE_AGREEMENT or not in_force.get(operation.document):
            continue
        ender = next(i for i in instruments if i.document == operation.document)
        for instrument in instruments:
            if (
                instrument.kind in _BASE
                and instrument.dated
                and instrument.dated.isoformat() == operation.target.agreement
                and ender.dated
            ):
                ended[instrument.document] = ender.effective_on or ender.dated
    return ended
