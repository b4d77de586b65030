"""A workspace with people, a signer and a witness; and what the two scripts say of a bundle."""

from __future__ import annotations

import datetime as dt
import io
import itertools
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from conformed.app.bundles.evidence_export import Exported, export_evidence
from conformed.app.keeping.published import PublicationNote
from conformed.app.keeping.searching import Search
from conformed.app.options import RunOptions, silent
from conformed.app.people.denials import Denials
from conformed.app.people.guard import Guard
from conformed.app.replay.replaying import Replays
from conformed.app.workspace import Workspace
from conformed.people.directory import Directory
from conformed.people.person import Identified
from conformed.policy.load import load_model
from conformed.policy.schema import TaskContract
from conformed_audit import AuditLog
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.note import COSIGNATURE, Note, SigningKey
from conformed_audit.publish import Publisher
from conformed_audit.sealing import MasterKey

ROOT = Path(__file__).parents[3]


def write_pack(folder: Path, debt: str) -> Path:
    """The small pack with a debt of so many thousands."""
    spec = spec_from_file_location("papers_of_tests", ROOT / "tests" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    shared = module_from_spec(spec)
    spec.loader.exec_module(shared)
    folder.mkdir()
    for file, words in (("agreement.txt", "AGREEMENT"), ("certificate.txt", "CERTIFICATE"), ("pack.yaml", "MANIFEST")):
        text = getattr(shared, words).replace("300,000", debt).replace("3.00 to 1.00\nMax", f"3.{debt[1]}0 to 1.00\nMax")
        (folder / file).write_text(text, encoding="utf-8")
    return folder


def counting(first: int) -> Callable[[int], bytes]:
    """Random bytes that count."""
    numbers = itertools.count(first)
    return lambda size: next(numbers).to_bytes(size, "big")


class Witness:
    """A witness that cosigns whatever it is given, at one time."""

    name, outside = "witness.example", True

    def __init__(self) -> None:
        self.key = SigningKey.make(self.name, b"w" * 32, COSIGNATURE)

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """Cosigns."""
        return str(Note.parse(note).cosigned(self.key, 1_772_000_000))


class Sealing(Replays, Search):
    """The service with the house's log; nothing is published but by the house."""

    house: House

    def publish_log(self, log: AuditLog) -> PublicationNote:
        """Nothing."""
        return PublicationNote(state="pending", checkpoint_size=0)

    @contextmanager
    def _log(self, *, create: bool = True, archive: Path | None = None) -> Iterator[AuditLog]:
        with self.house.log() as log:
            yield log


class House:
    """A workspace: its log, its people, its keys."""

    def __init__(self, folder: Path) -> None:
        if not folder.exists():
            folder.mkdir()
            shutil.copytree(ROOT / "policies", folder / "policies")
        self.folder = folder
        self.packs: list[Path] = []
        self.workspace = Workspace(root=folder, policies=folder / "policies", origin="flag")
        self.origin = "conformed.local"
        self.signer = SigningKey.make(self.origin, b"s" * 32)
        self.witness = Witness()
        self.master = MasterKey(b"m" * 32, counting(1))
        self.who = "anna"
        self.other = self.ended = ""
        self._made = (f"p-{number:012}" for number in itertools.count(1))
        self._times = itertools.count()
        self.entropy = counting(1_000)

    def identify(self) -> Identified:
        """Whoever is at the keys now."""
        return Identified(account=f"os:{self.who}", name=self.who, session=f"os:{self.who}:1", method="test")

    def clock(self) -> dt.datetime:
        """A clock that moves one second with each reading."""
        return dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC) + dt.timedelta(seconds=next(self._times))

    def run(self, pack: Path) -> str:
        """Runs a pack, and gives the run's id."""
        self.packs.append(pack)
        return self.service().run(pack, RunOptions(), silent).run

    def service(self) -> Sealing:
        """The product, with the house's log and people."""
        service = Sealing(
            self.workspace, clock=self.clock, environment={}, identify=self.identify, pseudonyms=lambda: next(self._made)
        )
        service.house = self
        return service

    def enter(self, who: str, role: str) -> None:
        """Gives somebody a role, as whoever keeps the directory does."""
        entry = f'- id: {next(self._made)}\n  account: "os:{who}"\n  name: "{who}"\n  roles: [{role}]\n'
        text = self.workspace.people.read_text(encoding="utf-8") if self.workspace.people.exists() else "people:\n"
        self.workspace.people.write_text(text + entry, encoding="utf-8")

    def search(self, run: str) -> None:
        """Looks a run up, which makes the index."""
        assert self.service().find({"run": run}).runs

    def replay(self, run: str) -> str:
        """What a replay of a run says, as JSON."""
        return self.service().replay(run).model_dump_json()

    def log(self) -> AuditLog:
        """The log, sealed."""
        self.workspace.log.parent.mkdir(exist_ok=True)
        return AuditLog.open(self.workspace.log, origin=self.origin, clock=self.clock, entropy=self.entropy, keys=self.master)

    def guard(self, log: AuditLog) -> Guard:
        """The choke point."""
        contract = load_model(self.workspace.policies / "covenant.yaml", TaskContract)
        directory = Directory(self.workspace.people, lambda: next(self._made))
        return Guard(log, contract.value, contract.digest, directory, self.identify, Denials(log, self.workspace.denied))

    def publisher(self, log: AuditLog) -> Publisher:
        """Signs and hands out."""
        memory = SignerMemory(self.folder / "signer.memory")
        return Publisher(log, [self.signer], memory, [self.witness], witnesses=[self.witness.key.key])

    def copy(self, folder: Path) -> House:
        """Another house with the same log, people and keys, at a set time."""
        shutil.copytree(self.folder, folder)
        house = House(folder)
        house._times, house.entropy = itertools.count(500), counting(5_000)
        return house

    def export(self, run: str, *, documents: bool = True) -> Exported:
        """A bundle of a run."""
        with self.log() as log:
            publisher = self.publisher(log)
            return export_evidence(
                log, self.guard(log), run, documents=documents, publish=publisher.publish,
                keys=lambda: [self.signer.key, self.witness.key.key],
            )  # fmt: skip

    @property
    def keys(self) -> str:
        """The public keys, as somebody outside keeps them."""
        return f"# keys of the log and its witness\n{self.signer.key}\n{self.witness.key.key}\n"


VERIFIERS = {
    "sh": ["sh", str(ROOT / "docs" / "verify" / "verify.sh")],
    "python": [sys.executable, "-I", str(ROOT / "docs" / "verify" / "verify.py")],
}


def opened(data: bytes) -> dict[str, bytes]:
    """The files of a bundle."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def checked(how: str, folder: Path, data: bytes, keys: str) -> subprocess.CompletedProcess[str]:
    """What one of the two says of a bundle."""
    (folder / "bundle.zip").write_bytes(data)
    (folder / "KEYS").write_text(keys, encoding="utf-8")
    return subprocess.run(
        [*VERIFIERS[how], "bundle.zip", "KEYS"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
