"""The guard of pure steps: whatever looks at the world is noticed, however it was imported, and what does not is left alone."""

from __future__ import annotations

import datetime as dt
import os
import random
import secrets
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from datetime import date
from os import environ, getenv
from pathlib import Path
from time import monotonic, time_ns

import pytest

from conformed.engine.purity import looks_at_the_world


def _connect() -> None:
    with socket.socket() as one:
        one.settimeout(0.01)
        one.connect_ex(("127.0.0.1", 9))


LOOKS: dict[str, tuple[Callable[[], object], str]] = {
    "the time": (time.time, "the clock"),
    "the time by another name": (time_ns, "the clock"),
    "a clock that only goes up": (monotonic, "the clock"),
    "now": (lambda: dt.datetime.now(dt.UTC), "the clock"),
    "today": (date.today, "the clock"),
    "a variable": (lambda: os.environ.get("HOME"), "the environment"),
    "a variable by another name": (lambda: environ["PATH"], "the environment"),
    "a variable by a function": (lambda: getenv("HOME"), "the environment"),
    "all variables": (lambda: dict(os.environ), "the environment"),
    "whether there is a variable": (lambda: "HOME" in os.environ, "the environment"),
    "a socket": (_connect, "the network"),
    "a name of the network": (lambda: socket.gethostname(), "the network"),
    "chance": (random.random, "chance"),
    "a secret": (lambda: secrets.token_hex(4), "the system"),
    "an id": (uuid.uuid4, "the system"),
    "a file": (lambda: Path(__file__).read_bytes(), "the disk"),
    "a folder": (lambda: os.listdir("."), "the system"),  # noqa: PTH208 - the very call
    "another process": (lambda: subprocess.run([sys.executable, "-c", ""], check=True), "another process"),
}


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_at_the_world_is_noticed(name: str) -> None:
    """Each kind, by its name."""
    call, kind = LOOKS[name]
    _given, seen = looks_at_the_world(call)
    assert any(one.startswith(f"{kind}: ") for one in seen), seen


def test_work_on_what_was_given_is_no_look() -> None:
    """Dates, texts, numbers, hashes and mappings of one's own are nobody's business; the result comes through."""

    def work() -> str:
        days = [dt.date(2026, 1, 1) + dt.timedelta(days=n) for n in range(9)]
        held = {day.isoformat(): day.toordinal() for day in days}
        return f"{held.get('2026-01-03')} {'2026-01-04' in held} {sorted(held.items())[0]}"

    given, seen = looks_at_the_world(work)
    assert given.startswith("739619 True")
    assert seen == ()


def test_what_another_thread_looks_at_is_noticed() -> None:
    """A step that has its look done by a thread of its own."""
    import threading

    def work() -> None:
        thread = threading.Thread(target=time.time)
        thread.start()
        thread.join()

    assert any("time" in one for one in looks_at_the_world(work)[1])


def test_an_error_comes_through_and_the_watch_ends() -> None:
    """The watch is taken away whatever happens."""
    before = sys.getprofile()
    with pytest.raises(ZeroDivisionError):
        looks_at_the_world(lambda: 1 // 0)
    assert sys.getprofile() is before
