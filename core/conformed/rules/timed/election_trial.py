"""One election of an increased level, held against what the agreement asks and what the pack shows (rule book PR-42)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from conformed.language.event_size import EventSize, read_event_size
from conformed.model.covenant import CovenantTerms, Increase
from conformed.model.election import Election, ElectionTerms
from conformed.model.operation import EffectiveMode, Op, Operation
from conformed.model.pack import Execution, InstrumentKind
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.slots import same_place
from conformed.rules.timed.election_conditions import check_election, quarter_ends_after, quarter_ends_in

__all__ = ["Trial", "Tried", "here"]

_BASES = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}
_SPEAKS = re.compile(r"\b(?:elect(?:s|ed|ion)?|increase|revok|withdraw|rescind)", re.IGNORECASE)
_EXECUTION = {Execution.PARTIAL: "review_partial_execution", Execution.UNSIGNED: "review_unsigned_instrument",
              Execution.UNKNOWN: "review_unsigned_instrument"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tried:
    """One election held against its conditions.

    Attributes:
        operation: the election.
        state: ``good``, ``failed``, ``open``, ``ended``, or ``aside`` where it is no election at all.
        holds: whether its quarters hold, or may hold, the test date.
        last: its last quarter end.
        why: what failed or is open, in words.
        codes: codes of it.
        right: the clause's right that it uses.
        title: title of the notice.
    """

    operation: Operation
    state: str
    holds: bool = False
    last: dt.date | None = None
    why: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    right: Increase | None = None
    title: str = ""


@dataclass(slots=True)
class Trial:
    """The elections of one covenant in the order of their notices; a later one is held against those before it.

    Attributes:
        ground: the case.
        terms: the covenant's terms on the test date.
        ended: last quarter ends of the increases tried so far.
    """

    ground: Ground
    terms: CovenantTerms
    ended: list[dt.date] = field(default_factory=list)

    def hold(self, operation: Operation) -> Tried:
        """Tries one election."""
        ground, test = self.ground, self.ground.case.question.test_date
        instrument = ground.instruments[operation.document]
        if instrument.execution is Execution.DRAFT:
            return Tried(operation, "aside", codes=("reject_draft",))
        right = _right(self.terms)
        facts = operation.election or Election()
        asks = facts.asks or (right.asks if right is not None else None) or ElectionTerms()
        days = _quarters(operation, facts, asks, ground)
        last = days[-1] if days else None
        holds = not days or days[0] <= test <= days[-1]
        if operation.effective.mode is not EffectiveMode.ON_SIGNING and ground.standing(operation, test).state == "not_yet":
            return Tried(operation, "aside", codes=("reject_not_yet_effective",))
        signed = tuple(sorted({d for d in (instrument.signed_on, facts.notice_date or instrument.dated) if d is not None}))
        found = check_election(_sized(facts, right, ground), asks, days, signed, self.ended, self._tested)
        missing, codes = self._of_notice(operation, signed, holds=holds)
        if found.failed:
            return Tried(operation, "failed", holds, last, found.failed, ("reject_election_condition_failed",), right)
        if last is not None:
            self.ended.append(last)
        if last is not None and last < test:
            return Tried(operation, "ended", last=last)
        missing = (*found.open, *missing)
        if missing:
            codes = (*codes, "review_election_evidence_missing")
            return Tried(operation, "open", holds, last, missing, codes, right, instrument.title)
        return Tried(operation, "good", holds, last, right=right, title=instrument.title)

    def _of_notice(
        self, operation: Operation, signed: Sequence[dt.date], *, holds: bool
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the notice itself leaves open, beside the conditions of the right."""
        instrument, test = self.ground.instruments[operation.document], self.ground.case.question.test_date
        missing: list[str] = []
        named = operation.target.agreement
        if named and all(
            i.dated is None or i.dated.isoformat() != named for i in self.ground.instruments.values() if i.kind in _BASES
        ):
            missing.append("the notice is under another agreement")
        if self._others(operation):
            missing.append("another notice in the pack speaks of an election")
        codes = [d.code for d in operation.doubts if d.code.startswith("review")]
        missing += [d.sentence for d in operation.doubts if d.code.startswith("review")]
        if instrument.kind is not InstrumentKind.NOTICE:
            missing.append("the document is no notice of an election")
        if instrument.execution in _EXECUTION:
            missing.append("nothing shows that the notice is signed")
            codes.append(_EXECUTION[instrument.execution])
        if operation.effective.mode is not EffectiveMode.ON_SIGNING:
            standing = self.ground.standing(operation, test)
            if standing.state == "doubt":
                missing.append("nothing shows when the election took effect")
                codes += [c for c in standing.codes if c.startswith("review")]
        elif holds and signed and signed[-1] > test:
            missing.append("the notice was given after the test date")
        return tuple(missing), tuple(dict.fromkeys(codes))

    def _others(self, operation: Operation) -> bool:
        """Whether a notice that was not read as an election may bear on this one."""
        read = {o.document for o in self.ground.elections}
        return any(
            i.kind is InstrumentKind.NOTICE and i.document not in read and _SPEAKS.search(self.ground.views[i.document].text)
            for i in self.ground.admitted.known
            if i.document != operation.document
        )

    def _tested(self, day: dt.date) -> bool:
        """Whether nothing in the pack says that the covenant was not tested on a quarter end."""
        first = self.terms.first_test
        if first is not None and day < first:
            return False
        return not any(
            o.op is Op.SUSPEND_TESTING and here(o, self.terms.section) and (not o.windows or any(w.holds(day) for w in o.windows))
            for o in self.ground.operations
        )


