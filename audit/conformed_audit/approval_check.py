"""Approvals and releases in the pass over a log: the rules of `conformed_audit.approvals`, and publication before release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformed_audit.approvals import Approvals
from conformed_audit.body import record_of
from conformed_audit.checks import Case
from conformed_audit.finding import Bad, Classification

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
        self._last: dict[str, tuple[str | None, ...]] = {}
        """Who did the last work in a case that says nothing new when the same one goes on."""

    def follow(self, value: dict[str, Any], leaf: bytes, idx: int, _cases: Mapping[str, Case], /) -> Bad | None:
        """Looks at one record."""
        kind = value["kind"]
        case, actor = value["case"], value["actor"]
        who = (actor["id"], actor["on_behalf_of"], actor["session"])
        plain = actor["kind"] != "person" and (kind in _STEPS or (kind == "state.changed" and _goes_on(value)))
        if plain and self._last.get(case) == who and self._fold.case(case).decided is None:
            return None
        if plain:
            self._last[case] = who
        else:
            self._last.pop(case, None)
        if kind == "decision.released":
            decided = self._fold.case(case).decided
            if decided is not None and self._published() <= decided.idx:
                expected = f"a checkpoint over record {decided.idx} before the release"
                return Bad("release.checkpoint", expected, f"one over {self._published()} records", Classification.WRITER_BUG)
        found = self._fold.take(record_of(idx, leaf.hex(), value))
        return None if found is None else found.bad


def _goes_on(value: dict[str, Any]) -> bool:
    """Whether a change of state neither begins, ends nor overrides a run."""
    ends = any(item["name"] == "record" for item in value["output"])
    return value["note"] != _BEGUN and value["step"] != _OVERRIDDEN and not ends
