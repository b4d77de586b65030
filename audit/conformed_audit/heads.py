"""The heads of all cases as one hash, so that a whole case cannot disappear without a word."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from conformed_audit.merkle import leaf_hash, root
from conformed_audit.record import Actor, Item, Kind, RecordDraft

__all__ = ["heads_draft", "heads_line", "heads_root"]

_ACTOR = Actor(id="log", kind="log")


def heads_line(case: str, cseq: int, head: bytes) -> bytes:
    """The line of one case.

    Args:
        case: the case.
        cseq: number of its last record, from 0.
        head: that record's leaf.
    """
    return f"{case} {cseq + 1} {head.hex()}\n".encode()


def heads_root(heads: Iterable[tuple[str, int, bytes]]) -> bytes:
    """Root of the RFC 6962 tree over one line a case, ``case count head``, sorted by case.

    Args:
        heads: case, number of its last record, and that record's leaf.
    """
    return root(leaf_hash(line) for line in sorted(heads_line(*head) for head in heads))


def heads_draft(root_of_heads: bytes, cases: int) -> RecordDraft:
    """The record that carries them. Its own place in ``_log`` is not among the heads that it carries."""
    commit = f"sha256:{sha256(root_of_heads).hexdigest()}"
    item = Item("heads", commit, len(root_of_heads), "application/octet-stream", {"cases": cases, "root": root_of_heads.hex()})
    return RecordDraft(case="_log", kind=Kind.LOG_HEADS, actor=_ACTOR, output=(item,))
