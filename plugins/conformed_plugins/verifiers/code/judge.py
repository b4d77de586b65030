"""Judges one program on one test, from outside: what came out of the sandbox, byte for byte against what must."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from conformed_plugins.verifiers.code.given import CallTest, StdinTest
from conformed_plugins.verifiers.code.limits import CodeOptions
from conformed_plugins.verifiers.code.sandbox import Seen, run_inside

__all__ = ["Judged", "judge"]

PASSED = "passed"
SANDBOX_FAILED = "sandbox_failed"

_SYNTAX = 81
_EXITS = {1: "raised", _SYNTAX: "raised", 82: "memory", 83: "not_json", 84: "no_function", 128 + 24: "timeout", 128 + 9: "killed"}
"""Exit status to code; the numbers of ``inside.py``, and signals: 24 the processor's time, 9 by force.

A candidate can end with any of them on purpose. Each says that it failed, and none that it passed.
"""


@dataclass(frozen=True, slots=True)
class Judged:
    """How one test went."""

    code: str
    """passed, sandbox_failed, or why not: wrong_answer, raised, timeout, memory, output_limit, syntax_error, not_json ..."""
    shown: str = ""
    """What the program printed or returned, shortened. Untrusted text."""
    said: str = ""
    """What it said beside it, shortened; the sandbox's own words where that failed. Untrusted text."""


@cache
def _runner() -> bytes:
    return (files("conformed_plugins.verifiers.code") / "inside.py").read_bytes()


def judge(program: bytes, test: StdinTest | CallTest, options: CodeOptions, wall_s: float) -> Judged:
    """Runs a program on a test in a sandbox of its own and judges what came out.

    Args:
        program: its source.
        test: only its input or arguments enter the sandbox.
        options: limits.
        wall_s: seconds by the clock.

    Raises:
        OSError: when the sandbox cannot be started.
        NotImplementedError: on a machine for which there is no filter of system calls.
    """
    job: dict[str, object] = {"kind": test.kind, "limits": options.rlimits(), "cpu_s": options.cpu_s}
    stdin = b""
    if isinstance(test, StdinTest):
        stdin = test.stdin()
    else:
        job |= {"function": test.function, "arguments": test.call()}
    seen = run_inside(
        options.bubblewrap,
        {"inside.py": _runner(), "program.py": program, "job.json": json.dumps(job).encode("ascii")},
        stdin,
        scratch_bytes=options.scratch_mib * 1024 * 1024,
        wall_s=wall_s,
        output_bytes=options.output_kib * 1024,
    )
    shown, said = (text[:600].decode("utf-8", "backslashreplace") for text in (seen.output, seen.report))
    return Judged(_code(seen, test), shown, said)


def _code(seen: Seen, test: StdinTest | CallTest) -> str:
    if not seen.started:
        return SANDBOX_FAILED
    if seen.ended != "exit":
        return seen.ended
    if not seen.compiled and seen.status == _SYNTAX:
        return "syntax_error"  # the compiler's word: what compiles cannot say it
    if seen.status != 0:
        return _EXITS.get(seen.status, "raised")
    output = seen.output if isinstance(test, CallTest) else seen.output.rstrip(b"\n")
    return PASSED if output == test.expected() else "wrong_answer"
