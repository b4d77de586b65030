"""The worker's loop: a line of JSON in, a line of JSON out, under limits of memory and processor time."""

from __future__ import annotations

import json
import resource
import sys
from typing import Any

__all__ = ["main"]


def _limit(megabytes: int) -> None:
    for which, value in ((resource.RLIMIT_AS, megabytes << 20), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(which, (value, value))


def _allow(seconds: int) -> None:
    """So much more processor time; also the end of a child whose parent died while it was busy."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def main(megabytes: int, seconds: int) -> int:
    """Answers requests until there are no more."""
    from .prove import answer

    sys.setrecursionlimit(3000)
    _limit(megabytes)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        _allow(seconds)
        try:
            said: dict[str, Any] = answer(json.loads(line))
        except MemoryError:
            said = {"stop": "memory_limit"}
        except Exception as problem:  # noqa: BLE001 - the algebra raises of every kind; each means only that it cannot tell
            said = {"status": "unknown", "code": f"algebra_failed:{type(problem).__name__.lower()}"}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
    return 0
