"""The commands of evidence and retention, typed, with the product behind them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformed.app.people import account
from conformed.cli.entry import run_command_line
from conformed.people.person import Identified

ROOT = Path(__file__).parents[2]
Typed = Callable[..., tuple[int, str, str]]


class Keys:
    """Who is at the keys."""

    who = "anna"

    def identify(self) -> Identified:
        """Them."""
        return Identified(account=f"os:{self.who}", name=self.who, session=f"os:{self.who}:1", method="test")


@pytest.fixture
def at_keys(bank: Path, monkeypatch: pytest.MonkeyPatch) -> Keys:
    """A workspace with two records officers; anna is at the keys."""
    keys = Keys()
    monkeypatch.setattr(account, "system_account", keys.identify)
    monkeypatch.chdir(bank)
    monkeypatch.delenv("CONFORMED_WORKSPACE", raising=False)
    (bank / ".conformed").mkdir()
    rows = "".join(
        f'- id: p-{n:012}\n  account: "os:{who}"\n  name: "{who}"\n  roles: [records_officer]\n'
        for n, who in enumerate(("bruno", "clara"))
    )
    (bank / ".conformed" / "people.yaml").write_text(f"people:\n{rows}", encoding="utf-8")
    return keys


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """Types a command line."""

    def run(*line: str) -> tuple[int, str, str]:
        code = run_command_line(line)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def run_id(at_keys: Keys, typed: Typed, fenwick: Path) -> str:
    """A run."""
    found: str = json.loads(typed("run", str(fenwick), "--json")[1])["run"]
    return found


def test_evidence_holds_against_the_keys_that_the_product_prints(run_id: str, typed: Typed, bank: Path) -> None:
    """The file that is written holds for a reader who has the script and the printed key, and nothing else of ours."""
    code, out, err = typed("evidence", run_id, "-o", "evidence.zip")
    assert (code, out) == (0, "")
    assert re.match(r"Written: evidence\.zip: \d+ records of case fenwick-[0-9a-f]+, under a checkpoint of \d+\.\n", err)
    (bank / "KEYS").write_text("\n".join(re.findall(r"\S+\+[0-9a-f]{8}\+\S+", typed("log", "keys")[1])) + "\n", encoding="utf-8")
    script = [sys.executable, "-I", str(ROOT / "docs" / "verify" / "verify.py"), "evidence.zip", "KEYS"]
    said = subprocess.run(script, cwd=bank, capture_output=True, text=True, check=False)
    assert said.stdout.startswith("HOLDS: "), said.stderr


def test_no_documents(run_id: str, typed: Typed, bank: Path) -> None:
    """With --no-documents no word of a document that stands nowhere else is in the file."""
    assert typed("evidence", run_id, "-o", "with.zip")[0] == 0
    assert typed("evidence", run_id, "-o", "without.zip", "--no-documents")[0] == 0
    words = b"Section 9.01 Governing Law"
    assert words in (bank / "with.zip").read_bytes()
    assert words not in (bank / "without.zip").read_bytes()


@pytest.mark.parametrize("where", ["none/evidence.zip", "policies"])
def test_evidence_that_cannot_be_written_is_refused_before_it_is_recorded(run_id: str, typed: Typed, where: str) -> None:
    """A place that cannot be written is wrong usage, and the log records no export."""
    code, _, err = typed("evidence", run_id, "-o", where)
    assert code == 2
    assert "cannot be written" in err
    assert "evidence.exported" not in typed("log", "show", run_id)[1]


def test_two_people_at_the_keys_erase(run_id: str, typed: Typed, at_keys: Keys) -> None:
    """Asked by one, held, lifted, refused to whoever asked, carried out by another, and told by the log."""
    code, _, err = typed("erase", run_id, "--basis", "GDPR Art. 17(1)(a)")
    assert (code, "records officer" in err) == (1, True)
    at_keys.who = "bruno"
    code, out, _ = typed("erase", run_id, "--basis", "GDPR Art. 17(1)(a)")
    assert (code, run_id in out) == (0, True)
    assert typed("hold", run_id, "--reason", "Litigation 7")[:2] == (0, out_of("Held: case ", out, ", Litigation 7\n"))
    at_keys.who = "clara"
    code, _, err = typed("erase", run_id, "--approve")
    assert (code, "legal hold" in err) == (2, True)
    assert typed("release-hold", run_id, "--reason", "Settled")[0] == 0
    at_keys.who = "bruno"
    code, _, err = typed("erase", run_id, "--approve")
    assert (code, "another person must carry it out" in err) == (1, True)
    at_keys.who = "clara"
    code, out, err = typed("erase", run_id, "--approve")
    assert (code, out.startswith("Erased: "), "Backups" in err) == (0, True, True)
    code, out, _ = typed("log", "verify")
    assert (code, "were erased, each with a record that says why" in out) == (0, True)
    assert typed("erase", "--finish")[:2] == (0, "The log's file was written anew.\n")


@pytest.mark.parametrize(
    "line",
    [("erase", "CASE"), ("erase", "--finish", "CASE"), ("erase", "CASE", "--approve", "--basis", "x"), ("erase", "--approve")],
)
def test_erase_says_what_it_wants(at_keys: Keys, typed: Typed, line: tuple[str, ...]) -> None:
    """An erase of which it is not clear whether it asks or carries out is wrong usage."""
    code, _, err = typed(*line)
    assert (code, "It is not said what to do" in err) == (2, True)


def test_an_epoch_is_closed(run_id: str, typed: Typed, at_keys: Keys) -> None:
    """After the epoch was closed its run is shown and proved as before."""
    at_keys.who = "clara"
    code, out, err = typed("log", "close-epoch")
    assert (code, out.startswith("Closed: log "), "/epoch-2" in err) == (0, True, True), err
    assert typed("log", "show", run_id)[0] == 0
    assert typed("log", "prove", run_id)[0] == 0


def out_of(before: str, said: str, after: str) -> str:
    """The case that something said, between other words."""
    found = re.search(r"case (\S+)", said)
    assert found is not None
    return f"{before}{found[1]}{after}"
