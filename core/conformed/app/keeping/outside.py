"""What is kept outside the log and is held against it: keys, and checkpoints that somebody has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformed.app.keeping.state import State
from conformed.errors import UsageError
from conformed_audit.errors import NoteError
from conformed_audit.note import VerifyKey
from conformed_audit.outside import notes_of
from conformed_audit.trust import Trust

__all__ = ["held_outside"]


def held_outside(
    state: State, witnesses: Sequence[VerifyKey], *, keys: Path | None = None, quorum: int = 0, outside: Sequence[Path] = ()
) -> tuple[Trust, tuple[str, ...]]:
    """Keys and checkpoints from outside the log.

    Args:
        state: the signer's files: without anything else, its public keys and the default sink's checkpoints are taken.
        witnesses: keys of witnesses that the workspace knows.
        keys: a file of public keys, of the log and of witnesses, instead.
        quorum: how many witnesses must have cosigned; 0 for all whose keys are given.
        outside: checkpoints, or folders of them, instead.

    Raises:
        UsageError: when what is given cannot be read.
    """
    try:
        if keys is not None:
            trust = Trust.parse(keys.read_text(encoding="utf-8"), quorum)
        else:
            trust = Trust.of((*state.public_keys(), *witnesses), quorum)
    except (NoteError, UnicodeDecodeError) as problem:
        mend = "Give one key a line, as conformed log keys prints them."
        raise UsageError(f"The keys cannot be read: {problem}", mend) from None
    except OSError as problem:
        raise _unread(problem) from problem
    try:
        return trust, notes_of(outside) if outside else tuple(state.notes())
    except NoteError as problem:
        raise UsageError(problem.found, problem.mend) from None
    except OSError as problem:
        raise _unread(problem) from problem


def _unread(problem: OSError) -> UsageError:
    return UsageError(f"{problem.filename} cannot be read: {problem.strerror}.", "Check the path, and who may read it.")
