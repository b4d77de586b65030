"""Wrong usage says what to type instead; errors are one sentence; a traceback is never shown."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from conformed.errors import JournalError, PackError, PolicyError, UsageError

DATE = "such as --test-date 2026-09-30"


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (["rnu"], ["Did you mean 'run'?", "Type: conformed --help"]),
        (["run"], ["PACK is missing", "Type: conformed run PACK --test-date 2026-09-30"]),
        (["run", "PACK", "--test-dat", "2026-09-30"], ["--test-date", "Type: conformed run PACK"]),
        (["run", "PACK", "--test-date"], ["'--test-date' requires an argument"]),
        (["run", "PACK", "extra"], ["extra", "Type: conformed run PACK"]),
        (["run", "PACK", "--test-date", "30/09/2026"], ["'30/09/2026' is not a date", DATE]),
        (["run", "PACK", "--test-date", "2026-9-30"], ["is not a date", DATE]),
        (["covenant", "PACK", "--test-date", "2026-02-30"], ["not a day of the calendar", DATE]),
        (["covenant", "PACK", "--known-at", "20261115"], ["--known-at"]),
        (["covenant", "PACK", "--fact", "usage"], ["'usage' is not NAME=VALUE", "--fact revolver_usage=40%"]),
        (["covenant", "PACK", "--fact", "a=1", "--fact", "a=2"], ["given twice, as '1' and '2'"]),
        (["run", "PACK", "--attest-no-election", "--claimed-election", "x"], ["contradict"]),
        (["log", "shw"], ["Did you mean 'show'?", "conformed log --help"]),
        (["log", "show"], ["RUN is missing", "Type: conformed log show RUN"]),
        (["policy", "explain", "covenat"], ["Did you mean covenant?"]),
        (["policy", "diff", "covenant"], ["NEW is missing"]),
    ],
)
def test_wrong_words_are_answered_with_right_ones(
    service: Any, typed: Any, pack: Path, line: list[str], parts: list[str]
) -> None:
    """Exit code 2, one line on standard error that says what to type, nothing on standard output."""
    said = typed(*(str(pack) if word == "PACK" else word for word in line))
    assert said.code == 2
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert said.err.startswith("conformed: ")
    for part in parts:
        assert part in said.err
    assert service.asked == []


def test_no_such_pack_names_the_nearest(service: Any, typed: Any, pack: Path) -> None:
    """A misspelt pack is answered with the one that is there."""
    said = typed("run", str(pack.with_name("northwnid")))
    assert said.code == 2
    assert f"Did you mean {pack}?" in said.err
    assert "Name a folder" in typed("run", str(pack / "no" / "such")).err


@pytest.mark.parametrize("group", [[], ["log"], ["policy"]])
def test_a_group_alone_shows_its_help(service: Any, typed: Any, group: list[str]) -> None:
    """Nothing to do is wrong usage, and the help that follows is readable."""
    said = typed(*group)
    assert said.code == 2
    assert "Commands:" in said.err
    assert len(said.err.splitlines()) > 5


@pytest.mark.parametrize(
    ("problem", "code", "part"),
    [
        (PackError("casefiles/x is empty.", "Put documents into it."), 1, "casefiles/x is empty. Put documents into it."),
        (
            PolicyError("key is twice.", "Take one out.", file="covenant.yaml", line=3, column=1),
            1,
            "covenant.yaml:3:1: key is twice.",
        ),
        (JournalError("The log cannot be written."), 1, "The log cannot be written."),
        (UsageError("Two covenants fit.", "Name one."), 2, "Two covenants fit. Name one."),
        (OSError(errno.ENOSPC, "No space left on device", "log.sqlite"), 1, "The disk is full (log.sqlite)."),
        (PermissionError(errno.EACCES, "Permission denied", "log.sqlite"), 1, "Not allowed to read or write (log.sqlite)."),
        (OSError(errno.EIO, "Input/output error"), 1, "Input/output error."),
        (MemoryError(), 1, "not enough memory"),
        (RuntimeError("secret words of a document"), 1, "RuntimeError"),
        (KeyboardInterrupt(), 130, "--resume"),
        (PackError("bad \x1b[31mname\nsecond line"), 1, "bad [31mname second line"),
    ],
)
def test_every_failure_is_one_sentence(
    service: Any, typed: Any, pack: Path, problem: BaseException, code: int, part: str
) -> None:
    """Whatever is raised, standard error has one clean line, the exit code tells usage from error, no stack is shown."""
    service.raises = problem
    said = typed("run", str(pack), "--json")
    assert (said.code, said.out) == (code, "")
    assert len(said.err.splitlines()) == 1
    assert part in said.err.replace("  ", " ")
    assert "Traceback" not in said.err
    assert "secret words" not in said.err
    assert "\x1b" not in said.err


def test_debug_adds_the_stack(service: Any, typed: Any, pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CONFORMED_DEBUG the stack comes before the sentence, for a report to the developers."""
    monkeypatch.setenv("CONFORMED_DEBUG", "1")
    service.raises = RuntimeError("inner")
    said = typed("run", str(pack))
    assert "Traceback" in said.err
    assert said.err.splitlines()[-1].startswith("conformed: A fault of the program")


def test_a_screen_that_cannot_show_a_character(service: Any, pack: Path, tmp_path: Path) -> None:
    """On a terminal of plain ASCII the screen comes with question marks instead of an error."""
    import io
    import sys

    from conformed.cli.entry import run_command_line

    old, raw = sys.stdout, io.BytesIO()
    sys.stdout = io.TextIOWrapper(raw, encoding="ascii")
    try:
        code = run_command_line(["run", str(pack)])
        sys.stdout.flush()
        written = raw.getvalue()
    finally:
        sys.stdout = old
    assert code == 10
    assert b"3.75x against ? 3.50x" in written
