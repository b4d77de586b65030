"""The built-in sinks through the registry: a folder, a printed line, a witness over HTTP."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformed.app.keeping.witness_service import witness_server
from conformed.errors import PluginError
from conformed.hooks import Registry, load_registry
from conformed_audit.checkpoint import Checkpoint
from conformed_audit.merkle import leaf_hash, root
from conformed_audit.note import Note, SigningKey, VerifyKey
from conformed_audit.tree import consistency_path
from conformed_audit.witness_server import WitnessServer

ORIGIN = "bank.example/test"
KEY = SigningKey.make(ORIGIN, bytes(32))
LEAVES = [leaf_hash(str(n).encode()) for n in range(20)]


def note(size: int, leaves: list[bytes] = LEAVES) -> str:
    """A signed checkpoint."""
    return str(Note(Checkpoint(ORIGIN, size, root(leaves[:size])).text).signed(KEY))


def proof(size: int) -> Callable[[int], tuple[bytes, ...]]:
    """Proofs from any earlier size."""
    return lambda old: consistency_path(lambda level, at: root(LEAVES[at << level : (at + 1) << level]), old, size)


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The built-in plugins."""
    return load_registry(env={})


def test_the_file_sink_never_overwrites(registry: Registry, tmp_path: Path) -> None:
    """One file a size with the exact note; the same again is no fault; another of that size is refused and the first stays."""
    sink = registry.create("sink", "file", {"folder": str(tmp_path / "a" / "b"), "name": "vault"})
    assert (sink.name, sink.outside) == ("vault", True)
    assert [sink.put(note(5), proof(5)) for _ in range(2)] == ["5.note", "5.note"]
    with pytest.raises(PluginError, match="another checkpoint of 5 records"):
        sink.put(note(5, LEAVES[1:]), proof(5))
    assert [path.name for path in sorted((tmp_path / "a" / "b").iterdir())] == ["5.note"]
    assert (tmp_path / "a" / "b" / "5.note").read_text(encoding="utf-8") == note(5)
    with pytest.raises(PluginError, match="no size"):
        sink.put("origin\n../5\nroot\n", proof(5))


def test_the_file_sink_keeps_logs_apart(registry: Registry, tmp_path: Path) -> None:
    """A later epoch, which is another log of the same sizes, neither collides with the first nor is taken for it."""
    sink = registry.create("sink", "file", {"folder": str(tmp_path)})
    later = "bank.example/test/epoch-2" + note(5).removeprefix(ORIGIN)
    assert later != note(5)
    assert sink.put(note(5), proof(5)) == "5.note"
    name = sink.put(later, proof(5))
    assert name != "5.note"
    assert (sink.put(note(5), proof(5)), sink.put(later, proof(5))) == ("5.note", name)
    assert (tmp_path / name).read_text(encoding="utf-8") == later
    with pytest.raises(PluginError, match="another checkpoint of 5 records"):
        sink.put(later.replace("\n5\n", "\n5\nA"), proof(5))


def test_the_file_sink_syncs_file_and_folder(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both the content and the name are brought to the disk before it says that it has the checkpoint."""
    synced: list[str] = []
    real = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (synced.append(str(Path(f"/proc/self/fd/{handle}").readlink())), real(handle))[1]
    )
    registry.create("sink", "file", {"folder": str(tmp_path)}).put(note(5), proof(5))
    assert [Path(name).name.split(".")[-1] for name in synced] == ["new", tmp_path.name.split(".")[-1]]


def test_a_full_folder_is_no_acknowledgement(registry: Registry, tmp_path: Path) -> None:
    """Where the folder cannot be had, it raises."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        registry.create("sink", "file", {"folder": str(tmp_path / "file")}).put(note(5), proof(5))


def test_the_line_sink_prints_origin_size_and_root(registry: Registry) -> None:
    """One line to the descriptor; of itself it is not outside."""
    read, write = os.pipe()
    sink = registry.create("sink", "line", {"descriptor": str(write)})
    assert (sink.put(note(5), proof(5)), sink.outside) == ("printed", False)
    os.close(write)
    with os.fdopen(read) as stream:
        assert stream.read() == f"checkpoint {ORIGIN} 5 {note(5).splitlines()[2]}\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[WitnessServer, VerifyKey]]:
    """A witness that runs."""
    server, key = witness_server(tmp_path / "witness", ("127.0.0.1", 0), [str(KEY.key)], "witness.example/w1", lambda: 7)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server, key
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_witness_sink_finds_the_size_and_brings_the_cosignature(
    registry: Registry, served: tuple[WitnessServer, VerifyKey]
) -> None:
    """It asks where the witness stands, proves from there, and gives lines that verify with the witness's key."""
    options = {"url": f"http://127.0.0.1:{served[0].server_port}", "key": str(served[1])}
    for size in (3, 8):  # each time as a new process, that knows nothing of the last time
        line = registry.create("sink", "witness", options).put(note(size), proof(size))
        assert [key.name for key, _ in Note.parse(note(size) + line).by([served[1]])] == ["witness.example/w1"]
    sink = registry.create("sink", "witness", options)
    assert sink.put(note(20), proof(20)).startswith("\u2014 witness.example/w1 ")
    with pytest.raises(PluginError, match="has seen 20 records and the log has 8: records were lost"):
        registry.create("sink", "witness", options).put(note(8), proof(8))
    with pytest.raises(PluginError, match="holds another tree of 20 records: the log was rewritten"):
        registry.create("sink", "witness", options).put(note(20, [*LEAVES[:19], LEAVES[0]]), proof(20))


def test_the_witness_sink_says_what_is_wrong(registry: Registry, served: tuple[WitnessServer, VerifyKey]) -> None:
    """Nobody there, something else there, a refusal: each raises; addresses of other kinds are refused as options."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = free.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        registry.create("sink", "witness", {"url": f"http://127.0.0.1:{nobody}", "key": "k"}).put(note(3), proof(3))
    stranger = str(Note(Checkpoint(ORIGIN, 3, root(LEAVES[:3])).text).signed(SigningKey.make(ORIGIN, b"z" * 32)))
    with pytest.raises(PluginError, match="answered 403"):
        registry.create("sink", "witness", {"url": f"http://127.0.0.1:{served[0].server_port}", "key": "k"}).put(
            stranger, proof(3)
        )
    for url in ("file:///etc/passwd", "http://", "http://user@host/", "ftp://host", "http://host/?a=b"):
        with pytest.raises(PluginError, match="'url'"):
            registry.create("sink", "witness", {"url": url, "key": "k"})
