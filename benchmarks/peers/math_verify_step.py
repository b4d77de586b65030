"""Checks answers with Math-Verify, in an environment of its own: JSON pairs on standard input, times and verdicts on standard output.

    PEERS/bin/python benchmarks/peers/math_verify_step.py < pairs.json

Each pair is (reference, answer), as that library wants them. Its timeouts are on, as they are by default.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def main() -> None:
    """Checks every pair, and says how long each took and what was found."""
    from math_verify import parse, verify

    pairs: list[list[str]] = json.load(sys.stdin)
    verify(parse("$1$"), parse("$1$"))  # whatever it builds the first time is not an answer's cost
    found: list[dict[str, Any]] = []
    for reference, candidate in pairs:
        start = time.perf_counter()
        try:
            said: bool | None = bool(verify(parse(f"${reference}$"), parse(f"${candidate}$")))
        except Exception:  # noqa: BLE001 - what the library raises is counted as no verdict
            said = None
        found.append({"seconds": time.perf_counter() - start, "correct": said})
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
