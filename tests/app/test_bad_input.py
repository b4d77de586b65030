"""Whatever is given wrong, a person gets one clear sentence that names it and the mend, and the log stays valid."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from conformed.cli.entry import run_command_line


class Said(NamedTuple):
    """What a command line said."""

    code: int
    out: str
    err: str


Type = Callable[..., Said]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], bank: Path, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> Type:
    """Types a command in a workspace whose log has a run already; afterwards that log must hold."""
    for name in ("FORCE_COLOR", "CONFORMED_DEBUG", "CONFORMED_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "200")

    def typed(*words: str | Path) -> Said:
        code = run_command_line([*map(str, words), "--workspace", str(bank)])
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    assert typed("run", fenwick).code == 0
    return typed


@pytest.fixture(autouse=True)
def log_holds(bank: Path) -> Iterator[None]:
    """After every test of this file the log verifies, unless the test itself has damaged it."""
    yield
    if not (bank / "damaged on purpose").exists() and (bank / ".conformed" / "log.sqlite").exists():
        assert run_command_line(["log", "verify", "--workspace", str(bank)]) == 0


def refused(said: Said, code: int, *words: str) -> None:
    """One line on standard error with all the words, nothing on standard output, and the exit code."""
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err
    assert said.err.startswith("conformed: ")
    assert "Traceback" not in said.err
    for word in words:
        assert word in said.err
    assert said.code == code


@pytest.mark.parametrize("command", ["run", "covenant", "copy", "timeline"])
def test_no_such_pack(say: Type, tmp_path: Path, command: str) -> None:
    """A wrong path is answered with the pack whose name is nearest."""
    refused(say(command, tmp_path / "fenwik"), 2, "There is no pack at", "fenwik", "Did you mean", "fenwick?")


@pytest.mark.parametrize("command", ["run", "covenant"])
def test_an_empty_pack(say: Type, tmp_path: Path, command: str) -> None:
    """An empty folder is named, and what belongs into it."""
    (tmp_path / "empty").mkdir()
    refused(say(command, tmp_path / "empty", "--test-date", "2024-09-30"), 1, "empty holds no document", "Put the agreement")


def test_a_policy_with_a_typo(say: Type, fenwick: Path, bank: Path) -> None:
    """File, line, column, and the word that was meant."""
    contract = bank / "policies" / "covenant.yaml"
    text = contract.read_text(encoding="utf-8")
    contract.write_text(text.replace("timeout_seconds", "timeout_second", 1), encoding="utf-8")
    line = text[: text.index("timeout_seconds")].count("\n") + 1
    refused(say("run", fenwick), 1, f"covenant.yaml:{line}:", "'timeout_second' is not known", "Did you mean 'timeout_seconds'?")
    contract.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("test_date", "tset_date", ("pack.yaml:3:1", "'tset_date'", "Did you mean 'test_date'?")),
        ("2024-09-30", "2024-09-31", ("pack.yaml:3:12", "'2024-09-31' is not a date", "year, month and day")),
        ("agreement.txt", "agrement.txt", ("'agrement.txt'", "'fenwick'", "no such file", "Put the file into the pack")),
    ],
)
def test_a_manifest_with_a_mistake(say: Type, fenwick: Path, old: str, new: str, words: tuple[str, ...]) -> None:
    """A typo, a day that is none, a file that is not there: each is named with its place or its mend."""
    manifest = fenwick / "pack.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    refused(say("run", fenwick), 1, *words)
    refused(say("covenant", fenwick), 1, *words)


def test_a_file_that_changed_since_it_was_attested(say: Type, fenwick: Path) -> None:
    """The file is named with both hashes, even where the pack has been read before."""
    manifest = fenwick / "pack.yaml"
    attested = manifest.read_text(encoding="utf-8").replace(
        "  dated: 2023-03-01\n", f"  dated: 2023-03-01\n  sha256: {'ab' * 32}\n"
    )
    manifest.write_text(attested, encoding="utf-8")
    refused(
        say("run", fenwick), 1, "agreement.txt has changed since it was attested", "abababababab…", "Put the attested file back"
    )


def encrypted_pdf() -> bytes:
    """A PDF that asks for a password."""
    canvas, encryption = pytest.importorskip("reportlab.pdfgen.canvas"), pytest.importorskip("reportlab.lib.pdfencrypt")
    to = io.BytesIO()
    page = canvas.Canvas(to, encrypt=encryption.StandardEncryption("secret", "owner", strength=128))
    page.drawString(100, 700, "Side letter")
    page.save()
    return to.getvalue()


def test_an_encrypted_pdf_alone(say: Type, tmp_path: Path) -> None:
    """It is named with the mend; a run hands it to a person and nothing else."""
    (tmp_path / "side.pdf").write_bytes(encrypted_pdf())
    asked = (tmp_path / "side.pdf", "--test-date", "2024-09-30")
    refused(say("covenant", *asked), 1, "side.pdf asks for a password", "Save a copy without the password")
    said = say("run", *asked)
    assert said.code == 12
    assert "Not read: side.pdf asks for a password." in said.out


def test_an_encrypted_pdf_among_good_documents(say: Type, fenwick: Path) -> None:
    """The rest is unharmed and the result is review with the file named; where pack.yaml lists the documents without it, it is not."""
    (fenwick / "side.pdf").write_bytes(encrypted_pdf())
    listed = say("run", fenwick, "--json")
    assert (listed.code, json.loads(listed.out)["result"]) == (0, "pass")
    assert "finding_unlisted_file" in listed.out
    manifest = fenwick / "pack.yaml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text[: text.index("documents:")], encoding="utf-8")
    said = say("run", fenwick, "--json")
    found = json.loads(said.out)
    assert (said.code, found["result"]) == (12, "review")
    assert any("side.pdf asks for a password" in sentence for sentence in found["refusals"])
    assert any("side.pdf" in step for step in found["next_steps"])
    assert {document["name"] for document in found["documents"]} >= {"agreement.txt", "certificate.txt"}


def zipped(to: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    """A zip of some members."""
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return to


def test_a_zip_with_a_path_that_leads_out(say: Type, tmp_path: Path) -> None:
    """Nothing is unpacked and nothing is written beside the zip."""
    pack = zipped(tmp_path / "out.zip", ("../evil.txt", b"words"))
    refused(say("run", pack, "--test-date", "2024-09-30"), 1, "out.zip", "'../evil.txt'", "leads out of it")
    assert not (tmp_path.parent / "evil.txt").exists()


def test_a_zip_with_a_link(say: Type, tmp_path: Path) -> None:
    """A link is never followed."""
    link = zipfile.ZipInfo("a.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    refused(
        say("run", zipped(tmp_path / "l.zip", (link, b"/etc/hosts")), "--test-date", "2024-09-30"), 1, "l.zip", "link 'a.txt'"
    )


def test_a_zip_bomb(say: Type, tmp_path: Path) -> None:
    """It is refused before it is unpacked whole."""
    pack = zipped(tmp_path / "b.zip", ("a.txt", bytes(40 << 20)))
    refused(say("run", pack, "--test-date", "2024-09-30"), 1, "b.zip", "'a.txt'", "times its size", "Take it out")


def test_two_documents_with_the_same_name(say: Type, tmp_path: Path) -> None:
    """Both names are told, and one must be renamed."""
    pack = zipped(tmp_path / "s.zip", ("loan.txt", b"one"), ("LOAN.txt", b"two"))
    refused(say("run", pack, "--test-date", "2024-09-30"), 1, "same name", "'loan.txt'", "'LOAN.txt'", "Rename one")


@pytest.mark.parametrize(("typed", "says"), [("tomorrow", "is not a date"), ("2024-02-30", "is not a day of the calendar")])
def test_a_test_date_that_is_no_date(say: Type, fenwick: Path, typed: str, says: str) -> None:
    """The words typed and the form that is wanted."""
    refused(say("run", fenwick, "--test-date", typed), 2, f"--test-date {typed!r}" if "a date" in says else typed, says, "Type")


def test_a_covenant_that_matches_nothing_is_told_what_there_is(say: Type, fenwick: Path) -> None:
    """Every covenant of the pack is named with its section; with --json it is a review object all the same."""
    said = say("covenant", fenwick, "--covenant", "Quick Ratio", "--json")
    found = json.loads(said.out)
    assert (said.code, found["result"], found["covenant"]) == (12, "review", None)
    sentence = next(one["sentence"] for one in found["reasons"] if one["code"] == "review_no_covenant_found")
    for covenant in ("Leverage Ratio (6.10)", "Senior Leverage Ratio (6.11)", "Interest Coverage Ratio (6.12)"):
        assert covenant in sentence
    assert say("run", fenwick, "--covenant", "Quick Ratio").code == 12
    refused(say("copy", fenwick, "--covenant", "Quick Ratio"), 2, "Leverage Ratio (6.10)", "--covenant")


def test_two_covenants_that_fit_are_asked_about(say: Type, fenwick: Path) -> None:
    """Where nothing says which is meant, both are shown and it is asked; with --json it is a review object."""
    manifest = fenwick / "pack.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("covenant: Leverage Ratio\n", ""), encoding="utf-8")
    said = say("covenant", fenwick)
    assert said.code == 12
    assert "Which is meant? Name it with --covenant or --section: " in said.out
    assert "Leverage Ratio (6.10)" in said.out
    assert "Senior Leverage Ratio (6.11)" in said.out
    found = json.loads(say("covenant", fenwick, "--json").out)
    assert found["result"] == "review"
    assert {candidate["section"] for candidate in found["candidates"]} == {"6.10", "6.11"}


def test_a_section_wins_over_a_name(say: Type, fenwick: Path) -> None:
    """The covenant of the section is given, and that the name differs is a finding."""
    found = json.loads(say("covenant", fenwick, "--covenant", "Senior Leverage Ratio", "--section", "6.10", "--json").out)
    assert (found["result"], found["covenant"]["section"]) == ("determined", "6.10")
    assert "finding_section_over_name" in found["codes"]


def test_a_report_that_cannot_be_written(say: Type, fenwick: Path, tmp_path: Path) -> None:
    """The result is shown all the same, and the sentence names the file."""
    said = say("run", fenwick, "--html", tmp_path / "nowhere" / "r.html")
    assert said.code == 2
    assert said.out.startswith("RESULT  PASS")
    assert "nowhere does not exist" in said.err


def test_a_log_that_was_edited(say: Type, fenwick: Path, bank: Path) -> None:
    """Verification names the record, and no run is added to such a log."""
    path = bank / ".conformed" / "log.sqlite"
    with closing(sqlite3.connect(path)) as base:
        (guard,) = base.execute("SELECT sql FROM sqlite_master WHERE name = 'audit_event_update'").fetchone()
        base.execute("DROP TRIGGER audit_event_update")
        base.execute("UPDATE audit_event SET body = CAST(replace(body, 'accept', 'review') AS BLOB) WHERE cseq = 6")
        base.execute(guard)
        base.commit()
    (bank / "damaged on purpose").touch()
    said = say("log", "verify")
    assert said.code == 1
    assert re.match(r"DAMAGED: The log does not hold \(tampered\): record 6 of case fenwick-[0-9a-f]{16}\. leaf: ", said.out)


def test_a_log_whose_guards_were_taken_away(say: Type, fenwick: Path, bank: Path) -> None:
    """Nothing is written to it."""
    with closing(sqlite3.connect(bank / ".conformed" / "log.sqlite")) as base:
        base.execute("DROP TRIGGER audit_event_update")
        base.commit()
    (bank / "damaged on purpose").touch()
    refused(say("run", fenwick), 1, "The log could not be opened", "were changed")


def test_nothing_to_resume(say: Type, fenwick: Path) -> None:
    """--resume without an unfinished run says so."""
    refused(say("run", fenwick, "--resume"), 2, "No unfinished run of the pack fenwick", "without --resume")


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files is set as on POSIX")
@pytest.mark.parametrize("kilobytes", [8, 60, 150, 260])
def test_a_disk_that_fills_during_a_run(fenwick: Path, bank: Path, kilobytes: int) -> None:
    """However early it fills: one sentence, exit code 1, a log that holds; with room again a run ends as it should."""
    limit = kilobytes << 10
    line = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); "
        "from conformed.cli.entry import run_command_line as run; raise SystemExit("
        f"run(['run', {str(fenwick)!r}, '--workspace', {str(bank)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, timeout=120, check=False)
    refused(Said(done.returncode, done.stdout, done.stderr), 1, "The log could not be", "log.sqlite")
    verified = run_command_line(["log", "verify", "--workspace", str(bank)])
    assert verified == (2 if kilobytes < 100 else 0)  # 2: there is no log yet, because not one record reached the disk
    again = run_command_line(["run", str(fenwick), "--workspace", str(bank), "--resume"])
    assert again in (0, 2)
    if again:  # nothing of the run had reached the log
        assert run_command_line(["run", str(fenwick), "--workspace", str(bank)]) == 0
