"""The table of threats: each row has tests by name, in docs/faults.md; here they are read and carried out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from fault_told import Told

__all__ = ["TABLE", "every_row", "rows_of"]

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "docs" / "faults.md"
_ROW = re.compile(r"^\| ([^|]+) \| ((?:`[^`]+`(?:, )?)+) \|$", re.MULTILINE)
_TEST = re.compile(r"`([^`:]+\.py)::(\w+)`")


def rows_of(text: str) -> dict[str, list[tuple[str, str]]]:
    """What each row of the table names: file, from ``tests/`` on, and function.

    Args:
        text: the page.
    """
    return {attack.strip(): _TEST.findall(tests) for attack, tests in _ROW.findall(text)}


def every_row(folder: Path) -> list[Told]:
    """Carries out the tests of all rows, and those that take out each check in turn.

    Args:
        folder: an empty folder.
    """
    rows = rows_of(TABLE.read_text(encoding="utf-8"))
    named = sorted({f"tests/{file}::{test}" for tests in rows.values() for file, test in tests})
    attacks = _pytest(folder, "an attack of the table of threats", named)
    checks = _pytest(
        folder,
        "a check of verification taken out: its attack passes unseen",
        ["tests/audit/test_each_check.py", "tests/faults/test_each_rule.py"],
    )
    return [attacks, checks]


def _pytest(folder: Path, name: str, words: list[str]) -> Told:
    told, file = Told(name), folder / "junit.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={file}", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if not file.exists():
        told.bad("unnoticed", f"the tests did not run: {done.stdout[-300:]}")
        return told
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        if case.find("skipped") is not None:
            continue
        told.injected += 1
        if case.find("failure") is not None or case.find("error") is not None:
            told.bad("unnoticed", f"{case.get('classname')}::{case.get('name')}")
    return told
