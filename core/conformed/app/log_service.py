"""A workspace's log: opened, published, and held against what is kept outside. What every service that touches it shares."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from conformed.app.workspace import Workspace
from conformed.errors import ConformedError, UsageError
from conformed.hooks import Registry

if TYPE_CHECKING:
    from conformed.app.keeping.publication import Publication
    from conformed.app.keeping.published import PublicationNote
    from conformed.app.keeping.state import State
    from conformed_audit import AuditLog, Trust
    from conformed_audit.note import VerifyKey
    from conformed_audit.sealing import MasterFile

__all__ = ["LogService"]

_ORIGIN = "conformed.local"


class LogService:
    """The log of one workspace.

    Args:
        workspace: the workspace.
        clock: the time, UTC.
    """

    def __init__(self, workspace: Workspace, clock: Callable[[], dt.datetime]) -> None:
        self._workspace, self._clock = workspace, clock
        self.published: PublicationNote | None = None
        """What became of the last publication."""
        self.warning = ""
        """Why publication.yaml could not be used, where a command that only reads went on without it; else empty."""

    def _loaded(self) -> Registry:
        """Every plugin."""
        raise NotImplementedError

    @contextmanager
    def _log(self, *, create: bool = True, archive: Path | None = None) -> Iterator[AuditLog]:
        from conformed.app.keeping.operational import Event, say
        from conformed.engine.log import ours
        from conformed_audit import AuditLog
        from conformed_audit.log import LARGE_WAL

        place = self._workspace.log_place
        if archive is not None:
            from conformed_audit.archive import ArchivedLog
            from conformed_audit.origin import origin_of

            with ours("opened"):
                old = ArchivedLog.open_archive(archive, clock=self._clock, keys=self._master_key(origin_of(archive) or ""))
            with old:
                yield old
            return
        if isinstance(place, Path) and not place.exists():
            if place.with_name("log.next.sqlite").exists():
                raise UsageError("The closing of an epoch was cut off.", "Go on with it: conformed log close-epoch.")
            if not create:
                raise UsageError(f"There is no log at {place}.", "Run a pack first: conformed run PACK.")
        with ours("opened"):
            if isinstance(place, Path):
                place.parent.mkdir(parents=True, exist_ok=True)
            log = AuditLog.open(
                place, origin=(origin := self._origin(place)), clock=self._clock, create=create, keys=self._master_key(origin)
            )
        if log.unsaved > LARGE_WAL:
            say(Event.LOG_WAL_LARGE, bytes=log.unsaved)
        try:
            yield log
        finally:
            with ours("closed"):
                log.close()

    def _origin(self, place: Path | str) -> str:
        """Whose log it is: as the log says; of a new one as the workspace says, else by its place, so that two never share one."""
        from conformed.app.keeping.publication import load_plan
        from conformed_audit.origin import origin_of

        named = origin_of(place) or load_plan(self._workspace.root).origin
        return named or f"{_ORIGIN}/{hashlib.sha256(os.fsencode(self._workspace.log.absolute())).hexdigest()[:16]}"

    def _master_key(self, origin: str) -> MasterFile:
        """What content of the log is sealed with: kept outside the workspace, so that a copied log alone tells nothing."""
        from conformed.app.keeping.state import find_state
        from conformed_audit.sealing import MasterFile

        return MasterFile(find_state(os.environ, origin).folder / "master.key")

    def _opening_key(self, origin: str) -> MasterFile | None:
        """The same for a reader: None where it is not on this machine, so that its absence is no damage."""
        key = self._master_key(origin)
        return key if key.path.exists() else None

    def _publication(self, log: AuditLog) -> Publication:
        """What publishes the log of this workspace."""
        from conformed.app.keeping.publication import Publication, load_plan, make_sinks
        from conformed.app.keeping.state import find_state

        plan, state, root = load_plan(self._workspace.root), find_state(os.environ, log.origin), self._workspace.root
        return Publication(log, state, plan, lambda: make_sinks(plan, self._loaded(), state, root), os.urandom)

    def publish_log(self, log: AuditLog) -> PublicationNote:
        """Publishes what the log has; what became of it stays in `published`. Never takes a decision back."""
        from conformed.app.keeping.published import PublicationNote

        try:
            self.published = self._publication(log).publish()
        except ConformedError as problem:  # publication.yaml is refused
            self.published = PublicationNote(state="pending", checkpoint_size=0, reason=str(problem))
        return self.published

    def outside_sinks(self, log: AuditLog) -> tuple[str, ...]:
        """Names of the sinks that the owner of the log's database cannot rewrite; none, with a `warning`, where no sink can be used.

        Without them nothing counts as published, and so nothing is released.
        """
        from conformed.app.keeping.publication import load_plan, make_sinks
        from conformed.app.keeping.state import find_state

        root = self._workspace.root
        try:
            sinks = make_sinks(load_plan(root), self._loaded(), find_state(os.environ, log.origin), root)
        except ConformedError as problem:
            self.warning = str(problem)
            return ()
        return tuple(sink.name for sink in sinks if sink.outside)

    def _held_outside(self, archive: Path | None = None) -> tuple[Trust, tuple[str, ...]]:
        """Keys and checkpoints that are kept outside the log, or an archived one, on this machine; nothing where there is no log."""
        from conformed.app.keeping.outside import held_outside
        from conformed.app.keeping.state import find_state
        from conformed.engine.log import ours
        from conformed_audit import Trust
        from conformed_audit.origin import origin_of

        with ours("read"):
            origin = origin_of(archive or self._workspace.log_place)
            if origin is None:
                return Trust(), ()
            state = find_state(os.environ, origin)
            return held_outside(state, self._witnesses_of(state))

    def _witnesses_of(self, state: State) -> tuple[VerifyKey, ...]:
        """Keys of the witnesses that this workspace knows; without those of a publication.yaml that is refused, with a `warning`."""
        from conformed.app.keeping.publication import PublicationPlan, load_plan, witness_keys
        from conformed_audit.errors import AuditError

        try:
            return witness_keys(load_plan(self._workspace.root), state)
        except (AuditError, ConformedError) as problem:
            self.warning = str(problem)
            return witness_keys(PublicationPlan(), state)
