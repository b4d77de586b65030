"""The decision record: everything a run found, for a person to conclude from. The software never concludes."""

from __future__ import annotations

import datetime
from enum import StrEnum

from conformed.model.base import Frozen, Missing
from conformed.model.calculation import Calculation, Certificate
from conformed.model.claim import Claim, Draft, Verdict
from conformed.model.covenant import Comparator, Covenant, Definition, Limit, TimelineEntry
from conformed.model.override import Overridden
from conformed.model.span import Span

__all__ = [
    "CappedWaiver",
    "Check",
    "CheckOutcome",
    "Conformed",
    "ConformedRun",
    "Decision",
    "DocumentSummary",
    "Effective",
    "Overlaid",
    "Overlay",
    "Reason",
    "Result",
]


class Result(StrEnum):
    """What a run says. Never an approval or a refusal of credit."""

    PASS = "pass"  # noqa: S105 - a result, no password
    BREACH = "breach"
    NOT_TESTED = "not_tested"
    REVIEW = "review"


class Overlay(StrEnum):
    """A waiver or cure beside the result; it never changes the result."""

    NONE = "none"
    WAIVED = "waived"
    CURED = "cured"


class Reason(Frozen):
    """A reason code of this run, with what it is about."""

    code: str
    """One of the codes of conformed.model.codes."""
    sentence: str
    """A plain sentence that a person can act on."""
    subject: str = ""
    """Document, section, or step that it is about."""
    spans: tuple[Span, ...] = ()
    """Where it shows."""


class ConformedRun(Frozen):
    """A run of words of a conformed copy, and who put it there."""

    text: str
    """The words."""
    document: str
    """Instrument."""
    operation: str
    """Operation id; empty for the base text."""
    spans: tuple[Span, ...] = ()
    """Where they stand in the instrument."""


class Conformed(Frozen):
    """One provision or definition as it reads on the test date."""

    section: str
    """Provision in normal form, or the defined term."""
    heading: str
    """Caption."""
    runs: tuple[ConformedRun, ...]
    """Its words in order."""
    superseded: tuple[ConformedRun, ...] = ()
    """Words that stood there before and no longer count."""
    definition: bool = False
    """Whether it is a defined term."""


class CappedWaiver(Frozen):
    """A waiver of the test that holds only if the ratio is within a ceiling (PR-44)."""

    document: str
    """Document that gives it."""
    ceiling: Limit
    """The ceiling."""
    comparator: Comparator
    """What the ratio must be against it."""
    metric: str = ""
    """Normal name of that ratio, where the waiver names one; empty for the covenant's own."""
    spans: tuple[Span, ...] = ()
    """The words."""


class Overlaid(Frozen):
    """Waivers and cures beside a result, once the ratio is known. The result itself stays as it was (PR-44, PR-45)."""

    overlay: Overlay = Overlay.NONE
    """What stands beside the result."""
    reasons: tuple[Reason, ...] = ()
    """Codes about waivers and cures alone; a review code among them keeps the overlay open and never the result."""


class Effective(Frozen):
    """What precedence gives: the covenant on the test date, or why there is none."""

    result: str
    """determined, not_tested or review."""
    overlay: Overlay = Overlay.NONE
    """Waiver or cure that stands beside it."""
    not_tested: str = ""
    """suspended, trigger_unmet, before_first_test, deleted, not_selected or not_a_test_date."""
    covenant: Covenant | Missing
    """The governing covenant."""
    candidates: tuple[Covenant, ...] = ()
    """On review: each open reading, best first."""
    timeline: tuple[TimelineEntry, ...] = ()
    """Levels over time, as known on the knowledge date."""
    conformed: tuple[Conformed, ...] = ()
    """Covenant, schedule and definitions as they read on the test date."""
    definitions: tuple[Definition, ...] = ()
    """Definitions used."""
    reasons: tuple[Reason, ...] = ()
    """All codes that apply."""
    overlay_reasons: tuple[Reason, ...] = ()
    """Those of ``reasons`` that are about a waiver alone: they never change the result (PR-44)."""
    waivers: tuple[CappedWaiver, ...] = ()
    """Waivers that hold only up to a ratio of their own, and are otherwise shown: judged once the ratio is known."""


class CheckOutcome(StrEnum):
    """One row of the check vector."""

    PASS = "pass"  # noqa: S105 - a result, no password
    FAIL = "fail"
    REVIEW = "review"
    NOT_RUN = "not_run"


class Check(Frozen):
    """One of the six checks: retrieval_coverage, precedence, schema, calculation, claim_support, decision_boundary."""

    name: str
    """Which."""
    outcome: CheckOutcome
    """How it ended."""
    sentence: str
    """Why, in plain words."""
    codes: tuple[str, ...] = ()
    """Reason codes behind it."""


class DocumentSummary(Frozen):
    """One document of the pack, for lists."""

    name: str
    """Path inside the pack."""
    sha256: str
    """Hash of its bytes."""
    kind: str
    """Instrument kind."""
    title: str = ""
    """Title, or kind and date."""
    dated: datetime.date | None = None
    """Date printed on it."""
    effective_on: datetime.date | None = None
    """Day from which it counts, where established."""
    execution: str = ""
    """How far it is signed."""
    pages: int = 1
    """Number of pages."""
    notes: tuple[str, ...] = ()
    """What a person should know of how it was read."""


class Decision(Frozen):
    """The record of one run."""

    schema_version: str = "conformed.decision/1"
    """Shape of this record."""
    run: str
    """Run id."""
    pack: str
    """Name of the pack."""
    pack_digest: str
    """Digest of its files."""
    borrower: str | None
    """Borrower."""
    test_date: datetime.date
    """Legal date."""
    known_at: datetime.date
    """Knowledge date."""
    contract: str
    """Name and version of the task contract."""
    contract_digest: str
    """SHA-256 of the exact bytes of the contract."""
    result: Result
    """What the run says."""
    overlay: Overlay
    """Waiver or cure beside it."""
    covenant: Covenant | Missing
    """The governing covenant."""
    candidates: tuple[Covenant, ...] = ()
    """On review: readings that remain open."""
    certificate: Certificate | Missing
    """The compliance certificate used."""
    calculation: Calculation | Missing
    """The calculation."""
    timeline: tuple[TimelineEntry, ...] = ()
    """Levels over time."""
    conformed: tuple[Conformed, ...] = ()
    """The conformed copy on the test date."""
    checks: tuple[Check, ...] = ()
    """The six checks."""
    reasons: tuple[Reason, ...] = ()
    """Codes with sentences: accept, reject, review, not_tested."""
    findings: tuple[Reason, ...] = ()
    """Codes that do not stop the run."""
    claims: tuple[Claim, ...] = ()
    """What may be said."""
    verdicts: tuple[Verdict, ...] = ()
    """How claims and drafts were checked."""
    draft: Draft | Missing
    """The drafted explanation."""
    documents: tuple[DocumentSummary, ...] = ()
    """The pack."""
    refusals: tuple[str, ...] = ()
    """Files that were not read: a sentence each."""
    next_steps: tuple[str, ...] = ()
    """What a person must now do."""
    overridden: Overridden | None = None
    """Of a run that was done again with overrides: the run before it, and what became of each override."""
