"""A covenant as it stands after some operations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from conformed.language.traced import Traced
from conformed.model.covenant import CovenantTerms, Doubt, Row
from conformed.model.operation import Operation

__all__ = ["Setting", "State", "rows_from", "superseding"]


@dataclass(frozen=True, slots=True)
class Setting:
    """How the level was set once.

    Attributes:
        setter: operation that set it.
        how: accept code that said how it was found.
        codes: order codes and findings by then.
    """

    setter: Operation
    how: str
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """A covenant as it stands after some operations.

    Attributes:
        terms: what it says; None when it was deleted or never stated.
        text: its words with their origins.
        setter: operation that set the level now in force.
        how: accept code that says how the level was found.
        deleted: operation that deleted it.
        done: operations applied, oldest first.
        doubts: what could not be applied or understood.
        codes: order codes and findings.
        superseded: texts that stood there before, with the operation that put them there.
        earlier: how the level was set before, oldest first: rows of it may still govern earlier periods.
    """

    terms: CovenantTerms | None = None
    text: Traced | None = None
    setter: Operation | None = None
    how: str = ""
    deleted: Operation | None = None
    done: tuple[Operation, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    codes: tuple[str, ...] = ()
    superseded: tuple[tuple[Operation, Traced], ...] = field(default=())
    earlier: tuple[Setting, ...] = ()

    def doubting(self, code: str, sentence: str, operation: Operation) -> State:
        """The same state with one more doubt."""
        return replace(self, doubts=(*self.doubts, Doubt(code=code, sentence=sentence, spans=operation.instruction)))


def superseding(done: State, before: State, **changes: object) -> State:
    """The state after new words took the place of the old ones, which are kept as superseded.

    Args:
        done: the state with the operation noted.
        before: the state as it stood.
        changes: fields of the new state; ``setter`` must be among them.
    """
    superseded = done.superseded
    if before.text is not None and before.setter is not None:
        superseded = (*superseded, (before.setter, before.text))
    earlier = done.earlier
    if before.setter is not None:
        earlier = (*earlier, Setting(before.setter, before.how, before.codes))
    codes = done.codes
    setter = changes["setter"]
    assert isinstance(setter, Operation)
    if before.setter is not None and before.how != "accept_base_statement" and before.setter.document != setter.document:
        codes = tuple(dict.fromkeys((*codes, "reject_superseded")))
    return replace(done, **{"superseded": superseded, "earlier": earlier, "codes": codes, **changes})  # type: ignore[arg-type]


def rows_from(rows: tuple[Row, ...], operation: Operation) -> tuple[Row, ...]:
    """Rows as they stand for periods from the first that a change covers; all of them where it names none."""
    start = operation.from_period
    if start is None:
        return rows
    return tuple(
        r.model_copy(update={"window": r.window.model_copy(update={"start": max(r.window.start or start, start)})})
        for r in rows
        if r.window.end is None or r.window.end >= start
    )
