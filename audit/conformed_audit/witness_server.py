"""A witness over HTTP: ``POST /add-checkpoint``. Bodies are bounded, connections time out, at most so many at once."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer
from threading import BoundedSemaphore
from typing import Any

from conformed_audit.errors import AuditError
from conformed_audit.witness import Answer, Witness

__all__ = ["WitnessServer"]

_MOST_BYTES = 64 * 1024
_TIMEOUT_S = 10.0
_MOST_AT_ONCE = 32


class WitnessServer(ThreadingHTTPServer):
    """The service. ``serve_forever`` runs it, ``shutdown`` ends it.

    Args:
        address: host and port; port 0 takes a free one (``server_port``).
        witness: answers.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], witness: Witness) -> None:
        self._witness = witness
        self._slots = BoundedSemaphore(_MOST_AT_ONCE)
        super().__init__(address, _Handler)

    def answer(self, body: bytes) -> Answer:
        """What a request is answered; a fault of the witness's own store is a 500 and cosigns nothing."""
        try:
            return self._witness.add_checkpoint(body)
        except AuditError as problem:
            return Answer(500, f"{problem.found}\n")

    def process_request(self, request: Any, client_address: Any) -> None:
        """Refuses a connection while too many are open, so that a flood cannot take all memory."""
        if not self._slots.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answers one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke off is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "conformed-witness"
    sys_version = ""
    timeout = _TIMEOUT_S
    server: BaseServer

    def do_POST(self) -> None:
        """Takes one request to cosign; whatever does not fit is answered by its own status and cosigns nothing."""
        length = self.headers.get("Content-Length", "")
        if self.path.split("?")[0] != "/add-checkpoint":
            self._say(Answer(404, "There is only add-checkpoint here.\n"), close=True)
        elif not length.isascii() or not length.isdigit() or len(length) > 9:
            self._say(Answer(411, "The length of the request is not said.\n"), close=True)
        elif int(length) > _MOST_BYTES:
            self._say(Answer(413, f"At most {_MOST_BYTES} bytes are read.\n"), close=True)
        else:
            body = self.rfile.read(int(length))
            assert isinstance(self.server, WitnessServer)
            whole = len(body) == int(length)
            self._say(self.server.answer(body) if whole else Answer(400, "The request broke off.\n"), close=not whole)

    def _say(self, answer: Answer, *, close: bool) -> None:
        data = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media)
        self.send_header("Content-Length", str(len(data)))
        if close:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Says nothing: what was cosigned stands in the files."""
