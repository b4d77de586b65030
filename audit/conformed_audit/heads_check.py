"""The records of all heads, worked out again; and times that cannot be older than the heads before them.

Heads of n cases cost n hashes, and a log that is published after each run has about as many heads as cases: working all of
them out would take time that grows with the square. So a pass has an allowance that grows with the records. What is left is
counted, and the last record of heads is never left.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from conformed_audit.checks import Case
from conformed_audit.encode import time_text
from conformed_audit.finding import Bad, Classification
from conformed_audit.heads import heads_root
from conformed_audit.seen import Seen

__all__ = ["MOST_SKEW_S", "HeadsCheck"]

MOST_SKEW_S = 300
"""By how many seconds clocks of different hosts may differ without a record of it."""
_ALLOWANCE = 100_000


class HeadsCheck:
    """Follows ``log.heads`` and ``clock.stepped``.

    Args:
        allowance: hashes for heads beside one a record.
    """

    kinds: frozenset[str] | None = None

    def __init__(self, allowance: int = _ALLOWANCE) -> None:
        self.last: tuple[int, bytes, str] | None = None
        """Place, root and time of the last record of heads."""
        self.checked = 0
        self.left = 0
        self.ahead = 0
        """By how many seconds the records say that the clock was set forward and not put back since."""
        self._spare = allowance
        self._not_before = ""
        self._before: dict[str, Case | None] | None = None
        self._due: tuple[str, int] | None = None

    def follow(self, seen: Seen, _leaf: bytes, idx: int, cases: Mapping[str, Case], /) -> Bad | None:
        """Looks at one record."""
        self._spare += 1
        kind, case, ts = seen.kind, seen.case, seen.ts
        if ts < self._not_before and kind != "clock.stepped":
            return Bad("time", f"not before {self._not_before}", ts, Classification.TAMPERED)
        if kind == "clock.stepped":
            self._not_before = min(self._not_before, _less(ts))
            self.ahead = max(0, self.ahead + _step(seen))
        if kind == "log.heads":
            return self._heads(seen, idx, ts, cases)
        if self._before is not None and case not in self._before:
            self._before[case] = cases.get(case)
        return None

    def _heads(self, seen: Seen, idx: int, ts: str, cases: Mapping[str, Case]) -> Bad | None:
        output = seen.whole["output"]
        inline = output[0].get("inline") if len(output) == 1 else None
        if type(inline) is not dict or type(inline.get("root")) is not str or inline.get("cases") != len(cases):
            return Bad("heads.cases", f"the heads of {len(cases)} cases", "something else", Classification.WRITER_BUG)
        root = inline["root"]
        bad = None
        if self._spare >= len(cases):
            self._spare -= len(cases)
            self.checked += 1
            bad = _compare(root, cases)
            self._before = self._due = None
        else:
            self.left += 1
            self._due = (root, idx)
            self._before = {"_log": cases.get("_log")}
        try:
            self.last = (idx, bytes.fromhex(root), ts)
        except ValueError:
            bad = Bad("heads", "a root in hex", ascii(root)[:80], Classification.WRITER_BUG)
        self._not_before = max(self._not_before, _less(ts))
        return bad

    def finish(self, cases: Mapping[str, Case]) -> tuple[int, Bad] | None:
        """After the last record: works out the last record of heads where it was left.

        Returns:
            Its place and what is bad; None when all is well.
        """
        if self._due is None or self._before is None:
            return None
        then: dict[str, Case] = {case: fold for case, fold in cases.items() if case not in self._before}
        then.update({case: fold for case, fold in self._before.items() if fold is not None})
        (root, idx), self._due = self._due, None
        self.checked, self.left = self.checked + 1, self.left - 1
        bad = _compare(root, then)
        return None if bad is None else (idx, bad)


def _compare(root: str, cases: Mapping[str, Case]) -> Bad | None:
    want = heads_root((case, fold.cseq, fold.leaf) for case, fold in cases.items()).hex()
    return None if root == want else Bad("heads", want, ascii(root)[1:-1][:80], Classification.WRITER_BUG)


def _step(seen: Seen) -> int:
    """By how many seconds a record says that the clock was set, time that went by included; 0 where it does not say."""
    output = seen.whole["output"]
    inline = output[0].get("inline") if len(output) == 1 else None
    before = inline.get("before") if type(inline) is dict else None
    try:
        return (datetime.fromisoformat(seen.ts) - datetime.fromisoformat(str(before))) // timedelta(seconds=1)
    except (TypeError, ValueError):
        return 0


def _less(ts: str) -> str:
    """A time less what clocks may differ by."""
    return time_text(datetime.fromisoformat(ts) - timedelta(seconds=MOST_SKEW_S))
