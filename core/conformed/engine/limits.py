"""How much a pack may hold."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LIMITS", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Most files, bytes and compression of a pack."""

    files: int = 500
    """Most files, those inside archives counted."""
    file_bytes: int = 64 * 1024 * 1024
    """Most bytes of one file, unpacked."""
    total_bytes: int = 256 * 1024 * 1024
    """Most bytes of all files together, unpacked."""
    ratio: int = 200
    """Most bytes unpacked for one byte packed; asked only of members of more than a megabyte."""
    manifest_bytes: int = 1024 * 1024
    """Most bytes of pack.yaml."""


LIMITS = Limits()
"""What holds where nothing else is said."""
