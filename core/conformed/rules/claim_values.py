"""Values and comparators of a sentence against its claims: which value is which is read from the words before it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from conformed.model.claim import Claim
from conformed.rules.claim_facts import DecisionFacts, role_of
from conformed.rules.claim_roles import NEEDY, VALUES, Placed, place
from conformed.rules.claim_text import Token
from conformed.rules.formula import round_up_half

__all__ = ["Refusal", "check_values"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a sentence is refused.

    Attributes:
        code: claim_* code.
        detail: what was found.
    """

    code: str
    detail: str = ""


def check_values(tokens: list[Token], pool: tuple[Claim, ...], facts: DecisionFacts) -> Refusal | None:
    """Every date, section, amount and ratio is in a cited claim, in its role, unit and shown precision."""
    placed = place(tokens)
    for index, token in enumerate(tokens):
        refusal: Refusal | None = None
        if token.kind == "date":
            refusal = _date(token, placed.roles[index], pool, facts)
        elif token.kind == "section" and not {token.value.lower(), " ".join(token.raw.split()).lower()} & {
            c.clause.lower() for c in pool if c.clause
        }:
            refusal = Refusal("claim_number_unsupported", f"No cited claim is of {token.raw!r}.")
        elif token.kind in VALUES:
            refusal = _value(tokens, index, placed.roles[index], pool)
        if refusal is not None:
            return refusal
    return _needy(tokens, placed) or _arithmetic(tokens)


def _needy(tokens: list[Token], placed: Placed) -> Refusal | None:
    """A word for debt, earnings or headroom without a value of its own says something that cannot be checked."""
    for index, token in enumerate(tokens):
        if token.kind != "cue" or token.value not in NEEDY:
            continue
        before = [i for i in placed.postfix if i < index and placed.roles[i] == token.value]
        after = next((i for i in range(index + 1, len(tokens)) if tokens[i].kind in VALUES or tokens[i].kind == "cue"), None)
        valued = (
            after is not None
            and tokens[after].kind in VALUES
            and placed.roles[after] == token.value
            and after not in placed.postfix
        )
        if not before and not valued:
            code = "claim_unit_mismatch" if token.value.startswith("headroom") else "claim_number_unsupported"
            return Refusal(code, f"{token.raw!r} stands without its value.")
    return None


def _date(token: Token, role: str, pool: tuple[Claim, ...], facts: DecisionFacts) -> Refusal | None:
    if role == "known":
        return (
            None
            if token.value == facts.known_at
            else Refusal("claim_date_unsupported", f"The knowledge date is {facts.known_at}.")
        )
    days = {c.period for c in pool if c.period} or {facts.test_date}
    return None if token.value in days else Refusal("claim_date_unsupported", f"No cited claim is of {token.raw!r}.")


def _value(tokens: list[Token], index: int, role: str, pool: tuple[Claim, ...]) -> Refusal | None:
    token = tokens[index]
    if role == "headroom":
        return Refusal("claim_unit_mismatch", "It does not say which headroom it means.")
    held = [c for c in pool if (c.value is not None and c.unit in ("x", "share")) or (c.value is not None and c.unit.isupper())]
    if not role:
        return Refusal("claim_number_unsupported", f"Nothing says what {token.raw!r} is.")
    mine = [c for c in held if role_of(c) == role]
    if not mine:
        return Refusal("claim_number_unsupported", f"No cited claim gives a value for {role.replace('_', ' ')}.")
    claim = mine[0]
    if len({(c.value, c.unit) for c in mine}) > 1:
        return Refusal("claim_entity_mismatch", f"The cited claims give more than one value for {role}.")
    return _agrees(tokens, index, claim, pool)


def _agrees(tokens: list[Token], index: int, claim: Claim, pool: tuple[Claim, ...]) -> Refusal | None:
    token = tokens[index]
    assert token.number is not None
    assert claim.value is not None
    if token.kind == "fraction":
        return (
            None if token.number == claim.value else Refusal("claim_number_unsupported", f"{token.raw!r} is not the exact value.")
        )
    if token.unit != claim.unit:
        return Refusal("claim_unit_mismatch", f"{token.raw!r} is in {token.unit or 'no unit'}, the record in {claim.unit}.")
    if token.number == claim.value:
        return None
    if token.unit not in ("x", "share") and any(
        token.number * k == claim.value or token.number == claim.value * k for k in (10**3, 10**6, 10**9)
    ):
        return Refusal("claim_scale_mismatch", f"{token.raw!r} is on another scale than the record.")
    if index and tokens[index - 1].value == "exactly":
        return Refusal("claim_number_unsupported", f"{token.raw!r} is not exact.")
    rounded = token.step > 0 and round_up_half(claim.value / token.step, 0) * token.step == token.number
    if not rounded:
        return Refusal("claim_number_unsupported", f"{token.raw!r} is not the value of the record.")
    if role_of(claim) in ("ratio", "tested") and _crosses(token.number, claim, pool):
        return Refusal("claim_rounding_crosses_level", f"{token.raw!r} hides how the ratio stands to the level.")
    hedged = index > 0 and tokens[index - 1].kind == "hedge"
    beside = any(t.kind == "fraction" and t.number == claim.value for t in tokens)
    return None if hedged or beside else Refusal("claim_number_unsupported", f"{token.raw!r} is rounded and not marked so.")


def _crosses(shown: Fraction, claim: Claim, pool: tuple[Claim, ...]) -> bool:
    """Whether a rounded ratio would compare otherwise with a cited level than the exact one, or look equal to it."""
    exact = claim.value
    assert exact is not None
    levels = [c.value for c in pool if role_of(c) == "level" and c.value is not None]
    return any((shown > level) != (exact > level) or (shown == level) != (exact == level) for level in levels)


def _arithmetic(tokens: list[Token]) -> Refusal | None:
    """Arithmetic in words is worked again from the operands that it shows (CC-18)."""
    values = [i for i, t in enumerate(tokens) if t.kind in VALUES]
    for at, token in enumerate(tokens):
        if token.kind != "operator":
            continue
        before, after = [i for i in values if i < at], [i for i in values if i > at]
        if not before or not after:
            return Refusal("claim_number_unsupported", f"{token.raw!r} has no operands.")
        left, right = tokens[before[-1]].number, tokens[after[0]].number
        assert left is not None
        assert right is not None
        if token.value == "/" and right == 0:
            return Refusal("claim_number_unsupported", "It divides by zero.")
        worked = {"/": lambda a, b: a / b, "*": lambda a, b: a * b, "-": lambda a, b: a - b, "+": lambda a, b: a + b}[
            token.value
        ](left, right)
        if len(after) < 2:
            return Refusal("claim_number_unsupported", f"{token.raw!r} shows no outcome.")
        shown = tokens[after[1]]
        near = shown.step > 0 and round_up_half(worked / shown.step, 0) * shown.step == shown.number
        if shown.number != worked and not near:
            return Refusal("claim_number_unsupported", f"The operands shown give {worked}, not {shown.raw!r}.")
    return None
