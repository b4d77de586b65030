"""What the command line asks about evidence: the bundle of a run."""

from __future__ import annotations

import os
from dataclasses import dataclass

from conformed.app.binding import contract_path
from conformed.app.bundles.evidence_export import Exported, export_evidence
from conformed.app.keeping.state import find_state
from conformed.app.service import Service
from conformed.engine.log import ours
from conformed.errors import JournalError
from conformed.policy.load import load_model
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

        Args:
            run: the run.
            documents: whether source documents are to be in it.

        Raises:
            ConformedError: when whoever is at the keys may not, there is no such run, or the log cannot be published.
        """
        with self._log(create=False) as log:
            contract = load_model(contract_path(self._workspace.policies, None), TaskContract)
            guard = self._guard(log, contract.value, contract.digest)
            state = find_state(os.environ, log.origin)

            with ours("published"):
                made = export_evidence(
                    log, guard, run, documents=documents, publish=lambda: self._need_checkpoint(log),
                    keys=lambda: dict.fromkeys((*state.public_keys(), *self._witnesses_of(state))),
                )  # fmt: skip
        return Bundle(made, self.published is not None and self.published.state == "published")

    def _need_checkpoint(self, log: AuditLog) -> None:
        """Publishes; a bundle needs a signed checkpoint, and may be made while no outside sink answers.

        Raises:
            JournalError: when there is none.
        """
        note = self.publish_log(log)
        if not note.checkpoint_size:
            raise JournalError(f"No checkpoint could be signed: {note.reason}", "Mend that, and export again.")
