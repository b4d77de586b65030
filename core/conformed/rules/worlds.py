"""Open readings: each operation that may or may not be in force is tried both ways, and the outcomes are compared (rule G3).

If every reading gives the same covenant, the doubt is immaterial. If not, each outcome is a candidate for a person.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from conformed.model.operation import Op, Operation
from conformed.model.pack import Instrument
from conformed.rules.apply import State
from conformed.rules.dating import Standing

__all__ = ["Placed", "World", "in_order", "worlds"]

_MOST = 5
_LEVELS = {Op.REPLACE_PROVISION, Op.REPLACE_TABLE, Op.SET_LEVEL, Op.SUBSTITUTE_TEXT, Op.ADD_PROVISION, Op.DELETE_PROVISION, Op.REPLACE_ROW}


@dataclass(frozen=True, slots=True)
class Placed:
    """An operation with its standing on the test date and the doubts about its instrument."""

    operation: Operation
    instrument: Instrument
    standing: Standing
    doubts: tuple[str, ...] = ()

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
    """One way of answering every open question, and the covenant that follows from it."""

    state: State
    counted: tuple[Placed, ...]
    left_out: tuple[Placed, ...]

    @property
    def reading(self) -> str:
        """The assumption in words, for a person."""
        parts = [f"{p.operation.document} counts" for p in self.counted if p.open]
        parts += [f"{p.operation.document} does not count" for p in self.left_out]
        return "; ".join(dict.fromkeys(parts))


def in_order(placed: list[Placed]) -> tuple[list[Placed], tuple[str, ...], tuple[tuple[Placed, Placed], ...]]:
    """Sorts operations by effective date (PR-30), settles equal dates by recital, and names conflicts (PR-31, PR-32).

    Returns:
        The order; order codes; pairs whose order cannot be settled.
    """
    low = datetime.date.min
    base = [p for p in placed if p.operation.op is Op.STATE_COVENANT]
    changes = [p for p in placed if p.operation.op is not Op.STATE_COVENANT]
    changes.sort(key=lambda p: (p.standing.date or low, p.instrument.dated or low, p.instrument.number or 0, p.operation.document, p.operation.id))
    codes: list[str] = []
    clashes: list[tuple[Placed, Placed]] = []
    for a, b in itertools.combinations(changes, 2):
        if a.operation.document == b.operation.document or a.operation.op not in _LEVELS or b.operation.op not in _LEVELS:
            continue
        if a.standing.date == b.standing.date:
            if _recites(b.instrument, a.instrument):
                codes.append("accept_recited_chain_order")
            elif _recites(a.instrument, b.instrument):
                i, j = changes.index(a), changes.index(b)
                changes[i], changes[j] = b, a
                codes.append("accept_recited_chain_order")
            else:
                clashes.append((a, b))
        elif a.instrument.dated and b.instrument.dated and a.instrument.dated > b.instrument.dated and not _recites(a.instrument, b.instrument):
            clashes.append((a, b))
    return base + changes, tuple(dict.fromkeys(codes)), tuple(clashes)


def _recites(later: Instrument, earlier: Instrument) -> bool:
    return any((r.number is not None and r.number == earlier.number) or (r.dated is not None and r.dated == earlier.dated and r.number is None) for r in later.recites)


def worlds(placed: list[Placed], run: Callable[[list[Placed]], State]) -> list[World]:
    """Every way of answering the open questions about instruments, most plausible (all count) first.

    All operations of one document share one answer. More open documents than can be tried both ways are tried together.
    """
    documents = list(dict.fromkeys(p.operation.document for p in placed if p.open and p.operation.op is not Op.STATE_COVENANT))
    choices = list(itertools.product((True, False), repeat=len(documents))) if len(documents) <= _MOST else [(True,) * len(documents), (False,) * len(documents)]
    result = []
    for choice in choices:
        counted_documents = {d for d, yes in zip(documents, choice, strict=True) if yes}
        counted = [p for p in placed if p.operation.document not in documents or p.operation.document in counted_documents]
        left = [p for p in placed if p not in counted]
        result.append(World(run(counted), tuple(counted), tuple(left)))
    return result
