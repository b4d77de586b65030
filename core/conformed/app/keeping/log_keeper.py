"""Keeping the log: publish what is pending, show and change its keys, verify it against what is kept outside."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from conformed.app.answer import LogCheck
from conformed.app.binding import contract_path
from conformed.app.keeping.outside import held_outside
from conformed.app.keeping.published import PublicationNote
from conformed.app.keeping.state import State, find_state
from conformed.app.people.guard import actor_of
from conformed.app.service import Service
from conformed.engine.log import ours
from conformed.errors import JournalError, UsageError
from conformed.model.base import Frozen
from conformed.policy.load import load_model
from conformed.policy.may import Action
from conformed.policy.schema import TaskContract
from conformed_audit.origin import origin_of

__all__ = ["KeyRow", "LogKeeper"]


class KeyRow(Frozen):
    """A public key."""

    key: str
    """``name+hash+base64``: what whoever verifies is to be given."""
    use: str
    """signs, added, retired or witness."""


class LogKeeper(Service):
    """What whoever keeps the log of a workspace asks."""

    def publish(self) -> PublicationNote:
        """Publishes what is not published yet.

        Raises:
            ConformedError: when there is no log, or it cannot be opened.
        """
        with self._log(create=False) as log:
            return self.publish_log(log)

    def public_keys(self) -> tuple[KeyRow, ...]:
        """Every public key that the log had here, and those of known witnesses.

        Raises:
            ConformedError: when there is no log, or no key yet, or what is kept of them is damaged.
        """
        state = self._state_of_log()
        with ours("read"):
            held = {one.key.key: "added" if one.status == "added" else "signs" for one in state.signing_keys()}
            public, witnesses = state.public_keys(), self._witnesses_of(state)
        if not public:
            raise UsageError("The log has no key yet.", "It gets one when it is first published: conformed log publish.")
        rows = [KeyRow(key=str(key), use=held.get(key, "retired")) for key in public]
        return (*rows, *(KeyRow(key=str(key), use="witness") for key in dict.fromkeys(witnesses)))

    def change_key(self, *, finish: bool) -> KeyRow:
        """Adds a signing key, or finishes that by retiring the older one.

        Args:
            finish: retire.

        Raises:
            ConformedError: when it cannot be done; doing it again goes on where it broke off.
        """
        with self._log(create=False) as log, ours("written"):
            bound = load_model(contract_path(self._workspace.policies, None), TaskContract)
            permit = self._guard(log, bound.value, bound.digest).permit(Action.ROTATE_KEY, "_log")
            publication = self._publication(log)
            change = publication.retire if finish else publication.rotate
            return KeyRow(key=str(change(actor_of(permit.person), permit.stamp)), use="retired" if finish else "signs")

    def verify(self, *, keys: Path | None, quorum: int, outside: Sequence[Path]) -> LogCheck:
        """Verifies the log against what is kept outside it.

        Args:
            keys: a file of public keys, of the log and of witnesses; None takes those beside the signing key.
            quorum: how many witnesses must have cosigned; 0 for all whose keys are given.
            outside: checkpoints, or folders of them, that somebody kept; none takes the default sink's.

        Raises:
            UsageError: when there is no log, or what is given cannot be read.
        """
        from conformed.app.keeping.records import check_of

        state = self._state_of_log()
        with ours("read"):
            witnesses = self._witnesses_of(state)
        trust, given = held_outside(state, witnesses, keys=keys, quorum=quorum, outside=outside)
        return check_of(self._workspace.log_place, trust, given, keys=self._opening_key(state.origin))

    def _state_of_log(self) -> State:
        with ours("read"):
            origin = origin_of(self._workspace.log_place)
        place = self._workspace.log_place
        if origin is None and isinstance(place, Path) and place.exists():
            raise JournalError(f"What lies at {place} is no log that can be read.", "Look at it: conformed log verify.")
        if origin is None:
            raise UsageError(f"There is no log at {self._workspace.log_shown}.", "Run a pack first: conformed run PACK.")
        return find_state(os.environ, origin)
