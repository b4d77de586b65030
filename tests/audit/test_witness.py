"""The witness over HTTP: what it answers, what it remembers, and that it survives a kill between writing and answering."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import audit_world
import pytest
from audit_world import KEY, ORIGIN, WITNESS_KEY, request
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed_audit.checkpoint import Checkpoint
from conformed_audit.errors import SignerError
from conformed_audit.merkle import leaf_hash, root
from conformed_audit.note import Note, Signature, SigningKey
from conformed_audit.tree import consistency_path
from conformed_audit.witness import Witness, remembered_file
from conformed_audit.witness_server import WitnessServer

NOW = 1_780_000_000
LEAVES = [leaf_hash(str(n).encode()) for n in range(20)]


def nodes(level: int, index: int) -> bytes:
    """Roots of complete subtrees."""
    return root(LEAVES[index << level : (index + 1) << level])


def note(size: int, key: SigningKey = KEY, origin: str = ORIGIN, at: bytes | None = None) -> str:
    """A signed checkpoint of the tree over the first leaves."""
    return str(Note(Checkpoint(origin, size, root(LEAVES[:size]) if at is None else at).text).signed(key))


def ask(old: int, size: int, **fields: object) -> bytes:
    """A right request."""
    return request(old, consistency_path(nodes, old, size), note(size, **fields))  # type: ignore[arg-type]


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    """A witness that knows the log's key."""
    return Witness(tmp_path, WITNESS_KEY, [KEY.key], lambda: NOW)


def test_it_cosigns_what_continues(witness: Witness, tmp_path: Path) -> None:
    """Growing trees are cosigned with the time; the file holds the whole note, so that an auditor can use it as it is."""
    for old, size in ((0, 3), (3, 3), (3, 8), (8, 20)):
        answer = witness.add_checkpoint(ask(old, size))
        assert answer.status == 200
        line = Signature.parse(answer.body.rstrip("\n"))
        assert line.time == NOW
        assert Note(Note.parse(note(size)).text, (line,)).by([WITNESS_KEY.key])
        kept = Note.parse(remembered_file(tmp_path, ORIGIN).read_text())
        assert [key.name for key, _ in kept.by([KEY.key, WITNESS_KEY.key])] == [ORIGIN, WITNESS_KEY.key.name]
    assert witness.last(ORIGIN) == Checkpoint(ORIGIN, 20, root(LEAVES))


def test_it_refuses_as_the_protocol_says(witness: Witness) -> None:
    """Unknown log 404, unknown key 403, wrong old size 409 with its own, wrong proof 422, anything else 400; nothing is kept."""
    assert witness.add_checkpoint(ask(0, 5)).status == 200
    fork = root([*LEAVES[:4], leaf_hash(b"other")])
    longer = root([*LEAVES[:4], *[leaf_hash(b"other")] * 4])
    stranger = SigningKey.make(ORIGIN, b"z" * 32)
    for body, status in (
        (ask(0, 8, origin="other.example", key=SigningKey.make("other.example", b"y" * 32)), 404),
        (ask(5, 8, key=stranger), 403),
        (ask(5, 8).replace(b"\xe2\x80\x94", b"-"), 400),
        (ask(3, 8), 409),
        (ask(0, 8), 409),
        (request(5, [], note(5, at=fork)), 409),
        (request(5, consistency_path(nodes, 5, 8), note(8, at=longer)), 422),
        (request(5, [], note(8)), 422),
        (request(9, [], note(8)), 400),
        (ask(5, 8).replace(b"old 5", b"old 05"), 400),
        (ask(5, 8).replace(b"old 5\n", b"old 5\nAAAA\n"), 400),
        (b"old 5\n" + b"A" * 43 + b"=\n" * 64 + b"\n" + note(8).encode(), 400),
        (b"\xff", 400),
        (b"", 400),
    ):
        answer = witness.add_checkpoint(body)
        assert answer.status == status, (answer, body)
        if status == 409:
            assert (answer.body, answer.media) == ("5\n", "text/x.tlog.size")
    assert witness.last(ORIGIN) == Checkpoint(ORIGIN, 5, root(LEAVES[:5]))
    assert witness.add_checkpoint(ask(5, 8)).status == 200


