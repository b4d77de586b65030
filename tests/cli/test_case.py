"""The commands about a pack: exit codes, output, and what reaches the service."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from conformed.app.options import RunOptions
from conformed.model.base import Missing
from conformed.model.decision import Result

ALL_WORDS = [
    *("--test-date", "2026-09-30", "--known-at", "2026-11-15", "--covenant", "Total Leverage Ratio", "--section", "7.11(a)"),
    *("--fact", "revolver_usage = 40%", "--fact", "x=a=b", "--claimed-election", "holiday", "--claimed-election", "spike"),
]


@pytest.mark.parametrize(("result", "code"), [("pass", 0), ("breach", 10), ("not_tested", 11), ("review", 12)])
def test_exit_code_of_a_run_follows_its_result(service: Any, typed: Any, pack: Path, result: str, code: int) -> None:
    """0 pass, 10 breach, 11 not tested, 12 review, with the screen on standard output and nothing on standard error."""
    service.decision = service.decision.model_copy(update={"result": Result(result)})
    said = typed("run", str(pack))
    assert said.code == code
    assert said.out.startswith(f"RESULT  {result.replace('_', ' ').upper()}")
    assert said.err == ""


@pytest.mark.parametrize(("result", "code"), [("determined", 0), ("not_tested", 11), ("review", 12)])
def test_exit_code_of_a_covenant(service: Any, typed: Any, pack: Path, result: str, code: int) -> None:
    """0 determined, 11 not tested, 12 review; the JSON has the result that the code says."""
    service.result = result
    said = typed("covenant", str(pack), "--json")
    assert said.code == code
    assert json.loads(said.out)["result"] == result
    assert typed("covenant", str(pack)).out.startswith(result.replace("_", " ").upper())


@pytest.mark.parametrize("command", ["run", "covenant"])
def test_every_word_reaches_the_service(service: Any, typed: Any, pack: Path, command: str) -> None:
    """Dates, names, facts (a value may hold an equals sign) and elections arrive as typed."""
    typed(command, str(pack), *ALL_WORDS)
    _, path, options = service.asked[0]
    assert path == pack
    assert options == RunOptions(
        test_date=dt.date(2026, 9, 30),
        known_at=dt.date(2026, 11, 15),
        covenant="Total Leverage Ratio",
        section="7.11(a)",
        facts={"revolver_usage": "40%", "x": "a=b"},
        claimed_elections=("holiday", "spike"),
    )


def test_words_of_run_alone(service: Any, typed: Any, pack: Path) -> None:
    """Policy, resume and the attestation arrive."""
    typed("run", str(pack), "--policy", "mine", "--resume", "--attest-no-election")
    assert service.asked[0][2] == RunOptions(policy="mine", resume=True, no_election=True)


def test_json_of_a_run_is_the_record(service: Any, typed: Any, pack: Path) -> None:
    """Standard output is one JSON document that reads back as the same decision."""
    said = typed("run", str(pack), "--json")
    assert type(service.decision).model_validate_json(said.out) == service.decision


def test_html_is_written_and_named(service: Any, typed: Any, pack: Path, tmp_path: Path) -> None:
    """The report is written whole, its place goes to standard error, and the JSON stays clean."""
    file = tmp_path / "report.html"
    said = typed("run", str(pack), "--html", str(file), "--json")
    assert json.loads(said.out)["run"] == "r-0001"
    assert said.err == f"Report: {file}\n"
    assert "data:image/png" in file.read_text(encoding="utf-8")
    assert [child.name for child in tmp_path.iterdir() if child.is_file()] == ["report.html"]


@pytest.mark.parametrize("target", ["absent/report.html", "casefiles"])
def test_a_report_that_cannot_be_written(service: Any, typed: Any, pack: Path, tmp_path: Path, target: str) -> None:
    """A folder that is not there, or a folder in place of a file, is a usage error that names it."""
    said = typed("run", str(pack), "--html", str(tmp_path / target))
    assert said.code == 2
    assert target.partition("/")[0] in said.err


def test_copy_and_timeline(service: Any, typed: Any, pack: Path) -> None:
    """Both print text, both have JSON that is an array, and an empty answer is a review."""
    assert "[2]  3.50 to 1.00" in typed("copy", str(pack)).out
    assert json.loads(typed("copy", str(pack), "--json").out)[0]["section"] == "7.11"
    assert "←" in typed("timeline", str(pack), "--test-date", "2026-09-30").out
    assert [entry["level"] for entry in json.loads(typed("timeline", str(pack), "--json").out)] == ["≤ 4.25x", "≤ 3.50x"]
    service.decision = service.decision.model_copy(update={"timeline": (), "conformed": ()})
    for command in ("copy", "timeline"):
        said = typed(command, str(pack), "--json")
        assert (said.code, said.out) == (12, "[]\n")


def test_progress_only_where_it_is_asked_for(service: Any, typed: Any, pack: Path) -> None:
    """Off a terminal nothing is said; when asked for, plain lines without any control character of a file's name."""
    assert typed("run", str(pack)).err == ""
    lines = typed("run", str(pack), "--progress").err.splitlines()
    assert [line.rsplit("  ", 1)[0] for line in lines] == ["read loan [31m.pdf 1/2", "draft"]
    assert all(line.endswith(" s") for line in lines)


def test_no_colour_without_a_terminal(service: Any, typed: Any, pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captured output is plain; FORCE_COLOR colours it; NO_COLOR wins over that."""
    assert "\x1b" not in typed("run", str(pack)).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in typed("run", str(pack)).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in typed("run", str(pack)).out


def test_a_missing_covenant_still_prints(service: Any, typed: Any, pack: Path) -> None:
    """A review without a covenant prints its reason on the screen."""
    update = {"covenant": Missing(reason="Nothing was found."), "result": Result.REVIEW}
    service.decision = service.decision.model_copy(update=update)
    assert "None determined: Nothing was found." in typed("run", str(pack)).out
