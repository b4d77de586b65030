"""The command line as a process of its own: quick to start, light, completed by the shell, quiet when its reader leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "transformers", "sympy", "pdfplumber", "pypdfium2", "sqlmodel", "sqlalchemy", "lxml", "ruamel", "jinja2", "PIL")


def process(*line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "conformed.cli", *line],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )


def test_help_pulls_in_no_heavy_library() -> None:
    """After ``conformed --help`` none of the libraries that do the work is imported, nor the model's ground."""
    code = (
        "import sys; from conformed.cli.entry import run_command_line as r; assert r(['--help']) == 0; "
        f"print([name for name in {HEAVY!r} + ('conformed.model.base', 'rich') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr.strip() == "[]"


def test_version_and_help_of_every_command() -> None:
    """The version is printed, and the help of a command shows an example that can be typed."""
    assert process("--version").stdout == "conformed 0.1.0\n"
    done = process("covenant", "--help")
    assert done.returncode == 0
    assert "Example: conformed covenant PACK --test-date 2026-09-30" in " ".join(done.stdout.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_of_the_shell(shell: str) -> None:
    """The shell's completion script is given, and completes commands and options."""
    done = process(_CONFORMED_COMPLETE=f"source_{shell}")
    assert done.returncode == 0
    assert "_CONFORMED_COMPLETE" in done.stdout


def test_completion_knows_commands_and_options() -> None:
    """Half a command and half an option are completed."""
    commands = process(_CONFORMED_COMPLETE="complete_bash", COMP_WORDS="conformed cov", COMP_CWORD="1")
    assert commands.stdout.split() == ["covenant"]
    options = process(_CONFORMED_COMPLETE="complete_bash", COMP_WORDS="conformed run --test", COMP_CWORD="2")
    assert options.stdout.split() == ["--test-date"]


def test_a_reader_that_leaves_early_makes_no_noise() -> None:
    """``conformed ... | head -1`` ends without a traceback."""
    line = f'"{sys.executable}" -m conformed.cli policy schema | head -c 1 >/dev/null'
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""


def test_a_missing_pack_from_a_fresh_folder(tmp_path: Path) -> None:
    """From any folder a wrong path is one sentence and exit code 2, and no log is made for it."""
    done = subprocess.run(
        [sys.executable, "-m", "conformed.cli", "run", "nowhere"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr == "conformed: There is no pack at nowhere. Name a folder of documents, a zip of them, or one document.\n"
    assert list(tmp_path.iterdir()) == []
