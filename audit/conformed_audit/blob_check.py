"""The check of content: it matches its commitment, or a record says why it is gone. Sealed content is opened with the keys."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from conformed_audit.blob import SALT_BYTES, commitment
from conformed_audit.blobs import open_row
from conformed_audit.checks import text
from conformed_audit.errors import SealError
from conformed_audit.finding import Bad, Classification
from conformed_audit.log_store import BlobRow
from conformed_audit.sealing import NONCE_BYTES, TAG_BYTES, KeyHolder

__all__ = ["BlobCheck"]


class BlobCheck:
    """Looks at each blob of a log.

    Args:
        keys: who holds the master key; None leaves sealed content closed: only its form is checked, and it is counted.
    """

    def __init__(self, keys: KeyHolder | None) -> None:
        self._keys = keys
        self._opened: dict[str, bytes] = {}
        self.erased = 0
        """Contents that are gone, with a record that says why."""
        self.unopened = 0
        """Sealed contents that were not opened for want of keys."""

    def check(self, erased: Collection[str], row: tuple[Any, ...]) -> Bad | None:
        """Checks one blob.

        Args:
            erased: commitments that records say were erased.
            row: commit, salt, content, bytes, erased_at, key_ref, nonce, wrapped key; text as bytes.
        """
        raw, salt, data, size, _, ref, nonce, wrapped = row
        commit = text(raw)
        if data is None:
            if commit not in erased:
                return Bad("blob", f"content of {commit}", "none, and no erasure record", Classification.ERASED)
            self.erased += 1
            return None
        if not isinstance(data, bytes) or not isinstance(salt, bytes | None):
            return Bad("blob", commit, "content that does not match", Classification.TAMPERED)
        if ref is not None:
            return self._sealed(commit, text(ref), BlobRow(salt, data, None, text(ref), nonce), size, wrapped)
        if len(data) != size or commitment(data, salt) != commit:
            return Bad("blob", commit, "content that does not match", Classification.TAMPERED)
        return None

    def _sealed(self, commit: str, ref: str, row: BlobRow, size: Any, wrapped: Any) -> Bad | None:
        formed = row.salt is None and isinstance(row.nonce, bytes) and len(row.nonce) == NONCE_BYTES
        if not formed or len(row.data or b"") - SALT_BYTES - TAG_BYTES != size:
            return Bad("blob", commit, "sealed content that does not match", Classification.TAMPERED)
        if wrapped is None:
            return Bad("data key", f"the data key of {commit}", "none, and the content is still there", Classification.ERASED)
        if self._keys is None:
            self.unopened += 1
            return None
        try:
            if ref not in self._opened:
                self._opened[ref] = self._keys.unwrap(wrapped if isinstance(wrapped, bytes) else b"", ref)
        except SealError:
            return Bad("data key", "a key that opens", f"one of {ref!a} that does not", Classification.TAMPERED)
        if open_row(commit, row, self._opened[ref]) is None:
            return Bad("blob", commit, "sealed content that does not match", Classification.TAMPERED)
        return None
