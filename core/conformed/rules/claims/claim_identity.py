"""Nouns in apposition: "3.75x, which is the level in force" says that two figures are one, and is checked as that."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from conformed.model.claim import Claim
from conformed.rules.claims.claim_around import LEVEL_NOUNS, VALUES, after_level_word
from conformed.rules.claims.claim_facts import role_of
from conformed.rules.claims.claim_text import CONTRAST, Token
from conformed.rules.claims.claim_values import Refusal

__all__ = ["check_identities"]

_BARE = frozenset(
    [
        "a",
        "an",
        "the",
        "which",
        "that",
        "this",
        "it",
        "its",
        "is",
        "was",
        "are",
        "were",
        "be",
        "being",
        "also",
        "our",
        "as",
        "so",
        "therefore",
        "thus",
        "hence",
    ]
)
_SAYS = ("comparator", "result", "text", "quote", "operator")
_KINDS = {"ratio": ("ratio", "tested", "certificate_ratio"), "level": ("level", "certificate_level")}


def check_identities(tokens: list[Token], pool: tuple[Claim, ...]) -> Refusal | None:
    """A name for ratio or level that has no figure of its own and stands beside another's figure makes the two equal; they are."""
    for index, token in enumerate(tokens):
        kind = _kind(token)
        if kind == "ratio" and after_level_word(tokens[:index]):
            continue
        if not kind or _has_own(tokens[index + 1 :], kind):
            continue
        said = _beside(tokens[:index])
        if said is None:
            continue
        values = {c.value for c in pool if c.value is not None and role_of(c) in _KINDS[kind]}
        if values != {said}:
            return Refusal("claim_result_mismatch", f"{token.raw!r} is said to be another figure than the record's.")
    return None


def _kind(token: Token) -> str:
    if token.kind == "name" and token.value == "metric":
        return "ratio"
    if token.kind != "cue":
        return ""
    return "level" if token.value in LEVEL_NOUNS else "ratio" if token.value in ("ratio", "calculated") else ""


def _has_own(after: Sequence[Token], kind: str) -> bool:
    """Whether a figure, comparison or result follows that the noun belongs to."""
    for token in after:
        if token.kind in VALUES or token.kind in _SAYS:
            return True
        other = _kind(token)
        if token.raw == ";" or token.value in CONTRAST or (other == "level" and kind == "ratio"):
            return False
    return False


def _beside(before: Sequence[Token]) -> Fraction | None:
    """The figure that a noun stands beside, with nothing between them but "which is also the" and the like."""
    parted = False
    for token in reversed(before):
        if token.kind in VALUES:
            return token.number if parted else None
        if token.kind == "break" or token.value in _BARE:
            parted = True
        elif not (token.kind in ("permit", "require") or _kind(token)):
            return None
    return None
