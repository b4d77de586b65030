"""start.py: one stdlib file; what the machine lacks ends in one line that says what to do, and exit code 3."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def start(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """start.py as a module, at work in a folder of the test with the files that it reads."""
    spec = importlib.util.spec_from_file_location("start_under_test", root / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "constraints").mkdir()
    for name in ("pyproject.toml", "constraints/test.txt"):
        (tmp_path / name).write_bytes((root / name).read_bytes())
    venv = tmp_path / ".venv"
    for name, value in {"HERE": tmp_path, "VENV": venv, "PYTHON": venv / "bin" / "python", "LOG": venv / "setup.log"}.items():
        monkeypatch.setattr(module, name, value)
    monkeypatch.chdir(tmp_path)
    return module


@pytest.fixture
def stopped(capsys: pytest.CaptureFixture[str]) -> Callable[[Callable[[], object]], str]:
    """Runs something that must end with exit code 3, and gives its one line."""

    def run(call: Callable[[], object]) -> str:
        with pytest.raises(SystemExit) as ended:
            call()
        assert ended.value.code == 3
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        return said

    return run


def test_nothing_but_the_standard_library(root: Path) -> None:
    """It runs where nothing is installed."""
    tree = ast.parse((root / "start.py").read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_old_python(start: ModuleType, stopped: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old Python is told which is needed."""
    monkeypatch.setattr(start, "sys", SimpleNamespace(version_info=(3, 9, 2), version="3.9.2 (main)", stderr=sys.stderr))
    assert "Python 3.9.2 is too old. Install Python 3.11" in stopped(lambda: start.check_machine("base"))


