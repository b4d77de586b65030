"""One run as a search sees it: folded from its records, so that a row can be made again and compared at any time."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from conformed.engine.history import BEGUN
from conformed.engine.journal import ENDED
from conformed.engine.workflow import STOPPED
from conformed_audit import BlobError, Kind, Record

__all__ = ["RunRow", "folded", "key_of", "take"]

_ERASED = "erased"


@dataclass
class RunRow:
    """What the log says of a run, in the words that a search uses."""

    run: str
    """Run id."""
    case: str
    """Its case in the log."""
    first: int
    """Place of its first record in the log."""
    last: int
    """Place of its last record."""
    began: str
    """Time of its first record, UTC."""
    ended: str = ""
    """Time of the record that ended it; empty for one without an end."""
    state: str = "unfinished"
    """unfinished, stopped, awaiting_person, or what people did with it since."""
    record: str = ""
    """Name in the log of its final record."""
    leaf: str = ""
    """Hash of the record of the log that ended it."""
    pack: str = ""
    """Name of the pack, or of the task of a short answer; ``erased`` where the request was erased."""
    borrower: str = ""
    """Borrower."""
    test_date: str = ""
    """Legal date."""
    known_at: str = ""
    """Knowledge date."""
    contract: str = ""
    """Name and version of the contract."""
    policy: str = ""
    """Digest of the contract."""
    result: str = ""
    """pass, breach, not_tested, answered or review."""
    earlier: str = ""
    """The run that this one does again with overrides."""
    codes: set[str] = field(default_factory=set)
    """Codes of the decision and of steps that failed."""
    actors: set[str] = field(default_factory=set)
    """Pseudonyms of everybody who acted in it."""
    models: set[str] = field(default_factory=set)
    """Digests of the models that took part."""

    @property
    def plain(self) -> tuple[Any, ...]:
        """The row as values, for a table and for comparing."""
        return (
            self.run, self.case, self.first, self.last, self.began, self.ended, self.state, self.record, self.leaf, self.pack,
            self.borrower, self.test_date, self.known_at, self.contract, self.policy, self.result, self.earlier,
            " ".join(sorted(self.codes)), " ".join(sorted(self.actors)), " ".join(sorted(self.models)),
        )  # fmt: skip


def key_of(words: str) -> str:
    """Words as they are compared: without regard to case, width and repeated spaces."""
    return " ".join(unicodedata.normalize("NFKC", words).casefold().split())


def folded(records: Iterable[Record], read: Callable[[str], bytes]) -> RunRow | None:
    """The row of a run from all its records; None where there is none."""
    row: RunRow | None = None
    for record in records:
        row = take(row, record, read)
    return row


def take(row: RunRow | None, record: Record, read: Callable[[str], bytes]) -> RunRow | None:
    """A row with a further record of its run.

    Args:
        row: the row so far; None before the first.
        record: the record.
        read: the content of a blob.
    """
    if row is None:
        if record.run is None or record.note != BEGUN:
            return None
        row = RunRow(record.run, record.case, record.idx, record.idx, record.ts, policy=record.pins.contract or "")
        _asked(row, record, read)
    row.last = record.idx
    row.actors.add(record.actor.id)
    if record.pins.model:
        row.models.add(record.pins.model)
    if record.error is not None:
        row.codes.add(record.error.code)
    match record.kind:
        case Kind.STATE_CHANGED if record.note == ENDED:
            row.ended, row.state, row.leaf = record.ts, record.step or "", record.leaf
            _decided(row, record, read)
        case Kind.STATE_CHANGED if record.step == STOPPED:
            row.ended, row.state, row.leaf = record.ts, STOPPED, record.leaf
        case Kind.STATE_CHANGED if row.ended:
            row.state = record.step or row.state
        case Kind.DECISION_RELEASED:
            row.state = "released"
        case Kind.APPROVAL_REJECTED:
            row.state = "returned"
        case _:
            pass
    return row


def _asked(row: RunRow, record: Record, read: Callable[[str], bytes]) -> None:
    asked = _json(next((item.commit for item in record.input if item.name == "request"), ""), read)
    row.pack, row.contract, row.earlier = (_text(asked, name) for name in ("pack", "contract", "earlier"))
    row.borrower = _text(asked, "borrower")
    if isinstance(task := asked.get("task"), dict):  # a run for a short answer has a task where others have a pack
        row.pack = _text(task, "id")
    question = asked.get("question")
    row.test_date, row.known_at = (_text(question if isinstance(question, dict) else asked, n) for n in ("test_date", "known_at"))


def _decided(row: RunRow, record: Record, read: Callable[[str], bytes]) -> None:
    row.record = next((item.commit for item in record.output if item.name == "record"), "")
    decision = _json(row.record, read)
    row.result = _text(decision, "result")
    row.borrower = _text(decision, "borrower") or row.borrower
    for part in ("reasons", "findings"):
        said = decision.get(part)
        row.codes |= {_text(one, "code") for one in (said if isinstance(said, list) else []) if isinstance(one, dict)}
    codes = decision.get("codes")  # a record of a short answer names its codes alone
    row.codes |= {one for one in (codes if isinstance(codes, list) else []) if isinstance(one, str)}


def _json(commit: str, read: Callable[[str], bytes]) -> dict[str, Any]:
    """The fields of a blob; every one of them ``erased`` where it is gone."""
    try:
        plain = json.loads(read(commit))
    except BlobError:
        return dict.fromkeys(("pack", "borrower", "test_date", "known_at", "contract", "result"), _ERASED)
    except ValueError:
        return {}
    return plain if isinstance(plain, dict) else {}


def _text(fields: dict[str, Any], name: str) -> str:
    found = fields.get(name)
    return found if isinstance(found, str) else ""
