"""The small pack of the tests with other words, run as it lies there."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace
from conformed.model.decision import Decision

__all__ = ["PLAIN", "change", "decide"]

PLAIN = "Section 6.10 Leverage Ratio. The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter to be greater than 3.75 to 1.00."
"""The covenant of the small pack."""


def change(path: Path, *pairs: tuple[str, str]) -> None:
    """Puts other words into a file; each of the old ones must stand there."""
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def decide(pack: Path, bank: Path) -> Decision:
    """A run of a pack in a workspace."""
    service = Service(
        Workspace(root=bank, policies=bank / "policies", origin="flag"),
        clock=lambda: dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC),
        environment={},
    )
    return service.run(pack, RunOptions(), silent)
