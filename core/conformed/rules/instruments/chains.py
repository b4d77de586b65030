"""Chains of instruments: one base agreement, its restatements, and what changes it (rule book PR-02, PR-08)."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from conformed.model.operation import Op, Operation
from conformed.model.pack import Instrument, InstrumentKind

__all__ = ["BASES", "Chain", "build_chains", "ends_by_name"]

BASES = frozenset({InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT})
"""Kinds that hold a whole agreement."""
_LOW, _HIGH = datetime.date.min, datetime.date.max


@dataclass(frozen=True, slots=True)
class Chain:
    """One agreement through time.

    Attributes:
        base: the agreement whose text is in force, None where no agreement of the chain is in the pack.
        older: agreements that the base restated, itself or through others.
        changes: amendments, waivers and consents that change the base.
        spent: instruments that a restatement dropped.
        mismatched: instruments that name another agreement than any in the pack.
        unclear: instruments that may change this agreement or another one of the pack.
        saved: instruments from before a restatement that it keeps alive by name.
    """

    base: Instrument | None
    older: tuple[Instrument, ...] = ()
    changes: tuple[Instrument, ...] = ()
    spent: tuple[Instrument, ...] = ()
    mismatched: tuple[Instrument, ...] = ()
    unclear: tuple[Instrument, ...] = ()
    saved: tuple[Instrument, ...] = ()

    @property
    def documents(self) -> frozenset[str]:
        """Documents whose operations count: the base and what changes it."""
        return frozenset(i.document for i in (*([self.base] if self.base else []), *self.changes))


def _order(instrument: Instrument) -> tuple[datetime.date, int, str]:
    return (instrument.dated or _LOW, instrument.number or 0, instrument.document)


def _restates(base: Instrument, older: Instrument, bases: Collection[Instrument]) -> bool:
    if base.amends is None or base.amends.dated is None:
        return len([b for b in bases if (b.dated or _HIGH) < (base.dated or _LOW)]) == 1
    return base.amends.dated == older.dated or (older.amends is not None and older.amends.dated == base.amends.dated)


def _families(live: list[Instrument], bases: list[Instrument]) -> dict[str, list[Instrument]]:
    """For each agreement in force that nothing restated: the agreements that it restated, through others too."""
    replaced: dict[str, str] = {}
    for base in live:
        if base.kind is InstrumentKind.RESTATEMENT:
            for older in bases:
                if older is not base and (older.dated or _HIGH) <= (base.dated or _LOW) and _restates(base, older, bases):
                    replaced[older.document] = base.document
    heads: dict[str, list[Instrument]] = {b.document: [] for b in live if b.document not in replaced}
    for older in bases:
        at, seen = older.document, {older.document}
        while at in replaced and replaced[at] not in seen:
            at = replaced[at]
            seen.add(at)
        if at != older.document and at in heads:
            heads[at].append(older)
    return heads


def _names(change: Instrument, agreement: Instrument) -> bool:
    """Whether the date by which a change names its agreement is the agreement's, or that of the text it restated."""
    assert change.amends is not None
    dated = change.amends.dated
    return agreement.dated == dated or (agreement.amends is not None and agreement.amends.dated == dated)


def _fitting(change: Instrument, families: Mapping[str, list[Instrument]]) -> list[str]:
    """Heads of the families that a change may belong to."""
    if change.amends is None or change.amends.dated is None:
        return _by_agent(change, list(families), families) if len(families) > 1 else list(families)
    fits = [head for head, members in families.items() if any(_names(change, m) for m in members)]
    if len(fits) > 1:
        wanted = " ".join(change.amends.text.casefold().split())
        titled = [h for h in fits if wanted and any(wanted in " ".join(m.title.casefold().split()) for m in families[h])]
        fits = titled if len(titled) == 1 else fits
    return _by_agent(change, fits, families) if len(fits) > 1 else fits


def _by_agent(change: Instrument, fits: list[str], families: Mapping[str, list[Instrument]]) -> list[str]:
    """Of several agreements that a change may belong to, the one with its agent, where the others all have another (P32)."""
    agents = {h: {a for m in families[h] for a in m.parties} for h in fits}
    same = [h for h in fits if agents[h] & set(change.parties)]
    return same if len(same) == 1 and all(agents.values()) else fits


