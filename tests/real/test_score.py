"""Real public agreements with known answers, where they lie beside the checkout: nothing wrong, and enough settled."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"
SCORER = SHARED / "tools" / "score_packs.py"
BANK = SHARED / "casebank" / "dev"
MOST_MINUTES = 20

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(60 * MOST_MINUTES),
    pytest.mark.skipif(
        not (SCORER.is_file() and (BANK / "checks.json").is_file()),
        reason="the bank of real agreements (shared/casebank/dev) does not lie beside the checkout",
    ),
]


def test_real_agreements(bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No answer is wrong and none fails; of the determinable ones at least 18 are determined, and at least 26 helped."""
    command = shlex.join([sys.executable, "-m", "conformed.cli", "covenant", "--workspace", str(bank)])
    report = tmp_path / "score.json"
    line = [sys.executable, str(SCORER), str(BANK), "--command", command, "--json", str(report)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60 * MOST_MINUTES, check=False)
    with capsys.disabled():
        sys.stdout.write(f"\n{done.stdout.strip()}\n")
    rows = json.loads(report.read_text(encoding="utf-8"))
    asked = json.loads((BANK / "checks.json").read_text(encoding="utf-8"))
    assert [row["id"] for row in rows] == [one["id"] for one in asked]
    bad = [f"{row['id']}: {row['class']}, {row['detail']}" for row in rows if row["class"] in {"wrong", "error"}]
    assert bad == [], done.stdout
    open_to_answer = [row for row in rows if row["expect"] in {"level", "amount"}]
    determined = sum(row["class"] == "right" for row in open_to_answer)
    helped = sum(row["class"] in {"right", "candidate"} for row in open_to_answer)
    assert determined >= 18
    assert helped >= 26
