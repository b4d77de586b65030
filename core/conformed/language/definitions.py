"""What definitions say that a calculation needs: netting and its cap, capped add-backs and their basis, periods, rounding.

Read from the words of the definitions in force, each with the term whose text says it. What the words leave open is a
doubt; nothing has a default that could change a ratio.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformed.language.amounts import Amount, Convention, find_amounts, fold
from conformed.language.caps import CEILING, Cap, limb_of, read_caps
from conformed.model.base import Frozen
from conformed.model.covenant import Definition, Doubt
from conformed.model.span import Span

__all__ = ["DefinitionTerms", "RoundingTerms", "reached", "read_definitions", "read_rounding"]


class RoundingTerms(Frozen):
    """A rounding clause (rule CA-51): carry one place more than the level's, then round half up."""

    carry: str
    """``truncate``, ``round``, or ``unstated`` where the words do not say how the extra place is reached."""
    raw: str = ""
    """Its words."""
    spans: tuple[Span, ...] = ()
    """Where."""


class DefinitionTerms(Frozen):
    """What the definitions in force say for one calculation."""

    netting: str = "none"
    """``none``, ``uncapped`` or ``capped``."""
    netting_cap: Amount | None = None
    """Most cash that may be taken off debt."""
    restricted_excluded: bool = False
    """Whether only cash that is not restricted counts."""
    caps: tuple[Cap, ...] = ()
    """Ceilings on add-backs."""
    components: tuple[str, ...] = ()
    """Charges that the definition of earnings names, by the names of certificate lines."""
    twelve_months: bool = False
    """Whether the period is four quarters or twelve months."""
    non_positive: str = "silent"
    """``breach`` where the text deems the ratio exceeded when earnings are not positive."""
    rounding: RoundingTerms | None = None
    """The rounding clause, if a definition holds one."""
    ebitda_term: str = ""
    """The defined term for earnings; empty where the pack has none."""
    debt_term: str = ""
    """The defined term for debt; empty where the pack has none."""
    spans: dict[str, tuple[Span, ...]] = {}
    """Where netting and the like stand."""
    doubts: tuple[Doubt, ...] = ()
    """What the words leave open."""


_EARNINGS = re.compile(r"EBITDA|\bearnings\b", re.IGNORECASE)
_DEBT = re.compile(r"\b(?:debt|indebtedness|borrowings)\b", re.IGNORECASE)
_NETS = re.compile(r"\b(?:less|minus|net of|reduced by|excess of|deducting|after deducting|netting)\b", re.IGNORECASE)
_CASH = re.compile(r"\bcash\b(?! flow)", re.IGNORECASE)
_UNRESTRICTED = re.compile(
    r"\bunrestricted\b|(?:excluding|other than|not including|exclusive of|free of)\s+(?:any\s+)?restricted|\bnot restricted\b",
    re.IGNORECASE,
)
_COMPONENTS = (
    ("interest", r"\binterest\b|\bfinance (?:charges|costs)\b"),
    ("taxes", r"\btax(?:es)?\b"),
    ("depreciation", r"\bdepreciation\b"),
    ("amortization", r"\bamorti[sz]ation\b"),
)
_DEEMED = re.compile(
    r"EBITDA[^.]{0,120}(?:zero|negative|less than (?:or equal to )?(?:zero|\$?0))[^.]{0,120}(?:deemed|"
    r"be treated)[^.]{0,60}(?:exceed|not (?:be )?(?:in compliance|satisf|met))",
    re.IGNORECASE,
)
_ROUND = re.compile(
    r"(?:carry(?:ing)?\s+the\s+(?:result|quotient)|(?:result|quotient)\s+(?:is|shall be|being)\s+carried)[\s,]+"
    r"(?P<how>[^.;]{0,60}?)\b(?:to\s+)?one\s+(?:decimal\s+)?place\s+more[^.;]{0,160}round",
    re.IGNORECASE,
)


def read_rounding(text: str, spans: tuple[Span, ...] = ()) -> RoundingTerms | None:
    """The rounding clause of a text, or None."""
    match = _ROUND.search(fold(" ".join(text.split())))
    if match is None:
        return None
    how = match[0].lower()
    carry = "truncate" if re.search(r"truncat|without rounding|disregarding (?:any )?further", how) else "unstated"
    return RoundingTerms(carry=carry, raw=match[0], spans=spans)


def _netting(text: str, convention: Convention | None, home: str) -> tuple[str, list[Amount], bool] | None:
    for match in _CASH.finditer(text):
        left, right = limb_of(text, match.start(), match.end())
        limb = text[left:right]
        if not _NETS.search(text[max(0, left - 200) : match.start()]):
            continue
        amounts = [a for _, _, a in find_amounts(limb, convention=convention, home=home) if isinstance(a, Amount)]
        capped = bool(CEILING.search(limb))
        return ("capped" if capped else "uncapped"), amounts if capped else [], bool(_UNRESTRICTED.search(limb))
    return None


