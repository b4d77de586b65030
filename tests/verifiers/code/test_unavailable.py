"""Where a program cannot be held, none is run: the outcome is an error with a word."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import conformed_plugins.verifiers.code as code
from conformed.model.answer import AnswerCheck
from conformed_plugins.verifiers.code import canary, sandbox, syscalls
from conformed_plugins.verifiers.code.limits import CodeOptions
from conformed_plugins.verifiers.code.verifier import CodeVerifier

TESTS = {"tests": {"public": [{"kind": "stdin", "input": "", "output": "1"}]}}
REQUEST = AnswerCheck(candidate="print(1)", reference="", facts=TESTS)


def fake(folder: Path, script: str) -> str:
    """A program that stands where bubblewrap ought to be."""
    path = folder / "bwrap"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 1", "cannot_start"),
        ("exit 0", "cannot_start"),
        ("echo 'No permissions to create new namespace' >&2; exit 1", "cannot_start"),
        ("echo ready >&2; echo compiled >&2; printf '[]'", ""),
        ("echo ready >&2; echo compiled >&2; printf '[\"network\",\"memory\"]'", "canary:network,memory"),
        ("echo ready >&2; echo compiled >&2; exit 3", "canary:raised"),
        ("sleep 30", "cannot_start"),
    ],
)  # fmt: skip
def test_a_sandbox_that_does_not_hold_is_none(tmp_path: Path, script: str, code: str) -> None:
    """A canary is put in first. Whatever it manages is named, and the candidate is never started."""
    started = tmp_path / "started"
    verifier = CodeVerifier(CodeOptions(bubblewrap=fake(tmp_path, f"echo >> {started}\n{script}"), wall_s=2))
    found = verifier.judge(REQUEST)
    assert found.verdict.outcome == ("incorrect" if not code else "error")
    if code:
        assert found.verdict.code == f"sandbox_unavailable:{code}"
        assert "bubblewrap" in found.sentence
        assert len(started.read_text(encoding="ascii").splitlines()) == 1  # the canary alone


BARE = """#!{python}
import os, sys
os.environ["PLANTED"] = "planted"
os.mkdir("{folder}/job")
for at, word in enumerate(sys.argv):
    if word == "--ro-bind-data":
        text = open(int(sys.argv[at + 1]), "rb").read().replace(b"/scratch", b"{folder}").replace(b"/job/", b"{folder}/job/")
        open("{folder}" + sys.argv[at + 2], "wb").write(text)
os.execv("{python}", ["{python}", "{folder}/job/inside.py"])
"""


def test_a_leaking_sandbox_is_found_out(tmp_path: Path) -> None:
    """With limits but no sandbox around it the canary gets out in every way, so its silence means something."""
    path = tmp_path / "bwrap"
    path.write_text(BARE.format(python=sys.executable, folder=tmp_path), encoding="ascii")
    path.chmod(0o755)
    lacking = canary.why_unavailable(CodeOptions(bubblewrap=str(path)))
    assert lacking.startswith("canary:")
    for name in (
        "network",
        "write_outside",
        "read_secret",
        "read_home",
        "read_passwords",
        "proc",
        "other_processes",
        "environment",
    ):
        assert name in lacking


def test_without_bubblewrap_nothing_is_run() -> None:
    """The word says what is missing and how to mend it."""
    found = CodeVerifier(CodeOptions(bubblewrap="no-such-sandbox")).judge(REQUEST)
    assert (found.verdict.outcome, found.verdict.code) == ("error", "sandbox_unavailable:no_bubblewrap")
    assert "Install bubblewrap" in found.sentence


def test_without_a_filter_nothing_is_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine for which no table of system calls is kept runs no program, although it has bubblewrap."""
    monkeypatch.setattr(sandbox, "syscall_filter", lambda: None)
    found = CodeVerifier(CodeOptions(bubblewrap=fake(tmp_path, "exit 0"))).check(REQUEST)
    assert found.code == "sandbox_unavailable:no_filter"
    assert syscalls.syscall_filter("s390x") is None


def test_a_sandbox_that_fails_later_is_an_error(small: CodeOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between canary and candidate the sandbox may break: the verdict is an error, not the program's failure."""
    verifier = CodeVerifier(small)
    assert verifier.check(REQUEST).outcome == "correct"
    monkeypatch.setattr(sandbox, "_libraries", lambda: ("--ro-bind", "/no/such/folder", "/lib"))
    assert verifier.check(REQUEST).code == "sandbox_failed"
    monkeypatch.setattr(sandbox.subprocess, "Popen", refuse)
    assert verifier.check(REQUEST).code == "sandbox_failed"


def refuse(*_words: object, **_options: object) -> None:
    """As the system does when no process can be started."""
    raise OSError("Resource temporarily unavailable")


def test_a_program_too_long_is_not_run(small: CodeOptions) -> None:
    """It goes to a person."""
    request = AnswerCheck(candidate="#" * 2000, reference="", facts=TESTS)
    found = CodeVerifier(small.model_copy(update={"program_kib": 1})).check(request)
    assert (found.outcome, found.code) == ("review", "program_too_long")


def test_it_holds_for_an_unprivileged_caller(small: CodeOptions, tmp_path: Path) -> None:
    """The sandbox is as tight when it is started by nobody: same arguments, no rights needed."""
    python = shutil.which("python3", path="/usr/bin")
    if os.geteuid() != 0 or python is None:
        pytest.skip("only root can become nobody, and only with an interpreter that nobody may read")
    if subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"], check=False).returncode:
        pytest.skip("the system's interpreter is too old")
    home = Path("/var/tmp") / f"sandbox-test-{os.getpid()}"  # every folder above the tests' own may be shut to nobody
    package = home / "conformed_plugins" / "verifiers" / "code"
    package.mkdir(parents=True)
    try:
        for name in ("sandbox.py", "inside.py", "syscalls.py"):
            shutil.copy(Path(code.__file__).parent / name, package / name)
        (home / "program.py").write_bytes(canary._CANARY)
        (home / "try.py").write_text(AS_NOBODY, encoding="utf-8")
        home.chmod(0o755)
        done = subprocess.run(
            [python, str(home / "try.py")],
            env={"PYTHONPATH": str(home)},
            cwd=home,
            user=65534,
            group=65534,
            extra_groups=[],
            capture_output=True,
            check=False,
        )
        assert done.stdout.decode() + done.stderr.decode() == "True 0 []\n"
    finally:
        shutil.rmtree(home)


AS_NOBODY = """
import json
from pathlib import Path
from conformed_plugins.verifiers.code import sandbox
limits = {"RLIMIT_AS": 1 << 27, "RLIMIT_NPROC": 32, "RLIMIT_NOFILE": 64}
arguments = json.dumps([9, "/var/tmp/written", "/etc/hostname", "/", list(Path("/").stat()[1:3]), 1 << 28])
job = {"kind": "call", "function": "attempt", "limits": limits, "cpu_s": 2, "arguments": arguments}
inside = Path(sandbox.__file__).with_name("inside.py").read_bytes()
files = {"inside.py": inside, "program.py": Path("program.py").read_bytes(), "job.json": json.dumps(job).encode()}
seen = sandbox.run_inside("bwrap", files, b"", scratch_bytes=1 << 20, wall_s=20, output_bytes=9999)
print(seen.started, seen.status, seen.output.decode() or seen.report.decode())
"""
