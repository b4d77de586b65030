"""Versions and pins: ``1.0.0``, or simple ranges such as ``>=1,<2``. No wildcards, no pre-releases, no "latest"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.policy.refused import RefusedError

__all__ = ["Pin", "parse_version"]

_VERSION = re.compile(r"(?:0|[1-9][0-9]{0,5})(?:\.(?:0|[1-9][0-9]{0,5})){0,3}\Z")
_BOUND = re.compile(r"(>=|<=|>|<)(.+)\Z")


def parse_version(text: str) -> tuple[int, int, int, int]:
    """A version of one to four whole numbers; missing ones are zero.

    Raises:
        RefusedError: for anything else.
    """
    if not _VERSION.match(text):
        raise RefusedError(f"{text!r} is not a version", "Write numbers and points: 1.0.0.")
    parts = [int(part) for part in text.split(".")] + [0, 0, 0]
    return parts[0], parts[1], parts[2], parts[3]


@dataclass(frozen=True, slots=True)
class Pin:
    """Which versions are accepted."""

    text: str
    """As written."""
    bounds: tuple[tuple[str, tuple[int, int, int, int]], ...]
    """Each an operator (``==``, ``>=``, ``<=``, ``>``, ``<``) and a version; all must hold."""

    @classmethod
    def parse(cls, text: str) -> Pin:
        """Reads a pin.

        Raises:
            RefusedError: when it is neither an exact version nor a range with a lower and an upper end.
        """
        pieces = [piece.strip() for piece in text.split(",")]
        if len(pieces) == 1 and _VERSION.match(text):
            return cls(text, (("==", parse_version(text)),))
        mend = "Write an exact version (1.0.0) or a range with both ends (>=1,<2)."
        bounds = []
        for piece in pieces:
            match = _BOUND.match(piece)
            if match is None:
                raise RefusedError(f"{text!r} is not a version pin", mend)
            bounds.append((match[1], parse_version(match[2].strip())))
        lower = [version for sign, version in bounds if sign in (">=", ">")]
        upper = [version for sign, version in bounds if sign in ("<=", "<")]
        if len(lower) != 1 or len(upper) != 1:
            raise RefusedError(f"{text!r} is not a range with both ends", mend)
        closed = all(sign in (">=", "<=") for sign, _ in bounds)
        if lower[0] > upper[0] or (lower[0] == upper[0] and not closed):
            raise RefusedError(f"no version fits {text!r}", "Turn the ends round.")
        return cls(text, tuple(bounds))

    def accepts(self, version: str) -> bool:
        """Whether a version fits; one that is not a plain version never does."""
        try:
            found = parse_version(version)
        except RefusedError:
            return False
        tests = {"==": found.__eq__, ">=": found.__ge__, "<=": found.__le__, ">": found.__gt__, "<": found.__lt__}
        return all(tests[sign](bound) for sign, bound in self.bounds)
