"""What the command line asks about retention: legal holds, erasure by two people, and the end of an epoch."""

from __future__ import annotations

from pathlib import Path

from conformed.app.binding import contract_path
from conformed.app.people.guard import Guard
from conformed.app.retention.epochs import Closed, archives_of, close_epoch, epoch_after, finish_epoch, waiting
from conformed.app.retention.erasure import Erased, Request, approve_erasure, ask_erasure, case_named, forget_traces
from conformed.app.retention.holding import Hold, hold_case, release_hold
from conformed.app.service import Service
from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed.policy.load import load_model
from conformed.policy.schema import TaskContract
from conformed_audit import AuditLog
from conformed_audit.archive import ArchivedLog
from conformed_audit.erasing import ErasingLog

__all__ = ["RetentionDesk"]


class RetentionDesk(Service):
    """Holds and erases."""

    def ask_erasure(self, name: str, basis: str) -> Request:
        """Asks for the erasure of a case's content.

        Args:
            name: the case, or one of its runs.
            basis: the legal basis.

        Raises:
            ConformedError: when it may not be asked for.
        """
        with self._log(create=False) as log:
            return ask_erasure(log, self._guarding(log), name, basis)

    def approve_erasure(self, name: str) -> Erased:
        """Carries out what another person asked for, and publishes the record of it.

        Args:
            name: the case, or one of its runs.

        Raises:
            ConformedError: when it may not be carried out, or the log cannot be written.
        """
        with self._erasing() as log:
            done = approve_erasure(log, self._guarding(log), name, lambda: forget_traces(self._workspace))
            self.publish_log(log)
        return done

    def finish_erasure(self) -> None:
        """Writes the log's file anew, where an erasure could not because somebody was reading it.

        Raises:
            ConformedError: when somebody still is.
        """
        with self._erasing() as log, ours("written anew"):
            log.rewrite()

    def hold(self, name: str, reason: str) -> Hold:
        """Sets a legal hold on a case.

        Raises:
            ConformedError: when it may not be set, or one stands.
        """
        with self._log(create=False) as log:
            return hold_case(log, self._guarding(log), case_named(log, name)[0], reason)

    def release_hold(self, name: str, reason: str) -> Hold:
        """Lifts the legal hold on a case, and gives the one that stood.

        Raises:
            ConformedError: when it may not be lifted, or none stands.
        """
        with self._log(create=False) as log:
            return release_hold(log, self._guarding(log), case_named(log, name)[0], reason)

    def close_epoch(self) -> Closed:
        """Ends the log of the workspace, archives it read only, and begins one that names it; goes on where it was cut off.

        Raises:
            ConformedError: when it may not, or cannot be done now.
        """
        if not isinstance(self._workspace.log_place, Path):
            raise UsageError("The log is a shared one.", "Its epochs are the administrator's matter: docs/retention.md.")
        number = len(archives_of(self._workspace))
        if number and not self._workspace.log.exists() and waiting(self._workspace).exists():  # cut off between the two moves
            with ArchivedLog.open_archive(archives_of(self._workspace)[0], clock=self._clock) as old:
                size = old.store.checkpoints.last()
                closed = Closed(
                    old.origin, size.size if size else 0, old_path := archives_of(self._workspace)[0], epoch_after(old.origin)
                )
            finish_epoch(self._workspace, old_path)
        else:
            with self._log(create=False) as log:
                closed = close_epoch(log, self._guarding(log), self._workspace, publish=self.publish_log, make=self._make_log)
            finish_epoch(self._workspace, closed.archive)
        with self._log(create=False) as log:
            self.publish_log(log)
        return closed

    def _make_log(self, place: Path, origin: str) -> AuditLog:
        return AuditLog.open(place, origin=origin, clock=self._clock, keys=self._master_key(origin))

    def _guarding(self, log: AuditLog) -> Guard:
        contract = load_model(contract_path(self._workspace.policies, None), TaskContract)
        return self._guard(log, contract.value, contract.digest)

    def _erasing(self) -> ErasingLog:
        place = self._workspace.log_place
        if not isinstance(place, Path):
            raise UsageError(
                "The log is a shared one, which is erased by the administrator's role conformed_eraser.", "See docs/retention.md."
            )
        if not place.exists():
            raise UsageError(f"There is no log at {place}.", "Run a pack first: conformed run PACK.")
        with ours("opened"):
            origin = self._origin(place)
            return ErasingLog.open_to_erase(place, origin=origin, clock=self._clock, keys=self._master_key(origin))
