"""Tries once, by really doing it, whether this machine can hold a program: a canary that tries to get out and to grow."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from pathlib import Path

from conformed_plugins.verifiers.code.given import CallTest
from conformed_plugins.verifiers.code.judge import PASSED, SANDBOX_FAILED, Judged, judge
from conformed_plugins.verifiers.code.limits import CodeOptions

__all__ = ["why_unavailable"]

_CANARY = b"""
import os, resource, socket

def attempt(port, outside, secret, home, place, memory):
    out = []
    def tries(name, act):
        try:
            act()
        except BaseException:
            return
        out.append(name)
    def grow():
        held = bytearray(memory)
        held[::4096] = b"x" * len(held[::4096])
    def fork():
        if os.fork() == 0:
            os._exit(0)
    tries("network", lambda: socket.create_connection(("127.0.0.1", port), 1))
    tries("write_outside", lambda: open(outside, "w"))
    tries("write_root", lambda: os.open("/", os.O_TMPFILE | os.O_WRONLY))
    tries("read_secret", lambda: open(secret))
    tries("read_home", lambda: [None][0 if list(os.stat(home)[1:3]) == place else 1])
    tries("read_passwords", lambda: open("/etc/passwd"))
    tries("proc", lambda: os.listdir("/proc"))
    tries("other_processes", lambda: [None][0 if os.getpid() > 9 else 1])
    tries("second_process", fork)
    tries("memory", grow)
    tries("more_memory_allowed", lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)))
    tries("environment", lambda: [None][0 if set(os.environ) - {"LC_CTYPE", "LD_LIBRARY_PATH", "PWD", "PYTHONHASHSEED"} else 1])
    tries("unlimited_time", lambda: [None][0 if resource.getrlimit(resource.RLIMIT_CPU)[1] < 0 else 1])
    open("/scratch/kept", "w").write("x")
    return out
"""


def why_unavailable(options: CodeOptions) -> str:
    """Why programs cannot be run here under these limits; empty where they can. A try takes about a tenth of a second.

    Returns:
        ``no_bubblewrap``, ``no_filter`` (a machine for which there is no table of system calls), ``cannot_start``,
        ``canary:NAMES`` (what the canary managed to do) or empty.
    """
    if shutil.which(options.bubblewrap) is None:
        return "no_bubblewrap"
    try:
        judged, written = _try(options)
    except NotImplementedError:
        return "no_filter"
    except OSError:
        return "cannot_start"
    if judged.code == SANDBOX_FAILED:
        return "cannot_start"
    if judged.code != PASSED:
        names = "".join(c for c in judged.shown if c.islower() or c in "_,")[:200]
        return f"canary:{names or judged.code}"
    return "canary:write_outside" if written else ""


def _try(options: CodeOptions) -> tuple[Judged, bool]:
    """What became of the canary, and whether it wrote where it must not."""
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home raises for an account without a home
    place = (
        list(Path(home).stat()[1:3]) if Path(home).is_dir() else [-1, -1]
    )  # inode and device: a path alone may be another folder inside
    memory = (options.memory_mib + 1) * 1024 * 1024
    with tempfile.TemporaryDirectory(prefix="conformed-canary-") as folder, socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(1)
        outside, secret = Path(folder) / "written", Path(folder) / "secret"
        secret.write_text("canary", encoding="ascii")
        arguments = [listening.getsockname()[1], str(outside), str(secret), home, place, memory]
        test = CallTest(kind="call", function="attempt", arguments=arguments, result=[])
        return judge(_CANARY, test, options, options.wall_s), outside.exists()
