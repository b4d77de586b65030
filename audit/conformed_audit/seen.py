"""A record as the checks of a pass see it: the fields that most of them look at, and the whole of it for those that need more."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from conformed_audit.shape import parse_body

__all__ = ["Columns", "Seen", "read_body"]

Columns = tuple[bytes, int, bytes, int, bytes, bytes, bytes, bytes | None, bytes]
"""What the columns beside a record must hold: case and number of the index, then case, number, kind, time, actor, key, prev."""


class Seen(NamedTuple):
    """The fields of a record whose bytes are canonical and of the right shape."""

    columns: Columns
    case: str
    cseq: int
    kind: str
    ts: str
    log: str
    run: str | None
    step: str | None
    attempt: int
    idem: str | None
    note: str | None
    actor: dict[str, Any]
    """Not to be changed: records with the same actor may share it."""
    pins: dict[str, Any]
    """Not to be changed, as `actor`."""
    body: bytes
    """Its exact bytes."""

    @property
    def gives_record(self) -> bool:
        """Whether a decision record is among its outputs: then the run has ended."""
        return b'"name":"record"' in self.body and any(item["name"] == "record" for item in self.whole["output"])

    @property
    def whole(self) -> dict[str, Any]:
        """Every field, as read from JSON: read again from the bytes, which is seldom asked for."""
        value: dict[str, Any] = json.loads(self.body)
        return value


def read_body(body: bytes) -> Seen:
    """The fields in a record's bytes, whatever they hold.

    Raises:
        NotCanonicalError: for bytes outside the profile, or an object of another shape.
    """
    value = parse_body(body)
    case, cseq, idem = value["case"], value["cseq"], value["idem"]
    raw = case.encode()
    columns = (
        raw,
        cseq,
        raw,
        cseq,
        value["kind"].encode(),
        value["ts"].encode(),
        value["actor"]["id"].encode(),
        None if idem is None else idem.encode(),
        bytes.fromhex(value["prev"]),
    )
    return Seen(
        columns, case, cseq, value["kind"], value["ts"], value["log"], value["run"], value["step"], value["attempt"], idem,
        value["note"], value["actor"], value["pins"], body,
    )  # fmt: skip
