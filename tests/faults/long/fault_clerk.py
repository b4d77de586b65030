"""A small deployment that is worked in while things break, and the judge of what it left.

The clerk appends, keeps sealed content, publishes to a folder of checkpoints, and exports a bundle. For each thing that was
acknowledged to it, it says so at once on a way that no fault touches. Whatever is refused by an error of the product is no
loss: the clerk opens the log again, as the product does, and goes on with the next thing.
"""

from __future__ import annotations

import ctypes
import hashlib
import io
import itertools
import json
import os
import socket
import sys
import tempfile
import zipfile
from base64 import b64decode
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from fault_told import Told

from conformed.cli.printed import write_whole
from conformed.errors import ConformedError
from conformed_audit import Actor, AuditError, AuditLog, Item, Kind, RecordDraft, Trust, utc_now, verify
from conformed_audit.bundle import bundle_bytes, log_files
from conformed_audit.checkpoint import Checkpoint, SignerMemory
from conformed_audit.finding import Classification
from conformed_audit.note import Note, SigningKey
from conformed_audit.publish import Publisher
from conformed_audit.sealing import MasterFile
from conformed_plugins.sinks.file import FileSink
from conformed_plugins.sinks.options import FileOptions

__all__ = ["KEY", "ORIGIN", "Clerk", "Life", "forked", "holds", "judge", "life", "open_log", "publisher", "script"]

Life = Callable[[Callable[[str], None]], None]

ORIGIN = "bank.example/faults"
KEY = SigningKey.make(ORIGIN, bytes(range(32)))
ENGINE = Actor("svc:engine", "engine")
NAMED = ("record", "blob", "checkpoint", "bundle")
REFUSALS = (AuditError, ConformedError, OSError)
_NUMBERS = itertools.count()
ROOT = Path(__file__).parents[3]
_ANY_TRACER = (0x59616D61, ctypes.c_ulong(-1))
"""PR_SET_PTRACER: any process of this user may trace this one, where otherwise only its ancestors may."""


@dataclass(slots=True)
class Clerk:
    """One life: what is done, one thing after the other."""

    folder: Path
    """The deployment: ``log.db``, ``master.key``, ``signer.memory``, ``checkpoints/``, ``bundles/``."""
    life: str
    """Name of this life, in every idempotency key."""
    say: Callable[[str], None]
    """Takes what was acknowledged."""
    where: str = ""
    """URL of the log where it is not ``log.db``."""
    log: AuditLog | None = None

    def work(self) -> None:
        """Does everything once. What is refused is said and passed over."""
        for number in range(2):
            self._do(partial(self._append, number))
        self._do(self._keep)
        self._do(self._publish)
        self._do(partial(self._append, 2))
        self._do(self._publish)
        self._do(self._export)
        if self.log is not None:
            self.log.close()

    def _do(self, what: Callable[[AuditLog], None]) -> None:
        try:
            if self.log is None:
                self.log = open_log(self.folder, self.where)
            what(self.log)
        except REFUSALS as problem:
            self.say(f"refused {type(problem).__name__}: {' '.join(str(problem).split())[:200]}")
            if self.log is not None:
                self.log.close()
            self.log = None

    def _append(self, number: int, log: AuditLog) -> None:
        key = f"{self.life}-{number}"
        drafts = [RecordDraft(case=case, kind=Kind.EVIDENCE_EXPORTED, actor=ENGINE, idem=key) for case in ("case-a", "case-b")]
        for record in log.append(drafts):
            self.say(f"record {record.leaf}")

    def _keep(self, log: AuditLog) -> None:
        data = f"the certificate of {self.life}".encode() * 20
        blob = log.make_blob(data, "text/plain")
        item = Item("document", blob.commit, len(data), blob.media)
        draft = RecordDraft(case="case-a", kind=Kind.EVIDENCE_EXPORTED, actor=ENGINE, idem=f"{self.life}-blob", input=(item,))
        (record,) = log.append([draft], blobs=[blob])
        self.say(f"record {record.leaf}")
        self.say(f"blob {blob.commit} {hashlib.sha256(data).hexdigest()}")

    def _publish(self, log: AuditLog) -> None:
        published = publisher(log, self.folder).publish()
        self.say(f"made {published.checkpoint.size} {published.checkpoint.root.hex()}")
        if published.outside:
            self.say(f"checkpoint {published.checkpoint.size} {published.checkpoint.root.hex()}")

    def _export(self, log: AuditLog) -> None:
        data = bundle_bytes({"README.txt": b"As little as a bundle needs.\n"}, log_files(log, "case-a", [KEY.key]))
        (self.folder / "bundles").mkdir(exist_ok=True)
        write_whole(self.folder / "bundles" / f"{self.life}.zip", data)
        self.say(f"bundle {self.life} {hashlib.sha256(data).hexdigest()}")


def open_log(folder: Path, where: str = "") -> AuditLog:
    """The log of a deployment."""
    return AuditLog.open(
        where or folder / "log.db", origin=ORIGIN, clock=utc_now, keys=MasterFile(folder / "master.key"), wait_s=0.3
    )


def publisher(log: AuditLog, folder: Path) -> Publisher:
    """Signs, remembers, and hands out to the folder."""
    sink = FileSink(FileOptions(folder=folder / "checkpoints"))
    return Publisher(log, [KEY], SignerMemory(folder / "signer.memory"), [sink])


def life(folder: Path, name: str, where: str = "") -> Life:
    """What a clerk does, for `forked`."""
    return lambda say: Clerk(folder, name, say, where).work()