def reached(definitions: Iterable[Definition], root: str) -> tuple[Definition, ...]:
    """The definitions that some words use, and those that these use in turn; all of them where the words use none.

    Of two terms of which one holds the other ("Total Debt", "Total Net Debt") the longer one is meant where it stands.
    """
    every = tuple(definitions)
    terms = sorted({d.term for d in every if d.term.strip()}, key=lambda term: (-len(term), term))
    if not terms:
        return every
    pattern = re.compile(
        r"(?<!\w)(?:" + "|".join(r"\s+".join(map(re.escape, term.split())) for term in terms) + r")s?(?!\w)", re.IGNORECASE
    )
    by_term = {" ".join(term.lower().split()): term for term in terms}

    def used(text: str) -> set[str]:
        found = (" ".join(match[0].lower().split()) for match in pattern.finditer(text))
        return {by_term[word] if word in by_term else by_term[word.removesuffix("s")] for word in found}

    open_terms, seen = used(root), set[str]()
    while open_terms:
        term = min(open_terms)
        seen.add(term)
        open_terms |= {t for d in every if d.term == term for t in used(d.text)}
        open_terms -= seen
    return tuple(d for d in every if d.term in seen) if seen else every


def read_definitions(
    definitions: Iterable[Definition], *, root: str = "", convention: Convention | None = Convention.POINT, home: str = "XXX"
) -> DefinitionTerms:
    """What definitions say for a calculation.

    Args:
        definitions: the definitions used by the covenant, as they read on the test date.
        root: the covenant's own words for its ratio; only definitions that they reach count (another ratio of the agreement
            may net cash where this one does not).
        convention: how the agreement writes its numbers.
        home: what a bare ``$`` means in the agreement.
    """
    found: dict[str, object] = {}
    spans: dict[str, tuple[Span, ...]] = {}
    doubts: list[Doubt] = []
    caps: list[Cap] = []
    definitions = reached(definitions, root)
    for definition in definitions:
        text = fold(" ".join(definition.text.split()))
        earnings = bool(_EARNINGS.search(definition.term)) and not re.search(r"ratio", definition.term, re.IGNORECASE)
        if re.search(
            r"four (?:consecutive )?(?:full )?fiscal quarters|twelve (?:\(12\) )?(?:consecutive )?(?:calendar )?months?|"
            r"12[- ]months?",
            text,
            re.IGNORECASE,
        ):
            found["twelve_months"] = True
        if _DEEMED.search(text):
            found["non_positive"] = "breach"
        rounding = read_rounding(definition.text, definition.spans)
        if rounding:
            found["rounding"] = rounding
        if earnings:
            found.setdefault("ebitda_term", definition.term)
            named = tuple(name for name, pattern in _COMPONENTS if re.search(pattern, text, re.IGNORECASE))
            found["components"] = tuple(dict.fromkeys((*_names(found), *named)))
            found_caps, open_caps = read_caps(definition, text, convention, home)
            caps.extend(found_caps)
            doubts.extend(open_caps)
            spans["ebitda"] = definition.spans
            continue
        if _DEBT.search(definition.term):
            found.setdefault("debt_term", definition.term)
        if _DEBT.search(definition.term) or re.search(r"ratio|leverage|cover", definition.term, re.IGNORECASE):
            doubts.extend(_take_netting(found, spans, definition, _netting(text, convention, home)))
    # Cash that is defined apart ("Unrestricted Cash") settles what counts.
    for definition in definitions:
        if re.search(r"\bcash\b", definition.term, re.IGNORECASE) and _UNRESTRICTED.search(
            f"{definition.term} {definition.text}"
        ):
            found["restricted_excluded"] = True
    return DefinitionTerms(caps=tuple(caps), spans=spans, doubts=tuple(doubts), **found)


def _names(found: dict[str, object]) -> tuple[str, ...]:
    value = found.get("components", ())
    return value if isinstance(value, tuple) else ()


def _take_netting(
    found: dict[str, object],
    spans: dict[str, tuple[Span, ...]],
    definition: Definition,
    netting: tuple[str, list[Amount], bool] | None,
) -> list[Doubt]:
    if netting is None:
        return []
    kind, amounts, unrestricted = netting
    found["restricted_excluded"] = bool(found.get("restricted_excluded")) or unrestricted
    cap = amounts[0] if kind == "capped" and len({a.value for a in amounts}) == 1 else None
    if kind == "capped" and cap is None:
        sentence = f"The definition of {definition.term} caps the cash that may be netted and its amount cannot be fixed."
        return [Doubt(code="review_cap_basis_ambiguous", sentence=sentence, spans=definition.spans)]
    before = found.get("netting_cap")
    if isinstance(before, Amount) and cap is not None and before.value != cap.value:
        sentence = f"Two definitions cap netted cash at different amounts ({before.raw} and {cap.raw})."
        return [Doubt(code="review_definition_version_unclear", sentence=sentence, spans=definition.spans)]
    if kind == "capped" or found.get("netting") != "capped":
        found["netting"], found["netting_cap"] = kind, cap or before
        spans["netting"] = definition.spans
    return []
