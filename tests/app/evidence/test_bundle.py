"""What an evidence bundle holds, and that it holds without our software."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from evidence_house import ROOT, VERIFIERS, House, checked, opened, write_pack

from conformed.app.bundles.evidence_export import Exported, export_evidence
from conformed.errors import UsageError
from conformed_audit import Kind, verify


@pytest.mark.parametrize("how", VERIFIERS)
def test_a_bundle_holds(how: str, ended: tuple[House, str], exported: Exported, tmp_path: Path) -> None:
    """Both scripts find that a bundle holds, and say of which log, checkpoint and case."""
    said = checked(how, tmp_path, exported.data, ended[0].keys)
    assert said.returncode == 0, said.stderr
    expected = f"log conformed.local, checkpoint of {exported.size} records, case {exported.case} with {exported.records} records"
    assert said.stdout == f"HOLDS: {expected}\n"


def test_scripts_are_as_short_as_promised() -> None:
    """The shell script has at most 40 lines and the Python file at most 150, so that a reader can read them."""
    assert len((ROOT / "docs/verify/verify.sh").read_text().splitlines()) <= 40
    assert len((ROOT / "docs/verify/verify.py").read_text().splitlines()) <= 150


def test_what_is_in_it(ended: tuple[House, str], exported: Exported) -> None:
    """Every record of the case is there byte for byte, with documents, decision, copies, trace, request and scripts."""
    house, run = ended
    files = opened(exported.data)
    with house.log() as log:
        bodies = [record.body for record in log.records(exported.case)][: exported.records]  # later exports are recorded, too
        assert files["log/records.jsonl"] == b"".join(body + b"\n" for body in bodies)
    papers = sorted(name for name in files if name.startswith("documents/"))
    assert papers == ["documents/0001-agreement.txt", "documents/0002-certificate.txt"]
    assert b"FENWICK TIMBER COMPANY" in files[papers[0]]
    assert json.loads(files["decision.json"])["run"] == run
    assert json.loads(files["trace.json"])["calculation"]["ratio"]
    assert b"3.75" in files["conformed-copy.txt"]
    assert b"<html" in files["conformed-copy.html"]
    for name in ("verify.sh", "verify.py"):
        assert files[name] == (ROOT / "docs" / "verify" / name).read_bytes()


def test_figures_are_worked_out_again_from_it(exported: Exported, tmp_path: Path) -> None:
    """The decision in the bundle is the file that the bundle's own recompute.py reads, and every line of it holds."""
    files = opened(exported.data)
    for name in ("decision.json", "recompute.py"):
        (tmp_path / name).write_bytes(files[name])
    said = subprocess.run([sys.executable, "-I", "recompute.py", "decision.json"], cwd=tmp_path, capture_output=True, check=False)
    assert (said.returncode, said.stdout) == (0, b"Every line holds.\n")


def test_the_manifest_names_every_file(exported: Exported) -> None:
    """Each file but the manifest stands in it once with its SHA-256, in order."""
    files = opened(exported.data)
    lines = files.pop("manifest.sha256").decode().splitlines()
    assert lines == [f"{hashlib.sha256(files[name]).hexdigest()}  {name}" for name in sorted(files)]


def test_the_export_is_recorded(ended: tuple[House, str], exported: Exported) -> None:
    """The log says who exported which contents and by which rule, and the bundle holds that record."""
    house, run = ended
    with house.log() as log:
        record = next(r for r in log.records(exported.case, run) if r.kind == Kind.EVIDENCE_EXPORTED)
        person = house.guard(log).directory.shown(record.actor.id)
    files = opened(exported.data)
    assert person == "anna"
    assert record.authz is not None
    assert record.authz.decision == "allow"
    assert [item.commit for item in record.output] == [exported.digest]
    assert exported.digest == f"sha256:{hashlib.sha256(files['contents.sha256']).hexdigest()}"
    assert files["log/records.jsonl"].splitlines()[-1] == record.body
    assert verify(house.workspace.log).ok


def test_without_documents(house: House, tmp_path: Path) -> None:
    """Without documents their commitments are there and no salt, so that a guess of a document cannot be confirmed."""
    run = house.run(write_pack(tmp_path / "pack", "300,000"))
    made = house.export(run, documents=False)
    files = opened(made.data)
    assert not [name for name in files if name.startswith("documents/")]
    sources = json.loads(files["run/sources.json"])["files"]
    assert [one["name"] for one in sources] == ["agreement.txt", "certificate.txt"]
    with house.log() as log:
        salts = [log.open_blob(one["commit"]).salt for one in sources]
    assert all(salt is not None and salt.hex().encode() not in made.data and salt not in made.data for salt in salts)
    for how in VERIFIERS:
        assert checked(how, tmp_path, made.data, house.keys).returncode == 0


def test_same_log_same_bytes(ended: tuple[House, str], tmp_path: Path) -> None:
    """Two copies of one log, exported at the same time, give the same bundle, byte for byte; another time gives another."""
    house, run = ended
    one, two, late = (house.copy(tmp_path / name) for name in ("one", "two", "late"))
    late.clock()
    made = [each.export(run).data for each in (one, two, late)]
    assert made[0] == made[1] != made[2]


def test_a_run_without_a_decision_gives_no_evidence(house: House) -> None:
    """A run that is not there is refused in a sentence with a mend."""
    with house.log() as log, pytest.raises(UsageError, match="no run 'r-none'"):
        export_evidence(log, house.guard(log), "r-none", documents=True, publish=lambda: None, keys=tuple)
