"""Rights to another level after an event or election (PR-42): taken where every condition is shown, otherwise a question."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from conformed.model.codes import sentence_of
from conformed.model.covenant import Comparator, Covenant, CovenantTerms, Increase
from conformed.model.decision import Reason
from conformed.model.operation import Operation
from conformed.model.span import Span
from conformed.rules.precedence.ground import Ground
from conformed.rules.timed.election_trial import Trial, Tried, here

__all__ = ["Increased", "increased"]

_MAXIMUM = {Comparator.LE, Comparator.LT}


@dataclass(frozen=True, slots=True)
class Increased:
    """What elections and rights to another level do to the covenant on the test date.

    Attributes:
        elected: the covenant on its elected level, where every condition of one election is shown.
        others: other levels that the covenant may have.
        reasons: codes.
    """

    elected: Covenant | None = None
    others: tuple[Covenant, ...] = ()
    reasons: tuple[Reason, ...] = ()


def _raised(base: Covenant, tried: Tried, reading: str) -> Covenant | None:
    """The covenant on the level that an election gives, None where nothing shows that level."""
    operation, right = tried.operation, tried.right
    if operation.limit is not None:
        return _other(base, operation.limit.value, None, None, operation.limit.spans, reading)
    spans = operation.instruction or (right.spans if right else ())
    level = right.level if right is not None and operation.delta is None else None
    delta = operation.delta if operation.delta is not None or right is None else right.delta
    cap = operation.cap if operation.cap is not None or right is None else right.cap
    found = _other(base, level, delta, cap, spans, reading)
    if found is None:
        return None
    return found.model_copy(
        update={
            "document": operation.document,
            "instrument": tried.title,
            "limit": found.limit.model_copy(update={"spans": (*found.limit.spans, *base.limit.spans)}),
            "row": "",
            "spans": (*found.limit.spans, *base.spans),
        }
    )


def _other(
    base: Covenant, level: Fraction | None, delta: Fraction | None, cap: Fraction | None, spans: tuple[Span, ...], reading: str
) -> Covenant | None:
    value = level if level is not None else base.limit.value + delta if delta is not None else None
    if value is None:
        return None
    value = min(value, cap) if cap is not None else value
    where = spans or base.limit.spans
    limit = base.limit.model_copy(update={"value": value, "raw": where[0].text if spans else base.limit.raw, "spans": where})
    return base.model_copy(update={"limit": limit, "reading": reading})


def increased(ground: Ground, terms: CovenantTerms, covenants: Sequence[Covenant]) -> Increased:
    """The elected level, or other levels that the covenant may have on the test date and the question that they raise.

    An election counts only where notice, time, size, number and gap are all shown. One that the evidence shows to fail leaves
    the level without increase; one about which something is not shown is a question with both levels. Without any election,
    a right to one is a question unless a person attests that none was made.

    Args:
        ground: the case; its test date is asked about.
        terms: the covenant's terms.
        covenants: the covenant on the permanent level.
    """
    if not covenants:
        return Increased()
    trial = Trial(ground, terms)
    mine = sorted((o for o in ground.elections if here(o, terms.section)), key=lambda o: (_given(ground, o), o.id))
    tried = [trial.hold(o) for o in mine]
    reasons = [r for t in tried for r in _aside(t)]
    now = [t for t in tried if t.holds and t.state in {"good", "open", "failed"}]
    question = ground.case.question
    attested = (question.no_election or ground.case.manifest.no_election) and not question.claimed_elections
    if not now:
        rights = terms.increases if not attested else ()
        others, asked = _open_rights(covenants[0], rights, terms)
        return Increased(None, others, (*reasons, *asked))
    reasons += [_failed(t) for t in now if t.state == "failed"]
    return _settled(covenants[0], [t for t in now if t.state != "failed"], reasons, terms)


def _settled(base: Covenant, counted: list[Tried], reasons: list[Reason], terms: CovenantTerms) -> Increased:
    """One good election is the level; a doubt that changes no level is a finding; anything else is a question."""
    if not counted:
        return Increased(None, (), tuple(reasons))
    raised = [_raised(base, t, f"if the election in {t.operation.document} is good") for t in counted]
    shown = [c for c in raised if c is not None]
    open_ones = [t for t in counted if t.state == "open"]
    if open_ones and len(shown) == len(counted) and {c.limit.value for c in shown} == {base.limit.value}:
        code = "finding_reading_immaterial"
        return Increased(None, (), (*reasons, Reason(code=code, sentence=sentence_of(code), subject=terms.section)))
    if not open_ones and len(shown) == len(counted) and len({c.limit.value for c in shown}) == 1:
        if base.comparator in _MAXIMUM and shown[-1].limit.value >= base.limit.value:
            operation = counted[-1].operation
            facts = operation.election.spans if operation.election is not None else {}
            accept = Reason(
                code="accept_elected_increase",
                sentence=sentence_of("accept_elected_increase"),
                subject=operation.document,
                spans=(*operation.instruction[:2], *(s for name in sorted(facts) for s in facts[name])),
            )
            return Increased(shown[-1].model_copy(update={"reading": ""}), (), (*reasons, accept))
        words = "An election that leaves the covenant tighter than it was, or that moves a minimum, is for a person to read."
        return Increased(
            None, tuple(shown), (*reasons, Reason(code="review_clause_not_fully_read", sentence=words, subject=terms.section))
        )
    if not open_ones:
        open_ones = [
            replace(t, codes=("review_election_evidence_missing",), why=("two elections give two levels",)) for t in counted
        ]
    for t in open_ones:
        said = f"{t.operation.document} elects another level; {'; '.join(t.why)}."
        reasons += [
            Reason(code=c, sentence=said if "election" in c else sentence_of(c), subject=t.operation.document if "election" not in c else terms.section,
                   spans=t.operation.instruction[:2]) for c in t.codes
        ]  # fmt: skip
    return Increased(None, tuple(shown), tuple(reasons))


def _given(ground: Ground, operation: Operation) -> dt.date:
    instrument = ground.instruments[operation.document]
    return (operation.election.notice_date if operation.election else None) or instrument.dated or dt.date.max


def _aside(tried: Tried) -> list[Reason]:
    """Reasons of an election that does nothing on the test date."""
    codes = {"aside": tried.codes, "ended": ("reject_expired", "accept_reverted_after_lapse")}.get(tried.state, ())
    operation = tried.operation
    return [Reason(code=c, sentence=sentence_of(c), subject=operation.document, spans=operation.instruction[:2]) for c in codes]


def _failed(tried: Tried) -> Reason:
    said = f"The election in {tried.operation.document} does not count: {'; '.join(tried.why)}."
    return Reason(
        code="reject_election_condition_failed",
        sentence=said,
        subject=tried.operation.document,
        spans=tried.operation.instruction[:2],
    )


def _open_rights(
    base: Covenant, rights: Sequence[Increase], terms: CovenantTerms
) -> tuple[tuple[Covenant, ...], tuple[Reason, ...]]:
    """The levels that rights of the clause may have given, where nothing shows whether they were used."""
    if not rights:
        return (), ()
    found = [_other(base, r.level, r.delta, r.cap, r.spans, f"if the {r.event or 'election'} is evidenced") for r in rights]
    said = "The clause lets another level apply after an event or election, and nothing in the pack shows whether it happened."
    reason = Reason(code="review_election_evidence_missing", sentence=said, subject=terms.section, spans=rights[0].spans)
    return tuple(c for c in found if c is not None), (reason,)
