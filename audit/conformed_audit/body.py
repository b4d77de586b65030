"""Between a draft, a record's canonical bytes, and the record."""

from __future__ import annotations

import json
from typing import Any

from conformed_audit.encode import encode
from conformed_audit.errors import DraftError
from conformed_audit.merkle import leaf_hash
from conformed_audit.record import HOMES, Actor, Authz, Failure, Item, Kind, Pins, Record, RecordDraft
from conformed_audit.shape import check_body, parse_body

__all__ = ["make_record", "parse_record", "record_of"]

_KINDS = frozenset(Kind)
_SYSTEM_CASES = frozenset(HOMES.values())
_CASE_LENGTH = 200


def make_record(draft: RecordDraft, *, idx: int, log: str, cseq: int, prev: bytes, ts: str) -> Record:
    """The record of a draft at its place.

    Raises:
        DraftError: for an unknown kind, or a case where this kind may not be.
        NotCanonicalError: for a value outside the profile, or a field of the wrong type.
    """
    home = HOMES.get(draft.kind, draft.case)
    if draft.kind not in _KINDS:
        raise DraftError(f"{draft.kind!a} is no kind of record.", "Use a member of conformed_audit.Kind.")
    if draft.case != home or (draft.case.startswith("_") and draft.case not in _SYSTEM_CASES):
        raise DraftError(f"A {draft.kind} record may not stand in case {draft.case!a}.", "Names with _ are the log's own.")
    if not 0 < len(draft.case) <= _CASE_LENGTH:
        raise DraftError(f"A case's name has {len(draft.case)} characters.", f"Give 1 to {_CASE_LENGTH}.")
    body: dict[str, Any] = {
        "v": 1,
        "log": log,
        "case": draft.case,
        "cseq": cseq,
        "prev": prev.hex(),
        "ts": ts,
        "kind": str(draft.kind),
        "run": draft.run,
        "step": draft.step,
        "attempt": draft.attempt,
        "idem": draft.idem,
        "actor": _plain(draft.actor),
        "pins": _plain(draft.pins),
        "input": [_item(item) for item in draft.input],
        "output": [_item(item) for item in draft.output],
        "sources": [_item(item) for item in draft.sources],
        "authz": draft.authz and _plain(draft.authz),
        "approval": None if draft.approval is None else dict(draft.approval),
        "error": draft.error and {"class": draft.error.class_, "code": draft.error.code},
        "note": draft.note,
    }
    data = encode(body)
    value = json.loads(data)
    check_body(value)
    return _build(idx, data, value)


def parse_record(idx: int, body: bytes) -> Record:
    """The record in some canonical bytes.

    Raises:
        NotCanonicalError: for bytes outside the profile, unknown or missing fields, or fields of the wrong type.
    """
    return _build(idx, body, parse_body(body))


def _build(idx: int, body: bytes, value: dict[str, Any]) -> Record:
    return record_of(idx, leaf_hash(body).hex(), value, body)


def record_of(idx: int, leaf: str, value: dict[str, Any], body: bytes = b"") -> Record:
    """The record with some fields, of which somebody else knows that they are right.

    Args:
        idx: its place.
        leaf: its name, hex.
        value: its fields, of the right shape.
        body: its bytes; empty where nobody asks for them.
    """
    error, authz, actor = value["error"], value["authz"], value["actor"]
    return Record(
        idx=idx,
        body=body,
        leaf=leaf,
        log=value["log"],
        case=value["case"],
        cseq=value["cseq"],
        prev=value["prev"],
        ts=value["ts"],
        kind=value["kind"],
        run=value["run"],
        step=value["step"],
        attempt=value["attempt"],
        idem=value["idem"],
        actor=Actor(**{**actor, "roles": tuple(actor["roles"])}),
        pins=Pins(**value["pins"]),
        input=tuple(Item(**item) for item in value["input"]),
        output=tuple(Item(**item) for item in value["output"]),
        sources=tuple(Item(**item) for item in value["sources"]),
        authz=authz and Authz(**{**authz, "reasons": tuple(authz["reasons"])}),
        approval=value["approval"],
        error=error and Failure(error["class"], error["code"]),
        note=value["note"],
    )


def _plain(part: Any) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.__slots__}


def _item(item: Item) -> dict[str, Any]:
    plain = _plain(item)
    if item.inline is None:
        del plain["inline"]
    return plain