def test_a_forged_signature_under_a_known_key_is_refused(witness: Witness) -> None:
    """A line with the known name and hash and another signature is no signature."""
    good = Note.parse(note(5))
    forged = Note(good.text, (Signature(good.signatures[0].name, good.signatures[0].hash, b"x" * 64),))
    assert witness.add_checkpoint(request(0, [], str(forged))).status == 403


def test_a_damaged_memory_cosigns_nothing(witness: Witness, tmp_path: Path) -> None:
    """A witness that cannot read what it remembers says so and signs nothing, rather than begin anew."""
    witness.add_checkpoint(ask(0, 5))
    remembered_file(tmp_path, ORIGIN).write_text("gone")
    with pytest.raises(SignerError, match="cannot be read"):
        witness.add_checkpoint(ask(5, 8))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_whatever_comes_is_answered(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    """No bytes make it raise or cosign."""
    folder = tmp_path_factory.getbasetemp()
    assert Witness(folder, WITNESS_KEY, [KEY.key], lambda: NOW).add_checkpoint(body).status in {400, 403, 404}


@pytest.fixture
def served(witness: Witness) -> Iterator[WitnessServer]:
    """The service on a free port."""
    server = WitnessServer(("127.0.0.1", 0), witness)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def post(port: int, body: bytes, path: str = "/add-checkpoint", **headers: str) -> tuple[int, str, str]:
    """Status, media type and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read().decode()
    finally:
        connection.close()


def test_over_http(served: WitnessServer) -> None:
    """Answers go through as they are; other paths, methods, bodies without a length and bodies too long are refused."""
    port = served.server_port
    assert post(port, ask(0, 5))[0] == 200
    assert post(port, ask(3, 8)) == (409, "text/x.tlog.size", "5\n")
    assert post(port, ask(5, 8), "/other")[0] == 404
    assert post(port, b"x" * (64 * 1024 + 1))[0] == 413
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/add-checkpoint")
    assert connection.getresponse().status == 501
    connection.close()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
        raw.sendall(b"POST /add-checkpoint HTTP/1.1\r\nHost: x\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 411")


def test_many_at_once_keep_one_history(served: WitnessServer, witness: Witness) -> None:
    """Of requests that race, one a size wins; what is remembered never goes back."""
    sizes = list(range(1, 13))
    answers: list[int] = []
    threads = [threading.Thread(target=lambda n=n: answers.append(post(served.server_port, ask(0, n))[0])) for n in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, *[409] * 11]
    last = witness.last(ORIGIN)
    assert last is not None
    assert last.size in sizes


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, {support!r})
from audit_world import KEY, WITNESS_KEY
from conformed_audit import witness, witness_server
real = witness.replace_whole
def write_and_die(*a, **k):
    real(*a, **k)
    os.kill(os.getpid(), 9)
witness.replace_whole = write_and_die
server = witness_server.WitnessServer(("127.0.0.1", 0), witness.Witness(Path({folder!r}), WITNESS_KEY, [KEY.key], lambda: 1))
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_killed_between_writing_and_answering(tmp_path: Path) -> None:
    """What was written counts: started again it says 409 with the new size, cosigns that size once more, and no smaller one."""
    code = textwrap.dedent(KILLED).format(support=str(Path(audit_world.__file__).parent), folder=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = int(process.stdout.readline())
    with pytest.raises((OSError, http.client.HTTPException)):
        post(port, ask(0, 5))
    assert process.wait(timeout=20) == -signal.SIGKILL
    process.stdout.close()
    again = Witness(tmp_path, WITNESS_KEY, [KEY.key], lambda: NOW)
    assert again.add_checkpoint(ask(0, 3)).status == 409
    assert again.add_checkpoint(ask(0, 5)).body == "5\n"
    assert again.add_checkpoint(ask(5, 5)).status == 200
