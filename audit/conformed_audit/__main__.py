"""``python -m conformed_audit verify FILE``: verification from the command line, with nothing else installed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from conformed_audit.verify import Expected, VerifyResult, verify

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Returns:
        0 when the log verifies, 1 when it does not, 2 for bad usage.
    """
    parser = argparse.ArgumentParser(prog="conformed_audit", description="Checks an append-only log.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("verify", help="read a log and say whether it is what was written")
    check.add_argument("file", help="the log")
    check.add_argument("--size", type=int, help="how many records it had, as remembered elsewhere")
    check.add_argument("--root", help="root over that many records, as remembered elsewhere (hex)")
    check.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args(arguments)
    if (options.size is None) != (options.root is None):
        parser.error("--size and --root go together")
    expect = None if options.size is None else Expected(options.size, options.root)
    result = verify(options.file, expect=expect)
    sys.stdout.write(json.dumps(asdict(result), sort_keys=True) + "\n" if options.json else _say(result))
    return 0 if result.ok else 1


def _say(result: VerifyResult) -> str:
    bad = result.first_bad
    if bad is None:
        tail = (
            "" if result.anchored else "Nothing outside the file was compared: a cut tail or a wholly re-hashed log would pass.\n"
        )
        return f"ok: {result.checked:,} records, root {result.root}\n{tail}"
    place = "" if bad.idx is None else f" at record {bad.idx}"
    case = "" if bad.case is None else f" (case {bad.case!a}{'' if bad.cseq is None else f', number {bad.cseq}'})"
    return (
        f"{result.classification}{place}{case}: {bad.check}: expected {bad.expected}, found {bad.found}\n"
        f"{result.checked:,} records before it verified.\n"
    )


if __name__ == "__main__":
    sys.exit(main())
