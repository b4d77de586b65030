"""Blobs: content kept beside the records, under a commitment that a record can carry.

A public document's commitment is the plain hash of its content, so that it is stored once. Anything else is committed to
as SHA-256(0x02 || salt || content): whoever has only the record cannot confirm a guess, and destroying the salt makes the
commitment meaningless while every proof over the records stays valid.

How content is kept, sealed or plain, is the matter of `conformed_audit.blobs`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from conformed_audit.errors import BlobError

__all__ = ["SALT_BYTES", "Blob", "commitment", "make_blob"]

SALT_BYTES = 32
"""Length of a salt."""


@dataclass(frozen=True, slots=True)
class Blob:
    """Content with its commitment, ready to be stored."""

    commit: str
    """``sha256:`` and 64 hex digits."""
    salt: bytes | None
    """32 random bytes; None for a public document."""
    data: bytes
    """The content."""
    media: str
    """Media type."""
    about: str = ""
    """The case that it is about and with which it is erased; empty for the case of the records that it is stored with."""


def commitment(data: bytes, salt: bytes | None) -> str:
    """The commitment to some content; without a salt the plain content hash."""
    return "sha256:" + sha256(data if salt is None else b"\x02" + salt + data).hexdigest()


def make_blob(data: bytes, media: str, *, public: bool = False, entropy: Callable[[int], bytes] = os.urandom) -> Blob:
    """Commits to some content.

    Args:
        data: the content.
        media: its media type.
        public: whether anyone may confirm by hash that this is the content.
        entropy: gives n random bytes; injected in tests.

    Raises:
        BlobError: when the source of random bytes gives a salt of the wrong length.
    """
    salt = None if public else entropy(SALT_BYTES)
    if salt is not None and len(salt) != SALT_BYTES:
        raise BlobError(f"The source of random bytes gave {len(salt)} bytes for a salt.", f"It must give {SALT_BYTES}.")
    return Blob(commitment(data, salt), salt, bytes(data), media)
