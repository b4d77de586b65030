"""A server of our own that speaks the protocol, and that can be told to break it in every way that servers do."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from conformed_plugins.backends.endpoint.backend import EndpointBackend
from conformed_plugins.backends.endpoint.options import EndpointOptions

Handle = Callable[[BaseHTTPRequestHandler], None]


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """Sends an answer, its length told."""
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def choice(index: int, text: str, **more: Any) -> dict[str, Any]:
    """One completion as a server writes it."""
    return {"index": index, "message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}


def answer(*texts: str, **more: Any) -> dict[str, Any]:
    """An answer as a server writes it."""
    choices = [choice(index, text) for index, text in enumerate(texts)]
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return {"id": "a", "object": "chat.completion", "model": "big", "choices": choices, "usage": usage, **more}


class Server:
    """The server: what it was asked, and what it does with each request in turn (the last one over and over)."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        self.turns: list[Handle | dict[str, Any]] = []
        self.models: dict[str, Any] = {"object": "list", "data": [{"id": "big", "object": "model"}]}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.seen.append(("GET", self.path, dict(self.headers)))
                send(self, 200, json.dumps(outer.models).encode())

            def do_POST(self) -> None:
                outer.seen.append(("POST", self.path, dict(self.headers)))
                self.question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(self.question)
                turn = outer.turns.pop(0) if len(outer.turns) > 1 else outer.turns[0]
                if callable(turn):
                    turn(self)
                else:
                    send(self, 200, json.dumps(turn).encode())

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """Clients that hang up are what the tests are about."""

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        """Base address."""
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def stop(self) -> None:
        """Ends it."""
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    """A running server."""
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def backend(server: Server) -> Iterator[Callable[..., EndpointBackend]]:
    """Makes a backend that asks the server, with little patience."""
    made: list[EndpointBackend] = []

    def make(environment: dict[str, str] | None = None, **options: Any) -> EndpointBackend:
        given = {"url": server.url, "model": "big", "plain_http": True, "wait_ms": 1, "tries": 3, "at_a_time": 1, **options}
        made.append(EndpointBackend(EndpointOptions.model_validate(given), {} if environment is None else environment))
        return made[-1]

    yield make
    for one in made:
        one.close()
