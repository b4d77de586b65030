"""Content as a log keeps it: sealed under its case's data key where the log has keys, plain where it has none or is public."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from conformed_audit.blob import SALT_BYTES, Blob, commitment
from conformed_audit.errors import BlobError, ErasedError, SealError
from conformed_audit.log_store import BlobRow, KeptBlob, LogStore
from conformed_audit.sealing import KEY_BYTES, NONCE_BYTES, KeyHolder, Sealed, seal, unseal

__all__ = ["Blobs", "Opened", "open_row"]

_HOME = "_log"


class Opened(NamedTuple):
    """Content that was read back and matches its commitment."""

    salt: bytes | None
    """None for a public document."""
    data: bytes
    """The content."""


class Blobs:
    """Keeps and reads content of one log.

    Args:
        store: its tables.
        keys: who holds the master key; None keeps content as it is.
        entropy: gives n random bytes.
    """

    def __init__(self, store: LogStore, keys: KeyHolder | None, entropy: Callable[[int], bytes]) -> None:
        self._store, self._keys, self._entropy = store, keys, entropy
        self._unwrapped: dict[bytes, bytes] = {}
        self._tried = False

    def keep(self, blobs: Sequence[Blob], cases: Sequence[str]) -> None:
        """Inside a transaction: stores content, each under the data key of its case.

        Args:
            blobs: the content.
            cases: cases of the records that are written with it; the first that is not the log's own is its case, unless it says.

        Raises:
            SealError: when the case's data key does not open.
        """
        case = next((one for one in cases if not one.startswith("_")), _HOME)
        live: dict[str, tuple[str, bytes]] = {}
        for blob in blobs:
            if self._keys is None or blob.salt is None:
                self._store.add_blob(KeptBlob(blob.commit, blob.salt, None, None, blob.data, len(blob.data), blob.media))
                continue
            about = blob.about or case
            if about not in live:
                live[about] = self._live(self._keys, about)
            ref, key = live[about]
            sealed = seal(blob.salt + blob.data, key, blob.commit, self._entropy(NONCE_BYTES))
            self._store.add_blob(KeptBlob(blob.commit, None, ref, sealed.nonce, sealed.data, len(blob.data), blob.media))

    def open(self, commit: str) -> Opened:
        """Content with the salt of its commitment, checked against it.

        Raises:
            ErasedError: when it was erased.
            BlobError: when it is not there, does not match, or is sealed and the log was opened without keys.
        """
        row = self._store.blob(commit)
        if row is None:
            raise BlobError(f"No blob {commit!a} is kept in this log.")
        if row.data is None:
            raise _erased(commit, row.erased_at)
        key = b""
        if row.key_ref is not None:
            kept = self._store.data_key(row.key_ref)
            if kept is None or kept.wrapped is None:
                raise _erased(commit, None if kept is None else kept.destroyed_at)
            if self._keys is None:
                raise BlobError(f"The blob {commit} is sealed.", "Open the log with its keys.")
            key = self._unwrap(self._keys, row.key_ref, kept.wrapped)
        opened = open_row(commit, row, key)
        if opened is None:
            raise BlobError(f"The blob {commit} does not match its commitment: it was changed.", "Verify the log.")
        return opened

    def _live(self, keys: KeyHolder, case: str) -> tuple[str, bytes]:
        """The data key of a case with its name; a new one where there is none, or the last was destroyed."""
        number = 1
        while (kept := self._store.data_key(ref := f"{case}/{number}")) is not None:
            if kept.wrapped is not None:
                return ref, self._unwrap(keys, ref, kept.wrapped)
            number += 1
        if not self._tried and (some := self._store.some_data_key()) is not None:
            self._unwrap(keys, *some)  # a master key that is not the log's must seal nothing: it would be lost
        self._tried = True
        key = self._entropy(KEY_BYTES)
        if len(key) != KEY_BYTES:
            raise SealError(f"The source of random bytes gave {len(key)} bytes for a key.", f"It must give {KEY_BYTES}.")
        wrapped = keys.wrap(key, ref)
        self._store.add_data_key(ref, wrapped)
        return ref, key

    def _unwrap(self, keys: KeyHolder, ref: str, wrapped: bytes) -> bytes:
        if wrapped not in self._unwrapped:
            self._unwrapped[wrapped] = keys.unwrap(wrapped, ref)
        return self._unwrapped[wrapped]


def open_row(commit: str, row: BlobRow, key: bytes) -> Opened | None:
    """Content of a row, if it matches its commitment.

    Args:
        commit: the commitment.
        row: as stored, not erased.
        key: the data key, for a sealed one.
    """
    salt, data = row.salt, row.data
    if data is None:
        return None
    if row.key_ref is not None:
        plain = unseal(Sealed(row.nonce or b"", data), key, commit)
        if plain is None:
            return None
        salt, data = plain[:SALT_BYTES], plain[SALT_BYTES:]
    return Opened(salt, data) if commitment(data, salt) == commit else None


def _erased(commit: str, at: str | None) -> ErasedError:
    return ErasedError(f"The blob {commit} was erased{f' at {at}' if at else ''}.", "Its record says why.")
