"""The pass over a log: every check, in the order in which they tell most, each record read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from conformed_audit.aliases import AliasCheck
from conformed_audit.approval_check import ApprovalCheck
from conformed_audit.blob_check import BlobCheck
from conformed_audit.checkpoint_check import CheckpointCheck, outside_of
from conformed_audit.checks import Chain, check_state, text
from conformed_audit.finding import Bad, Classification, Expected, Stop, VerifyResult, stop_at
from conformed_audit.heads_check import HeadsCheck
from conformed_audit.key_check import KeyCheck
from conformed_audit.sealing import KeyHolder
from conformed_audit.source import Source
from conformed_audit.step_check import StepCheck
from conformed_audit.tile_check import TileCheck
from conformed_audit.trust import Trust

__all__ = ["Walk"]


class Walk:
    """One pass.

    Args:
        expect: a size and root that were kept elsewhere.
        trust: whose signatures count.
        given: exact texts of checkpoints that were kept elsewhere.
        keys: who holds the master key of sealed content.
    """

    def __init__(self, expect: Expected | None, trust: Trust, given: Iterable[str], keys: KeyHolder | None = None) -> None:
        self._expect, self._trust, self._given = expect, trust, tuple(given)
        self._chain: Chain | None = None
        self._heads, self._keys = HeadsCheck(), KeyCheck()
        self._blobs = BlobCheck(keys)
        self._checkpoints: CheckpointCheck | None = None

    def result(self, read: Callable[[], None], unreadable: type[Exception]) -> VerifyResult:
        """What the pass found.

        Args:
            read: opens the database and calls `over`.
            unreadable: what the database raises.
        """
        stop = None
        try:
            read()
        except Stop as found:
            stop = found
        except (unreadable, OSError, ValueError) as problem:  # ValueError: a path with a null character
            size = self._chain.size if self._chain is not None else None
            said = ascii(str(problem))[1:-1]
            stop = Stop(Bad("readable", "a readable log", said, Classification.UNREADABLE), size or None)
        return self._told(stop)

    def over(self, source: Source) -> None:
        """Reads a log.

        Raises:
            Stop: at the first thing that is wrong.
            Exception: whatever the database raises.
        """
        altered = source.altered()
        try:
            self._over(source)
        except Stop:
            raise
        except Exception:
            if altered is not None:
                raise Stop(altered) from None
            raise
        stop_at(altered)

    def _over(self, source: Source) -> None:
        origin = source.origin()
        outside, misfit = outside_of(self._given, origin, self._expect)
        tree = TileCheck(source.tile if source.has_tiles else None)
        points = CheckpointCheck(origin, source.checkpoints(), outside, self._trust, self._keys, self._heads)
        approvals = ApprovalCheck(lambda: points.last)
        followers = (self._heads, self._keys, StepCheck(), approvals, AliasCheck())
        self._chain, self._checkpoints = Chain(origin, tree, followers), points
        self._records(source, self._chain, points, tree)
        stop_at(misfit)  # after the records: what was given may be right and the log's own origin wrong
        self._rest(source, self._chain, points, tree)

    def _records(self, source: Source, chain: Chain, points: CheckpointCheck, tree: TileCheck) -> None:
        stop_at(points.start())
        check = chain.check
        for row in source.records():
            if (bad := check(row)) is not None:
                raise Stop(bad, row[0], text(row[2]), row[3])
            if chain.size == points.due:
                stop_at(points.reached(chain.size, tree.root), chain.size - 1)

    def _rest(self, source: Source, chain: Chain, points: CheckpointCheck, tree: TileCheck) -> None:
        stop_at(points.finish(chain.size), chain.size)
        if (late := self._heads.finish(chain.cases)) is not None:
            raise Stop(late[1], late[0])
        for case, cseq in source.unplaced():
            stop_at(Bad("index", "a place in the log", "none", Classification.TAMPERED), None, text(case), cseq)
        for row in source.late():
            if (bad := chain.check_late(row)) is not None:
                raise Stop(bad, None, text(row[2]), row[3])
        if (state := check_state(chain, source.states())) is not None:
            stop_at(state[2], None, state[0] or None, state[1] if state[0] else None)
        for row in source.blobs():
            stop_at(self._blobs.check(chain.erased, row))
        if source.has_tiles and (kept := source.tiles()) != tree.tiles:
            stop_at(Bad("tiles", f"{tree.tiles} tiles", f"{kept} tiles", Classification.TAMPERED))
        told = {(str(key), idx) for key, idx in self._keys.added.items()}
        for vkey, idx in source.key_rows():
            if (text(vkey), idx) not in told:
                stop_at(Bad("keys", "keys that a record added", ascii(text(vkey))[:80], Classification.TAMPERED))

    def _told(self, stop: Stop | None) -> VerifyResult:
        chain, points, trust = self._chain, self._checkpoints, self._trust
        size = 0 if chain is None else chain.size
        compared = points is not None and bool(points.count + points.given)
        published = 0 if points is None else points.published
        tail = Classification.UNPUBLISHED_TAIL if size > published else None
        return VerifyResult(
            ok=stop is None,
            checked=size + (0 if chain is None else chain.late),
            first_bad=None if stop is None else stop.finding,
            classification=tail if stop is None else stop.bad.classification,
            size=size,
            root=chain.tree.root.hex() if stop is None and chain is not None else None,
            anchored=self._expect is not None or bool(self._given),
            checkpoints=0 if points is None else points.count,
            given=0 if points is None else points.given,
            signed=(compared and stop is None) if trust.keys else None,
            cosigned=(0 if points is None else points.cosigned) if trust.witnesses else None,
            published=published,
            unpublished=size - published,
            heads=self._heads.checked,
            heads_left=self._heads.left,
            erased=self._blobs.erased,
            unopened=self._blobs.unopened,
        )
