"""Which value of a sentence is which: the role of each figure is read from the words around it, never from its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformed.rules.claim_text import Token

__all__ = ["NEEDY", "VALUES", "Placed", "place"]

VALUES = ("money", "ratio", "percent", "fraction")
"""Kinds of token that hold a figure."""

NEEDY = ("debt", "ebitda", "headroom_debt", "headroom_ebitda", "headroom")
"""Cues that say nothing without a value of their own."""

_CERTIFICATE = {"ratio": "certificate_ratio", "level": "certificate_level"}
_OTHER = {"certificate_ratio": "ratio", "certificate_level": "level", "ratio": "certificate_ratio", "level": "certificate_level"}
_LEVEL_WORDS = ("maximum", "minimum", "level")


@dataclass(slots=True)
class Placed:
    """Roles found in a sentence.

    Attributes:
        roles: role of each value, comparator and date, by place in the list of tokens.
        postfix: values whose role comes from the words after them ("USD 5 of debt headroom").
    """

    roles: dict[int, str] = field(default_factory=dict)
    postfix: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Seen:
    """Where the reading stands: role of the next value, whose statement it is, and whether a requirement governs the clause."""

    role: str = ""
    certificate: bool = False
    known: bool = False
    bound: bool = False
    operator: str = ""


def place(tokens: Sequence[Token]) -> Placed:
    """Gives every value, comparator and date of a sentence its role."""
    seen, found = _Seen(), Placed()
    for index, token in enumerate(tokens):
        if token.kind == "operator":
            seen.operator = token.value
        elif token.kind in ("modal", "require", "negator"):
            seen.bound = True
        elif token.kind == "name" and token.value == "metric":
            seen.role = _of(seen, "level" if _after_level_word(tokens[:index]) else "ratio")
        elif token.kind == "cue":
            _cue(token, seen)
        elif token.kind == "comparator" and not token.value.endswith("_after"):
            found.roles[index] = seen.role
            _compare(token, seen, tokens[:index])
        elif token.kind == "break":
            seen.bound = False
            seen.certificate = seen.certificate and token.raw != ";"
            if _compares_next(tokens[index + 1 :]):
                seen.role = "ratio"
        elif token.kind == "date":
            found.roles[index] = "known" if seen.known else "date"
            seen.known = False
        elif token.kind in VALUES:
            _value(tokens, index, seen, found)
    return found


def _plain(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.kind != "filler"]


def _after_level_word(before: Sequence[Token]) -> bool:
    """Whether a metric's name stands right after a word for its level ("the maximum Net Leverage is ...")."""
    last = _plain(before)[-1:]
    return bool(last) and (last[0].kind == "require" or (last[0].kind == "cue" and last[0].value in _LEVEL_WORDS))


def _compare(token: Token, seen: _Seen, before: Sequence[Token]) -> None:
    """What stands on the other side of a comparator."""
    if token.value == "eq":  # says a value again, or names what it equals
        return
    if token.value == "ne":
        seen.role = _OTHER.get(seen.role, "")
        seen.certificate = seen.role.startswith("certificate")
    elif seen.role in ("ratio", "tested", ""):
        seen.role = "level"
    elif seen.role == "level" and any(t.kind in ("ratio", "percent") for t in before):
        seen.role = "level" if seen.bound else "ratio"


def _value(tokens: Sequence[Token], index: int, seen: _Seen, found: Placed) -> None:
    after = _postfix(tokens[index + 1 :])
    if after:
        found.roles[index] = after
        found.postfix.add(index)
    elif not seen.role and (_compares_next(tokens[index:]) or _named_next(tokens[index + 1 :])):
        found.roles[index] = "ratio"
    elif seen.bound and seen.role in ("ratio", "tested"):  # what a ratio must be is a level
        found.roles[index] = "level"
    else:
        found.roles[index] = seen.role
    seen.bound = False
    if seen.operator:  # the second operand; what follows is the outcome
        seen.role, seen.operator = ("ratio" if seen.operator == "/" else ""), ""


def _postfix(after: Sequence[Token]) -> str:
    """The cue that follows a value after "of" or "in"."""
    if len(after) >= 2 and after[0].kind == "filler" and after[0].value in ("of", "in") and after[1].kind == "cue":
        return after[1].value if after[1].value in NEEDY else ""
    return ""


def _compares_next(after: Sequence[Token]) -> bool:
    """Whether what follows is a value and its comparison ("..., and 3.40x is below 3.50x")."""
    kinds = [token.kind for token in _plain(after)][:2]
    return len(kinds) == 2 and kinds[0] in VALUES and kinds[1] == "comparator"


def _named_next(after: Sequence[Token]) -> bool:
    """Whether the metric is named right after a leading value ("At 3.40x, Net Leverage was ...")."""
    rest = [token for token in _plain(after) if token.kind != "break"][:1]
    return bool(rest) and rest[0].kind == "name" and rest[0].value == "metric"


def _of(seen: _Seen, role: str) -> str:
    return _CERTIFICATE.get(role, role) if seen.certificate else role


def _cue(token: Token, seen: _Seen) -> None:
    cue = token.value
    if cue == "certificate":
        seen.certificate, seen.role = True, "certificate_ratio"
    elif cue == "calculated":
        seen.certificate, seen.role = False, "ratio"
    elif cue in _LEVEL_WORDS:
        seen.role = _of(seen, "level")
    elif cue == "ratio":
        seen.role = _of(seen, "ratio")
    elif cue in ("known", "test_date"):
        seen.known = cue == "known"
    else:
        seen.role = cue
