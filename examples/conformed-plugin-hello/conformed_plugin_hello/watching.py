"""A check of contracts, which may only refuse, and an observer of the log, which may only look."""

from collections import Counter
from collections.abc import Mapping

from conformed.hooks import WrittenRecord

__all__ = ["SEEN", "count", "objections"]

SEEN: Counter[str] = Counter()
"""Records seen by this process, by kind."""


def objections(contract: Mapping[str, object]) -> list[str]:
    """One objection where scratch text is kept."""
    retention = contract.get("retention")
    kept = retention.get("keep", []) if isinstance(retention, dict) else []
    return ["scratch_text is kept; move it to never_keep."] if "scratch_text" in kept else []


def count(record: WrittenRecord) -> None:
    """Counts a record."""
    SEEN[record.kind] += 1
