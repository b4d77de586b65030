"""What the command line asks about retention: legal holds, erasure by two people, and the end of an epoch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from conformed.app.binding import contract_path
from conformed.app.people.guard import Guard
from conformed.app.retention.epoch_reading import in_some_epoch
from conformed.app.retention.epochs import Closed, archives_of, close_epoch, epoch_after, finish_epoch, waiting
from conformed.app.retention.erasure import (
    Erased,
    Request,
    approve_erasure,
    ask_erasure,
    case_named,
    forget_traces,
    pending_request,
)
from conformed.app.retention.holding import Hold, hold_case, release_hold
from conformed.app.retention.reopening import reopened
from conformed.app.retention.shared_epoch import close_shared
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
        """Asks for the erasure of a case's content, in the log and in every archived one that has some.

        Args:
            name: the case, or one of its runs.
            basis: the legal basis.

        Raises:
            ConformedError: when it may not be asked for.
        """
        case, places = self._case(name)
        asked: list[Request] = []
        with self._log(create=False) as present:
            for place in places:
                if place is None:
                    asked.append(ask_erasure(present, self._guarding(present), case, basis))
                    continue
                with self._erasing(place) as old:
                    if _something(old, case):
                        asked.append(ask_erasure(old, self._guarding(old), case, basis, holds=present))
        if not asked:
            raise UsageError(f"No log keeps content of case {case} that could be erased.", "Its records stay.")
        return replace(asked[0], runs=tuple(dict.fromkeys(run for one in asked for run in one.runs)))

    def approve_erasure(self, name: str) -> Erased:
        """Carries out what another person asked for, in every log in which it was, and publishes the records of it.

        Args:
            name: the case, or one of its runs.

        Raises:
            ConformedError: when it may not be carried out, or a log cannot be written. What was carried out by then stays.
        """
        case, places = self._case(name)
        done: list[Erased] = []
        asked = [place for place in places if self._is_asked(place, case)]
        with self._log(create=False) as present:
            for place in asked:
                with self._erasing(place) as log:
                    if len(asked) > 1 and not _something(log, case):
                        continue
                    done.append(
                        approve_erasure(log, self._guarding(log), case, lambda: forget_traces(self._workspace), holds=present)
                    )
                    self.publish_log(log)
        if asked and not done:
            raise UsageError(f"No log keeps content of case {case} that could be erased.", "Its records stay.")
        if not done:
            raise UsageError(
                f"Nobody has asked for the erasure of case {case}.", "Ask for it: --basis TEXT. Another person then approves."
            )
        return Erased(
            case, sum(one.contents for one in done), sum(one.kept for one in done),
            tuple(dict.fromkeys(name for one in done for name in one.traces)),
            tuple(dict.fromkeys(name for one in done for name in one.left)),
        )  # fmt: skip

    def finish_erasure(self) -> None:
        """Writes the log's file anew, where an erasure could not because somebody was reading it; archived ones too.

        Raises:
            ConformedError: when somebody still is.
        """
        archived = [path for path in archives_of(self._workspace) if path.with_name(f"{path.name}-wal").exists()]
        if self._workspace.log_url and not archived:
            raise UsageError("The log is a shared one.", "Its administrator does that: VACUUM FULL, see docs/shared-log.md.")
        for place in archived if self._workspace.log_url else (None, *archived):
            with self._erasing(place) as log, ours("written anew"):
                log.rewrite()

    def hold(self, name: str, reason: str) -> Hold:
        """Sets a legal hold on a case: in the present log, for all epochs.

        Raises:
            ConformedError: when it may not be set, or one stands.
        """
        case, _ = self._case(name)
        with self._log(create=False) as log:
            return hold_case(log, self._guarding(log), case, reason)

    def release_hold(self, name: str, reason: str) -> Hold:
        """Lifts the legal hold on a case, and gives the one that stood.

        Raises:
            ConformedError: when it may not be lifted, or none stands.
        """
        case, _ = self._case(name)
        with self._log(create=False) as log:
            return release_hold(log, self._guarding(log), case, reason)

    def close_epoch(self) -> Closed:
        """Ends the log of the workspace, archives it read only, and begins one that names it; goes on where it was cut off.

        The one that follows a shared log is begun by its administrator (`conformed.app.retention.shared_epoch.begin_epoch`).

        Raises:
            ConformedError: when it may not, or cannot be done now.
        """
        if self._workspace.log_url:
            with self._log(create=False) as log:
                return close_shared(log, self._guarding(log), self._workspace, publish=self.publish_log)
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

    def _case(self, name: str) -> tuple[str, tuple[Path | None, ...]]:
        """The case of that name, or of a run of that name, and the logs that have something of it: None for the present one."""
        case = in_some_epoch(self._workspace, lambda place: self._named(place, name))
        places = []
        for place in (None, *archives_of(self._workspace)):
            with suppress(UsageError):
                places += [place] if self._named(place, case) == case else []
        return case, tuple(places)

    def _named(self, place: Path | None, name: str) -> str:
        with self._log(create=False, archive=place) as log:
            return case_named(log, name)[0]

    def _is_asked(self, place: Path | None, case: str) -> bool:
        with self._log(create=False, archive=place) as log:
            return pending_request(log, case) is not None

    @contextmanager
    def _erasing(self, archive: Path | None = None) -> Iterator[ErasingLog]:
        """A log opened to erase: the present one, or an archived one, which is sealed again after."""
        if archive is not None:
            with reopened(archive, self._open_to_erase) as old:
                yield old
            return
        place = self._workspace.log_place
        if isinstance(place, Path) and not place.exists():
            raise UsageError(f"There is no log at {place}.", "Run a pack first: conformed run PACK.")
        with ours("opened"):
            log = self._open_to_erase(place, self._origin(place))
        with log:
            yield log

    def _open_to_erase(self, place: Path | str, origin: str) -> ErasingLog:
        return ErasingLog.open_to_erase(place, origin=origin, clock=self._clock, keys=self._master_key(origin))


def _something(log: ErasingLog, case: str) -> bool:
    """Whether there is content of a case that could be erased."""
    with ours("read"):
        plan = log.plan(case)
    return bool(plan.items or plan.keys)
