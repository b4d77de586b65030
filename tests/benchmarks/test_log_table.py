"""The table of the audit log's figures: one command, every row, and no row that hides why it has no figure."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformed_audit import AuditLog, verify
from conformed_audit.clock import utc_now

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("log_table")


def giving(monkeypatch: pytest.MonkeyPatch, name: str, rows: Any) -> None:
    """Puts a file with such a function ``rows`` in the place of one that measures."""
    module = ModuleType(name)
    module.__dict__["rows"] = rows
    monkeypatch.setitem(sys.modules, name, module)


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """The command as it is typed."""
    typed = [sys.executable, str(FOLDER / "log_table.py"), *words]
    return subprocess.run(typed, capture_output=True, text=True, timeout=120, check=False)


def test_one_command_prints_a_row_with_its_conditions() -> None:
    """What is asked for is measured, judged against its goal, and printed with what it was measured on."""
    done = command("--quick", "--rows", "G12", "--markdown")
    lines = [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in done.stdout.splitlines() if line.startswith("| G")
    ]
    assert [line[0] for line in lines] == ["G12", "G12"], done.stderr
    assert {line[-1] for line in lines} <= {"yes", "missed"}
    assert lines[0][2].startswith("40 lines")
    reached = sum(line[-1] == "yes" for line in lines)
    assert done.stdout.splitlines()[-1] == f"{reached} of 2 figures reach their goals"
    assert done.returncode == (0 if reached == 2 else 1)
    for condition in ("cores", "load average", "Python 3.", "SQLite 3.", "PostgreSQL ", "quick"):
        assert condition in done.stdout


def test_a_row_that_is_not_in_the_table_is_refused() -> None:
    """A mistyped row is no empty table."""
    done = command("--rows", "G3,G99")
    assert done.returncode == 2
    assert "there is no row G99; rows are G1 to G13" in done.stderr


def test_every_row_has_a_file_that_gives_it(table: ModuleType) -> None:
    """Each of G1 to G13 is owed by exactly one file, which is there, has a function ``rows``, and names the row."""
    owed = sorted(row for some in table.PROVIDERS.values() for row in some)
    assert owed == sorted(f"G{number}" for number in range(1, 14))
    for name, some in table.PROVIDERS.items():
        text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        assert "rows" in {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}, name
        assert set(some) <= set(re.findall(r"\bG\d+\b", text)), name


def test_a_file_that_fails_leaves_rows_without_a_figure(table: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong while measuring is said in each row that is owed, and none counts as reached."""

    def fails(*, quick: bool) -> Any:
        raise OSError("no\nroom")

    giving(monkeypatch, "log_append", fails)
    found = table.measure("log_append", quick=True, peers=None)
    assert [row.row for row in found] == ["G1", "G2", "G5", "G13"]
    assert {(row.measured, table.verdict(row)) for row in found} == {("no figure: log_append.py: OSError: no room", "no figure")}


def test_a_process_that_dies_leaves_rows_without_a_figure(
    table: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A measurement that is killed, for want of memory say, does not take the other rows with it."""
    (tmp_path / "deadly.py").write_text("import os\nos._exit(9)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(table, "PROVIDERS", {"deadly": ("G1",), "log_append": ("G2",)})
    found = table.gather(["G1"], quick=True, peers=None)
    assert [(row.row, row.measured) for row in found] == [("G1", "no figure: deadly.py: its process died")]


def test_a_row_that_is_owed_and_not_given_is_named(table: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may give several rows of one name, but may not pass one over."""
    rows = [table.Row("G1", "append", "1.3x", "1.25x", reached=False), table.Row("G1", "step", "1.1x", "1.25x", reached=True)]
    giving(monkeypatch, "log_append", lambda *, quick: rows)
    found = table.measure("log_append", quick=True, peers=None)
    assert [(row.row, table.verdict(row)) for row in found] == [
        ("G1", "missed"), ("G1", "yes"), ("G2", "no figure"), ("G5", "no figure"), ("G13", "no figure"),
    ]  # fmt: skip


def test_without_the_peers_their_row_has_no_figure(table: ModuleType) -> None:
    """A comparison with what is not installed is not made up."""
    governed = importlib.import_module("governed_step")
    row = governed.cpu_row(governed.contenders(None), 1, 1)
    assert (row.row, row.measured, table.verdict(row)) == ("G4", "not measured: no peers' environment", "no figure")


def test_the_governed_step_that_is_measured_is_the_engines_own(tmp_path: Path) -> None:
    """The script that is measured leaves a log that verifies, with an intent and an outcome for each of twelve steps a run."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / "peers" / "ours_step.py"), str(tmp_path), "2"], capture_output=True, text=True, check=False
    )
    assert float(done.stdout) > 0, done.stderr
    assert verify(tmp_path / "log.sqlite").ok
    with AuditLog.open(tmp_path / "log.sqlite", origin="bench.example", clock=utc_now) as log:
        moves = [str(record.kind) for record in log.records("case-1") if record.kind.startswith("step.")]
    assert moves == ["step.intent", "step.outcome"] * 12
