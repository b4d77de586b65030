"""Row G12: an evidence bundle checked with no software of ours. Prints both scripts' time and length.

Use: python benchmarks/evidence_bundle.py [RECORDS]. The log holds as many records of other cases again, so that proofs have
the length that they have in a log of that size.
"""

from __future__ import annotations

import base64
import importlib.util
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conformed_audit import Actor, AuditLog, Item, Kind, RecordDraft, commitment
from conformed_audit.bundle import bundle_bytes, contents_list, log_files
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.note import SigningKey
from conformed_audit.publish import Publisher

VERIFY = Path(__file__).parents[1] / "docs" / "verify"
SHELL_RECORDS = 40
BATCH = 500
ENGINE = Actor("svc:engine", "engine")
TEXT = "The step ended, and what it gave stands in the log under the name that is given here. " * 3


def make(folder: Path, count: int) -> tuple[bytes, str]:
    """A bundle of a case with so many records of about a kilobyte, and the log's key."""
    signer = SigningKey.make("bench.example", b"b" * 32)
    with AuditLog.open(folder / "log.db", origin="bench.example", clock=lambda: datetime.now(UTC)) as log:
        for first in range(0, count, BATCH):
            drafts = [draft(case, n) for n in range(first, min(first + BATCH, count)) for case in ("bench", f"other-{n % 97}")]
            log.append(drafts)
        contents = {"bundle.json": b'{"case":"bench"}\n', "commitments.txt": b""}
        listed = contents_list(contents)
        item = Item("bundle", commitment(listed, None), len(listed), "text/plain")
        log.append([RecordDraft(case="bench", kind=Kind.EVIDENCE_EXPORTED, actor=ENGINE, output=(item,))])
        Publisher(log, [signer], SignerMemory(folder / "memory"), []).publish()
        return bundle_bytes(contents, log_files(log, "bench", [signer.key])), f"{signer.key}\n"


def draft(case: str, number: int) -> RecordDraft:
    """A record of about a kilobyte."""
    name = commitment(f"{case} {number}".encode(), None)
    items = tuple(Item(one, name, number, "application/json") for one in ("first", "second"))
    return RecordDraft(case=case, kind=Kind.STEP_OUTCOME, actor=ENGINE, run="run-1", step="bench", output=items, note=TEXT)


def load() -> Any:
    """The Python script as a module."""
    spec = importlib.util.spec_from_file_location("verify_script", VERIFY / "verify.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(count: int) -> None:
    """Prints the row."""
    script = load()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, keys = make(folder, count)
        bundle, file = folder / "bundle.zip", folder / "KEYS"
        bundle.write_bytes(data)
        file.write_text(keys)
        start = time.perf_counter()
        said = script.check(bundle, file)
        whole = time.perf_counter() - start
        files = {n: d for n, d in _files(bundle).items() if n.startswith("log/")}
        _, size, root = files["log/checkpoint.note"].decode().splitlines()[:3]
        start = time.process_time()
        records = script.check_records(files, "bench", int(size), base64.b64decode(root))
        rate = len(records) / (time.process_time() - start)
        print(said)
        print(
            f"verify.py  {_lines('verify.py'):4} lines  {rate:,.0f} records a second of processor time (hash, chain, inclusion); whole bundle {whole:.2f} s"
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, keys = make(folder, SHELL_RECORDS)
        (folder / "bundle.zip").write_bytes(data)
        (folder / "KEYS").write_text(keys)
        start = time.perf_counter()
        subprocess.run(["sh", VERIFY / "verify.sh", "bundle.zip", "KEYS"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        each = (time.perf_counter() - start) / (SHELL_RECORDS + 1) * 1000
        print(f"verify.sh  {_lines('verify.sh'):4} lines  {each:.0f} ms a record")


def _files(bundle: Path) -> dict[str, bytes]:
    import zipfile

    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _lines(name: str) -> int:
    return len((VERIFY / name).read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
