"""What the command line asks about evidence: the bundle of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformed.app.binding import contract_path
from conformed.app.bundles.evidence_export import Exported, export_evidence
from conformed.app.keeping.state import find_state
from conformed.app.people.case_people import run_contract
from conformed.app.retention.epoch_reading import in_some_epoch
from conformed.app.retention.reopening import reopened
from conformed.app.service import Service
from conformed.engine.log import ours
from conformed.errors import JournalError, UsageError
from conformed.policy.load import Loaded, load_model
from conformed.policy.schema import TaskContract
from conformed_audit import AuditLog

__all__ = ["Bundle", "EvidenceDesk"]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle and whether somebody outside holds the checkpoint under which it stands."""

    made: Exported
    """The bundle."""
    published: bool
    """Whether an outside sink acknowledged the checkpoint."""


class EvidenceDesk(Service):
    """Exports evidence."""

    def export(self, run: str, *, documents: bool = True) -> Bundle:
        """Makes the evidence bundle of a run, and records that it was exported and by whom.

        A run of an earlier epoch is given from its archive, under a checkpoint of that log, which records the export itself.

        Args:
            run: the run.
            documents: whether source documents are to be in it.

        Raises:
            ConformedError: when whoever is at the keys may not, there is no such run, or the log cannot be published.
        """
        archive = in_some_epoch(self._workspace, lambda place: self._epoch_of(place, run))
        with self._writing(archive) as log:
            contract = self._rules_for(log, run)
            guard = self._guard(log, contract.value, contract.digest)
            state = find_state(os.environ, log.origin)

            with ours("published"):
                made = export_evidence(
                    log, guard, run, documents=documents, publish=lambda: self._need_checkpoint(log),
                    keys=lambda: dict.fromkeys((*state.public_keys(), *self._witnesses_of(state))),
                )  # fmt: skip
        return Bundle(made, self.published is not None and self.published.state == "published")

    def _rules_for(self, log: AuditLog, run: str) -> Loaded[TaskContract]:
        """The contract whose rules say who may: the run's own where the workspace has it, else the workspace's default."""
        return run_contract(log, self._workspace.policies, run) or load_model(
            contract_path(self._workspace.policies, None), TaskContract
        )

    def _epoch_of(self, place: Path | None, run: str) -> Path | None:
        with self._log(create=False, archive=place) as log, ours("read"):
            if next(log.records(run=run), None) is None:
                raise UsageError(f"The log has no run {run!r}.", "Run ids are printed at the end of a run.")
        return place

    @contextmanager
    def _writing(self, archive: Path | None) -> Iterator[AuditLog]:
        if archive is None:
            with self._log(create=False) as log:
                yield log
            return
        with reopened(archive, self._open_archived) as old:
            yield old

    def _open_archived(self, place: Path, origin: str) -> AuditLog:
        return AuditLog.open(place, origin=origin, clock=self._clock, create=False, keys=self._master_key(origin))

    def _need_checkpoint(self, log: AuditLog) -> None:
        """Publishes; a bundle needs a signed checkpoint, and may be made while no outside sink answers.

        Raises:
            JournalError: when there is none.
        """
        note = self.publish_log(log)
        if not note.checkpoint_size:
            raise JournalError(f"No checkpoint could be signed: {note.reason}", "Mend that, and export again.")
