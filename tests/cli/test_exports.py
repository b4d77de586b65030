"""The commands that write files, compare dates, suppose figures and run many packs: what they print, write and refuse."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from conformed.app.portfolios.portfolio_row import PortfolioRow, failed_row


def test_copy_writes_each_file_that_is_asked_for(service: Any, typed: Any, pack: Path, tmp_path: Path) -> None:
    """Page, Word document and text lie where they were asked for, are named on standard error, and the screen stays the same."""
    files = {name: tmp_path / f"copy.{name}" for name in ("html", "docx", "text")}
    words = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    said = typed("copy", str(pack), *words)
    assert said.code == 0
    assert said.out == typed("copy", str(pack)).out
    assert said.err.splitlines() == [f"Written: {file}" for file in files.values()]
    assert "3.50 to 1.00" in files["html"].read_text(encoding="utf-8")
    assert "3.50 to 1.00" in files["text"].read_text(encoding="utf-8")
    assert "word/document.xml" in zipfile.ZipFile(io.BytesIO(files["docx"].read_bytes())).namelist()


def test_text_in_a_file_does_not_follow_the_terminal(
    service: Any, typed: Any, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A narrow, coloured terminal and a wide one write the same bytes."""
    for number, columns in enumerate(("40", "180")):
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setenv("FORCE_COLOR", "1")
        typed("copy", str(pack), "--text", str(tmp_path / str(number)))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def test_copy_against_another_date(service: Any, typed: Any, pack: Path) -> None:
    """Both copies are asked for, with only the date changed; JSON is one record with both dates."""
    found = json.loads(
        typed("copy", str(pack), "--test-date", "2026-09-30", "--against", "2025-09-30", "--against-known-at", "2025-12-01", "--json").out
    )  # fmt: skip
    assert found["schema_version"] == "conformed.copy_diff/1"
    asked = [(str(options.test_date), str(options.known_at)) for what, _, options in service.asked if what == "copy"]
    assert asked == [("2026-09-30", "None"), ("2025-09-30", "2025-12-01")]
    assert "No word differs" in typed("copy", str(pack), "--against", "2025-09-30").out


@pytest.mark.parametrize(
    "words", [["--against", "30.9.2025"], ["--against-known-at", "2025-02-30"], ["--html", "nowhere/x.html"]]
)
def test_copy_refuses_what_it_cannot_do(service: Any, typed: Any, pack: Path, words: list[str]) -> None:
    """A date that is none and a folder that is not there are usage errors."""
    assert typed("copy", str(pack), *words).code == 2


@pytest.mark.parametrize(("rows", "code"), [(("pass", "breach", "review"), 0), (("pass", "error"), 1)])
def test_portfolio_prints_one_table_and_writes_it(
    typed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: tuple[Any, ...], code: int
) -> None:
    """Every folder is a task with the options typed; exit code 1 only where a pack could not be run."""
    for number in range(len(rows)):
        (tmp_path / "packs" / f"p{number}").mkdir(parents=True)
    asked: dict[str, Any] = {}

    def run(tasks: Any, **more: Any) -> tuple[PortfolioRow, ...]:
        asked.update(more, tasks=tasks)
        made = zip(tasks, rows, strict=True)
        return tuple(failed_row(t.name, "Broken.") if r == "error" else PortfolioRow(pack=t.name, result=r) for t, r in made)

    monkeypatch.setattr("conformed.app.portfolios.portfolio.run_portfolio", run)
    table, sheet = tmp_path / "t.csv", tmp_path / "t.xlsx"
    line = ["portfolio", str(tmp_path / "packs"), "--test-date", "2026-09-30", "--jobs", "3", "--timeout", "7"]
    said = typed(*line, "--csv", str(table), "--xlsx", str(sheet), "--json")
    assert said.code == code
    assert [row["result"] for row in json.loads(said.out)["rows"]] == list(rows)
    assert (asked["jobs"], asked["timeout"]) == (3, 7)
    assert {str(task.options.test_date) for task in asked["tasks"]} == {"2026-09-30"}
    assert table.read_bytes().count(b"\r\n") == len(rows) + 1
    assert sheet.read_bytes().startswith(b"PK")
    assert typed(*line).out.startswith(f"{len(rows)} packs: ")


@pytest.mark.parametrize("words", [["--jobs", "0"], ["--timeout", "0"], ["--test-date", "tomorrow"], []])
def test_portfolio_refuses_what_it_cannot_do(typed: Any, tmp_path: Path, words: list[str]) -> None:
    """No processes, no time, no date, no pack: a usage error that says what to type."""
    said = typed("portfolio", str(tmp_path), *words)
    assert said.code == 2
    assert said.err.startswith("conformed: ")


@pytest.mark.parametrize("words", [["--figure", "ebitda"], ["--figure", "ebitda=5", "--figure", "ebitda=6"]])
def test_what_if_refuses_a_figure_that_is_none(typed: Any, pack: Path, words: list[str]) -> None:
    """It says how a figure is typed."""
    said = typed("what-if", str(pack), *words)
    assert said.code == 2
    assert "--figure" in said.err
