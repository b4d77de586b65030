"""Comparators of a sentence against its claims: what is required keeps its equality, what is observed is true (CC-10)."""

from __future__ import annotations

from conformed.model.claim import Claim
from conformed.model.covenant import Comparator
from conformed.rules.calculation.compare import compare
from conformed.rules.claims.claim_around import LEVEL_NOUNS, VALUES
from conformed.rules.claims.claim_facts import role_of
from conformed.rules.claims.claim_roles import Placed, place
from conformed.rules.claims.claim_text import CONTRAST, Token
from conformed.rules.claims.claim_values import Refusal

__all__ = ["check_comparators", "permits"]

_TURN = {"le": "gt", "lt": "ge", "ge": "lt", "gt": "le"}


def check_comparators(tokens: list[Token], pool: tuple[Claim, ...]) -> Refusal | None:
    """A required comparator is the claim's; an observed one is true of the exact values."""
    placed = place(tokens)
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
        elif token.kind == "forbidden" and not _forbids_something(tokens, index):
            refusal = Refusal("claim_comparator_paraphrase", f"{token.raw!r} does not say what.")
        elif token.kind in VALUES and placed.roles[index] == "level" and _limited(tokens, index):
            refusal = _noun(token, level, "maximum")
        elif token.kind in VALUES and placed.roles[index] == "level" and not _says_how(tokens, index):
            refusal = Refusal(
                "claim_comparator_paraphrase", f"It says what the ratio must be, {token.raw}, and not how to compare."
            )
        if refusal is not None:
            return refusal
    return Refusal("claim_comparator_paraphrase", "A negation has nothing to turn.") if turned else None


def _comparator(tokens: list[Token], index: int, placed: Placed, pool: tuple[Claim, ...], *, turned: bool) -> Refusal | None:
    token = tokens[index]
    level = next((c for c in pool if role_of(c) == "level"), None)
    after = token.value.endswith(("_after", "_passive"))
    code = token.value.removesuffix("_after").removesuffix("_passive")
    if token.value == "le_passive" and not any(placed.roles.get(i) == "level" for i in range(index)):
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} does not say what is not to be passed.")
    if code in ("le_seen", "gt_seen"):
        if placed.roles.get(index) != "level" or turned or _required(tokens[:index]):
            return Refusal("claim_comparator_paraphrase", f"{token.raw!r} compares with nothing.")
        return _is(token, code.removesuffix("_seen"), "ratio", pool)
    if code == "upto":  # of what is allowed alone: "a ratio of up to 4.75x is permitted"
        if not _required(tokens[:index]) and not any(t.kind == "permit" for t in tokens[index + 1 :]):
            return Refusal("claim_comparator_paraphrase", f"{token.raw!r} stands without what is permitted.")
        return _must(token, "le", level)
    if code in ("met", "unmet"):
        return _meets(token, tokens, index, placed, pool, turned=turned)
    code = _TURN.get(code, code) if turned else code
    if code == "within":  # of a finding it says what the covenant says; of a requirement it leaves equality open
        if level is None or level.comparator != "le" or turned or _required(tokens[:index]):
            return Refusal("claim_comparator_paraphrase", f"{token.raw!r} does not say how equality is treated.")
        code = "le"
    if code == "outside":
        if level is None or level.comparator != "le" or turned or _required(tokens[:index]):
            return Refusal("claim_comparator_paraphrase", f"{token.raw!r} does not say how equality is treated.")
        code = "gt"
    side = _other_side(tokens[index + 1 :])
    if not after and not side:
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} compares with nothing.")
    forbidden = _forbidden(tokens, index)
    if forbidden:
        return _must(token, _TURN.get(code, code), level)
    if token.raw.lower().startswith("not to ") and side == "value":
        return _must(token, code, level)
    if index in placed.required and side in ("value", "level"):
        return _must(token, code, level)
    if turned or after or token.raw.lower() == "up to and including" or _required(tokens[:index]):
        return _must(token, code, level)
    if code == "eq":
        return _equals(token, placed.roles.get(index, ""), side, pool)
    if placed.roles.get(index, "").startswith("certificate") and code != "ne":
        return _beside_certificate(token, code, placed.roles[index], side, pool)
    return _is(token, code, placed.roles.get(index, ""), pool)


def _beside_certificate(token: Token, code: str, left: str, side: str, pool: tuple[Claim, ...]) -> Refusal | None:
    """Whether a figure of the certificate stands to the record's as is said."""
    values = {role_of(c): c.value for c in pool if c.value is not None}
    one, other = values.get(left), values.get(left.removeprefix("certificate_"))
    if one is None or other is None or side != left.removeprefix("certificate_"):
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} compares things that no cited claim compares.")
    if compare(one, Comparator(code), other):
        return None
    return Refusal("claim_result_mismatch", f"{token.raw!r} is not how the two figures stand.")


def _forbidden(tokens: list[Token], index: int) -> bool:
    """Whether what is compared is then said not to be permitted ("a ratio above 4.75x is not permitted")."""
    rest = [t for t in tokens[index + 1 :] if t.kind not in ("neutral", "hedge", "date", "section")]
    return len(rest) > 1 and rest[0].kind in VALUES and rest[1].kind == "forbidden"


