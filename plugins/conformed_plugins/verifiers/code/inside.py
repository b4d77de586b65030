"""What runs inside the sandbox: sets the limits, then runs the candidate on one test. Standard library only; copied in as text.

It judges nothing and knows no expected result. Everything after the word ``compiled`` may be the candidate's doing, whatever
it claims: a program that takes over this process can only write an answer, and an answer is right or it is not.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

__all__ = ["main"]

_RAISED, _SYNTAX, _MEMORY, _NOT_JSON, _NO_FUNCTION = 1, 81, 82, 83, 84
_JSON_TYPES = (bool, int, str, type(None))


def _plain(value: Any, depth: int = 0) -> bool:
    """Whether a value is JSON to the letter: exact types, no subclass, no tuple, finite floats, text as keys."""
    kind: type = type(value)
    if kind in _JSON_TYPES:
        return True
    if kind is float:
        return value == value and value not in (float("inf"), float("-inf"))  # NaN alone differs from itself
    if depth > 200:
        return False
    if kind is list:
        return all(_plain(one, depth + 1) for one in value)
    return kind is dict and all(type(key) is str and _plain(one, depth + 1) for key, one in value.items())


def _leave(code: int, problem: BaseException | None) -> NoReturn:
    """Ends at once, with one line about the problem where a person can read it."""
    line = "" if problem is None else f"{type(problem).__name__}: {problem}"
    if problem is not None:
        at = [frame.tb_lineno for frame in _frames(problem.__traceback__) if frame.tb_frame.f_code.co_filename == "program.py"]
        line += f" (line {at[-1]})" if at else ""
    os.write(2, line.encode("utf-8", "backslashreplace")[:2000])
    os._exit(code)


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    """The frames of a traceback, outermost first."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def main() -> None:
    """Runs one job: ``/job/job.json`` says which, ``/job/program.py`` is the candidate."""
    job = json.loads(Path("/job/job.json").read_text(encoding="utf-8"))
    source = Path("/job/program.py").read_bytes()
    sys.set_int_max_str_digits(0)
    for name, value in job["limits"].items():
        limit = getattr(resource, name)
        hard = resource.getrlimit(limit)[1]
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (least, least))
    resource.setrlimit(resource.RLIMIT_CPU, (job["cpu_s"], job["cpu_s"] + 1))
    os.write(2, b"ready\n")
    try:
        code = compile(source, "program.py", "exec", dont_inherit=True)
    except MemoryError as problem:
        _leave(_MEMORY, problem)
    except (SyntaxError, ValueError, OverflowError, RecursionError) as problem:
        _leave(_SYNTAX, problem)
    os.write(2, b"compiled\n")
    sys.argv = ["program.py"]
    try:
        if job["kind"] == "call":
            _call(code, job["function"], json.loads(job["arguments"]))
        else:
            module = sys.modules["__main__"] = ModuleType("__main__")
            exec(code, module.__dict__)  # noqa: S102 - this is the place for it
    except MemoryError as problem:
        _leave(_MEMORY, problem)
    except SystemExit:
        raise
    except BaseException as problem:  # noqa: BLE001 - the candidate may raise anything; it is reported as its failure
        _leave(_RAISED, problem)


def _call(code: CodeType, name: str, arguments: list[Any]) -> NoReturn:
    """Calls one function of the candidate and writes what it returned. What it prints goes to the report."""
    channel = os.dup(1)
    os.dup2(2, 1)
    module = sys.modules["candidate"] = ModuleType("candidate")
    exec(code, module.__dict__)  # noqa: S102 - this is the place for it
    function = module.__dict__.get(name)
    if not callable(function):
        _leave(_NO_FUNCTION, None)
    value = function(*arguments)
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False) if _plain(value) else None
    except (TypeError, ValueError, RecursionError):
        text = None
    if text is None:
        _leave(_NOT_JSON, None)
    data = memoryview(text.encode("ascii"))
    while data:
        data = data[os.write(channel, data) :]
    os._exit(0)


if __name__ == "__main__":
    main()
