"""The command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformed_audit import verify
from conformed_audit.__main__ import main


def test_a_good_log(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0, the root, and a word about what was not compared; with an outside root that word is gone."""
    root = verify(sample).root
    assert root is not None
    assert main(["verify", str(sample)]) == 0
    shown = capsys.readouterr().out
    assert f"ok: 12 records, root {root}" in shown
    assert "cut tail" in shown
    assert main(["verify", str(sample), "--size", "12", "--root", root]) == 0
    assert "cut tail" not in capsys.readouterr().out


def test_an_edited_log_names_the_record(sample: Path, owner: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """1, and the sentence says class, record, case, number and check."""
    owner(sample, "UPDATE audit_event SET ts = '2020' WHERE case_id = 'case-b' AND cseq = 1")
    assert main(["verify", str(sample)]) == 1
    shown = capsys.readouterr().out
    assert "tampered at record 4 (case 'case-b', number 1): column ts: expected '2026-" in shown
    assert main(["verify", str(sample), "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert (result["ok"], result["classification"], result["first_bad"]["idx"]) == (False, "tampered", 4)


@pytest.mark.parametrize("arguments", [[], ["verify"], ["verify", "x", "--size", "3"], ["check", "x"]])
def test_bad_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """2, with the usage."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_it_runs_as_a_module_with_the_standard_library_alone(sample: Path) -> None:
    """An auditor runs the package without anything of the product, and without any other package."""
    audit = Path(sys.modules["conformed_audit"].__file__ or "").parent.parent
    done = subprocess.run(
        [sys.executable, "-S", "-W", "error", "-m", "conformed_audit", "verify", str(sample)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(audit)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ok: 12 records")
