"""Evidence of a run with overrides: the papers of the first run and those that overrides added are in it, and it holds."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

from override_packs import Desk, conditional, seen

from conformed.app.bundles.evidence_desk import EvidenceDesk
from conformed.app.keeping.log_keeper import LogKeeper
from conformed.app.workspace import Workspace


def test_papers_of_every_run_behind_it_are_in_it(fenwick: Path, bank: Path, tmp_path: Path) -> None:
    """The bundle has the pack's papers, which the first run read, and the paper that the override added; both scripts agree."""
    desk = Desk(fenwick, bank)
    decision = desk.override(conditional(desk), seen(desk))
    workspace = Workspace(root=bank, policies=bank / "policies", origin="flag")
    bundle = EvidenceDesk(workspace, environment={}).export(decision.run)
    with zipfile.ZipFile(io.BytesIO(bundle.made.data)) as archive:
        papers = [name.partition("-")[2] for name in archive.namelist() if name.startswith("documents/")]
        assert archive.read("decision.json").count(decision.run.encode())
    assert papers == ["agreement.txt", "certificate.txt", "first.txt", "from-agent.txt"]
    (tmp_path / "bundle.zip").write_bytes(bundle.made.data)
    keys = "".join(f"{row.key}\n" for row in LogKeeper(workspace, environment={}).public_keys())
    (tmp_path / "KEYS").write_text(keys, encoding="utf-8")
    scripts = Path(__file__).parents[2] / "docs" / "verify"
    for command in (["sh", str(scripts / "verify.sh")], [sys.executable, "-I", str(scripts / "verify.py")]):
        said = subprocess.run([*command, "bundle.zip", "KEYS"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr
