"""A pack: the documents of one question, what an analyst attests of them, and each one as an instrument."""

from __future__ import annotations

import datetime
from enum import StrEnum

from conformed.model.base import Frozen
from conformed.model.document import Document, Refusal
from conformed.model.provision import ProvisionTree
from conformed.model.span import Span

__all__ = [
    "CaseFile",
    "Execution",
    "Instrument",
    "InstrumentKind",
    "LenderConsent",
    "Manifest",
    "ManifestDocument",
    "Question",
    "Recital",
]


class InstrumentKind(StrEnum):
    """What a document is in law, which decides whether it can operate (rule PR-03)."""

    FACILITY_AGREEMENT = "facility_agreement"
    AMENDMENT = "amendment"
    RESTATEMENT = "restatement"
    WAIVER = "waiver"
    CONSENT = "consent"
    SIDE_LETTER = "side_letter"
    CONDITION_NOTICE = "condition_notice"
    NOTICE = "notice"
    COMPLIANCE_CERTIFICATE = "compliance_certificate"
    CONFORMED_COPY = "conformed_copy"
    RESERVATION = "reservation_of_rights"
    OTHER = "other"


class Execution(StrEnum):
    """How far an instrument is signed."""

    EXECUTED = "executed"
    PARTIAL = "partial"
    UNSIGNED = "unsigned"
    DRAFT = "draft"
    UNKNOWN = "unknown"


class ManifestDocument(Frozen):
    """What pack.yaml says of one document; everything but the file is optional."""

    file: str
    """Path inside the pack."""
    kind: InstrumentKind | None = None
    """What it is."""
    dated: datetime.date | None = None
    """The date printed on it."""
    execution: Execution | None = None
    """What is attested of its signatures."""
    effective_on: datetime.date | None = None
    """The day on which its conditions are attested to have been met."""
    lapsed_on: datetime.date | None = None
    """The day on which it is attested to have ended unborn, its conditions unmet."""
    finance_document: bool | None = None
    """For a side letter: attested that it is, or is not, one of the agreement's finance (loan) documents."""
    sha256: str | None = None
    """Hash of the bytes at the time of the attestation."""


class Manifest(Frozen):
    """pack.yaml. What is attested in it settles only what it says, with the name of the person who attests."""

    pack: str | None = None
    """Name of the pack."""
    borrower: str | None = None
    """Name of the borrower."""
    test_date: datetime.date | None = None
    """The test date, where no option gives one."""
    known_at: datetime.date | None = None
    """The knowledge date, where no option gives one."""
    covenant: str | None = None
    """Name of the covenant in question."""
    section: str | None = None
    """Its section."""
    no_election: bool = False
    """Attested: no election (increase, relief) was made."""
    no_tighter_terms: bool = False
    """Attested: no other financing has terms that a most favoured lender clause would take in."""
    side_letters_apart: bool = False
    """Attested: the side letters that are not in the pack concern fees only, or nothing that the covenant says."""
    fiscal_year_end: str | None = None
    """Month and day, MM-DD."""
    documents: tuple[ManifestDocument, ...] = ()
    """Where any are listed, only they are evidence."""
    chain_complete: bool = False
    """Attested: no instrument outside the pack changes the sections tested."""
    attested_by: str | None = None
    """Who attests."""
    attestations: tuple[str, ...] = ()
    """Their sentences, verbatim."""


class Question(Frozen):
    """What a run is asked."""

    test_date: datetime.date
    """Legal date: the day on which the covenant is tested."""
    known_at: datetime.date
    """Knowledge date: only what had come into being by this day counts."""
    covenant: str | None = None
    """Name of the covenant, as the person types it."""
    section: str | None = None
    """Its section, as the person types it."""
    facts: dict[str, str] = {}
    """Facts given by the person, each a name and a figure as a string (use of the revolver, for instance)."""
    claimed_elections: tuple[str, ...] = ()
    """Elections that somebody claims were made, without their evidence."""
    no_election: bool = False
    """Attested: no election was made."""


class Recital(Frozen):
    """One instrument names another."""

    text: str
    """As written."""
    kind: InstrumentKind | None = None
    """What is named."""
    number: int | None = None
    """Ordinal of an amendment (First, No. 2 ...)."""
    dated: datetime.date | None = None
    """Its date as recited."""
    spans: tuple[Span, ...] = ()
    """Where."""


class LenderConsent(Frozen):
    """Who had to agree to a change and who did, as facts that somebody states (PR-20); nothing here is read from a text."""

    needed: str
    """Class of lenders that can make the change, as a short name (``required_lenders``)."""
    given_by: str
    """Class that agreed."""
    shown: bool
    """Whether the needed share is recited, shown by signatures or confirmed by the agent."""


class Instrument(Frozen):
    """A document seen as a legal instrument: read from its text, overridden by what is attested."""

    document: str
    """Name of the document."""
    kind: InstrumentKind
    """What it is."""
    title: str = ""
    """Title as written."""
    number: int | None = None
    """Ordinal of an amendment."""
    dated: datetime.date | None = None
    """The date printed on it. Never by itself an effective date."""
    signed_on: datetime.date | None = None
    """Date of the last required signature, where evidenced."""
    execution: Execution = Execution.UNKNOWN
    """How far it is signed."""
    execution_attested: bool = False
    """Whether the execution is a person's attestation and not read from the text."""
    effective_on: datetime.date | None = None
    """Day on which its conditions are attested to have been met, or shown by a notice in the pack."""
    effective_evidence: tuple[Span, ...] = ()
    """Where a document of the pack shows that day; empty where it is attested in pack.yaml."""
    lapsed_on: datetime.date | None = None
    """Day on which it ended unborn, its conditions unmet, as attested or as a notice in the pack shows."""
    lapse_evidence: tuple[Span, ...] = ()
    """Where a document of the pack shows that it ended; empty where it is attested in pack.yaml."""
    consent: LenderConsent | None = None
    """Consent as stated facts; None where it is to be read from the text."""
    finance_document: bool | None = None
    """For a side letter: whether somebody states that it is a finance document; None where it is to be read from the texts."""
    amends: Recital | None = None
    """The agreement that it changes, as it names it."""
    recites: tuple[Recital, ...] = ()
    """Other instruments that it names."""
    saves: tuple[int, ...] = ()
    """For a restatement: numbers of earlier amendments that it keeps alive by name (PR-08)."""
    parties: tuple[str, ...] = ()
    """Names of its agents in small letters, which tell agreements of one borrower apart."""
    spans: dict[str, tuple[Span, ...]] = {}
    """Where title, date, parties and the like were read."""


class CaseFile(Frozen):
    """Everything that intake gives: the only texts that a run may look at."""

    pack: str
    """Name of the pack."""
    digest: str
    """SHA-256 over the sorted names and hashes of the files and the manifest's bytes."""
    borrower: str | None
    """Name of the borrower, from the manifest or the text."""
    question: Question
    """What is asked."""
    manifest: Manifest
    """What is attested."""
    documents: tuple[Document, ...]
    """Documents that were read, sorted by name."""
    trees: tuple[ProvisionTree, ...]
    """The tree of each document, in the same order."""
    instruments: tuple[Instrument, ...]
    """Each document as an instrument, in the same order."""
    refusals: tuple[Refusal, ...] = ()
    """Files that were not read, and why."""
    unlisted: tuple[str, ...] = ()
    """Files that are in the pack and not in its manifest's list: not evidence."""

    def document(self, name: str) -> Document:
        """The document of a name.

        Raises:
            KeyError: when the pack has none of that name.
        """
        for document in self.documents:
            if document.name == name:
                return document
        raise KeyError(name)
