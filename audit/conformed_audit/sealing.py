"""Encryption of content: a data key for each case, wrapped by a master key that is not in the database.

AES-256-GCM. The salt of a commitment is sealed together with the content, so that whoever has the database alone can
neither read the content nor confirm a guess of it. Without its data key a sealed content is noise; destroying the key erases
the content in every copy that does not hold the key too.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from conformed_audit.durable import make_private, private_mode, write_once
from conformed_audit.errors import SealError

__all__ = ["KEY_BYTES", "NONCE_BYTES", "TAG_BYTES", "KeyHolder", "MasterFile", "MasterKey", "Sealed", "seal", "unseal"]

KEY_BYTES = 32
"""Length of a key."""
NONCE_BYTES = 12
"""Length of a nonce."""
TAG_BYTES = 16
"""By how much a sealed content is longer than what was sealed."""
_MARK = b"conformed blob 1\n"
_WRAPPED = b"conformed key 1\n"


class KeyHolder(Protocol):
    """Whoever holds the master key: a file beside the log's, a key service, a device. It never gives the key away."""

    def wrap(self, key: bytes, ref: str) -> bytes:
        """Encrypts a data key; the name goes into the check.

        Raises:
            SealError: when it cannot be done.
        """
        ...

    def unwrap(self, wrapped: bytes, ref: str) -> bytes:
        """The data key again.

        Raises:
            SealError: when it was wrapped by another master key, under another name, or was changed.
        """
        ...


class Sealed(NamedTuple):
    """Content as it is stored."""

    nonce: bytes
    """Used once with its key."""
    data: bytes
    """Ciphertext with its tag."""


def seal(plain: bytes, key: bytes, about: str, nonce: bytes) -> Sealed:
    """Encrypts.

    Args:
        plain: what is sealed.
        key: 32 bytes.
        about: what it is about; goes into the check, so that one sealed content cannot be put in another's place.
        nonce: 12 bytes, never used before with this key.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return Sealed(nonce, AESGCM(key).encrypt(nonce, plain, _MARK + about.encode()))


def unseal(sealed: Sealed, key: bytes, about: str) -> bytes | None:
    """What was sealed; None when it was changed, or is about something else."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(sealed.nonce, sealed.data, _MARK + about.encode())
    except (InvalidTag, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class MasterKey:
    """A master key in this process."""

    key: bytes = field(repr=False)
    """32 bytes. Never printed."""
    entropy: Callable[[int], bytes] = field(default=os.urandom, repr=False)
    """Gives n random bytes."""

    @classmethod
    def in_file(cls, path: Path, *, entropy: Callable[[int], bytes] = os.urandom, create: bool = True) -> Self:
        """The master key in a file that only its owner may read, and its group where the folder is shared; made when it is absent.

        Args:
            path: the file; its folder must exist.
            entropy: gives n random bytes.
            create: whether to make one.

        Raises:
            SealError: when it cannot be read or made, others may read it, or it is no key.
        """
        if create and not path.exists():
            _make(path, entropy(KEY_BYTES))
        try:
            mode, text = path.stat().st_mode, path.read_text(encoding="ascii")
            key = bytes.fromhex(text.strip())
        except PermissionError as problem:
            raise SealError(
                f"You may not read the master key {path}.", "Share the folder of the state with its group: docs/people.md."
            ) from problem
        except (OSError, ValueError) as problem:
            raise SealError(
                f"The master key {path.name!r} cannot be read.", "Restore it: without it no content can be."
            ) from problem
        fits = private_mode(path.parent)
        if os.name == "posix" and mode & 0o777 & ~fits:
            raise SealError(f"Others may read the master key {path.name!r}.", f"Take that away: chmod {fits:o} {path}")
        if len(key) != KEY_BYTES:
            raise SealError(f"The master key {path.name!r} has {len(key)} bytes.", "Restore it: without it no content can be.")
        return cls(key, entropy)

    def wrap(self, key: bytes, ref: str) -> bytes:
        """Encrypts a data key."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = self.entropy(NONCE_BYTES)
        return nonce + AESGCM(self.key).encrypt(nonce, key, _WRAPPED + ref.encode())

    def unwrap(self, wrapped: bytes, ref: str) -> bytes:
        """The data key again.

        Raises:
            SealError: when it was wrapped by another master key, under another name, or was changed.
        """
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        try:
            return AESGCM(self.key).decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], _WRAPPED + ref.encode())
        except (InvalidTag, ValueError) as problem:
            raise SealError(f"The data key {ref!a} does not open with this master key.", "Use the one that made it.") from problem


class MasterFile:
    """A master key in a file that is read, or made, when it is first needed.

    Args:
        path: the file; its folder is made, for its owner alone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._key: MasterKey | None = None

    def wrap(self, key: bytes, ref: str) -> bytes:
        """Encrypts a data key; makes the master key when there is none.

        Raises:
            SealError: when the file cannot be made or used.
        """
        return self._held(create=True).wrap(key, ref)

    def unwrap(self, wrapped: bytes, ref: str) -> bytes:
        """The data key again.

        Raises:
            SealError: when the master key is not there, or is another.
        """
        return self._held(create=False).unwrap(wrapped, ref)

    def _held(self, *, create: bool) -> MasterKey:
        if self._key is None:
            if create:
                try:
                    make_private(self.path.parent)
                except OSError as problem:
                    raise SealError(
                        f"The folder of the master key cannot be made: {problem.strerror}.", f"Make it: {self.path.parent}"
                    ) from problem
            self._key = MasterKey.in_file(self.path, create=create)
        return self._key


def _make(path: Path, key: bytes) -> None:
    """Writes a new key unless another process was quicker: none is ever replaced."""
    try:
        with suppress(FileExistsError):
            write_once(path, f"{key.hex()}\n".encode(), mode=0o600)
    except OSError as problem:
        raise SealError(
            f"The master key {path.name!r} cannot be made: {problem.strerror}.", "Choose a folder that you own."
        ) from problem
