"""One program in one sandbox: bubblewrap with name spaces, a filter of system calls and hard limits, thrown away afterwards.

Inside there are the interpreter with its standard library, the machine's shared libraries, the job (all read-only) and one
small folder in memory that can be written. No network, no environment, no /etc, /home, /proc or /dev (but /dev/null).
"""

from __future__ import annotations

import fcntl
import os
import selectors
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformed_plugins.verifiers.code.syscalls import syscall_filter

__all__ = ["Seen", "run_inside"]

REPORT_BYTES = 8192
"""How much of the program's error output is kept."""
_READY, _COMPILED = b"ready\n", b"compiled\n"


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a run, from outside."""

    started: bool
    """Whether the limits were set and the candidate's turn came. False: the sandbox failed, and nothing was run."""
    compiled: bool
    """Whether the program compiled. False: not a line of it was run, and what is reported is the compiler's word."""
    ended: str
    """``exit``, ``timeout`` (by the clock) or ``output_limit``."""
    status: int
    """Exit status; 128 and more for a signal."""
    output: bytes
    """What came out where the answer belongs."""
    report: bytes
    """What came out beside it, shortened. Untrusted text."""


@cache
def _interpreter() -> tuple[str, ...]:
    """Arguments that bind this interpreter under ``/python``: the program, its library and nothing that was installed beside."""
    program = Path(getattr(sys, "_base_executable", "") or sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    home = f"/python/{sys.platlibdir}/{library.name}"
    words = ["--ro-bind", str(program), "/python/bin/python3", "--ro-bind", str(library), home]
    for shared in sorted((Path(sys.base_prefix) / "lib").glob("libpython*.so*")):
        if str(library.parent.parent) != "/usr":
            words += ["--ro-bind", str(shared.resolve()), f"/python/lib/{shared.name}"]
    if (library / "site-packages").is_dir():
        words += ["--tmpfs", f"{home}/site-packages", "--remount-ro", f"{home}/site-packages"]
    return tuple(words)


@cache
def _libraries() -> tuple[str, ...]:
    """Arguments that bind the machine's shared libraries, where it keeps them."""
    words: list[str] = []
    for name in ("/usr/lib", "/usr/lib64", "/lib", "/lib64"):
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    for installed in ("/usr/lib/python3/dist-packages",):
        if Path(installed).is_dir():
            words += ["--tmpfs", installed, "--remount-ro", installed]
    return tuple(words)


def _arguments(bubblewrap: str, files: Mapping[str, int], rules: int, scratch_bytes: int) -> list[str]:
    words = [
        bubblewrap,
        "--unshare-user",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ]
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--uid", "65534", "--gid", "65534"]
    words += [
        "--hostname",
        "sandbox",
        "--clearenv",
        "--setenv",
        "PYTHONHASHSEED",
        "0",
        "--setenv",
        "LD_LIBRARY_PATH",
        "/python/lib",
    ]
    words += [*_libraries(), *_interpreter()]
    words += ["--dev-bind", "/dev/null", "/dev/null"]
    for name, handle in files.items():
        words += ["--ro-bind-data", str(handle), f"/job/{name}"]
    words += ["--size", str(scratch_bytes), "--tmpfs", "/scratch", "--chdir", "/scratch", "--remount-ro", "/"]
    words += ["--seccomp", str(rules)]
    return [*words, "/python/bin/python3", "-S", "-s", "-P", "-B", "-X", "utf8", "/job/inside.py"]


@contextmanager
def _sealed(data: bytes) -> Iterator[int]:
    """A file in memory that nobody can change any more, at its beginning."""
    handle = os.memfd_create("job", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with open(handle, "wb", closefd=False) as file:
            file.write(data)
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)


def _read(child: subprocess.Popen[bytes], until: float, most: int) -> tuple[str, bytes, bytes]:
    """Reads what comes out until all of it is closed and the program has ended, or it passed a limit: how it ended, and both outputs."""
    assert child.stdout is not None
    assert child.stderr is not None
    output, report = bytearray(), bytearray()
    with selectors.DefaultSelector() as waiting:
        waiting.register(child.stdout, selectors.EVENT_READ, output)
        waiting.register(child.stderr, selectors.EVENT_READ, report)
        while waiting.get_map():
            ready = waiting.select(max(0.0, until - time.monotonic()))
            if not ready and time.monotonic() >= until:
                return "timeout", bytes(output), bytes(report)
            for key, _ in ready:
                piece = os.read(key.fd, 65536)
                if not piece:
                    waiting.unregister(key.fileobj)
                key.data.extend(piece if key.data is output else piece[: REPORT_BYTES - len(report)])
            if len(output) > most:
                return "output_limit", bytes(output[:most]), bytes(report)
    try:
        child.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return "timeout", bytes(output), bytes(report)
    return "exit", bytes(output), bytes(report)


def run_inside(
    bubblewrap: str, files: Mapping[str, bytes], stdin: bytes, *, scratch_bytes: int, wall_s: float, output_bytes: int
) -> Seen:
    """Runs ``inside.py`` on the job in a new sandbox, and waits until nothing of it is left.

    Args:
        bubblewrap: the sandbox program.
        files: what lies under ``/job``, by name.
        stdin: what the program can read.
        scratch_bytes: size of the folder that can be written.
        wall_s: seconds by the clock.
        output_bytes: most that may come out.

    Raises:
        OSError: when the sandbox program cannot be started.
        NotImplementedError: on a machine for which there is no filter of system calls.
    """
    found, rules = shutil.which(bubblewrap), syscall_filter()
    if found is None:
        raise FileNotFoundError(bubblewrap)
    if rules is None:
        raise NotImplementedError("no filter of system calls for this machine")
    with ExitStack() as stack:
        handles = {name: stack.enter_context(_sealed(data)) for name, data in files.items()}
        filter_handle, input_handle = stack.enter_context(_sealed(rules)), stack.enter_context(_sealed(stdin))
        child = stack.enter_context(
            subprocess.Popen(  # noqa: S603 - fixed arguments; the candidate is data of a file
                _arguments(found, handles, filter_handle, scratch_bytes),
                stdin=input_handle,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(*handles.values(), filter_handle),
                env={},
                cwd="/",
            )
        )
        try:
            ended, output, report = _read(child, time.monotonic() + wall_s, output_bytes)
        finally:
            child.kill()  # with it its name space of processes ends, and everybody in it
    started = report.startswith(_READY)
    report = report.removeprefix(_READY)
    return Seen(
        started=started,
        compiled=started and report.startswith(_COMPILED),
        ended=ended,
        status=child.returncode if child.returncode >= 0 else 128 - child.returncode,
        output=output,
        report=report.removeprefix(_COMPILED) if started else report,
    )
