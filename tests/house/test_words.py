"""No file names a machine's paths or a package registry's host, and no file is a leftover."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

# Written in pieces, so that this file does not name what it forbids.
HOSTS = ("py" + "pi.org", "python" + "hosted.org", "download.py" + "torch.org", "hugging" + "face.co", "conda.ana" + "conda.org")
FOLDERS = re.compile(r"(?<![\w.<}/])/(?:wo" + r"rk|ro" + r"ot|ho" + r"me/\w+|Us" + r"ers/\w+|op" + r"t/wheels)/")
TEXT = {".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".cfg", ".j2", ".css", ".html", ".json", ".sh", ""}


@pytest.fixture(scope="module")
def texts(root: Path) -> dict[str, str]:
    """Every text file that git knows or would take."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a checkout of git: the files of the project cannot be listed")
    files = [root / name for name in sorted(set(listed.stdout.splitlines()))]
    found = {}
    for file in files:
        if file.suffix in TEXT and file.is_file():
            found[str(file.relative_to(root))] = file.read_text(encoding="utf-8", errors="replace")
    assert "pyproject.toml" in found
    return found


def test_no_host_of_a_registry(texts: dict[str, str]) -> None:
    """Where packages come from is the user's setting, never ours."""
    assert [(name, host) for name, text in texts.items() for host in HOSTS if host in text] == []


def test_no_path_of_a_machine(texts: dict[str, str]) -> None:
    """Nothing depends on, or tells of, the machine on which it was written."""
    found = [(name, match[0]) for name, text in texts.items() for match in FOLDERS.finditer(text)]
    assert found == []


def test_no_leftovers(texts: dict[str, str]) -> None:
    """No marker of a conflict, no note to self, no test that is skipped for ever."""
    left = re.compile(r"^(<{7}|>{7}) |\b(TO" + r"DO|FIX" + r"ME)\b|pytest\.mark\.xf" + r"ail", re.MULTILINE)
    assert [(name, match[0]) for name, text in texts.items() for match in left.finditer(text)] == []


def test_no_large_or_made_file(texts: dict[str, str], root: Path) -> None:
    """What a command makes is not kept: no traces, caches or environments."""
    made = re.compile(r"(^|/)(\.conformed|\.venv|__pycache__|\.mypy_cache|\.ruff_cache|build|dist)/|\.(pyc|sqlite)$")
    assert [name for name in texts if made.search(name)] == []
