"""Whether a call looks at the world: the clock, the environment, chance, the network, the disk. For tests of steps and plugins.

A pure step gets everything that it needs from its inputs, or a replay of it proves nothing. Nothing is patched: the interpreter
tells of each call that is made, however it was imported, so that nothing can be called past it. Watching is slow; no run is watched.
"""

from __future__ import annotations

import builtins
import gc
import os
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

__all__ = ["looks_at_the_world"]

T = TypeVar("T")

_MODULES = {
    "time": "the clock", "socket": "the network", "_socket": "the network", "_ssl": "the network", "ssl": "the network",
    "_random": "chance", "random": "chance", "secrets": "chance", "uuid": "chance", "posix": "the system", "nt": "the system",
    "_posixsubprocess": "another process", "subprocess": "another process",
}  # fmt: skip
_METHODS = {
    "datetime.now": "the clock", "datetime.utcnow": "the clock", "datetime.today": "the clock", "date.today": "the clock",
    "Random.random": "chance", "Random.getrandbits": "chance", "Random.seed": "chance", "socket.connect": "the network",
    "socket.bind": "the network", "socket.connect_ex": "the network", "socket.sendto": "the network",
}  # fmt: skip
_HARMLESS = frozenset({
    "posix.fspath", "nt.fspath", "time.struct_time", "posix.getpid", "posix.stat_result", "posix.sched_yield", "posix.register_at_fork",
})  # fmt: skip
"""Calls of those modules that tell nothing which could change a result."""
_OPENS = frozenset({builtins.open, os.open})
_ENVIRONMENT = frozenset({
    code for name in ("__getitem__", "__contains__", "__iter__", "__len__", "get", "copy", "items", "keys", "values")
    if (code := getattr(getattr(type(os.environ), name, None), "__code__", None)) is not None
} | {os.getenv.__code__})  # fmt: skip


def looks_at_the_world(call: Callable[[], T]) -> tuple[T, tuple[str, ...]]:
    """Makes a call and says what of the world it looked at.

    Imports that happen meanwhile are passed over: make the call once before, so that none is left.

    Args:
        call: takes nothing.

    Returns:
        What it gave, and each kind of look with the name of what was called, sorted, each once.
    """
    seen: set[str] = set()

    def watch(frame: FrameType, event: str, called: Any) -> None:
        found = _of_python(frame) if event == "call" else _of_c(called) if event == "c_call" else ""
        if found and not _importing(frame):
            seen.add(found)

    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # others hang work on the collector, which may begin at any call, and that is none of the call's own
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        given = call()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
        if collects:
            gc.enable()
    return given, tuple(sorted(seen))


def _of_python(frame: FrameType) -> str:
    code = frame.f_code
    if code in _ENVIRONMENT and (code is os.getenv.__code__ or _of_environment(frame)):
        return "the environment: os.environ"
    return ""


def _of_environment(frame: FrameType) -> bool:
    """Methods such as ``get`` are shared by all mappings: only those of the environment itself count."""
    return frame.f_locals.get("self") is os.environ


def _of_c(called: Any) -> str:
    module, name = getattr(called, "__module__", None) or "", getattr(called, "__qualname__", "")
    if called in _OPENS:
        return f"the disk: {name}"
    short = f"{module}.{name}"
    what = _MODULES.get(module, "") or _METHODS.get(name, "")
    return f"{what}: {name}" if what and short not in _HARMLESS else ""


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
