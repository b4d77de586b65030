"""Work for the processes of a portfolio that goes wrong in every way; imported by name in a new process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from conformed.app.portfolios.portfolio import PackTask
from conformed.app.portfolios.portfolio_row import PortfolioRow, failed_row


def behave(task: PackTask) -> PortfolioRow:
    """Does what the task's name says."""
    kind = task.name.partition("-")[0]
    if kind == "late":
        time.sleep(0.6)
    if kind == "hang":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        Path(task.path).write_text(f"{os.getpid()} {child.pid}", encoding="utf-8")
        time.sleep(60)
    if kind == "die":
        os._exit(7)
    if kind == "raise":
        raise RuntimeError("secret words of a document")
    if kind == "other":
        return failed_row("somebody else", "")
    if kind == "loud":
        sys.stdout.write("noise on standard output\n")
        sys.stdout.flush()
    return PortfolioRow(pack=task.name, result="pass")
