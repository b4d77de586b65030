"""Denials in the log: one record an actor and minute, and one more with the count of what came in that minute besides."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from conformed.engine.canonical import canonical_json
from conformed.engine.log import ours
from conformed.people.authorise import Authz
from conformed.people.locking import locked
from conformed_audit import Actor, AlreadyRecordedError, AuditLog, Item, RecordDraft, commitment
from conformed_audit import Authz as Stamp
from conformed_audit.errors import EpochClosedError
from conformed_audit.record import Kind

__all__ = ["Denials"]

_JSON = "application/json"
_COUNTS = dict[str, tuple[str, int, str]]


class Denials:
    """Writes denials.

    Args:
        log: the log.
        file: where the counts of the present minute stand between two processes. Lost, a count is lost, never a record.
    """

    def __init__(self, log: AuditLog, file: Path) -> None:
        self._log, self._file = log, file

    def record(self, actor: Actor, authz: Authz, policy: str, about: dict[str, str]) -> None:
        """Records that something was denied.

        Args:
            actor: who wanted it.
            authz: why not.
            policy: digest of the contract that holds the rule.
            about: what was wanted, by names alone; only its digest is kept.

        Raises:
            JournalError: when it cannot be written.
        """
        minute = self._log.now()[:16]
        asked = canonical_json({"action": str(authz.action), **dict(sorted(about.items()))})
        draft = RecordDraft(
            case="_access", kind=Kind.ACCESS_DENIED, actor=actor, step=str(authz.action), idem=f"denied {actor.id} {minute}",
            authz=Stamp("deny", authz.rule, policy, authz.reasons), input=(Item("request", commitment(asked, None), len(asked), _JSON),),
        )  # fmt: skip
        with ours("written"), locked(self._file):
            counts = self._flush(self._read(), minute)
            with suppress(AlreadyRecordedError):
                self._log.append([draft])
            kept = counts.get(actor.id, (minute, 0, actor.kind))
            self._write({**counts, actor.id: (minute, kept[1] + 1, actor.kind)})

    def settle(self) -> None:
        """Records the counts of minutes that are over.

        Raises:
            JournalError: when they cannot be written.
        """
        if not self._file.exists():
            return
        with ours("written"), locked(self._file), suppress(EpochClosedError):  # a closed log takes none: they wait for the next
            self._write(self._flush(self._read(), self._log.now()[:16]))

    def _flush(self, counts: _COUNTS, now: str) -> _COUNTS:
        for who, (minute, count, kind) in sorted(counts.items()):
            if minute == now or count < 2:
                continue
            more: dict[str, int | str] = {"minute": minute, "more": count - 1}
            plain = canonical_json(more)
            draft = RecordDraft(
                case="_access", kind=Kind.ACCESS_DENIED, actor=Actor(who, kind), idem=f"denied {who} {minute} more",
                output=(Item("count", commitment(plain, None), len(plain), _JSON, dict(more)),),
            )  # fmt: skip
            with suppress(AlreadyRecordedError):
                self._log.append([draft])
        return {who: kept for who, kept in counts.items() if kept[0] == now}

    def _read(self) -> _COUNTS:
        try:
            plain = json.loads(self._file.read_bytes())
            return {str(who): (str(m), int(n), str(k)) for who, (m, n, k) in plain.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _write(self, counts: _COUNTS) -> None:
        if not counts:
            self._file.unlink(missing_ok=True)
            return
        half = self._file.with_name(f".{self._file.name}.part")
        half.write_bytes(canonical_json({who: list(kept) for who, kept in counts.items()}))
        half.replace(self._file)
