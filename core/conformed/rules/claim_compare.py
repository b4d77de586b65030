"""Comparators of a sentence against its claims: what is required keeps its equality, what is observed is true (CC-10)."""

from __future__ import annotations

from conformed.model.claim import Claim
from conformed.model.covenant import Comparator
from conformed.rules.claim_facts import role_of
from conformed.rules.claim_roles import VALUES, place
from conformed.rules.claim_text import Token
from conformed.rules.claim_values import Refusal
from conformed.rules.compare import compare

__all__ = ["check_comparators"]

_TURN = {"le": "gt", "lt": "ge", "ge": "lt", "gt": "le"}


def check_comparators(tokens: list[Token], pool: tuple[Claim, ...]) -> Refusal | None:
    """A required comparator is the claim's; an observed one is true of the exact values."""
    placed = place(tokens).roles
    level = next((c for c in pool if role_of(c) == "level"), None)
    turned = False
    for index, token in enumerate(tokens):
        refusal = None
        if token.kind == "negator":
            turned = True
        elif token.kind == "cue" and token.value in ("maximum", "minimum"):
            refusal = _noun(token, level)
        elif token.kind == "comparator":
            refusal = _comparator(tokens, index, placed, pool, turned=turned)
            turned = False
        elif token.kind in VALUES and placed[index] == "level" and not _says_how(tokens, index):
            refusal = Refusal(
                "claim_comparator_paraphrase", f"It says what the ratio must be, {token.raw}, and not how to compare."
            )
        if refusal is not None:
            return refusal
    return Refusal("claim_comparator_paraphrase", "A negation has nothing to turn.") if turned else None


def _comparator(
    tokens: list[Token], index: int, placed: dict[int, str], pool: tuple[Claim, ...], *, turned: bool
) -> Refusal | None:
    token = tokens[index]
    level = next((c for c in pool if role_of(c) == "level"), None)
    after = token.value.endswith("_after")
    code = token.value.removesuffix("_after")
    code = _TURN.get(code, code) if turned else code
    side = _other_side(tokens[index + 1 :])
    if not after and not side:
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} compares with nothing.")
    if turned or after or _required(tokens[:index]):
        return _must(token, code, level)
    if code == "eq":
        return _equals(token, placed.get(index, ""), side, pool)
    return _is(token, code, placed.get(index, ""), pool)


def _says_how(tokens: list[Token], index: int) -> bool:
    """Whether a level that a clause requires comes with a comparator or is named as the level."""
    clause: list[Token] = []
    for token in reversed(tokens[:index]):
        if token.kind == "break" or token.kind in VALUES:
            break
        clause.append(token)
    if not any(t.kind in ("modal", "require", "negator") for t in clause):
        return True
    named = any(t.kind == "comparator" or (t.kind == "cue" and t.value in ("level", "maximum", "minimum")) for t in clause)
    following = [t for t in tokens[index + 1 :] if t.kind != "filler"][:1]
    bare = clause[0].kind == "require" or (clause[0].kind == "filler" and len(clause) > 1 and clause[1].kind == "require")
    return named or (bool(following) and following[0].value.endswith("_after")) or (bare and clause[0].raw.lower() == "required")


def _equals(token: Token, left: str, side: str, pool: tuple[Claim, ...]) -> Refusal | None:
    """What is said to be equal is: two roles with one exact value; a value that follows is checked as a value."""
    if side == "value":
        return None
    values = {role_of(c): c.value for c in pool if c.value is not None}
    left = left or "ratio"
    left = "tested" if left == "ratio" and "tested" in values and side == "level" else left
    true = left != side and values.get(left) is not None and values.get(left) == values.get(side)
    return None if true else Refusal("claim_result_mismatch", f"{token.raw!r} is not shown by the cited claims.")


def _other_side(after: list[Token]) -> str:
    """What stands next to a comparator: ``value``, the role of a word (``level``, ``ratio`` ...), or empty for nothing."""
    required = False
    for token in after:
        required = required or token.kind == "require"
        if token.kind in ("filler", "hedge", "require"):
            continue
        if token.kind == "name" and token.value == "metric":
            return "ratio"
        if token.kind == "cue":
            known = {"maximum": "level", "minimum": "level", "calculated": "ratio", "certificate": "certificate_ratio"}
            return known.get(token.value, token.value)
        return ("level" if required else "value") if token.kind in VALUES else ""
    return ""


def _noun(token: Token, level: Claim | None) -> Refusal | None:
    """A maximum may be reached and not passed; a minimum likewise: for a strict comparator neither word will do."""
    wanted = "le" if token.value == "maximum" else "ge"
    if level is None or level.comparator != wanted:
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} is not what the covenant says.")
    return None


def _required(before: list[Token]) -> bool:
    """Whether the words of this clause, back to its last break, say that something is required."""
    for token in reversed(before):
        if token.kind == "break" or token.kind in VALUES:
            return False
        if token.kind in ("modal", "require", "negator"):
            return True
    return False


def _must(token: Token, code: str, level: Claim | None) -> Refusal | None:
    if level is None:
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} states a requirement and no claim of one is cited.")
    if code != level.comparator:
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} does not treat equality or direction as the covenant does.")
    return None


def _is(token: Token, code: str, left: str, pool: tuple[Claim, ...]) -> Refusal | None:
    values = {role_of(c): c.value for c in pool if c.value is not None}
    if code == "ne":
        pair = [
            values.get(r)
            for r in (
                ("certificate_ratio", "ratio") if left in ("certificate_ratio", "ratio") else ("certificate_level", "level")
            )
        ]
        true = None not in pair and pair[0] != pair[1]
        return None if true else Refusal("claim_result_mismatch", f"{token.raw!r} is not shown by the cited claims.")
    ratio, level = values.get("tested", values.get("ratio")), values.get("level")
    if ratio is None or level is None or left not in ("ratio", "level", "tested", ""):
        if level is not None and ratio is None:
            return Refusal("claim_modality_drift", f"{token.raw!r} states the requirement as if it were a finding.")
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} compares things that no cited claim compares.")
    one, other = (level, ratio) if left == "level" else (ratio, level)
    return (
        None
        if compare(one, Comparator(code), other)
        else Refusal("claim_result_mismatch", f"{token.raw!r} is not how ratio and level stand.")
    )
