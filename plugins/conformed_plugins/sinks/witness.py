"""Checkpoints to a witness (C2SP tlog-witness): a service of somebody else, who remembers, checks and cosigns."""

from __future__ import annotations

import base64
import http.client
from collections.abc import Callable, Sequence
from urllib.parse import SplitResult, urlsplit

from conformed.errors import PluginError
from conformed_plugins.sinks.options import WitnessOptions

__all__ = ["WitnessSink"]

_MOST_BYTES = 64 * 1024
_MOST_TRIES = 3


class WitnessSink:
    """Asks for a cosignature. Whether it is one is checked by the publisher, which has the witness's key."""

    outside = True

    def __init__(self, options: WitnessOptions) -> None:
        self.name, self.key = options.name, options.key
        self._url, self._timeout = urlsplit(options.url), options.timeout_s
        self._old = 0

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """Sends the checkpoint with the proof from the size that the witness remembers.

        Returns:
            Cosignature lines.

        Raises:
            PluginError: when it refuses, and why.
            OSError: when it cannot be reached.
        """
        size = int(note.split("\n", 2)[1])
        for _ in range(_MOST_TRIES):
            if self._old > size:
                what = f"the witness has seen {self._old} records and the log has {size}: records were lost."
                raise PluginError(what, "Verify the log against the witness's checkpoint.")
            lines = [f"old {self._old}", *(base64.b64encode(one).decode() for one in proof(self._old)), "", note]
            status, body = self._ask("\n".join(lines).encode())
            if status == 200:
                self._old = size
                return body
            if status != 409:
                raise PluginError(f"the witness answered {status}: {body.strip()[:200]}.", "Ask who runs it.")
            said = body.strip()
            if not (said.isascii() and said.isdigit()) or len(said) > 18:
                raise PluginError("the witness says no size.", "Ask who runs it.")
            if int(said) == self._old:  # the size is right: it is the tree that differs
                raise PluginError(f"the witness holds another tree of {said} records: the log was rewritten.", "Verify it.")
            self._old = int(said)
        raise PluginError("the witness's size moves on: somebody else publishes this log.", "Publish again.")

    def _ask(self, body: bytes) -> tuple[int, str]:
        connection = _connect(self._url, self._timeout)
        try:
            headers = {"Content-Type": "text/plain; charset=utf-8", "Connection": "close"}
            connection.request("POST", f"{self._url.path.rstrip('/')}/add-checkpoint", body, headers)
            answer = connection.getresponse()
            data = answer.read(_MOST_BYTES + 1)
        except http.client.HTTPException as problem:
            raise PluginError(f"what answered is no witness ({type(problem).__name__}).", "Check its address.") from problem
        finally:
            connection.close()
        if len(data) > _MOST_BYTES:
            raise PluginError("the witness's answer is too long.", "Check its address.")
        try:
            return answer.status, data.decode()
        except UnicodeDecodeError as problem:
            raise PluginError("the witness's answer is not text.", "Check its address.") from problem


def _connect(url: SplitResult, timeout: float) -> http.client.HTTPConnection:
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    return kind(url.hostname or "", url.port, timeout=timeout)
