"""What stands round a figure or noun of a sentence: the neighbours from which its role is read."""

from __future__ import annotations

from collections.abc import Sequence

from conformed.rules.claims.claim_text import Token

__all__ = [
    "LEVEL_NOUNS",
    "NEEDY",
    "VALUES",
    "after_level_word",
    "compares_next",
    "is_said_to_be",
    "level_next",
    "measures_next",
    "named_next",
    "noun_after",
    "owner_after",
    "passive_next",
    "plain",
]  # fmt: skip

VALUES = ("money", "ratio", "percent", "fraction")
"""Kinds of token that hold a figure."""

NEEDY = ("debt", "ebitda", "headroom_debt", "headroom_ebitda", "-headroom_debt", "-headroom_ebitda", "headroom", "gap", "-room")
"""Cues that say nothing without a value of their own."""

LEVEL_NOUNS = ("maximum", "minimum", "level", "own_level")
"""Cues that name the level."""


def plain(tokens: Sequence[Token]) -> list[Token]:
    """The tokens that carry something."""
    return [token for token in tokens if token.kind != "neutral"]


def after_level_word(before: Sequence[Token]) -> bool:
    """Whether a metric's name stands right after a word for its level ("the maximum permitted Net Leverage is ...")."""
    if before and before[-1].value == "covenant":
        return True
    last = [t for t in plain(before) if t.kind != "permit"][-1:]
    return bool(last) and (last[0].kind == "require" or (last[0].kind == "cue" and last[0].value in LEVEL_NOUNS))


def measures_next(before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Whether a value may say how far off the next thing is ("0.45x below the maximum"), and not only what is compared."""
    place_word = (
        bool(after)
        and after[0].value in ("lt", "gt", "within")
        and not after[0].raw.lower().startswith(("exceed", "fell", "is", "was", "came"))
    )
    return place_word and not (before and before[-1].value == "of")


def level_next(after: Sequence[Token]) -> bool:
    """Whether a leading value is said to be the level ("4.75x is the maximum ...")."""
    rest = [t for t in plain(after) if t.kind not in ("permit", "require")][:1]
    return bool(rest) and rest[0].kind == "cue" and rest[0].value in LEVEL_NOUNS


def noun_after(after: Sequence[Token], role: str) -> str:
    """The noun that takes the value before it: "the 4.75x maximum", "the 4.75x permitted level", "USD 5 of debt headroom"."""
    rest = list(after[:2])
    if rest and rest[0].kind == "permit":
        rest = rest[1:]
    if rest and rest[0].kind == "cue":
        cue = rest[0].value
        if cue in ("of_debt", "of_ebitda"):
            return f"headroom_{cue[3:]}" if role.startswith("headroom") else ""
        return "level" if cue in (*LEVEL_NOUNS, "covenant") else cue if cue == "ratio" or cue in NEEDY[:4] else ""
    if len(rest) == 2 and rest[0].value in ("of", "in") and rest[0].kind == "neutral" and rest[1].kind == "cue":
        return rest[1].value if rest[1].value in NEEDY else "headroom_debt" if rest[1].value == "more_debt" else ""
    return ""


def owner_after(after: Sequence[Token], role: str, *, noun: bool) -> str:
    """The certificate's figure that a value is ("against 3.50x in the certificate"): its level where a noun for the level stands before."""
    rest = list(after[:3])
    if not rest or rest[0].kind != "neutral" or rest[0].value not in ("in", "of", "on", "per", "from"):
        return ""
    rest = rest[2:] if len(rest) > 1 and rest[1].value in ("the", "its") else rest[1:]
    if not rest or rest[0].value != "certificate":
        return ""
    return "certificate_level" if role == "level" and noun else "certificate_ratio"


def passive_next(after: Sequence[Token]) -> bool:
    """Whether a value is what must not be passed ("4.75x must not be exceeded")."""
    rest = [t for t in plain(after) if t.kind not in ("modal", "section", "date")][:1]
    return bool(rest) and rest[0].value == "le_passive"


def compares_next(after: Sequence[Token]) -> bool:
    """Whether what follows is a value and its comparison ("..., and 3.40x is below 3.50x")."""
    kinds = [token.kind for token in plain(after)][:2]
    return len(kinds) == 2 and kinds[0] in VALUES and kinds[1] == "comparator"


def named_next(after: Sequence[Token]) -> bool:
    """Whether the metric is named right after a leading value ("At 3.40x, Net Leverage was ...", "3.40x was the ratio ...")."""
    rest = [t for t in plain(after) if t.kind not in ("break", "date") and t.value != "calculated"][:1]
    return bool(rest) and ((rest[0].kind == "name" and rest[0].value == "metric") or rest[0].value == "ratio")


def is_said_to_be(before: Sequence[Token]) -> bool:
    """Whether a form of "to be" and at most an article stand right before."""
    rest = [t for t in before[-3:] if t.value not in ("a", "an", "the", "also", "at")][-1:]
    return (
        bool(rest)
        and rest[0].kind == "neutral"
        and rest[0].value in ("is", "was", "are", "were", "be", "remains", "remained", "stands", "stood")
    )
