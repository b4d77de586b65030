"""A witness as a service: its key at its first start, the logs that it watches, the server."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from conformed.errors import UsageError
from conformed_audit.durable import write_once
from conformed_audit.errors import NoteError
from conformed_audit.note import COSIGNATURE, SigningKey, VerifyKey
from conformed_audit.witness import Witness
from conformed_audit.witness_server import WitnessServer

__all__ = ["witness_key", "witness_server"]


def _now() -> int:
    return int(time.time())


def witness_key(folder: Path, name: str) -> SigningKey:
    """The key of the witness that lives in a folder; made where there is none.

    Raises:
        UsageError: when it cannot be read or made.
    """
    path = folder / "witness.key"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            write_once(path, f"{name} {os.urandom(32).hex()}\n".encode(), mode=0o600)
        named, _, seed = path.read_text(encoding="utf-8").strip().partition(" ")
        return SigningKey.make(named, bytes.fromhex(seed), COSIGNATURE)
    except OSError as problem:
        raise UsageError(f"The witness's key {path} cannot be used: {problem.strerror}.", "Check the folder.") from problem
    except (ValueError, NoteError) as problem:
        raise UsageError(
            f"The witness's key {path} is damaged, or its name cannot be one.", "Restore it; choose --name."
        ) from problem


def witness_server(
    folder: Path, address: tuple[str, int], log_keys: Sequence[str], name: str, clock: Callable[[], int] = _now
) -> tuple[WitnessServer, VerifyKey]:
    """A witness that is ready to serve, and its public key.

    Args:
        folder: what it keeps.
        address: where it listens; port 0 takes a free one.
        log_keys: keys of the logs to watch.
        name: name of its key, where that is made now.
        clock: seconds since 1970, UTC.

    Raises:
        UsageError: when a key is none, or the address cannot be had.
    """
    try:
        known = [VerifyKey.parse(text) for text in log_keys]
    except NoteError as problem:
        raise UsageError(f"--log-key: {problem}") from None
    key = witness_key(folder, name)
    try:
        return WitnessServer(address, Witness(folder, key, known, clock)), key.key
    except OSError as problem:
        raise UsageError(
            f"Nobody can listen on {address[0]}:{address[1]}: {problem.strerror}.", "Choose another --listen."
        ) from problem
