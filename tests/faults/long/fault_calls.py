"""Failure injected into every system call by which a deployment writes, with strace: errors, and SIGKILL at the call.

A child waits; strace takes hold of it; then it works. So each number counts the deployment's own calls, and nothing of the
interpreter's start. The first life of all is counted without faults; then each of its calls fails once, alone or with all
that follow.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fault_clerk import Life, forked, judge, life
from fault_told import Told

__all__ = ["CALLS", "every_call", "missing"]

CALLS = (
    "write", "pwrite64", "pread64", "fsync", "fdatasync", "ftruncate", "openat", "mkdir", "rename", "link", "unlink", "fcntl",
    "mmap", "newfstatat",
)  # fmt: skip
"""The calls into which faults are put. An acknowledgement goes through ``sendto``."""
_ERRORS = {
    "write": ("EIO", "ENOSPC"), "pwrite64": ("EIO", "ENOSPC"), "pread64": ("EIO",), "fsync": ("EIO", "ENOSPC"),
    "fdatasync": ("EIO", "ENOSPC"), "ftruncate": ("EIO", "ENOSPC"), "openat": ("EIO", "ENOSPC", "EMFILE"), "mkdir": ("ENOSPC",),
    "rename": ("EIO", "ENOSPC"), "link": ("EIO", "ENOSPC"), "unlink": ("EIO",), "fcntl": ("EIO",), "mmap": ("ENOMEM",),
    "newfstatat": ("EIO",),
}  # fmt: skip
_WRITES = frozenset({"write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "link", "unlink"})
_TRACE = re.compile(r"^(\w+)\(", re.MULTILINE)


@cache
def missing() -> str:
    """Why it cannot be done here; nothing where it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(["strace", "-qq", "-e", "trace=none", "true"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"this system does not permit tracing: {done.stderr.strip()[:100]}"


def traced(folder: Path, lived: Life, fault: str) -> tuple[list[str], bool, str]:
    """A life under strace.

    Returns:
        What it said, whether it ended by itself, and the trace.
    """
    file = folder.parent / f"{folder.name}.trace"

    def begin(child: int) -> Callable[[], None]:
        words = [
            "strace",
            "-p",
            str(child),
            "-o",
            str(file),
            "-e",
            f"trace={','.join(CALLS)}",
            *(["-e", f"inject={fault}"] if fault else []),
        ]
        watching = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        assert watching.stderr is not None
        first = watching.stderr.readline()
        assert "attached" in first, first

        def end() -> None:
            watching.communicate()

        return end

    said, ended = forked(lived, begin)
    return said, ended, file.read_text(errors="replace")


def counted(folder: Path) -> Counter[str]:
    """How often an undisturbed life makes each call."""
    folder.mkdir()
    said, ended, trace = traced(folder, life(folder, "life"), "")
    assert ended, said
    assert not [line for line in said if line.startswith(("refused", "foreign"))], said
    return Counter(_TRACE.findall(trace))


def places(calls: Counter[str]) -> list[str]:
    """Every fault that can be put into such a life, as strace words it."""
    found = []
    for call in CALLS:
        for number in range(1, calls[call] + 1):
            found += [f"{call}:error={error}:when={number}{later}" for error in _ERRORS[call] for later in ("", "+")]
            if call in _WRITES:
                found.append(f"{call}:signal=KILL:when={number}")
    return found


def every_call(folder: Path, seed: int, most: int | None = None, until: Callable[[], bool] = lambda: False) -> list[Told]:
    """Puts each fault into a life of its own, in an order drawn by chance.

    Args:
        folder: an empty folder.
        seed: of the order.
        most: how many faults; None for all. At least one of each call is among them.
        until: whether to stop now.
    """
    errors, kills = Told("a system call fails (EIO, ENOSPC, EMFILE, ENOMEM)"), Told("SIGKILL at a call that writes")
    if word := missing():
        errors.skipped = kills.skipped = word
        return [errors, kills]
    found = places(counted(folder / "counted"))
    random.Random(seed).shuffle(found)
    first = {fault.rpartition("=")[0]: fault for fault in reversed(found)}  # one of each call and kind before all others
    found.sort(key=lambda fault: first[fault.rpartition("=")[0]] != fault)
    for number, fault in enumerate(found[:most]):
        if until():
            break
        one = folder / f"life-{number}"
        one.mkdir()
        told = kills if "KILL" in fault else errors
        said, ended, trace = traced(one, life(one, "life"), fault)
        told.injected += trace.count("(INJECTED)") if "KILL" not in fault else not ended
        judge(one, said, told, f"inject={fault}")
        shutil.rmtree(one)
    return [errors, kills]
