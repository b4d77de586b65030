"""The single checks of verification. Each gives None, or what is bad; none of them raises for content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from conformed_audit.errors import NotCanonicalError
from conformed_audit.finding import Bad, Classification
from conformed_audit.ordinary import OrdinaryReader
from conformed_audit.record import ZERO_LEAF, Kind
from conformed_audit.seen import Columns, Seen, read_body
from conformed_audit.tile_check import TileCheck

__all__ = ["Case", "Chain", "Follower", "check_state", "text"]

_KINDS = frozenset(str(kind) for kind in Kind)


class Case(NamedTuple):
    """The fold over one case's records."""

    cseq: int
    """Number of its last record."""
    leaf: bytes
    """That record's leaf."""
    state: str | None
    """The state last entered."""
    contract: str | None
    """The contract last pinned."""


class Follower(Protocol):
    """A further check that sees each record after its bytes, columns and chain were found right."""

    kinds: frozenset[str] | None
    """Kinds of record that it looks at; None for all."""

    def follow(self, seen: Seen, leaf: bytes, idx: int, cases: Mapping[str, Case], /) -> Bad | None:
        """Looks at one record, before its case has moved on.

        Args:
            seen: the record's fields.
            leaf: its name.
            idx: its place.
            cases: every case as it stands just before this record.
        """
        ...


_START = Case(-1, ZERO_LEAF, None, None)
_case = tuple.__new__
_Follow = Callable[[Seen, bytes, int, Mapping[str, Case]], Bad | None]


class Chain:
    """Follows a log record by record: index, hash, bytes, columns, chain, tree. Keeps one entry a case and the frontier.

    Args:
        origin: the deployment whose log it is.
        tree: grows with each record.
        followers: what else looks at each record.
    """

    def __init__(self, origin: str, tree: TileCheck, followers: Sequence[Follower] = ()) -> None:
        self.origin = origin
        self.size = 0
        self.late = 0
        """Records that have no place yet (`check_late`)."""
        self.tree = tree
        self.cases: dict[str, Case] = {}
        self.erased: set[str] = set()
        self._followers = tuple(followers)
        self._by_kind: dict[str, tuple[_Follow, ...]] = {}
        self._read = OrdinaryReader().read

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
        name = sha256(b"\x00" + body).digest()  # as leaf_hash, without the call
        if name != event_leaf or name != leaf:
            return Bad("leaf", _hex(event_leaf if name != event_leaf else leaf), name.hex(), Classification.TAMPERED)
        seen = self._read(body)
        if seen is None:
            try:
                seen = read_body(body)
            except NotCanonicalError as problem:
                return Bad("canonical", "a canonical record", str(problem), Classification.WRITER_BUG)
        columns = (index_case, index_cseq, case, cseq, kind, ts, actor, idem, prev)
        if columns != seen.columns:
            return _column(columns, seen.columns)
        return self._follow(seen, name, prev)

    def check_late(self, row: tuple[Any, ...]) -> Bad | None:
        """Checks a record that has no place yet, after all that have one: the same checks, but the tree does not grow.

        Args:
            row: as for `check`, with None for the index.
        """
        size, tree, self.tree = self.size, self.tree, TileCheck(None)
        bad = self.check((size, *row[1:]))
        self.size, self.tree = size, tree
        if bad is None:
            self.late += 1
        return bad

    def _follow(self, seen: Seen, leaf: bytes, prev: bytes) -> Bad | None:
        case, cseq, kind = seen.case, seen.cseq, seen.kind
        if seen.log != self.origin:
            return Bad("log", ascii(self.origin), ascii(seen.log), Classification.TAMPERED)
        follows = self._by_kind.get(kind)
        if follows is None:
            if kind not in _KINDS:
                return Bad("kind", "a known kind", ascii(kind), Classification.WRITER_BUG)
            fitting = (one.follow for one in self._followers if one.kinds is None or kind in one.kinds)
            follows = self._by_kind[kind] = tuple(fitting)
        cases = self.cases
        before = cases.get(case, _START)
        if cseq != before.cseq + 1:
            again = cseq <= before.cseq
            return Bad("cseq", str(before.cseq + 1), str(cseq), Classification.FORKED if again else Classification.TAMPERED)
        if prev != before.leaf:
            return Bad("prev", before.leaf.hex(), prev.hex(), Classification.TAMPERED)
        for follow in follows:
            if (bad := follow(seen, leaf, self.size, cases)) is not None:
                return bad
        if (bad := self.tree.add(leaf)) is not None:
            return bad
        state = seen.step if kind == "state.changed" and seen.step is not None else before.state
        contract = seen.pins["contract"]
        cases[case] = _case(Case, (cseq, leaf, state, before.contract if contract is None else contract))
        if kind == "payload.erased":
            self.erased.update(item["commit"] for item in seen.whole["input"])
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


def text(raw: Any) -> str:
    """Text of a database that may hold anything, safe to print."""
    return raw.decode(errors="backslashreplace") if isinstance(raw, bytes) else str(raw)


def _column(columns: tuple[Any, ...], own: Columns) -> Bad:
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
