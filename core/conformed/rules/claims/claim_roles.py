"""Which value of a sentence is which: the role of each figure is read from the words around it, never from its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformed.rules.claims.claim_around import (
    LEVEL_NOUNS,
    NEEDY,
    VALUES,
    after_level_word,
    compares_next,
    is_said_to_be,
    level_next,
    measures_next,
    named_next,
    noun_after,
    owner_after,
    passive_next,
    plain,
)
from conformed.rules.claims.claim_text import CONTRAST, Token

__all__ = ["Placed", "place"]

_CERTIFICATE = {"ratio": "certificate_ratio", "level": "certificate_level"}
_OTHER = {"certificate_ratio": "ratio", "certificate_level": "level", "ratio": "certificate_ratio", "level": "certificate_level"}
_AFTER = ("le_after", "ge_after", "le_passive")
_APPLIES = ("applies", "applied", "apply", "applying", "uses", "used", "using")
_PERIODS = ("period", "quarter", "year", "quarter-end", "year-end")


@dataclass(slots=True)
class Placed:
    """Roles found in a sentence.

    Attributes:
        roles: role of each value, comparator and date, by place in the list of tokens. ``-`` before a role turns the sign; ``|gap``
            after one leaves open whether the figure is that value or the distance between ratio and level.
        postfix: values whose role comes from the words after them ("USD 5 of debt headroom").
        required: comparators that qualify a noun for the level itself ("covenant: not more than 4.75x").
        doubtful: values of a clause after the certificate's, which may still be the certificate's or no longer.
        equal: levels that the ratio is said to be ("Net Leverage is the 4.75x maximum"), and nouns for them.
    """

    roles: dict[int, str] = field(default_factory=dict)
    postfix: set[int] = field(default_factory=set)
    required: set[int] = field(default_factory=set)
    doubtful: set[int] = field(default_factory=set)
    equal: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Seen:
    """Where the reading stands: role of the next value, whose statement it is, and whether a requirement governs the clause."""

    role: str = ""
    fresh: bool = False
    left_open: bool = False
    noun: bool = False
    between: int = 0
    whole: str = ""
    certificate: bool = False
    doubt: bool = False
    known: bool = False
    bound: bool = False
    compared: bool = False
    negative: bool = False
    operator: str = ""


def place(tokens: Sequence[Token]) -> Placed:
    """Gives every value, comparator and date of a sentence its role."""
    seen, found = _Seen(), Placed()
    for index, token in enumerate(tokens):
        if token.kind == "operator":
            seen.operator = token.value
            seen.role = "ebitda" if token.value == "/" else seen.role
        elif token.kind in ("require", "negator") or (token.kind == "modal" and token.value != "to_be"):
            seen.bound = True
        elif token.kind == "sign":
            seen.negative = token.value == "negative"
        elif token.kind == "name" and token.value == "metric":
            _take(seen, _of(seen, "level" if after_level_word(tokens[:index]) else "ratio"))
            seen.left_open = seen.role == "ratio"
        elif token.value == "between" and seen.role == "headroom":
            seen.between, seen.whole = 2, "headroom"
        elif token.kind == "cue":
            if not _used_by_value(tokens, index, found):
                _cue(tokens, index, seen, found)
        elif token.kind == "comparator" and token.value not in _AFTER:
            found.roles[index] = seen.role
            if seen.role == "level" and seen.fresh:
                found.required.add(index)
            _compare(token, seen, tokens[:index])
        elif token.kind == "break" or (token.kind == "neutral" and token.value in CONTRAST):
            _break(tokens, index, seen)
        elif token.kind == "date":
            found.roles[index] = _dated(tokens[:index], seen)
            seen.known = False
        elif token.kind in VALUES:
            _value(tokens, index, seen, found)
    for index, role in found.roles.items():  # where the ratio is given elsewhere, this figure can only be the distance
        given = any(found.roles[i] == "ratio" and tokens[i].kind in VALUES for i in found.roles if i != index)
        if role.endswith("|gap") and given:
            found.roles[index] = "gap"
    return found


def _take(seen: _Seen, role: str) -> None:
    seen.role, seen.fresh = role, True


def _break(tokens: Sequence[Token], index: int, seen: _Seen) -> None:
    token = tokens[index]
    seen.bound, seen.negative = False, False
    seen.compared = seen.compared and token.raw == ","
    seen.certificate = seen.certificate and token.kind == "break" and token.raw != ";"
    seen.doubt = seen.certificate and token.raw == "," and not seen.fresh
    if compares_next(tokens[index + 1 :]) or (seen.left_open and _level_given(index, tokens)):
        seen.role = "ratio"


def _compare(token: Token, seen: _Seen, before: Sequence[Token]) -> None:
    """What stands on the other side of a comparator."""
    seen.compared = True
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
    token, before, after = tokens[index], tokens[:index], tokens[index + 1 :]
    named = noun_after(after, seen.role)
    if named == "level" and seen.fresh and not seen.bound and seen.role in ("ratio", "tested") and is_said_to_be(before):
        found.equal.add(index)
    if named:
        found.roles[index] = "room" if named == "headroom" and token.kind == "ratio" else _of(seen, named)
        found.postfix.add(index)
        seen.role = seen.role or found.roles[index]
    elif owned := owner_after(after, seen.role, noun=seen.noun):
        found.roles[index] = owned
        found.postfix.add(index)
    elif token.kind in ("ratio", "percent") and (passive_next(after) or (after and after[0].value in _AFTER)):
        found.roles[index] = "level"
    elif token.kind == "ratio" and seen.compared and before and before[-1].value == "by":
        found.roles[index] = "gap"
    elif token.kind == "ratio" and seen.role in ("headroom", "gap"):
        found.roles[index] = "room" if seen.role == "headroom" else "gap"
        seen.role = "ratio"
    elif token.kind == "ratio" and measures_next(before, after) and seen.role in ("ratio", "tested", "level", ""):
        found.roles[index] = f"{'level' if seen.bound else seen.role or 'ratio'}|gap"
    elif token.kind == "money" and after and after[0].value == "/" and seen.role not in NEEDY:
        found.roles[index] = "debt"
    elif not seen.role and level_next(after):
        found.roles[index] = "level"
    elif not seen.role and (compares_next(tokens[index:]) or named_next(after)):
        found.roles[index] = "ratio"
    elif seen.bound and seen.role in ("ratio", "tested"):  # what a ratio must be is a level
        found.roles[index] = "level"
    else:
        found.roles[index] = seen.role
    if seen.doubt and found.roles[index].startswith("certificate"):
        found.doubtful.add(index)
    seen.left_open = seen.left_open and not seen.bound and found.roles[index].endswith(("level", "gap"))
    seen.bound = seen.fresh = False
    if seen.between:  # "the gap between A and B is C"
        seen.between -= 1
        seen.role = seen.whole if not seen.between else seen.role
    if seen.operator:  # the second operand; what follows is the outcome
        seen.role, seen.operator = ("ratio" if seen.operator == "/" else ""), ""


def _of(seen: _Seen, role: str) -> str:
    return _CERTIFICATE.get(role, role) if seen.certificate else role


def _cue(tokens: Sequence[Token], index: int, seen: _Seen, found: Placed) -> None:
    cue = tokens[index].value
    seen.noun = cue in LEVEL_NOUNS or cue == "covenant"
    if cue == "gap" and tokens[index].raw.lower().endswith("between"):
        seen.between, seen.whole = 2, "gap"
    if cue == "certificate":
        owned = seen.role if seen.fresh and seen.role in _CERTIFICATE else "ratio"
        seen.certificate, seen.doubt = True, False
        uses = [t.value for t in tokens[index + 1 : index + 2]]
        owned = "level" if uses and uses[0] in _APPLIES else owned
        _take(seen, _CERTIFICATE[owned] if not (seen.fresh and seen.role.startswith("certificate")) else seen.role)
    elif cue == "calculated":
        seen.certificate = False
        if not (seen.fresh and seen.role in NEEDY):
            _take(seen, "ratio")
    elif cue == "own_level":
        seen.certificate = False
        _take(seen, "level")
    elif cue in LEVEL_NOUNS or cue == "against":
        if (
            cue != "against"
            and not tokens[index].raw.lower().endswith((" at", " to"))
            and seen.fresh
            and not seen.bound
            and seen.role in ("ratio", "tested")
            and is_said_to_be(tokens[:index])
        ):
            found.equal.add(index)
        _take(seen, _of(seen, "level"))
    elif cue == "covenant":
        following = [t for t in plain(tokens[index + 1 :]) if t.kind not in ("hedge", "break")][:1]
        if following and (following[0].kind in ("ratio", "percent") or following[0].kind == "comparator"):
            _take(seen, _of(seen, "level"))
    elif cue == "ratio":
        if not after_level_word(tokens[:index]):
            _take(seen, _of(seen, "ratio"))
    elif cue in ("known", "test_date"):
        seen.known = cue == "known"
    elif cue not in ("more_debt", "of_debt", "of_ebitda"):
        _take(seen, f"-{cue}" if seen.negative and cue.startswith("headroom_") else cue)
        seen.negative = False


def _used_by_value(tokens: Sequence[Token], index: int, found: Placed) -> bool:
    """Whether a noun belongs to the value just before it and so says nothing of the next one."""
    at = index - 1
    small = ("of", "in", "on", "per", "from", "the", "its")
    while at >= 0 and (tokens[at].kind == "permit" or (tokens[at].kind == "neutral" and tokens[at].value in small)):
        at -= 1
    return at in found.postfix


def _level_given(index: int, tokens: Sequence[Token]) -> bool:
    """Whether the ratio has been compared with a level and what follows is its own value ("... exceeds the limit of 3.50x, at 3.60x")."""
    compared = any(t.kind == "comparator" for t in tokens[:index])
    following = plain(tokens[index + 1 :])[:1]
    return compared and bool(following) and following[0].kind in VALUES


def _dated(before: Sequence[Token], seen: _Seen) -> str:
    """``known``, ``date``, or ``bounded`` where the words make the day the edge of a stretch of time."""
    if seen.known:
        return "known"
    last = [t.value if t.kind == "neutral" else "" for t in before[-2:]]
    if last and last[-1] in ("from", "by"):
        return "bounded"
    return "bounded" if last and last[-1] == "to" and (len(last) < 2 or last[0] not in _PERIODS) else "date"
