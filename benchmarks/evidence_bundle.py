"""Row G12: an evidence bundle checked with no software of ours. Prints both scripts' length and time.

    python benchmarks/evidence_bundle.py [--quick]

The log holds as many records of other cases again, so that proofs have the length that they have in a log of that size.
"""

from __future__ import annotations

import base64
import importlib.util
import subprocess
import sys
import tempfile
import time
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from table_row import Row

from conformed_audit import Actor, AuditLog, Item, Kind, RecordDraft, commitment
from conformed_audit.bundle import bundle_bytes, contents_list, log_files
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.note import SigningKey
from conformed_audit.publish import Publisher

VERIFY = Path(__file__).parents[1] / "docs" / "verify"
RECORDS, SHELL_RECORDS = 50_000, 40
SHELL_LINES, PYTHON_LINES, RATE = 40, 150, 20_000
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


def rows(*, quick: bool = False) -> list[Row]:
    """The rows of this file: the shell script and the Python one.

    Args:
        quick: a bundle of a twentieth of the records.
    """
    shell, python = _lines("verify.sh"), _lines("verify.py")
    each, rate = by_shell(), by_python(RECORDS // 20 if quick else RECORDS)
    return [
        Row(
            "G12", "evidence bundle checked by openssl and coreutils: lines of the script (time a record)",
            f"{shell} lines ({each:.0f} ms)", f"<= {SHELL_LINES} lines", shell <= SHELL_LINES,
        ),
        Row(
            "G12", "evidence bundle checked by Python's standard library: lines, and records a second of processor time",
            f"{python} lines, {rate:,.0f} records/s", f"<= {PYTHON_LINES} lines, >= {RATE:,} records/s",
            python <= PYTHON_LINES and rate >= RATE,
        ),
    ]  # fmt: skip


def by_python(count: int) -> float:
    """Records a second of processor time: hash, chain and inclusion of each."""
    script = load()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _bundle(folder, count)
        script.check(folder / "bundle.zip", folder / "KEYS")  # the whole of it, which fails when anything is amiss
        with zipfile.ZipFile(folder / "bundle.zip") as archive:
            files = {one: archive.read(one) for one in archive.namelist() if one.startswith("log/")}
    _, size, root = files["log/checkpoint.note"].decode().splitlines()[:3]
    start = time.process_time()
    records = script.check_records(files, "bench", int(size), base64.b64decode(root))
    return len(records) / (time.process_time() - start)


def by_shell() -> float:
    """Milliseconds of wall time a record."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _bundle(folder, SHELL_RECORDS)
        start = time.perf_counter()
        subprocess.run(["sh", VERIFY / "verify.sh", "bundle.zip", "KEYS"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return (time.perf_counter() - start) / (SHELL_RECORDS + 1) * 1000


def main() -> None:
    """Prints the rows."""
    for row in rows(quick="--quick" in sys.argv[1:]):
        print(f"{row.row}  {row.metric}\n    {row.measured} (goal {row.goal})")


def _bundle(folder: Path, count: int) -> None:
    data, keys = make(folder, count)
    (folder / "bundle.zip").write_bytes(data)
    (folder / "KEYS").write_text(keys, encoding="utf-8")


def _lines(name: str) -> int:
    return len((VERIFY / name).read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    main()
