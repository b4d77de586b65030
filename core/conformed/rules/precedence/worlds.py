"""Open readings: each operation that may or may not be in force is tried both ways, and the outcomes are compared (rule G3).

If every reading gives the same covenant, the doubt is immaterial. If not, each outcome is a candidate for a person.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conformed.model.operation import Operation
from conformed.model.pack import Instrument, InstrumentKind
from conformed.rules.instruments.dating import Standing
from conformed.rules.precedence.state import State
from conformed.rules.precedence.targets import LEVELS

__all__ = ["Ordered", "Placed", "World", "in_order", "recites", "standing_after", "worlds"]

_MOST = 5
_LOW = datetime.date.min


@dataclass(frozen=True, slots=True)
class Placed:
    """An operation with its standing on the test date and the doubts about its instrument.

    Attributes:
        operation: the operation.
        instrument: the document that makes it.
        standing: how it stands on the test date.
        doubts: review codes about the instrument.
        base: it is a statement of the base agreement itself.
    """

    operation: Operation
    instrument: Instrument
    standing: Standing
    doubts: tuple[str, ...] = ()
    base: bool = False

    @property
    def open(self) -> bool:
        """Whether it may or may not count."""
        return self.standing.state == "doubt" or bool(self.doubts)

    @property
    def codes(self) -> tuple[str, ...]:
        """The review codes that make it open."""
        own = self.standing.codes if self.standing.state == "doubt" else ()
        return tuple(dict.fromkeys((*self.doubts, *own)))


@dataclass(frozen=True, slots=True)
class World:
    """One way of answering every open question, and the covenant that follows from it.

    Attributes:
        state: the covenant.
        counted: operations that count.
        left_out: operations that do not.
    """

    state: State
    counted: tuple[Placed, ...] = ()
    left_out: tuple[Placed, ...] = ()

    @property
    def reading(self) -> str:
        """The assumption in words, for a person."""
        parts = [f"{p.operation.document} counts" for p in self.counted if p.open and not p.base]
        parts += [f"{p.operation.document} does not count" for p in self.left_out]
        return "; ".join(dict.fromkeys(parts))


@dataclass(frozen=True, slots=True)
class Ordered:
    """Operations in the order in which they apply.

    Attributes:
        placed: statements of the base first, then changes by effective date.
        codes: accept codes of how an order was settled.
        clashes: pairs whose order cannot be settled, the one now standing first and the one now standing later.
    """

    placed: tuple[Placed, ...]
    codes: tuple[str, ...] = ()
    clashes: tuple[tuple[Placed, Placed], ...] = ()


def recites(later: Instrument, earlier: Instrument) -> bool:
    """Whether an instrument names another as part of what it amends."""
    for r in later.recites:
        if r.number is not None and r.number == earlier.number and (r.kind is None or r.kind is earlier.kind):
            return True
        if r.dated is not None and r.dated == earlier.dated and (r.number is None or earlier.number is None):
            return True
    return later.amends is not None and later.amends.dated is not None and later.amends.dated == earlier.dated


def in_order(placed: Sequence[Placed]) -> Ordered:
    """Sorts operations by effective date (PR-30), settles equal dates by recital (PR-31), and names conflicts (PR-32).

    Args:
        placed: operations on one covenant, in any order.
    """
    base = sorted((p for p in placed if p.base), key=lambda p: p.operation.id)
    changes = sorted((p for p in placed if not p.base), key=_key)
    codes: list[str] = []
    for _ in range(len(changes)):
        # An instrument that another of the same day recites stands before it.
        for i, (a, b) in enumerate(itertools.pairwise(changes)):
            if (
                a.standing.date == b.standing.date
                and recites(a.instrument, b.instrument)
                and not recites(b.instrument, a.instrument)
            ):
                changes[i], changes[i + 1] = b, a
    clashes: list[tuple[Placed, Placed]] = []
    for a, b in itertools.combinations((*base, *changes), 2):
        if a.operation.document == b.operation.document or a.operation.op not in LEVELS or b.operation.op not in LEVELS:
            continue
        if a.base:
            if _inverted(b, a) or _same_day(b.instrument, a.instrument) or _straddles(b, a):
                clashes.append((b, a))
        elif a.standing.date == b.standing.date:
            if recites(b.instrument, a.instrument) != recites(a.instrument, b.instrument):
                codes.append("accept_recited_chain_order")
            else:
                clashes.append((a, b))
        elif a.standing.undated or recites(a.instrument, b.instrument) or _inverted(a, b):
            # A day that is not established may be the last; and one that recites another counts itself as the later.
            clashes.append((a, b))
    return Ordered((*base, *changes), tuple(dict.fromkeys(codes)), tuple(clashes))


def standing_after(placed: Sequence[Placed], last: Placed, other: Placed) -> list[Placed]:
    """The operations with one of a pair after the other; what comes later than both stays later.

    An operation whose day is not established may be the last of all.
    """
    if last.standing.undated or other.standing.undated:
        return [p for p in placed if p is not last] + [last]
    if placed.index(last) > placed.index(other):
        return list(placed)
    result = [p for p in placed if p is not last]
    result.insert(result.index(other) + 1, last)
    return result


def _key(placed: Placed) -> tuple[datetime.date, datetime.date, int, str, int, str]:
    i = placed.instrument
    # Of two that say the same from one day the one signed later governs (PR-31).
    # Ids end in an ordinal, so that the tenth operation of a document stands after its ninth.
    return (
        placed.standing.date or _LOW,
        i.signed_on or i.dated or _LOW,
        i.number or 0,
        i.document,
        len(placed.operation.id),
        placed.operation.id,
    )


def _inverted(first: Placed, last: Placed) -> bool:
    """Whether the instrument that takes effect later was made earlier, and the other does not deal with it (PR-32)."""
    if first.standing.date is None or last.standing.date is None or first.standing.date >= last.standing.date:
        return False
    made, other = first.instrument.signed_on or first.instrument.dated, last.instrument.signed_on or last.instrument.dated
    dealt_with = recites(first.instrument, last.instrument)
    return made is not None and other is not None and made > other and not dealt_with


def _straddles(change: Placed, base: Placed) -> bool:
    """Whether a change was made after a restatement was signed and before that took effect, and does not name it (PR-32)."""
    made, signed = change.instrument.signed_on or change.instrument.dated, base.instrument.signed_on or base.instrument.dated
    begun = base.standing.date
    restated = base.instrument.kind is InstrumentKind.RESTATEMENT and not recites(change.instrument, base.instrument)
    return restated and None not in (made, signed, begun) and signed < made < begun  # type: ignore[operator]


def _same_day(change: Instrument, base: Instrument) -> bool:
    """Whether a change bears the day of a restatement that it does not name: it may have been dropped, or may change it."""
    restated = base.kind is InstrumentKind.RESTATEMENT
    return restated and change.dated is not None and change.dated == base.dated and not recites(change, base)


def worlds(placed: Sequence[Placed], run: Callable[[Sequence[Placed]], State]) -> tuple[list[World], bool]:
    """Every way of answering the open questions about instruments, most plausible (all count) first.

    All open operations of one document share one answer.

    Returns:
        The readings, and whether they are all there are: with many open documents only the outermost are tried, and then
        equal readings prove nothing.
    """
    documents = list(dict.fromkeys(p.operation.document for p in placed if p.open and not p.base))
    whole = len(documents) <= _MOST
    choices = (
        list(itertools.product((True, False), repeat=len(documents)))
        if whole
        else [(True,) * len(documents), (False,) * len(documents)]
    )
    result = []
    for choice in choices:
        refused = {d for d, yes in zip(documents, choice, strict=True) if not yes}
        left = tuple(p for p in placed if p.open and not p.base and p.operation.document in refused)
        counted = tuple(p for p in placed if p not in left)
        result.append(World(run(counted), counted, left))
    return result, whole
