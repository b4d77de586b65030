"""A witness (C2SP tlog-witness): remembers one checkpoint a log, checks that each new one continues it, cosigns with the time.

It is run by somebody whom the owner of the database cannot command. It never sees a record.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock

from conformed_audit.checkpoint import Checkpoint
from conformed_audit.durable import replace_whole
from conformed_audit.errors import NoteError, SignerError
from conformed_audit.merkle import EMPTY_ROOT
from conformed_audit.note import Note, Signer, VerifyKey
from conformed_audit.tree import consistent

__all__ = ["Answer", "Witness", "remembered_file"]

_OLD = re.compile(r"old (0|[1-9][0-9]{0,17})")
_MOST_HASHES = 63
_SIZE_MEDIA = "text/x.tlog.size"


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered to a request."""

    status: int
    """Status code of HTTP."""
    body: str
    """Cosignature lines, a size, or why not; ends with a newline."""
    media: str = "text/plain; charset=utf-8"
    """Media type."""


def remembered_file(folder: Path, origin: str) -> Path:
    """Where a witness keeps the last checkpoint of a log, as a note with all its signatures."""
    plain = re.sub(r"[^a-z0-9]+", "-", origin.lower()).strip("-")[:60] or "log"
    return folder / f"{plain}-{sha256(origin.encode()).hexdigest()[:8]}.note"


class Witness:
    """One witness. Its answers are serial: old size compared and new checkpoint kept are one act.

    Args:
        folder: where it keeps one file a log.
        signer: its key, of the kind that cosigns.
        log_keys: keys of the logs that it watches; a key's name is the log's origin.
        clock: seconds since 1970, UTC.
    """

    def __init__(self, folder: Path, signer: Signer, log_keys: Iterable[VerifyKey], clock: Callable[[], int]) -> None:
        self._folder, self._signer, self._clock = folder, signer, clock
        self._keys: dict[str, list[VerifyKey]] = {}
        for key in log_keys:
            self._keys.setdefault(key.name, []).append(key)
        self._lock = Lock()

    def add_checkpoint(self, body: bytes) -> Answer:
        """Answers one request of ``add-checkpoint``. Never raises for what is asked.

        Raises:
            SignerError: when what it remembers cannot be read or written; then nothing was cosigned.
        """
        try:
            old, proof, note, checkpoint = _parse(body)
        except NoteError as problem:
            return Answer(400, f"{problem.found}\n")
        keys = self._keys.get(checkpoint.origin)
        if keys is None:
            return Answer(404, "This log is not known here.\n")
        try:
            signed = note.by(keys)
        except NoteError:
            signed = ()
        if not signed:
            return Answer(403, "No signature is by a known key of this log.\n")
        if old > checkpoint.size:
            return Answer(400, f"The old size {old} is larger than the new one, {checkpoint.size}.\n")
        with self._lock:
            return self._cosign(old, proof, note, checkpoint)

    def last(self, origin: str) -> Checkpoint | None:
        """The last checkpoint that was cosigned for a log; None before the first.

        Raises:
            SignerError: when what is remembered cannot be read.
        """
        path = remembered_file(self._folder, origin)
        try:
            found = Checkpoint.parse(Note.parse(path.read_text(encoding="utf-8")).text)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError, NoteError) as problem:
            raise SignerError(
                f"What is remembered in {path.name!r} cannot be read.", "Restore it; never sign without."
            ) from problem
        if found.origin != origin:
            raise SignerError(f"{path.name!r} holds a checkpoint of another log.", "Restore it; never sign without.")
        return found

    def _cosign(self, old: int, proof: list[bytes], note: Note, checkpoint: Checkpoint) -> Answer:
        last = self.last(checkpoint.origin)
        size, root = (0, EMPTY_ROOT) if last is None else (last.size, last.root)
        if old != size or (checkpoint.size == size and checkpoint.root != root):
            return Answer(409, f"{size}\n", _SIZE_MEDIA)
        if not consistent(size, checkpoint.size, root, checkpoint.root, proof):
            return Answer(422, "The proof does not show that the new tree begins with the old one.\n")
        line = note.cosigned(self._signer, self._clock())
        path = remembered_file(self._folder, checkpoint.origin)
        try:
            replace_whole(path, str(Note(note.text, (*note.signatures, line))).encode())
        except OSError as problem:
            raise SignerError(
                f"{path.name!r} could not be written: {problem.strerror}.", "Nothing was cosigned; mend it."
            ) from problem
        return Answer(200, f"{line}\n")


def _parse(body: bytes) -> tuple[int, list[bytes], Note, Checkpoint]:
    try:
        head, found, rest = body.decode("utf-8").partition("\n\n")
    except UnicodeDecodeError:
        raise NoteError("The request is not UTF-8.") from None
    lines = head.split("\n")
    old = _OLD.fullmatch(lines[0])
    if not found or old is None or len(lines) > 1 + _MOST_HASHES:
        raise NoteError("The request is not an old size, a proof, an empty line and a checkpoint.")
    proof = []
    for line in lines[1:]:
        try:
            hash_ = base64.b64decode(line, validate=True)
        except ValueError:
            hash_ = b""
        if len(hash_) != 32:
            raise NoteError("A line of the proof is not a hash of 32 bytes in base64.")
        proof.append(hash_)
    note = Note.parse(rest)
    return int(old[1]), proof, note, Checkpoint.parse(note.text)
