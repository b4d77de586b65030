"""The record: the only thing that is hashed, and the drafts from which records are made.

A record's bytes are the canonical form of one flat object with a fixed set of fields (absent ones are null). Its leaf is
SHA-256(0x00 || bytes), its name; ``prev``, inside the bytes, is the leaf of the previous record of the same case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from conformed_audit.encode import JSON

__all__ = ["HOMES", "ZERO_LEAF", "Actor", "Authz", "Failure", "Item", "Kind", "Pins", "Record", "RecordDraft"]

ZERO_LEAF = bytes(32)
"""What the first record of a case names as its predecessor."""


class Kind(StrEnum):
    """What a record says happened."""

    CASE_OPENED = "case.opened"
    STEP_INTENT = "step.intent"
    STEP_OUTCOME = "step.outcome"
    STEP_FAILED = "step.failed"
    STEP_UNKNOWN = "step.unknown"
    STATE_CHANGED = "state.changed"
    APPROVAL_REQUESTED = "approval.requested"
    APPROVAL_GRANTED = "approval.granted"
    APPROVAL_REJECTED = "approval.rejected"
    APPROVAL_WITHDRAWN = "approval.withdrawn"
    ACCESS_DENIED = "access.denied"
    DECISION_RELEASED = "decision.released"
    EVIDENCE_EXPORTED = "evidence.exported"
    PAYLOAD_ERASED = "payload.erased"
    REPLAY_RUN = "replay.run"
    CONFIG_CHANGED = "config.changed"
    KEY_ADDED = "key.added"
    KEY_RETIRED = "key.retired"
    CLOCK_STEPPED = "clock.stepped"
    LOG_HEADS = "log.heads"
    LOG_EPOCH = "log.epoch"


HOMES: Mapping[str, str] = {
    Kind.ACCESS_DENIED: "_access",
    Kind.CONFIG_CHANGED: "_config",
    Kind.KEY_ADDED: "_log",
    Kind.KEY_RETIRED: "_log",
    Kind.CLOCK_STEPPED: "_log",
    Kind.LOG_HEADS: "_log",
    Kind.LOG_EPOCH: "_log",
}
"""The system case in which a kind must live. Every other kind goes into the case that it is about."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acted."""

    id: str
    """A pseudonym: names of people never enter a record."""
    kind: str
    """engine, person, service, plugin or log."""
    roles: tuple[str, ...] = ()
    """Roles held at the time."""
    session: str | None = None
    """The session in which it was done."""
    on_behalf_of: str | None = None
    """The pseudonym of the person for whom a delegate acted."""


@dataclass(frozen=True, slots=True)
class Pins:
    """What exactly ran: versions and digests, None where a thing had no part."""

    engine: str | None = None
    """Version of the engine."""
    contract: str | None = None
    """Digest of the contract's exact bytes."""
    policy: str | None = None
    """Digest of the policy that authorised it."""
    plugins: str | None = None
    """Digest of the resolved plugin manifest, itself a blob."""
    model: str | None = None
    """Digest of model, tokenizer, template and settings."""
    prompt: str | None = None
    """Digest of the prompt."""
    schema: str | None = None
    """Digest of the output's schema."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that went in or came out, by commitment."""

    name: str
    """What it is to the step."""
    commit: str
    """``sha256:`` and 64 hex digits: a content hash, or a salted commitment (`conformed_audit.blob`)."""
    bytes: int
    """Length of the content in bytes."""
    media: str
    """Media type."""
    inline: JSON = None
    """A small copy of the content for people and queries; None for none."""


@dataclass(frozen=True, slots=True)
class Authz:
    """How the action was authorised: allowed and denied alike."""

    decision: str
    """allow or deny."""
    rule: str
    """The rule that decided."""
    policy: str
    """Digest of the policy that holds the rule."""
    reasons: tuple[str, ...] = ()
    """Reason codes."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a step failed, without its message (which may quote a document)."""

    class_: str
    """Class of the error."""
    code: str
    """Reason code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDraft:
    """What a caller says about a record. The log adds its own fields: log, cseq, prev and ts."""

    case: str
    """The case, up to 200 characters; one of ``_log``, ``_access``, ``_config`` for kinds that have their home there."""
    kind: str
    """One of `Kind`."""
    actor: Actor
    """Who acted."""
    run: str | None = None
    """The run: one execution of a contract on a pack."""
    step: str | None = None
    """The step; in a ``state.changed`` record the state that was entered."""
    attempt: int = 0
    """1, 2, 3... for steps; 0 where there is no attempt."""
    idem: str | None = None
    """Idempotency key: at most one record of a kind in a case carries it."""
    pins: Pins = field(default_factory=Pins)
    """What exactly ran."""
    input: tuple[Item, ...] = ()
    """What went in."""
    output: tuple[Item, ...] = ()
    """What came out."""
    sources: tuple[Item, ...] = ()
    """The documents that it rests on."""
    authz: Authz | None = None
    """How it was authorised."""
    approval: Mapping[str, JSON] | None = None
    """Of an approval: subject (leaf approved), role, method, session."""
    error: Failure | None = None
    """Of a failure."""
    note: str | None = None
    """The only free text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(RecordDraft):
    """A record as it stands in the log."""

    idx: int
    """Position in the whole log: 0, 1, 2... without gaps."""
    log: str
    """Origin: the deployment whose log this is."""
    cseq: int
    """Position inside its case: 0, 1, 2... without gaps."""
    prev: str
    """Leaf of the previous record of the case, hex; 64 zeros for the first."""
    ts: str
    """UTC, six fraction digits, Z. Order is never taken from it."""
    leaf: str
    """SHA-256(0x00 || body), hex: the record's name."""
    body: bytes = field(repr=False)
    """The exact canonical bytes."""
