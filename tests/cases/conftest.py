"""Whole runs of the small pack with further papers."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace, packaged_policies
from conformed.model.decision import Decision

sys.path.insert(0, str(Path(__file__).parent))
NOON = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)


@pytest.fixture
def run(fenwick: Path, tmp_path: Path) -> Callable[..., Decision]:
    """A run of the small pack with a debt of so many thousands, further documents and other words in its own."""
    from fenwick_papers import KINDS

    service = Service(Workspace(root=tmp_path, policies=packaged_policies(), origin="flag"), clock=lambda: NOON, environment={})

    def decided(
        debt: str,
        papers: Mapping[str, str] | None = None,
        *,
        agreement: str = "",
        certificate: str = "",
        known: str = "2025-02-28",
        more: str = "",
    ) -> Decision:
        text = (fenwick / "agreement.txt").read_text(encoding="utf-8")
        (fenwick / "agreement.txt").write_text(text.replace("ARTICLE IX\n", f"{agreement}\n\nARTICLE IX\n"), encoding="utf-8")
        paper = (fenwick / "certificate.txt").read_text(encoding="utf-8")
        ratio = f"{int(debt.replace(',', '')) / 100_000:.2f} to 1.00"
        paper = paper.replace("300,000", debt).replace("3.00 to 1.00", ratio) + certificate
        (fenwick / "certificate.txt").write_text(paper, encoding="utf-8")
        manifest = (fenwick / "pack.yaml").read_text(encoding="utf-8").replace("known_at: 2024-11-30", f"known_at: {known}")
        for name, words in sorted((papers or {}).items()):
            (fenwick / name).write_text(words, encoding="utf-8")
            signed = ", execution: executed" if "/s/" in words else ""
            manifest = manifest.replace("documents:\n", f"documents:\n- {{file: {name}, kind: {KINDS[name]}{signed}}}\n")
        (fenwick / "pack.yaml").write_text(manifest + more, encoding="utf-8")
        return service.run(fenwick, RunOptions(), silent)

    return decided
