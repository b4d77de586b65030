"""``python -m conformed_audit verify FILE``: verification from the command line, with nothing else installed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from conformed_audit.errors import NoteError
from conformed_audit.outside import notes_of
from conformed_audit.trust import Trust
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
    check.add_argument("--keys", metavar="FILE", type=Path, help="public keys of the log and its witnesses, one a line")
    check.add_argument("--quorum", metavar="N", type=int, default=0, help="how many witnesses must have cosigned; default: all")
    check.add_argument(
        "--checkpoint", metavar="PATH", type=Path, action="append", default=[], help="one kept elsewhere, or a folder of them"
    )
    check.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args(arguments)
    if (options.size is None) != (options.root is None):
        parser.error("--size and --root go together")
    expect = None if options.size is None else Expected(options.size, options.root)
    if options.quorum and options.keys is None:
        parser.error("--quorum goes with --keys")
    if options.keys is not None and find_spec("cryptography") is None:
        parser.error("signatures are checked with the package cryptography, which is not installed")
    try:
        trust = Trust() if options.keys is None else Trust.parse(options.keys.read_text(encoding="utf-8"), options.quorum)
        given = notes_of(options.checkpoint)
    except OSError as problem:
        parser.error(f"{problem.filename} cannot be read: {problem.strerror}")
    except (NoteError, UnicodeDecodeError) as problem:
        parser.error(str(problem))
    result = verify(options.file, expect=expect, trust=trust, given=given)
    sys.stdout.write(json.dumps(asdict(result), sort_keys=True) + "\n" if options.json else _say(result))
    return 0 if result.ok else 1


def _say(result: VerifyResult) -> str:
    bad = result.first_bad
    if bad is None:
        return f"ok: {result.checked:,} records, root {result.root}\n{_seen(result)}"
    place = "" if bad.idx is None else f" at record {bad.idx}"
    case = "" if bad.case is None else f" (case {bad.case!a}{'' if bad.cseq is None else f', number {bad.cseq}'})"
    return (
        f"{result.classification}{place}{case}: {bad.check}: expected {bad.expected}, found {bad.found}\n"
        f"{result.checked:,} records before it verified.\n"
    )


def _seen(result: VerifyResult) -> str:
    """What was compared with something outside the database, and what was not, a line each."""
    lines = [f"It continues {result.given} checkpoints or sizes that were kept elsewhere."] if result.given else []
    if not result.anchored:
        lines.append("Nothing outside the file was compared: a cut tail or a wholly re-hashed log would pass.")
    lines.append("Every signature holds." if result.signed else "No key was given: no signature was checked.")
    if result.cosigned is not None:
        lines.append(f"Cosignatures cover {result.cosigned:,} records.")
    if result.unpublished:
        lines.append(f"{result.unpublished:,} records are under no checkpoint that somebody outside holds.")
    if result.erased:
        lines.append(f"{result.erased:,} contents were erased, each with a record that says why.")
    if result.unopened:
        lines.append(f"{result.unopened:,} sealed contents were not opened.")
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
