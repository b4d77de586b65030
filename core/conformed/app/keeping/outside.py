"""What is kept outside the log and is held against it: keys, and checkpoints that somebody has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformed.app.keeping.state import State
from conformed.errors import UsageError
from conformed_audit.errors import NoteError
from conformed_audit.note import VerifyKey
from conformed_audit.trust import Trust

__all__ = ["held_outside"]

_MOST_NOTE_BYTES = 1_000_000


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
        return trust, tuple(_texts(outside) if outside else state.notes())
    except (NoteError, UnicodeDecodeError) as problem:
        mend = "Give one key a line, as conformed log keys prints them."
        raise UsageError(f"The keys cannot be read: {problem}", mend) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename} cannot be read: {problem.strerror}.", "Check the path.") from problem


def _texts(paths: Sequence[Path]) -> list[str]:
    files: list[Path] = []
    for path in paths:
        files += sorted(path.glob("*.note")) if path.is_dir() else [path]
    if not files:
        raise UsageError(f"{paths[0]} holds no checkpoint.", "Name a file, or a folder with files that end in .note.")
    found = []
    for file in files:
        with file.open("rb") as stream:
            found.append(stream.read(_MOST_NOTE_BYTES).decode("utf-8", errors="replace"))
    return found
