"""``accept``, ``return``, ``withdraw`` and ``approvals``: a real run, a real log, and one person after another at the keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed.app.people import account
from conformed.people.person import Identified

Sit = Callable[[str, int], None]


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch) -> Sit:
    """Puts somebody at the keys."""

    def put(name: str, uid: int) -> None:
        who = Identified(f"os:{uid}", name, f"os:{uid}:1", "os-account")
        monkeypatch.setattr(account, "system_account", lambda: who)

    return put


@pytest.fixture
def run_id(typed: Any, fenwick: Path, bank: Path, monkeypatch: pytest.MonkeyPatch, sit: Sit) -> str:
    """A run of the timber company's pack by ana; bob is an analyst and cem an officer."""
    monkeypatch.chdir(bank)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR", "CONFORMED_DEBUG", "CONFORMED_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    sit("ana", 1001)
    said = typed("run", str(fenwick), "--json")
    assert said.code == 0
    people = bank / ".conformed" / "people.yaml"
    people.write_text(
        people.read_text(encoding="utf-8")
        + '- id: p-00000000000b\n  account: "os:1002"\n  name: bob\n  roles: [credit_analyst]\n'
        + '- id: p-00000000000c\n  account: "os:1003"\n  name: cem\n  roles: [credit_officer]\n',
        encoding="utf-8",
    )
    found: str = json.loads(said.out)["run"]
    return found


def test_from_a_run_to_its_release(typed: Any, run_id: str, sit: Sit) -> None:
    """The runner is refused with the mend; two others accept; the log verifies, approvals and all."""
    said = typed("accept", run_id)
    assert (said.code, said.out) == (1, "")
    assert "Nobody approves their own work, administrators included." in said.err
    assert "another user of the operating system" in said.err
    sit("bob", 1002)
    said = typed("accept", run_id)
    assert said.code == 0
    assert "OPEN" in said.out
    assert "A second person must confirm it" in said.out
    sit("cem", 1003)
    standing = json.loads(typed("accept", run_id, "--role", "credit_officer", "--json").out)
    assert (standing["state"], standing["publication"], standing["missing"]) == ("released", "published", [])
    assert [row["who"] for row in standing["approvals"]] == ["bob", "cem"]
    assert typed("approvals", run_id).out.startswith(f"RUN {run_id}  RELEASED")
    assert typed("log", "verify").code == 0


def test_a_run_is_sent_back_and_an_approval_taken_back(typed: Any, run_id: str, sit: Sit) -> None:
    """Both are commands of their own; a wrong reason lists the right ones."""
    sit("bob", 1002)
    typed("accept", run_id)
    assert "Approvals" not in typed("withdraw", run_id).out
    said = typed("return", run_id, "--reason", "bad", "--note", "x")
    assert said.code == 2
    assert "figure_wrong" in said.err
    said = typed("return", run_id, "--reason", "figure_wrong", "--note", "The revolver is left out.")
    assert said.code == 0
    assert "RETURNED" in said.out
    assert "was sent back" in typed("accept", run_id).err
    assert typed("log", "verify").code == 0


def test_an_override_is_the_work_of_whoever_gave_it(typed: Any, run_id: str, sit: Sit) -> None:
    """Bob overrides, in whoever's name: he cannot accept what comes of it, nor can the one in whose name he did."""
    sit("bob", 1002)
    rejected = ("--code", "override_result_rejected", "--answers", "calculation", "--reason", "Wrong quarter.")
    later = json.loads(typed("override", run_id, *rejected, "--by", "cem", "--json").out)["run"]
    assert "own work" in typed("accept", later).err
    sit("cem", 1003)
    assert "own work" in typed("accept", later).err
    assert "was overtaken" in typed("accept", run_id).err


def test_the_screen_and_the_report_say_what_is_pending(typed: Any, run_id: str, fenwick: Path, tmp_path: Path) -> None:
    """A run says at once that nobody accepted it and who may."""
    page = tmp_path / "report.html"
    said = typed("run", str(fenwick), "--html", str(page))
    words = " ".join(said.out.split())
    assert "Not accepted. A person must accept it: a credit analyst or a credit officer, who did not work on the case." in words
    assert "Not accepted. A person must accept it" in page.read_text(encoding="utf-8")


def test_what_is_not_there_is_said(typed: Any, run_id: str, bank: Path) -> None:
    """An unknown run, and a contract that is no longer the run's."""
    assert "The log has no run 'r-x'" in typed("accept", "r-x").err
    file = bank / "policies" / "covenant.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("years: 7", "years: 8"), encoding="utf-8")
    said = typed("accept", run_id)
    assert said.code == 2
    assert "was done under another contract" in said.err
