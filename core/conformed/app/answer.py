"""Answers of the commands that are not a decision, as records with a stable JSON shape."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Literal

from conformed.model.base import Frozen, Missing
from conformed.model.covenant import Covenant, Unit
from conformed.model.decision import Effective, Reason
from conformed.model.pack import Question
from conformed.model.span import Span

__all__ = [
    "Amount",
    "CovenantAnswer",
    "CovenantShape",
    "LogCheck",
    "LogEntry",
    "PluginRow",
    "Quote",
    "SaidCode",
    "answer_of",
    "plain_number",
    "shape_of",
]


class Quote(Frozen):
    """A place in a document and its words."""

    document: str
    """Document name inside the pack."""
    page: int | None
    """1-based page; None where the format has no pages."""
    start: int
    """First code point in the canonical text."""
    end: int
    """One past the last code point."""
    text: str
    """The exact words."""


class Amount(Frozen):
    """An amount of money."""

    value: str
    """Whole units of the currency, as a plain number string."""
    currency: str
    """ISO 4217 code; ``XXX`` where the text gives none."""


class CovenantShape(Frozen):
    """A covenant as machines are told of it: ratio covenants carry ``level``, amount covenants ``amount``."""

    name: str
    """Name of the tested figure as written."""
    section: str
    """Provision in normal form."""
    metric: str
    """Normal name."""
    comparator: str
    """le, lt, ge or gt: what compliance needs."""
    level: str | None
    """Exact ratio, such as ``7/2``; null for an amount covenant."""
    amount: Amount | None = None
    """Amount; null for a ratio covenant."""
    document: str
    """Document whose words set it."""
    instrument: str = ""
    """That document's title for people."""
    row: str = ""
    """Label of the schedule row used."""
    reading: str = ""
    """For a candidate: under which assumption it governs."""
    spans: tuple[Quote, ...] = ()
    """Where the deciding words stand: level first."""


class SaidCode(Frozen):
    """A code with its sentence."""

    code: str
    """Reason code."""
    sentence: str
    """Plain words."""
    subject: str = ""
    """What it is about."""


class CovenantAnswer(Frozen):
    """The answer of ``conformed covenant``: which covenant governs, without any figure of the borrower."""

    schema_version: str = "conformed.covenant/1"
    """Shape of this record."""
    pack: str
    """Name of the pack."""
    test_date: dt.date
    """Legal date."""
    known_at: dt.date
    """Knowledge date."""
    result: Literal["determined", "not_tested", "review"]
    """What precedence says."""
    overlay: str
    """none, waived or cured."""
    reason: str
    """For not_tested: suspended, trigger_unmet, before_first_test, deleted, not_selected or not_a_test_date; else empty."""
    covenant: CovenantShape | None
    """The governing covenant; null unless there is one."""
    candidates: tuple[CovenantShape, ...] = ()
    """On review: each open reading, best first."""
    codes: tuple[str, ...] = ()
    """Reason codes, in the order of the record."""
    reasons: tuple[SaidCode, ...] = ()
    """The same codes with their sentences."""


class LogEntry(Frozen):
    """One record of the log, for people."""

    number: int
    """Place within the run, from 1."""
    at: str
    """UTC time as recorded."""
    kind: str
    """Kind of record, such as ``step.outcome``."""
    step: str = ""
    """Step that it belongs to."""
    outcome: str = ""
    """How the step ended, where the record says."""
    note: str = ""
    """Plain words."""
    digest: str = ""
    """The record's leaf hash, 64 hex digits."""


class LogCheck(Frozen):
    """What verification of the log found."""

    ok: bool
    """Whether every record holds."""
    records: int
    """How many records were looked at."""
    sentence: str
    """Plain words; on failure it names the first record that does not hold and why."""
    first_bad: str = ""
    """Name of that record."""


class PluginRow(Frozen):
    """One plugin registration, or one plugin that could not be loaded."""

    kind: str
    """reader, retriever, extractor ...; empty for one that was not loaded."""
    name: str
    """Name within its kind, or the entry point's name."""
    version: str
    """Its version."""
    summary: str = ""
    """One sentence on what it does."""
    origin: str = ""
    """Distribution and version that it comes from."""
    status: Literal["ready", "failed"] = "ready"
    """Whether it can be used."""
    reason: str = ""
    """Why it cannot, and the mend."""


def plain_number(value: Fraction) -> str:
    """An exact number as the shortest string that a program reads back exactly: ``50000000``, ``7/2``."""
    return str(value)


def _quote(span: Span) -> Quote:
    return Quote(document=span.document, page=span.page, start=span.start, end=span.end, text=span.text)


def shape_of(covenant: Covenant) -> CovenantShape:
    """A covenant in the shape that machines are told."""
    limit = covenant.limit
    is_amount = limit.unit is Unit.AMOUNT
    return CovenantShape(
        name=covenant.name,
        section=covenant.section,
        metric=covenant.metric,
        comparator=covenant.comparator.value,
        level=None if is_amount else plain_number(limit.value),
        amount=Amount(value=plain_number(limit.value), currency=limit.currency or "XXX") if is_amount else None,
        document=covenant.document,
        instrument=covenant.instrument,
        row=covenant.row,
        reading=covenant.reading,
        spans=tuple(_quote(span) for span in covenant.spans or limit.spans),
    )


def _said(reason: Reason) -> SaidCode:
    return SaidCode(code=reason.code, sentence=reason.sentence, subject=reason.subject)


def answer_of(pack: str, question: Question, effective: Effective) -> CovenantAnswer:
    """Shapes what precedence gives as the answer of ``conformed covenant``.

    An unknown result word fails closed to review: a program that reads the answer must never take it for a level.

    Args:
        pack: name of the pack.
        question: what was asked, with its dates filled in.
        effective: what precedence gives.
    """
    missing = isinstance(effective.covenant, Missing)
    result: Literal["determined", "not_tested", "review"] = "review"
    if effective.result == "determined" and not missing:
        result = "determined"
    elif effective.result == "not_tested":
        result = "not_tested"
    shown = None if isinstance(effective.covenant, Missing) or result == "review" else shape_of(effective.covenant)
    reasons = tuple(_said(reason) for reason in effective.reasons)
    if isinstance(effective.covenant, Missing) and result == "review" and not reasons:
        reasons = (SaidCode(code=effective.covenant.code, sentence=effective.covenant.reason),)
    return CovenantAnswer(
        pack=pack,
        test_date=question.test_date,
        known_at=question.known_at,
        result=result,
        overlay=effective.overlay.value,
        reason=effective.not_tested if result == "not_tested" else "",
        covenant=shown,
        candidates=tuple(shape_of(candidate) for candidate in effective.candidates),
        codes=tuple(dict.fromkeys(said.code for said in reasons)),
        reasons=reasons,
    )