def here(operation: Operation, section: str) -> bool:
    """Whether an election is of a covenant; one that names no provision may be of any."""
    target = operation.target.section
    return not target or same_place(target, section) or same_place(section, target)


def _right(terms: CovenantTerms) -> Increase | None:
    """The clause's right that an election uses, where the clause has one and no more."""
    rights = [r for r in terms.increases if r.asks is not None]
    return rights[0] if len(rights) == 1 == len(terms.increases) else None


def _sized(facts: Election, right: Increase | None, ground: Ground) -> Election:
    """The facts, a certified size held against the definition of the event; nothing shows it where that is not plain."""
    if facts.asks is not None or right is None:
        return facts
    size = _size_of(right.event, ground)
    known = facts.size is not None and size is not None and size.currency == facts.size_currency
    if not known or facts.size is None or size is None or facts.event.lower() != right.event.lower():
        return facts.model_copy(update={"size_met": None})
    return facts.model_copy(update={"size_met": size.met_by(facts.size)})


def _size_of(event: str, ground: Ground) -> EventSize | None:
    """The size that the one definition of an event asks; None where there is none, several, or one that was changed."""
    if any(o.target.term.lower() == event.lower() for o in ground.operations):
        return None
    bases = sorted({i.document for i in ground.admitted.instruments if i.kind in _BASES})
    texts = [
        ground.views[d].text[ground.views[d].offset_of(d, p.start) : ground.views[d].offset_of(d, p.end)]
        for d in bases
        for p in ground.tree_of(d).provisions
        if p.kind == "definition" and p.heading.lower() == event.lower()
    ]
    return read_event_size(texts[0]) if len(texts) == 1 else None


def _quarters(operation: Operation, facts: Election, asks: ElectionTerms, ground: Ground) -> tuple[dt.date, ...]:
    """Fiscal quarter ends of the increase: as the notice lists them, else counted from the event by the agreement's words."""
    if operation.windows:
        return tuple(sorted({d for w in operation.windows for d in quarter_ends_in(w)}))
    if facts.event_date is None or asks.quarters is None or ground.calendar is None:
        return ()
    return quarter_ends_after(facts.event_date, asks.quarters, ground.calendar)
