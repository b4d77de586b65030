"""The single checks of verification. Each gives None, or what is bad; none of them raises for content."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

from conformed_audit.blob import commitment
from conformed_audit.errors import NotCanonicalError
from conformed_audit.merkle import grow, leaf_hash
from conformed_audit.record import ZERO_LEAF, Kind
from conformed_audit.shape import parse_body

__all__ = ["Bad", "Chain", "Classification", "check_blob", "check_state", "text"]

_KINDS = frozenset(str(kind) for kind in Kind)


class Classification(StrEnum):
    """What kind of trouble a finding points to."""

    TAMPERED = "tampered"
    """Something was changed, removed or added after it was written."""
    TRUNCATED = "truncated"
    """The newest records are gone: a cut tail, an old backup, a lost write-ahead log."""
    FORKED = "forked"
    """Two histories of one case."""
    WRITER_BUG = "writer-bug"
    """The bytes are those that were hashed, but a correct writer would not have written them."""
    UNREADABLE = "unreadable"
    """The database cannot be read there."""
    ERASED = "erased"
    """A payload is gone, and no record of an erasure explains it."""
    UNPUBLISHED_TAIL = "unpublished-tail"
    """Records after the last checkpoint that an outside party acknowledged."""


class Bad(NamedTuple):
    """What one check found."""

    check: str
    expected: str
    found: str
    classification: Classification


class _Case(NamedTuple):
    """The fold over one case's records."""

    cseq: int
    leaf: bytes
    state: str | None
    contract: str | None


_START = _Case(-1, ZERO_LEAF, None, None)


class Chain:
    """Follows a log record by record: index, hash, bytes, columns, chain, tree. Keeps one entry a case and the frontier."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.size = 0
        self.frontier: list[bytes] = []
        self.cases: dict[str, _Case] = {}
        self.erased: set[str] = set()

    def check(self, row: tuple[Any, ...]) -> Bad | None:
        """Checks one joined row of audit_leaf and audit_event and, when it is good, takes it in.

        Args:
            row: idx, leaf, case, cseq of the index; then case, cseq, kind, ts, actor, idem, body, leaf, prev of the
                record (text as bytes), None for a record that is not there.
        """
        idx, leaf, index_case, index_cseq, case, cseq, kind, ts, actor, idem, body, event_leaf, prev = row
        if idx != self.size:
            return Bad("index", str(self.size), str(idx), Classification.TAMPERED)
        if case is None:
            return Bad("present", "a record", "none", Classification.TAMPERED)
        if not isinstance(body, bytes):
            return Bad("type", "bytes", type(body).__name__, Classification.TAMPERED)
        name = leaf_hash(body)
        if name != event_leaf or name != leaf:
            return Bad("leaf", _hex(event_leaf if name != event_leaf else leaf), name.hex(), Classification.TAMPERED)
        try:
            value = parse_body(body)
        except NotCanonicalError as problem:
            return Bad("canonical", "a canonical record", str(problem), Classification.WRITER_BUG)
        columns = (index_case, index_cseq, case, cseq, kind, ts, actor, idem, prev)
        own_case = value["case"].encode()
        own_idem = value["idem"]
        own = (
            own_case,
            value["cseq"],
            own_case,
            value["cseq"],
            value["kind"].encode(),
            value["ts"].encode(),
            value["actor"]["id"].encode(),
            own_idem if own_idem is None else own_idem.encode(),
            bytes.fromhex(value["prev"]),
        )
        if columns != own:
            return _column(columns, own)
        return self._follow(value, name)

    def _follow(self, value: dict[str, Any], leaf: bytes) -> Bad | None:
        case, cseq, kind = value["case"], value["cseq"], value["kind"]
        if value["log"] != self.origin:
            return Bad("log", ascii(self.origin), ascii(value["log"]), Classification.TAMPERED)
        if kind not in _KINDS:
            return Bad("kind", "a known kind", ascii(kind), Classification.WRITER_BUG)
        before = self.cases.get(case, _START)
        if cseq != before.cseq + 1:
            again = cseq <= before.cseq
            return Bad("cseq", str(before.cseq + 1), str(cseq), Classification.FORKED if again else Classification.TAMPERED)
        if value["prev"] != before.leaf.hex():
            return Bad("prev", before.leaf.hex(), value["prev"], Classification.TAMPERED)
        state = value["step"] if kind == "state.changed" and value["step"] is not None else before.state
        contract = value["pins"]["contract"]
        self.cases[case] = _Case(cseq, leaf, state, before.contract if contract is None else contract)
        if kind == "payload.erased":
            self.erased.update(item["commit"] for item in value["input"])
        grow(self.frontier, self.size, leaf)
        self.size += 1
        return None


def check_state(chain: Chain, rows: Iterable[tuple[Any, ...]]) -> tuple[str, int, Bad] | None:
    """Compares the projection (case, state, cseq, head, contract; text as bytes) with the fold over the records.

    Returns:
        The case, the number inside it, and what is bad; None when all is well.
    """
    seen = 0
    for raw, state, cseq, head, contract in rows:
        case = text(raw)
        fold = chain.cases.get(case)
        if fold is None or (isinstance(cseq, int) and cseq > fold.cseq):
            last = -1 if fold is None else fold.cseq
            return case, last + 1, Bad("projection", f"records up to {cseq}", f"records up to {last}", Classification.TRUNCATED)
        for name, have, want in (
            ("cseq", cseq, fold.cseq),
            ("head", head, fold.leaf),
            ("state", state, _raw(fold.state)),
            ("contract", contract, _raw(fold.contract)),
        ):
            if have != want:
                return case, fold.cseq, Bad(f"projection.{name}", _hex(want), _hex(have), Classification.TAMPERED)
        seen += 1
    if seen != len(chain.cases):
        return "", -1, Bad("projection", f"{len(chain.cases)} cases", f"{seen} cases", Classification.TAMPERED)
    return None


def check_blob(chain: Chain, row: tuple[Any, ...]) -> Bad | None:
    """Checks one blob (commit, salt, content, bytes, erased_at; text as bytes) against its commitment."""
    commit, salt, data, size, _ = row
    name = text(commit)
    if data is None:
        return (
            None
            if name in chain.erased
            else Bad("blob", f"content of {name}", "none, and no erasure record", Classification.ERASED)
        )
    if not isinstance(data, bytes) or not isinstance(salt, bytes | None) or len(data) != size or commitment(data, salt) != name:
        return Bad("blob", name, "content that does not match", Classification.TAMPERED)
    return None


def text(raw: Any) -> str:
    """Text of a database that may hold anything, safe to print."""
    return raw.decode(errors="backslashreplace") if isinstance(raw, bytes) else str(raw)


def _column(columns: tuple[Any, ...], own: tuple[Any, ...]) -> Bad:
    names = ("audit_leaf.case_id", "audit_leaf.cseq", "case_id", "cseq", "kind", "ts", "actor_id", "idem_key", "prev")
    name, have, want = next((n, h, w) for n, h, w in zip(names, columns, own, strict=True) if h != w)
    return Bad(
        f"column {name}",
        _hex(want) if name == "prev" else ascii(text(want)),
        _hex(have) if name == "prev" else ascii(text(have)),
        Classification.TAMPERED,
    )


def _raw(value: str | None) -> bytes | None:
    return None if value is None else value.encode()


def _hex(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
