"""A disk that is full: a file system in memory of its own with little room, and a limit on the size of files.

Run as a script it does the first inside a mount namespace of its own, so that nothing is left mounted: FOLDER SEED LIVES.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from fault_clerk import Clerk, forked, judge, life
from fault_told import Told

__all__ = ["full_disk", "limited_files"]

_PAGE = 4096
_DISK_KIB = 1536
_MOST_PAGES = 90
"""A life of the clerk needs about as many pages of four kilobytes."""


def limited_files(folder: Path, seed: int, lives: int, until: Callable[[], bool] = lambda: False) -> Told:
    """Lives in which no file may grow over some size: the write that would is cut short or refused.

    Args:
        folder: an empty folder.
        seed: of the sizes.
        lives: how many.
        until: whether to stop now.
    """
    told, chance = Told("a file may not grow (RLIMIT_FSIZE)"), random.Random(seed)
    for number in range(lives):
        if until():
            break
        one, size = folder / f"limit-{number}", chance.randrange(512, 100 * _PAGE)
        one.mkdir()

        def limited(say: Callable[[str], None], one: Path = one, size: int = size) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            life(one, "life")(say)

        said, _ = forked(limited, lambda child: lambda: None)
        told.injected += any(line.startswith("refused") for line in said)
        judge(one, said, told, f"limit of {size} bytes")
        shutil.rmtree(one)
    return told


def full_disk(folder: Path, seed: int, lives: int) -> Told:
    """Lives on a small file system that fills up under log, state and bundles at once.

    Args:
        folder: an empty folder.
        seed: of how much room there is.
        lives: how many.
    """
    told = Told("disk full (a small file system in memory)")
    unshare = shutil.which("unshare")
    command = [unshare or "", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    here = [sys.executable, str(Path(__file__).resolve()), str(folder), str(seed), str(lives)]
    if unshare is None or subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        told.skipped = "this system does not permit a mount namespace"
        return told
    done = subprocess.run([*command, *here], capture_output=True, text=True, check=False)
    if done.returncode:
        told.skipped = f"no file system could be mounted: {done.stderr.strip()[-300:]}"
        return told
    for name, value in json.loads(done.stdout).items():
        setattr(told, name, value)
    return told


def _on_small_disk(folder: Path, seed: int, lives: int) -> Told:
    told, chance = Told(""), random.Random(seed)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_DISK_KIB}k", "none", str(folder)], check=True)
    for number in range(lives):
        one, room = folder / f"life-{number}", chance.randrange(_MOST_PAGES)
        one.mkdir()
        if number % 2:  # every second log is there already, with its keys
            Clerk(one, "earlier", lambda line: None).work()
        filler = folder / "filler"
        _fill(filler, room * _PAGE)
        said, _ = forked(life(one, "life"), lambda child: lambda: None)
        told.injected += any(line.startswith("refused") for line in said)
        filler.unlink()
        judge(one, said, told, f"{room} pages of room, life {number}")
        shutil.rmtree(one)
    return told


def _fill(filler: Path, room: int) -> None:
    """Takes all space but some."""
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(64 * 1024))
        except OSError:
            pass
        file.truncate(max(0, file.tell() - room))


if __name__ == "__main__":
    found = _on_small_disk(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    names = ("injected", "lost", "forks", "alarms", "unnoticed", "words")
    sys.stdout.write(json.dumps({name: getattr(found, name) for name in names}))
