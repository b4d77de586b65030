"""Values, dates and sections of a sentence against its claims: each in its role, unit and shown precision."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from conformed.model.claim import Claim
from conformed.rules.calculation.formula import round_up_half
from conformed.rules.claims.claim_around import NEEDY, VALUES
from conformed.rules.claims.claim_facts import DecisionFacts, role_of
from conformed.rules.claims.claim_roles import Placed, place
from conformed.rules.claims.claim_text import Token

__all__ = ["Refusal", "check_values"]


_PASSED_OVER = ("calculated", "covenant", "test_date")
"""Nouns that may stand between a word that needs a value and the value."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a sentence is refused.

    Attributes:
        code: claim_* code.
        detail: what was found.
    """

    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Held:
    """What the record holds for one role."""

    value: Fraction
    unit: str
    role: str


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
        elif token.kind == "sign":
            refusal = _sign(token, pool)
        elif token.kind in VALUES:
            refusal = _value(tokens, index, placed.roles[index], pool)
            if refusal is None and index in placed.doubtful:
                refusal = _either(token, placed.roles[index], pool)
        if refusal is None and index in placed.equal:
            refusal = _one_figure(token, pool)
        if refusal is not None:
            return refusal
    return _needy(tokens, placed) or _arithmetic(tokens)


def _needy(tokens: list[Token], placed: Placed) -> Refusal | None:
    """A word for debt, earnings, headroom or a distance without a value of its own says something that cannot be checked."""
    for index, token in enumerate(tokens):
        if token.kind != "cue" or token.value not in (*NEEDY, "more_debt"):
            continue
        wanted = {"headroom": ("room",), "gap": ("gap",), "more_debt": ("headroom_debt",)}.get(
            token.value, (token.value, f"-{token.value}")
        )
        if token.value in ("gap", "headroom") and any(i > index and placed.roles[i] == wanted[0] for i in placed.roles):
            continue
        if token.value == "headroom" and any(i < index and placed.roles[i] == "room" for i in placed.postfix):
            continue
        own = next((i for i in range(index + 1, len(tokens)) if tokens[i].kind in VALUES), None)
        if token.value == "headroom" and own in placed.postfix and placed.roles[own].startswith("headroom_"):
            continue
        before = [i for i in placed.postfix if i < index and placed.roles[i] == token.value]
        if token.value == "more_debt":
            before = [i for i in placed.roles if i < index and placed.roles[i] in wanted]
        after = next(
            (
                i
                for i in range(index + 1, len(tokens))
                if tokens[i].kind in VALUES or (tokens[i].kind == "cue" and tokens[i].value not in _PASSED_OVER)
            ),
            None,
        )
        valued = after is not None and tokens[after].kind in VALUES and placed.roles[after] in wanted
        if not before and not valued:
            code = "claim_unit_mismatch" if "headroom" in token.value else "claim_number_unsupported"
            return Refusal(code, f"{token.raw!r} stands without its value.")
    return None


def _date(token: Token, role: str, pool: tuple[Claim, ...], facts: DecisionFacts) -> Refusal | None:
    if role == "known":
        return (
            None
            if token.value == facts.known_at
            else Refusal("claim_date_unsupported", f"The knowledge date is {facts.known_at}.")
        )
    if role == "bounded":
        return Refusal("claim_date_unsupported", f"No cited claim makes {token.raw!r} the edge of a stretch of time.")
    days = {c.period for c in pool if c.period} or {facts.test_date}
    known = token.value in days or token.value in {day[:7] for day in days}
    return None if known else Refusal("claim_date_unsupported", f"No cited claim is of {token.raw!r}.")


def _sign(token: Token, pool: tuple[Claim, ...]) -> Refusal | None:
    """Headroom is called negative or positive only as the record has it."""
    rooms = [c.value for c in pool if role_of(c).startswith("headroom") and c.value is not None]
    true = bool(rooms) and all((value < 0) if token.value == "negative" else (value > 0) for value in rooms)
    return None if true else Refusal("claim_number_unsupported", f"No cited claim is {token.raw}.")


def _value(tokens: list[Token], index: int, role: str, pool: tuple[Claim, ...]) -> Refusal | None:
    token = tokens[index]
    if role == "headroom":
        return Refusal("claim_unit_mismatch", "It does not say which headroom it means.")
    if not role:
        return Refusal("claim_number_unsupported", f"Nothing says what {token.raw!r} is.")
    role, _, other = role.partition("|")
    if other and token.number == _distance(pool, "gap"):
        role = other if token.number not in {c.value for c in pool if role_of(c) == role} else role
    found = _holding(role, pool)
    if not found:
        if role == "room":
            return Refusal("claim_unit_mismatch", "It does not say which headroom it means.")
        return Refusal("claim_number_unsupported", f"No cited claim gives a value for {role.replace('_', ' ')}.")
    if len(found) > 1:
        return Refusal("claim_entity_mismatch", f"The cited claims give more than one value for {role}.")
    return _agrees(tokens, index, found[0], pool)


def _one_figure(token: Token, pool: tuple[Claim, ...]) -> Refusal | None:
    """Whether ratio and level are one figure, where the ratio is said to be the level."""
    held = {name: {c.value for c in pool if role_of(c) == name} for name in ("ratio", "level")}
    if held["ratio"] and held["ratio"] == held["level"]:
        return None
    return Refusal("claim_result_mismatch", f"The ratio is said to be {token.raw!r}.")


def _either(token: Token, role: str, pool: tuple[Claim, ...]) -> Refusal | None:
    """A figure that may be the certificate's or the record's own is right as both, where both are cited."""
    own = {c.value for c in pool if role_of(c) == role.removeprefix("certificate_")}
    return None if own <= {token.number} else Refusal("claim_entity_mismatch", f"It does not say whose {token.raw!r} is.")


def _holding(role: str, pool: tuple[Claim, ...]) -> list[_Held]:
    """What the cited claims hold for a role: their own value, its opposite for a turned one, or the distance of two."""
    if role in ("gap", "room", "-room"):
        value = _distance(pool, role)
        return [] if value is None or (role == "-room" and value <= 0) else [_Held(value, "x", role)]
    turned = role.startswith("-")
    held = {
        (c.value, c.unit)
        for c in pool
        if c.value is not None and role_of(c) == role.removeprefix("-") and (c.unit in ("x", "share") or c.unit.isupper())
    }
    if turned:
        held = {(-value, unit) for value, unit in held if value < 0}
    return [_Held(value, unit, role) for value, unit in sorted(held)]


def _distance(pool: tuple[Claim, ...], role: str) -> Fraction | None:
    """The distance from ratio to level: headroom in turns (below a maximum, above a minimum), or the bare difference."""
    level = next((c for c in pool if role_of(c) == "level"), None)
    ratio = next((c for name in ("tested", "ratio") for c in pool if role_of(c) == name), None)
    if level is None or ratio is None or level.value is None or ratio.value is None or level.unit != "x" or ratio.unit != "x":
        return None
    room = level.value - ratio.value if level.comparator in ("le", "lt") else ratio.value - level.value
    return {"room": room, "-room": -room}.get(role, abs(room))


def _agrees(tokens: list[Token], index: int, held: _Held, pool: tuple[Claim, ...]) -> Refusal | None:
    token = tokens[index]
    assert token.number is not None
    if token.kind == "fraction":
        return (
            None if token.number == held.value else Refusal("claim_number_unsupported", f"{token.raw!r} is not the exact value.")
        )
    if token.unit != held.unit:
        return Refusal("claim_unit_mismatch", f"{token.raw!r} is in {token.unit or 'no unit'}, the record in {held.unit}.")
    if token.number == held.value:
        return None
    if token.unit not in ("x", "share") and any(
        token.number * k == held.value or token.number == held.value * k for k in (10**3, 10**6, 10**9)
    ):
        return Refusal("claim_scale_mismatch", f"{token.raw!r} is on another scale than the record.")
    if index and tokens[index - 1].value == "exactly":
        return Refusal("claim_number_unsupported", f"{token.raw!r} is not exact.")
    rounded = token.step > 0 and round_up_half(held.value / token.step, 0) * token.step == token.number
    if not rounded:
        return Refusal("claim_number_unsupported", f"{token.raw!r} is not the value of the record.")
    if held.role in ("ratio", "tested") and _crosses(token.number, held.value, pool):
        return Refusal("claim_rounding_crosses_level", f"{token.raw!r} hides how the ratio stands to the level.")
    hedged = index > 0 and tokens[index - 1].kind == "hedge"
    beside = any(t.kind == "fraction" and t.number == held.value for t in tokens)
    return None if hedged or beside else Refusal("claim_number_unsupported", f"{token.raw!r} is rounded and not marked so.")


def _crosses(shown: Fraction, exact: Fraction, pool: tuple[Claim, ...]) -> bool:
    """Whether a rounded ratio would compare otherwise with a cited level than the exact one, or look equal to it."""
    levels = [c.value for c in pool if role_of(c) == "level" and c.value is not None]
    return any((shown > level) != (exact > level) or (shown == level) != (exact == level) for level in levels)


def _arithmetic(tokens: list[Token]) -> Refusal | None:
    """Arithmetic in words is worked again from the operands that it shows (CC-18)."""
    values = [i for i, t in enumerate(tokens) if t.kind in VALUES]
    for at, token in enumerate(tokens):
        if token.kind != "operator":
            continue
        before, after = [i for i in values if i < at], [i for i in values if i > at]
        if not before or not after or (token.raw.lower() == "over" and tokens[at - 1].kind not in (*VALUES, "cue")):
            return Refusal("claim_number_unsupported", f"{token.raw!r} has no operands.")
        if any(t.kind == "operator" for t in tokens[at + 1 : after[0]]):
            return Refusal("claim_number_unsupported", f"{token.raw!r} has no operand before the next sign.")
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
