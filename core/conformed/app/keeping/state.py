"""State that is kept outside the workspace: the signing key, the signer's memory, checkpoints, and keys of witnesses.

Whoever can rewrite the log's database should not be able to rewrite these: give the folder another owner where that matters.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from conformed.errors import UsageError
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.durable import make_private, private_mode, replace_whole
from conformed_audit.errors import NoteError
from conformed_audit.note import SigningKey, VerifyKey

__all__ = ["VARIABLE", "HeldKey", "State", "find_state"]

VARIABLE = "CONFORMED_STATE"
"""Environment variable that names the folder of all state."""

_STATUS = ("fresh", "active", "added")
_KEY_LINE = re.compile(r"(fresh|active|added) ([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class HeldKey:
    """A signing key with what may be done with it."""

    key: SigningKey
    """The key."""
    status: str
    """fresh: not in the log yet. active: signs. added: in the log, signs once an older key vouches for it."""


def find_state(environment: Mapping[str, str], origin: str) -> State:
    """The state of one log: under $CONFORMED_STATE, else $XDG_STATE_HOME/conformed, else ~/.local/state/conformed.

    Args:
        environment: environment variables.
        origin: the log.
    """
    if environment.get(VARIABLE):
        base = Path(environment[VARIABLE])
    elif environment.get("XDG_STATE_HOME"):
        base = Path(environment["XDG_STATE_HOME"]) / "conformed"
    else:
        base = Path("~/.local/state/conformed")
    slug = re.sub(r"[^a-z0-9]+", "-", origin.lower()).strip("-")[:60] or "log"
    return State(base.expanduser() / f"{slug}-{hashlib.sha256(origin.encode()).hexdigest()[:8]}", origin)


class State:
    """The files of one log's signer.

    Args:
        folder: where they are.
        origin: the log; also the name of its keys.
    """

    def __init__(self, folder: Path, origin: str) -> None:
        self.folder, self.origin = folder, origin

    @property
    def memory(self) -> SignerMemory:
        """The signer's memory."""
        return SignerMemory(self.folder / "signer.memory")

    @property
    def checkpoints(self) -> Path:
        """Where the default sink puts checkpoints."""
        return self.folder / "checkpoints"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lets one process at a time sign.

        Raises:
            OSError: when the folder cannot be written.
        """
        make_private(self.folder)
        with (self.folder / "lock").open("wb") as file:
            with suppress(OSError):  # another user's already
                os.fchmod(file.fileno(), private_mode(self.folder))
            with suppress(ImportError):  # not on every system; there the database's own guards must do
                import fcntl

                fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            yield

    def signing_keys(self) -> tuple[HeldKey, ...]:
        """The signing keys, oldest first; none before the first use.

        Raises:
            UsageError: when the file of keys is damaged.
            OSError: when it cannot be read.
        """
        path = self.folder / "signer.key"
        try:
            lines = path.read_text(encoding="ascii").split("\n")
        except FileNotFoundError:
            return ()
        found = [_KEY_LINE.fullmatch(line) for line in lines[:-1]]
        if not found or lines[-1] or None in found:
            raise UsageError(f"The signing key in {path} is damaged.", "Restore it from its copy.")
        return tuple(HeldKey(SigningKey.make(self.origin, bytes.fromhex(m[2])), m[1]) for m in found if m is not None)

    def keep_keys(self, keys: Sequence[HeldKey]) -> None:
        """Replaces the signing keys, readable by their owner only; and the list of public keys beside them.

        Raises:
            OSError: when that is not certain.
        """
        make_private(self.folder)
        text = "".join(f"{one.status} {one.key.seed.hex()}\n" for one in keys)
        self.keep_public([*self.public_keys(), *(one.key.key for one in keys)])
        replace_whole(self.folder / "signer.key", text.encode(), mode=0o600)

    def public_keys(self) -> tuple[VerifyKey, ...]:
        """Every public key that this log ever had here, retired ones too: what whoever verifies is to be given.

        Raises:
            UsageError: when the file is damaged.
            OSError: when it cannot be read.
        """
        return self._read("log.keys")

    def witness_keys(self) -> tuple[VerifyKey, ...]:
        """Keys of witnesses that are known here beside those in publication.yaml.

        Raises:
            UsageError: when the file is damaged.
            OSError: when it cannot be read.
        """
        return self._read("witnesses.keys")

    def keep_public(self, keys: Sequence[VerifyKey]) -> None:
        """Replaces the list of public keys.

        Raises:
            OSError: when that is not certain.
        """
        text = "".join(f"{key}\n" for key in dict.fromkeys(keys))
        replace_whole(self.folder / "log.keys", text.encode())

    def notes(self) -> Iterator[str]:
        """The checkpoints that the default sink holds, as they were made.

        Raises:
            OSError: when one cannot be read.
        """
        if self.checkpoints.is_dir():
            for path in sorted(self.checkpoints.glob("*.note")):
                yield path.read_text(encoding="utf-8", errors="replace")

    def _read(self, name: str) -> tuple[VerifyKey, ...]:
        path = self.folder / name
        try:
            lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
            return tuple(VerifyKey.parse(line) for line in lines if line and not line.startswith("#"))
        except FileNotFoundError:
            return ()
        except (NoteError, UnicodeDecodeError) as problem:
            raise UsageError(f"The list of keys {path} is damaged.", "Restore it from its copy.") from problem
