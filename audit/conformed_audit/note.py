"""Signed notes (C2SP signed-note) and cosignatures (C2SP tlog-cosignature), with Ed25519.

A note is text that ends with a newline, an empty line, and signature lines ``— name base64``. A key is named by four bytes
that bind its name, its kind and its public part. Whoever checks takes keys from outside of what is checked.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, Self

from conformed_audit.errors import NoteError

__all__ = ["COSIGNATURE", "ED25519", "Note", "Signature", "Signer", "SigningKey", "VerifyKey", "key_hash"]

ED25519 = 0x01
"""Kind of key that signs notes."""
COSIGNATURE = 0x04
"""Kind of key that cosigns checkpoints, with a time."""
_DASH = "\u2014"
_NAME = re.compile(r"[^\s+\x00-\x1f]{1,200}")
_LINE = re.compile(rf"{_DASH} ([^\s+]{{1,200}}) ([A-Za-z0-9+/]{{1,4000}}={{0,2}})")
_MOST_BYTES = 1_000_000
_MOST_LINES = 100
_SIGNATURE_BYTES = 64
_TIME_BYTES = 8


def key_hash(name: str, kind: int, public: bytes) -> bytes:
    """The four bytes that name a key (C2SP signed-note)."""
    return sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]


@dataclass(frozen=True, slots=True)
class VerifyKey:
    """A public key with its name; written as ``name+hash+base64`` (a vkey)."""

    name: str
    """Name of the signer, without spaces or plus signs."""
    public: bytes
    """The 32 bytes of the Ed25519 key."""
    kind: int = ED25519
    """`ED25519` or `COSIGNATURE`."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads a vkey.

        Raises:
            NoteError: when it is not one, or its hash is not that of its key.
        """
        name, _, rest = text.strip().partition("+")
        named, _, encoded = rest.partition("+")
        data = _unbase64(encoded)
        if not _NAME.fullmatch(name) or data is None or len(data) != 33 or data[0] not in {ED25519, COSIGNATURE}:
            raise NoteError(f"{text[:80]!a} is no verification key.", "Give name+hash+base64, as `conformed log keys` prints it.")
        key = cls(name, data[1:], data[0])
        if named != key.hash.hex():
            raise NoteError(f"The verification key {name!a} does not match its own hash.", "Copy it again, whole.")
        return key

    def __str__(self) -> str:
        return f"{self.name}+{self.hash.hex()}+{base64.b64encode(bytes([self.kind]) + self.public).decode()}"

    @property
    def hash(self) -> bytes:
        """The four bytes that name the key."""
        return key_hash(self.name, self.kind, self.public)


class Signer(Protocol):
    """Whoever holds a private key: this process, another one, or a device."""

    @property
    def key(self) -> VerifyKey:
        """The public half."""
        ...

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of an Ed25519 signature."""
        ...


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line."""

    name: str
    """Name of the signer."""
    hash: bytes
    """The four bytes that name the key."""
    data: bytes
    """The signature; for a cosignature eight bytes of time before it."""

    @property
    def time(self) -> int | None:
        """Seconds since 1970 in UTC at which it was cosigned; None for a signature without a time."""
        return int.from_bytes(self.data[:_TIME_BYTES]) if len(self.data) == _TIME_BYTES + _SIGNATURE_BYTES else None

    def __str__(self) -> str:
        return f"{_DASH} {self.name} {base64.b64encode(self.hash + self.data).decode()}"

    @classmethod
    def parse(cls, line: str) -> Self:
        """Reads a signature line.

        Raises:
            NoteError: when it is not one.
        """
        found = _LINE.fullmatch(line)
        data = _unbase64(found[2]) if found else None
        if found is None or data is None or len(data) <= 4:
            raise NoteError("A line behind a note's text is no signature.", "Give the note as it was made.")
        return cls(found[1], data[:4], data[4:])


@dataclass(frozen=True, slots=True)
class Note:
    """Text with signatures."""

    text: str
    """What is signed; ends with a newline."""
    signatures: tuple[Signature, ...] = ()
    """Signature lines, in order."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads a note.

        Raises:
            NoteError: when it is not one.
        """
        body, found, lines = text.rpartition("\n\n")
        if len(text.encode("utf-8", "surrogatepass")) > _MOST_BYTES or not found or not lines.endswith("\n"):
            raise NoteError("This is no signed note.", "A note is text, an empty line, and signature lines.")
        if any(ord(c) < 0x20 and c != "\n" for c in text):
            raise NoteError("The note has a control character in it.", "Give the note as it was made.")
        rows = lines[:-1].split("\n")
        if len(rows) > _MOST_LINES:
            raise NoteError(f"The note has {len(rows)} signatures.", f"At most {_MOST_LINES} are read.")
        return cls(body + "\n", tuple(Signature.parse(row) for row in rows))

    def __str__(self) -> str:
        return f"{self.text}\n" + "".join(f"{s}\n" for s in self.signatures)

    def signed(self, signer: Signer) -> Note:
        """The note with one more signature."""
        made = Signature(signer.key.name, signer.key.hash, signer.sign(self.text.encode()))
        return Note(self.text, (*self.signatures, made))

    def cosigned(self, signer: Signer, time: int) -> Signature:
        """A cosignature over the note's text at a time in seconds since 1970, UTC."""
        data = time.to_bytes(_TIME_BYTES) + signer.sign(_cosigned(self.text, time))
        return Signature(signer.key.name, signer.key.hash, data)

    def by(self, keys: Iterable[VerifyKey]) -> tuple[tuple[VerifyKey, Signature], ...]:
        """The signatures of known keys, each checked; unknown ones are passed over.

        Raises:
            NoteError: when a signature of a known key does not verify: the note, or the key's name, was forged.
        """
        known = {(k.name, k.hash): k for k in keys}
        found = []
        for signature in self.signatures:
            key = known.get((signature.name, signature.hash))
            if key is None:
                continue
            if not _verifies(key, signature, self.text):
                raise NoteError(
                    f"The signature of {key.name!a} does not match the note.", "The note was changed, or is not theirs."
                )
            found.append((key, signature))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private Ed25519 key in this process."""

    key: VerifyKey
    """The public half."""
    seed: bytes
    """The 32 bytes of the private half. Never printed."""

    @classmethod
    def make(cls, name: str, seed: bytes, kind: int = ED25519) -> Self:
        """A key from 32 random bytes.

        Raises:
            NoteError: when the name cannot be written in a note, or the seed has not 32 bytes.
        """
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        if not _NAME.fullmatch(name) or len(seed) != 32:
            raise NoteError(
                f"{name[:80]!a} cannot name a key, or its seed has not 32 bytes.", "Use letters, digits, dots, slashes."
            )
        public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
        return cls(VerifyKey(name, public, kind), seed)

    def __repr__(self) -> str:
        return f"SigningKey({self.key})"

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of an Ed25519 signature."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.seed).sign(message)


def _cosigned(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def _verifies(key: VerifyKey, signature: Signature, text: str) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    message, data = text.encode(), signature.data
    if key.kind == COSIGNATURE:
        if signature.time is None:
            return False
        message, data = _cosigned(text, signature.time), data[_TIME_BYTES:]
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(data, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _unbase64(text: str) -> bytes | None:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None
