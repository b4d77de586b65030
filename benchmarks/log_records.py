"""Records for the benchmarks of the log: one of 1,018 bytes, the size that the design's figures are for."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from conformed_audit import JSON, Actor, AuditLog, Item, Kind, Pins, RecordDraft, commitment

__all__ = ["EACH", "fill", "make", "now"]

EACH = 12
"""Records a case."""
_DIGEST = "sha256:" + "ab" * 32
_INLINE: dict[str, JSON] = {"outcome": "accept", "spent": {"wall_ms": 164}}


def now() -> datetime:
    """A frozen clock."""
    return datetime(2026, 3, 31, 12, tzinfo=UTC)


def make(number: int, kind: Kind = Kind.STEP_INTENT) -> RecordDraft:
    """A record of a step, as the engine writes it; twelve a case."""
    data = str(number).encode()
    return RecordDraft(
        case=f"C-{number // EACH:06d}",
        kind=kind,
        actor=Actor("svc:engine", "engine"),
        run="01JDXV5Q4Z8M6T2R9K7C",
        step="calculate",
        attempt=1,
        idem=sha256(data).hexdigest()[:16],
        pins=Pins(engine="0.3.1", contract=_DIGEST, plugins=_DIGEST),
        input=(Item("move", commitment(data, None), 52, "application/json", _INLINE),),
        output=(Item("figures", commitment(data + b"o", None), 18_234, "text/csv"),),
    )


def fill(path: Path, count: int) -> None:
    """Writes a log of so many records, 600 a transaction."""
    with AuditLog.open(path, origin="bench", clock=now) as log:
        for first in range(0, count, 600):
            log.append([make(number) for number in range(first, min(first + 600, count))])