def _meets(
    token: Token, tokens: list[Token], index: int, placed: Placed, pool: tuple[Claim, ...], *, turned: bool
) -> Refusal | None:
    """Whether a ratio that is said to meet its level does."""
    values = {role_of(c): c.value for c in pool if c.value is not None}
    level = next((c for c in pool if role_of(c) == "level"), None)
    ratio = values.get("tested", values.get("ratio"))
    of_ratio = placed.roles.get(index, "") in ("ratio", "tested")
    if level is None or level.value is None or ratio is None or not of_ratio or turned or _required(tokens[:index]):
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} compares things that no cited claim compares.")
    if _other_side(tokens[index + 1 :]) not in ("value", "level"):
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} compares with nothing.")
    met = compare(ratio, Comparator(level.comparator), level.value)
    if met == (token.value == "met"):
        return None
    return Refusal("claim_result_mismatch", f"{token.raw!r} is not how ratio and level stand.")


def _says_how(tokens: list[Token], index: int) -> bool:
    """Whether a level that a clause requires comes with a comparator or is named as the level."""
    clause: list[Token] = []
    for token in reversed(tokens[:index]):
        if _parts(token):
            break
        clause.append(token)
    if not any(t.kind in ("require", "negator") or (t.kind == "modal" and t.value != "to_be") for t in clause):
        return True
    named = any(t.kind == "comparator" or (t.kind == "cue" and t.value in LEVEL_NOUNS) for t in clause)
    following = [t for t in tokens[index + 1 :] if t.kind != "neutral"][:1]
    named = named or (bool(following) and following[0].kind == "cue" and following[0].value in LEVEL_NOUNS)
    bare = clause[0].kind == "require" or (clause[0].kind == "neutral" and len(clause) > 1 and clause[1].kind == "require")
    return named or (bool(following) and following[0].value.endswith("_after")) or (bare and clause[0].raw.lower() == "required")


def _parts(token: Token) -> bool:
    """Whether a clause ends before this token."""
    return token.kind == "break" or token.kind in VALUES or token.value in CONTRAST


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
        if token.kind in ("neutral", "hedge", "require") or (token.kind == "permit" and not required):
            required = required or token.kind == "permit"
            continue
        if token.kind == "name" and token.value == "metric":
            return "ratio"
        if token.kind == "cue":
            if token.value == "more_debt":
                continue
            known = {"maximum": "level", "minimum": "level", "calculated": "ratio", "certificate": "certificate_ratio"}
            known |= {"covenant": "level", "against": ""}
            return known.get(token.value, token.value)
        return ("level" if required else "value") if token.kind in VALUES else ""
    return ""


def _limited(tokens: list[Token], index: int) -> bool:
    """Whether "limits ... to" says how a value is to be read: as a maximum."""
    before = tokens[:index]
    while before and before[-1].kind in ("hedge",):
        before = before[:-1]
    if not before or before[-1].value != "to":
        return False
    verbs = [t.raw.lower() for t in before if t.kind == "require"][-1:]
    return bool(verbs) and verbs[0] in ("limits", "restricts", "confines")


def _forbids_something(tokens: list[Token], index: int) -> bool:
    """Whether a comparison and its value stand before "is not permitted"."""
    kinds = [t.kind for t in tokens[:index] if t.kind not in ("neutral", "hedge", "date", "section")][-2:]
    return len(kinds) == 2 and kinds[0] == "comparator" and kinds[1] in VALUES


def _noun(token: Token, level: Claim | None, word: str = "") -> Refusal | None:
    """A maximum may be reached and not passed; a minimum likewise: for a strict comparator neither word will do."""
    wanted = "le" if (word or token.value) == "maximum" else "ge"
    if level is None or level.comparator != wanted:
        return Refusal("claim_comparator_paraphrase", f"{token.raw!r} is not what the covenant says.")
    return None


def _required(before: list[Token]) -> bool:
    """Whether the words of this clause, back to its last break, say that something is required."""
    for token in reversed(before):
        if _parts(token):
            return False
        if token.kind in ("require", "negator", "permit") or (token.kind == "modal" and token.value != "to_be"):
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


def permits(tokens: list[Token], index: int, pool: tuple[Claim, ...]) -> bool:
    """Whether a word of permission says no more than the covenant: "no more than 4.00x is what it allows", "the maximum permitted".

    What is permitted up to a level includes the level, so the word is refused for a strict comparator.
    """
    level = next((c for c in pool if role_of(c) == "level"), None)
    if level is None or level.comparator not in ("le", "ge"):
        return False
    before = [i for i, t in enumerate(tokens[:index]) if t.kind != "neutral"]
    after = [i for i in range(index + 1, len(tokens)) if tokens[i].kind not in ("neutral", "hedge")]
    roles = place(tokens).roles
    named = any(tokens[i].kind == "cue" and tokens[i].value in ("maximum", "minimum") for i in before)
    valued = bool(before) and tokens[before[-1]].kind in VALUES and roles[before[-1]] == "level"
    ruled = bool(after) and (tokens[after[0]].kind == "comparator" or tokens[after[0]].value in ("maximum", "minimum"))
    return named or valued or ruled
