"""The child's loop: requests from standard input, frames on standard output, then the end.

The file comes open (or by path), is mapped and never copied. A request is one line of JSON. A frame is four bytes of length, one
byte of kind (``J`` JSON, ``B`` bytes, ``E`` the end of an answer), then the payload. A child serves one file only.
"""

from __future__ import annotations

import json
import mmap
import os
import select
import sys
from typing import Any

__all__ = ["main", "say"]

IDLE_SECONDS = 5.0


def _limit(megabytes: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:  # not a POSIX system: the parent's clock is the only bound
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds += int(used.ru_utime + used.ru_stime)
    limits = ((resource.RLIMIT_AS, megabytes << 20), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0))
    for which, value in limits:
        try:
            resource.setrlimit(which, (value, resource.getrlimit(which)[1]))
        except (ValueError, OSError):
            continue


def _send(kind: bytes, payload: bytes) -> None:
    sys.stdout.buffer.write(len(payload).to_bytes(4, "big") + kind + payload)
    sys.stdout.buffer.flush()


def say(value: Any) -> None:
    """Sends one JSON frame."""
    _send(b"J", json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))


def main(file: str) -> int:
    """Carries out requests until there are no more.

    Args:
        file: number of the open file, or its path.
    """
    source = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0)) if not file.isdigit() else int(file)
    data = mmap.mmap(source, os.fstat(source).st_size, access=mmap.ACCESS_COPY)
    while _waits():
        line = sys.stdin.buffer.readline()
        if not line:
            break
        asked = json.loads(line)
        _limit(asked["megabytes"], asked["seconds"])
        _answer(data, asked)
        _send(b"E", b"")
    os._exit(0)  # the kernel closes everything faster than pdfium would


def _waits() -> bool:
    """Whether a next request comes before the child has been idle for too long."""
    if os.name != "posix":
        return True
    return bool(select.select([0], [], [], IDLE_SECONDS)[0])


def _answer(data: Any, asked: dict[str, Any]) -> None:
    from .native import RefusedError

    try:
        _carry_out(data, asked)
    except RefusedError as problem:
        say({"refused": problem.code, "sentence": problem.sentence})
    except MemoryError:
        say({"refused": "too_large", "sentence": "asks for more memory than a document may use. Ask for the file again."})
    except RecursionError:
        say({"refused": "broken", "sentence": "nests its parts without end. Ask for the file again."})


def _carry_out(data: Any, asked: dict[str, Any]) -> None:
    if asked["do"] == "read":
        from .reading import read

        say(read(data, asked, say))
    elif asked["do"] == "boxes":
        from .boxes import boxes

        say(boxes(data, asked))
    elif asked["do"] == "tables":
        from .tables import tables

        say(tables(data, asked))
    elif asked["do"] == "image":
        from .image import image

        _send(b"B", image(data, asked))
    elif asked["do"] == "witness":
        from .witness import witness

        say(witness(data, asked))
    elif asked["do"] == "ocr":
        from .ocr import recognise

        recognise(data, asked, say)
        say({"done": True})
