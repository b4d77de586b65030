"""Keys of the log as its own records tell: which may sign a checkpoint of a size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformed_audit.checks import Case
from conformed_audit.errors import NoteError
from conformed_audit.finding import Bad, Classification
from conformed_audit.note import VerifyKey
from conformed_audit.seen import Seen

__all__ = ["KeyCheck", "key_of"]


def key_of(output: Iterable[Any]) -> VerifyKey | None:
    """The key that a ``key.added`` or ``key.retired`` record names; None where it names none.

    Args:
        output: its outputs, as read from JSON.
    """
    for item in output:
        inline = item.get("inline")
        if item["name"] == "key" and type(inline) is dict and type(inline.get("vkey")) is str:
            try:
                return VerifyKey.parse(inline["vkey"])
            except NoteError:
                return None
    return None


class KeyCheck:
    """Follows ``key.added`` and ``key.retired``."""

    kinds: frozenset[str] | None = frozenset({"key.added", "key.retired"})

    def __init__(self) -> None:
        self.added: dict[VerifyKey, int] = {}
        """Place of the record that added each key."""
        self.retired: dict[VerifyKey, int] = {}
        """Place of the record that retired each key."""

    def follow(self, seen: Seen, _leaf: bytes, idx: int, _cases: Mapping[str, Case], /) -> Bad | None:
        """Looks at one record."""
        kind = seen.kind
        key = key_of(seen.whole["output"])
        if key is None:
            return Bad("key", "a key", "none", Classification.WRITER_BUG)
        if kind == "key.added":
            if key in self.added:
                return Bad("key", "a new key", f"{key.name!a} again", Classification.WRITER_BUG)
            self.added[key] = idx
        elif key not in self.added or key in self.retired:
            return Bad("key", "a key that was added and not retired", f"{key.name!a}", Classification.WRITER_BUG)
        else:
            self.retired[key] = idx
        return None

    def may_sign(self, key: VerifyKey, size: int, before: int) -> bool:
        """Whether a key may sign a checkpoint.

        A key counts from the checkpoint after the one that covers its addition, so that an older key vouches for it; the
        first key of a log has none before it. It counts up to its retirement. Where the log speaks of no key at all, what
        was given from outside is all there is.

        Args:
            key: the key.
            size: size of the checkpoint.
            before: size of the checkpoint before it.
        """
        if not self.added:
            return True
        added, retired = self.added.get(key), self.retired.get(key)
        if added is None or (retired is not None and retired < size):
            return False
        return added < before or added == next(iter(self.added.values()))
