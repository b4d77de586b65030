"""Approvals and releases in the pass over a log: the rules of `conformed_audit.approvals`, and publication before release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformed_audit.approvals import Approvals
from conformed_audit.body import record_of
from conformed_audit.checks import Case
from conformed_audit.finding import Bad, Classification
from conformed_audit.seen import Seen

__all__ = ["ApprovalCheck"]

_STEPS = frozenset({"step.intent", "step.outcome", "step.failed", "step.unknown"})
_OTHERS = frozenset({
    "case.opened", "state.changed", "approval.requested", "approval.granted", "approval.rejected", "approval.withdrawn",
    "decision.released",
})  # fmt: skip
_BEGUN, _OVERRIDDEN = "Run begun.", "overridden"


class ApprovalCheck:
    """Follows what people did.

    Args:
        published: the largest size under a checkpoint so far.
    """

    kinds: frozenset[str] | None = _STEPS | _OTHERS

    def __init__(self, published: Callable[[], int]) -> None:
        self._published = published
        self._fold = Approvals()
        self._last: dict[str, dict[str, Any]] = {}
        """No person, and at work in a case that is not decided: when the same one goes on, that says nothing new."""

    def follow(self, seen: Seen, leaf: bytes, idx: int, _cases: Mapping[str, Case], /) -> Bad | None:
        """Looks at one record."""
        kind, case, actor = seen.kind, seen.case, seen.actor
        last = self._last.get(case)
        plain = kind in _STEPS or (kind == "state.changed" and _goes_on(seen))
        if plain and last is not None and (last is actor or last == actor):
            return None
        if plain and actor["kind"] != "person":
            self._last[case] = actor
        elif last is not None:
            del self._last[case]
        if kind == "decision.released":
            decided = self._fold.case(case).decided
            if decided is not None and self._published() <= decided.idx:
                expected = f"a checkpoint over record {decided.idx} before the release"
                return Bad("release.checkpoint", expected, f"one over {self._published()} records", Classification.WRITER_BUG)
        found = self._fold.take(record_of(idx, leaf.hex(), seen.whole))
        return None if found is None else found.bad


def _goes_on(seen: Seen) -> bool:
    """Whether a change of state neither begins, ends nor overrides a run."""
    return seen.note != _BEGUN and seen.step != _OVERRIDDEN and not seen.gives_record
