"""``conformed bench generate`` on a pinned model of the mirror."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from conformed_plugins.backends.bench.report import Report

if TYPE_CHECKING:
    from small_qwen import Pinned


def test_a_model_of_the_mirror_is_measured(small: Pinned) -> None:
    """Named by folder and manifest it is verified, loaded and measured, tokenisation included; another manifest is refused."""
    words = [
        "bench",
        "generate",
        "--prompts",
        "2",
        "--samples",
        "2",
        "--prompt-tokens",
        "24",
        "--new-tokens",
        "4",
        "--repeats",
        "1",
        "--json",
    ]
    named = [*words, "--folder", str(small.folder), "--manifest"]
    done = subprocess.run(
        [sys.executable, "-m", "conformed.cli", *named, small.manifest], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report = Report.model_validate_json(done.stdout)
    assert report.conditions.model.endswith("from the mirror")
    assert report.conditions.decoder == "batched"
    assert report.figures.tokenised_tokens_s is not None
    assert report.figures.tokenised_tokens_s > 0
    other = subprocess.run([sys.executable, "-m", "conformed.cli", *named, "0" * 64], capture_output=True, text=True, check=False)
    assert other.returncode == 1
    assert "manifest" in other.stderr
    assert not other.stdout