def test_no_ensurepip(start: ModuleType, stopped: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian without python3-venv is told the package."""
    monkeypatch.setattr(start.importlib.util, "find_spec", lambda name: None)
    assert "apt install python3-venv" in stopped(lambda: start.check_machine("base"))


@pytest.mark.parametrize(("what", "free"), [("base", 10**8), ("test", 2 * 10**9)])
def test_full_disk(start: ModuleType, stopped: Any, monkeypatch: pytest.MonkeyPatch, what: str, free: int) -> None:
    """Too little room is found before anything is written."""
    monkeypatch.setattr(start.shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    assert "Free some" in stopped(lambda: start.check_machine(what))
    assert not start.VENV.exists()


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("Temporary failure in name resolution", "no network"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("ERROR: No matching distribution found for pluggy", "lacks a package"),
        ("SSL: CERTIFICATE_VERIFY_FAILED", "not trusted"),
        ("ERROR: something new", "ERROR: something new All that pip said is in"),
    ],
)
def test_pip_that_fails(start: ModuleType, stopped: Any, monkeypatch: pytest.MonkeyPatch, said: str, part: str) -> None:
    """What pip says is turned into what the person can do; what is not known is passed on with the log's place."""

    def fails(command: list[str], stdout: Any, **_: object) -> SimpleNamespace:
        stdout.write(f"Collecting\n{said}\n")
        stdout.flush()
        return SimpleNamespace(returncode=1)

    start.VENV.mkdir()
    start.LOG.write_text("no space left in an earlier run\n$ pip install\n", encoding="utf-8")
    monkeypatch.setattr(start.subprocess, "run", fails)
    assert part in stopped(lambda: start.pip("-e", "."))


def test_a_second_time_nothing_is_installed(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stamp spares the work until the build file, the pins or the Python change."""
    calls: list[tuple[str, ...]] = []

    def make() -> None:
        start.PYTHON.parent.mkdir(parents=True)
        start.PYTHON.write_text("", encoding="utf-8")

    monkeypatch.setattr(start, "make_venv", lambda: None if start.PYTHON.exists() else make())
    monkeypatch.setattr(start, "pip", lambda *words: calls.append(words))
    start.set_up("base")
    start.set_up("base")
    assert calls == [("-e", ".")]
    (start.HERE / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    start.set_up("base")
    assert len(calls) == 2


@pytest.mark.parametrize("there", [True, False])
def test_torch_first_and_only_where_it_is_not_there(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch, there: bool, capsys: Any
) -> None:
    """A torch that can be imported is kept; else the pinned one is installed, with its size said; the base is stamped too."""
    calls: list[tuple[str, ...]] = []

    def make() -> None:
        start.PYTHON.parent.mkdir(parents=True, exist_ok=True)
        start.PYTHON.write_text("", encoding="utf-8")

    monkeypatch.setattr(start, "make_venv", make)
    monkeypatch.setattr(start, "pip", lambda *words: calls.append(words))
    monkeypatch.setattr(start.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0 if there else 1))
    start.set_up("test")
    if there:
        assert calls == [("-e", ".[test]")]
    else:
        assert calls == [("torch==2.13.0",), ("-e", ".[test]", "-c", "constraints/test.txt")]
        assert "GB" in capsys.readouterr().out
    assert start.stamped("base")
    assert start.stamped("test")


@pytest.mark.parametrize(("ended", "code"), [(0, 0), (10, 0), (11, 0), (12, 0), (1, 1), (2, 1)])
def test_the_sample_gives_0_when_it_finished(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: Any, ended: int, code: int
) -> None:
    """Whatever the result, a finished run is 0 and its report is named; an error is 1."""
    pack = start.HERE / "casefiles" / "one"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text("", encoding="utf-8")
    typed: list[tuple[str, ...]] = []
    monkeypatch.setattr(start, "set_up", lambda what: None)
    monkeypatch.setattr(start, "conformed", lambda *words: typed.append(words) or ended)
    assert start.main([]) == code
    report = start.HERE / ".conformed" / "reports" / "one.html"
    assert typed == [("run", os.path.join("casefiles", "one"), "--html", str(report))]  # noqa: PTH118 - as typed
    assert (str(report) in capsys.readouterr().out) == (code == 0)


def test_words_pass_through(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """After -- everything goes to the command line, and its exit code comes back."""
    monkeypatch.setattr(start, "set_up", lambda what: None)
    monkeypatch.setattr(start, "conformed", lambda *words: 10 if words == ("run", "x", "--json") else 0)
    assert start.main(["--", "run", "x", "--json"]) == 10


def test_faults_pass_words_and_code(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The long run of faults gets what the tests need, every word behind it, and its exit code is the command's."""
    set_up: list[str] = []
    monkeypatch.setattr(start, "set_up", set_up.append)
    ran: list[list[str]] = []

    def run(command: list[str], **_options: Any) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(start.subprocess, "run", run)
    assert start.main(["faults", "--minutes", "1"]) == 1
    assert (set_up, ran) == (["test"], [[str(start.PYTHON), "tests/faults/long/run.py", "--minutes", "1"]])


def test_an_unknown_word(start: ModuleType, capsys: Any) -> None:
    """It says what to type instead, and sets nothing up."""
    assert start.main(["run", "x"]) == 2
    assert "Type: python3 start.py -- run x" in capsys.readouterr().err
    assert not start.VENV.exists()


def test_no_sample_pack(start: ModuleType, stopped: Any) -> None:
    """A copy that is not whole is named as such."""
    assert "not whole" in stopped(start.sample_pack)


def test_a_broken_environment_is_made_again(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A .venv whose Python is gone is cleared and made anew; one that runs is kept."""
    made: list[bool] = []

    class Builder:
        def __init__(self, *, with_pip: bool, clear: bool, symlinks: bool) -> None:
            made.append(clear)

        def create(self, where: Path) -> None:
            assert where == start.VENV

    monkeypatch.setattr(start.venv, "EnvBuilder", Builder)
    start.VENV.mkdir()
    start.make_venv()
    start.PYTHON.parent.mkdir()
    start.PYTHON.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    start.PYTHON.chmod(0o755)
    start.make_venv()
    assert made == [True]


def test_help_and_old_syntax(root: Path) -> None:
    """--help names every command, and Python 3.8's grammar can read the file far enough to answer."""
    done = subprocess.run(
        [sys.executable, str(root / "start.py"), "--help"], capture_output=True, text=True, timeout=30, check=True
    )
    assert "start.py test" in done.stdout
    ast.parse((root / "start.py").read_text(encoding="utf-8"), feature_version=(3, 8))