def forked(lived: Life, begin: Callable[[int], Callable[[], None]]) -> tuple[list[str], bool]:
    """Lives a life in a child that waits until somebody watches it.

    Args:
        lived: is given the way to say what was acknowledged: a socket, whose calls no fault touches.
        begin: is given the child's process id, and gives what is called when the child has ended.

    Returns:
        What was said, and whether the child ended by itself.
    """
    _warm()
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        ours.close()
        code = 1
        try:
            if sys.platform == "linux":
                ctypes.CDLL(None).prctl(*_ANY_TRACER, 0, 0, 0)
            theirs.sendall(b"ready\n")
            theirs.recv(1)
            lived(lambda line: theirs.sendall(line.encode() + b"\n"))
            code = 0
        except BaseException as problem:  # noqa: BLE001 - an exception that is not the product's is what is looked for
            theirs.sendall(f"foreign {type(problem).__name__}: {ascii(str(problem))[:300]}\n".encode())
        finally:
            os._exit(code)
    theirs.close()
    with ours:
        said = ours.recv(6)
        end = begin(child)
        with suppress(ConnectionError):  # it was killed before it began
            ours.sendall(b"!")
            while part := ours.recv(65536):
                said += part
    _, status = os.waitpid(child, 0)
    end()
    return said.decode().split("\n")[1:-1], os.WIFEXITED(status)


@cache
def _warm() -> None:
    """Lives once in this process, so that no fault meets the interpreter while it imports."""
    with tempfile.TemporaryDirectory() as folder:
        Clerk(Path(folder), "warm", lambda line: None).work()


def judge(folder: Path, said: Iterable[str], told: Told, about: str, where: str = "") -> None:
    """Compares what was acknowledged with what is there, and lets one more life go through undisturbed.

    Args:
        folder: the deployment.
        said: what its lives said.
        told: is told what is wrong.
        about: what was done, and how to do it again.
        where: URL of the log where it is not in the folder.
    """
    lines = [line.split(" ") for line in said]
    for line in lines:
        if line[0] == "foreign":
            told.bad("alarms", f"{about}: {' '.join(line)}")
    _look(folder, lines, told, about, where)
    after: list[str] = []
    try:
        Clerk(folder, f"after-{next(_NUMBERS)}", after.append, where).work()
    except Exception as problem:  # noqa: BLE001 - told, whatever it is
        after.append(f"refused {type(problem).__name__}: {problem}")
    for one in after:
        if one.startswith("refused"):
            told.bad("alarms", f"{about}: the next run: {one}")
    _look(folder, [*lines, *(line.split(" ") for line in after)], told, f"{about}, after one more run", where)


def _look(folder: Path, lines: list[list[str]], told: Told, about: str, where: str) -> None:
    notes = {path.name: path.read_text() for path in sorted((folder / "checkpoints").glob("*.note"))}
    found = verify(
        where or folder / "log.db", trust=Trust.of([KEY.key]), given=notes.values(), keys=MasterFile(folder / "master.key")
    )
    said = [line for line in lines if line[0] in NAMED]
    if not found.ok and (said or found.classification is not Classification.UNREADABLE):
        column = "forks" if found.first_bad and found.first_bad.check in {"root", "prev"} else "alarms"
        told.bad(column, f"{about}: {found.classification}: {found.first_bad}")
    if not said:
        return
    made = [(int(line[1]), line[2]) for line in lines if line[0] == "made"]
    if len(dict(made)) != len(set(made)):
        told.bad("forks", f"{about}: two trees of one size were signed")
    try:
        with open_log(folder, where) as log:
            records = list(log.records())
            leaves = {record.leaf for record in records}
            keyed = [(record.case, record.idem, record.kind) for record in records if record.idem]
            if len(keyed) != len(set(keyed)):
                told.bad("lost", f"{about}: a record stands twice")
            for line in said:
                if not _there(log, folder, leaves, notes, line):
                    told.bad("lost", f"{about}: {' '.join(line)}")
    except Exception as problem:  # noqa: BLE001 - told, whatever it is
        told.bad("alarms", f"{about}: opened again: {type(problem).__name__}: {problem}")


def _there(log: AuditLog, folder: Path, leaves: set[str], notes: dict[str, str], line: list[str]) -> bool:
    """Whether something acknowledged is there, as it was."""
    match line:
        case ["record", leaf]:
            return leaf in leaves
        case ["blob", commit, digest]:
            return hashlib.sha256(log.get_blob(commit)).hexdigest() == digest
        case ["checkpoint", size, root]:
            note = notes.get(f"{size}.note")
            return note is not None and Checkpoint.parse(Note.parse(note).text).root.hex() == root
        case ["bundle", name, digest]:
            return holds(data := (folder / "bundles" / f"{name}.zip").read_bytes()) and hashlib.sha256(data).hexdigest() == digest
    raise AssertionError(line)


def holds(data: bytes) -> bool:
    """Whether the log's part of a bundle holds, as the auditor's script says."""
    checker = script()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        _, size, root = checker.check_note(files["log/checkpoint.note"].decode(), str(KEY.key)).splitlines()[:3]
        case = json.loads(files["log/records.jsonl"].split(b"\n", 1)[0])["case"]
        checker.check_records(files, case, int(size), b64decode(root, validate=True))
    except Exception:  # noqa: BLE001 - the script ends with DOES NOT HOLD for whatever is raised
        return False
    return True


@cache
def script() -> Any:
    """The auditor's script as a module."""
    spec = spec_from_file_location("verify_for_faults", ROOT / "docs" / "verify" / "verify.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