def build_chains(
    instruments: tuple[Instrument, ...], in_force: Mapping[str, bool], ended: Iterable[str] = ()
) -> tuple[Chain, ...]:
    """Groups instruments into chains as they stand on one test date.

    Args:
        instruments: admitted instruments.
        in_force: for each agreement, whether it is in force on the test date.
        ended: agreements that a later one ended by name.

    Returns:
        Chains whose base is in force; one without a base where the pack holds none.
    """
    bases = sorted((i for i in instruments if i.kind in BASES), key=lambda i: (i.dated or _LOW, i.document))
    changes = sorted((i for i in instruments if i.kind not in BASES), key=_order)
    if not bases:
        return (Chain(None, changes=tuple(changes)),) if changes else ()
    gone = set(ended)
    live = [b for b in bases if in_force.get(b.document) and b.document not in gone]
    heads = _families(live, bases)
    by_name = {b.document: b for b in bases}
    # An agreement that is not in force, or was ended, still claims the changes that name it.
    claimed = {o.document for olders in heads.values() for o in olders}
    waiting = [b for b in bases if b not in live and _restates_any(b, bases)]
    families = {b.document: [b, *heads.get(b.document, [])] for b in bases if b.document not in claimed and b not in waiting}
    own: dict[str, list[Instrument]] = {h: [] for h in families}
    unclear: dict[str, list[Instrument]] = {h: [] for h in families}
    mismatched: list[Instrument] = []
    for change in changes:
        if _changes_waiting(change, waiting, families):
            continue
        fits = _fitting(change, families)
        if not fits:
            mismatched.append(change)
        for head in fits:
            (own if len(fits) == 1 else unclear)[head].append(change)
    return tuple(_chain(by_name[h], heads[h], own[h], mismatched, unclear[h]) for h in heads)


def _restates_any(base: Instrument, bases: list[Instrument]) -> bool:
    """Whether an agreement is a restatement of another one in the pack: until it counts it is no agreement beside that one."""
    earlier = [o for o in bases if o is not base and (o.dated or _HIGH) <= (base.dated or _LOW)]
    return base.kind is InstrumentKind.RESTATEMENT and any(_restates(base, o, bases) for o in earlier)


def _changes_waiting(change: Instrument, waiting: list[Instrument], families: Mapping[str, list[Instrument]]) -> bool:
    """Whether a change works on a restatement that is not yet in force, and so on nothing that is."""
    dated = change.amends.dated if change.amends is not None else None
    if dated is None or any(m.dated == dated for members in families.values() for m in members):
        return False
    return any(w.dated == dated for w in waiting)


def _chain(
    base: Instrument, older: list[Instrument], changes: list[Instrument], mismatched: list[Instrument], unclear: list[Instrument]
) -> Chain:
    before = [c for c in changes if older and _spent(c, base)]
    saved = [c for c in before if c.kind is InstrumentKind.AMENDMENT and c.number in base.saves]
    spent = [c for c in before if c not in saved]
    kept = [c for c in changes if c not in before]
    return Chain(base, tuple(older), tuple(kept), tuple(spent), tuple(mismatched), tuple(unclear), tuple(saved))


def _spent(change: Instrument, base: Instrument) -> bool:
    """Whether a restatement dropped a change (PR-08): made before its day, and not a change of the restatement itself."""
    if change.amends is not None and change.amends.dated is not None and change.amends.dated == base.dated:
        return False
    return change.dated is not None and base.dated is not None and change.dated < base.dated


def ends_by_name(
    operations: Iterable[Operation], instruments: Collection[Instrument], certain: Mapping[str, bool]
) -> dict[str, datetime.date]:
    """Agreements that another agreement ended by name, with the day.

    Args:
        operations: all operations.
        instruments: admitted instruments.
        certain: agreements that are in force without any doubt; only these can end another.
    """
    ended: dict[str, datetime.date] = {}
    for operation in operations:
        if operation.op is not Op.TERMINATE_AGREEMENT or not certain.get(operation.document):
            continue
        ender = next(i for i in instruments if i.document == operation.document)
        named = [
            i
            for i in instruments
            if i.kind in BASES and i.document != ender.document and i.dated and i.dated.isoformat() == operation.target.agreement
        ]
        day = ender.effective_on or ender.dated
        if len(named) == 1 and day is not None:
            ended[named[0].document] = day
    return ended
