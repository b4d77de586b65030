"""What definitions say that a calculation needs: netting and its cap, capped add-backs and their basis, periods, rounding.

Read from the words of the definitions in force, each with the term whose text says it. What the words leave open is a
doubt; nothing has a default that could change a ratio.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformed.language.amounts import Amount, Convention, fold
from conformed.language.caps import Cap, read_caps
from conformed.language.conversion import Conversion, read_conversion
from conformed.language.netting import Netting, is_unrestricted, read_netting
from conformed.language.periods import Annualised, Deemed, read_annualised, read_deemed
from conformed.language.rounding import RoundingTerms, read_rounding
from conformed.language.support import pro_forma_named, supports_asked
from conformed.model.base import Exact, Frozen
from conformed.model.covenant import Definition, Doubt
from conformed.model.span import Span

__all__ = ["DefinitionTerms", "RoundingTerms", "reached", "read_definitions", "read_rounding"]


class DefinitionTerms(Frozen):
    """What the definitions in force say for one calculation."""

    netting: str = "none"
    """``none``, ``uncapped`` or ``capped``."""
    netting_cap: Amount | None = None
    """Most cash that may be taken off debt, as an amount."""
    netting_share: Exact | None = None
    """Most cash as a share of earnings; with an amount the greater of the two counts."""
    cash_rules: tuple[str, ...] = ()
    """What else is asked of cash: ``domestic``, ``controlled``."""
    cash_terms: tuple[str, ...] = ()
    """Defined terms for cash; a line that bears one as its label says that it meets the definition."""
    restricted_excluded: bool = False
    """Whether only cash that is not restricted counts."""
    caps: tuple[Cap, ...] = ()
    """Ceilings on add-backs."""
    components: tuple[str, ...] = ()
    """Charges that the definition of earnings names, by the names of certificate lines."""
    annualised: tuple[Annualised, ...] = ()
    """Test dates for which earnings of a part of a year are multiplied, and by what."""
    deemed: tuple[Deemed, ...] = ()
    """Earnings that are fixed for named quarters."""
    conversions: tuple[Conversion, ...] = ()
    """At which rate another currency is converted."""
    pro_forma: bool = False
    """Whether earnings are worked out as if purchases and sales of the period had come first."""
    supports: tuple[str, ...] = ()
    """What is asked of projected savings: certified, actions, horizon, net_realised."""
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
_COMPONENTS = (
    ("interest", r"\binterest\b|\bfinance (?:charges|costs)\b"),
    ("taxes", r"\btax(?:es)?\b"),
    ("depreciation", r"\bdepreciation\b"),
    ("amortization", r"\bamorti[sz]ation\b"),
)
_TWELVE = re.compile(
    r"four (?:consecutive )?(?:full )?fiscal quarters|twelve (?:\(12\) )?(?:consecutive )?(?:calendar )?months?|12[- ]months?",
    re.IGNORECASE,
)
_DEEMED = re.compile(
    r"EBITDA[^.]{0,120}(?:zero|negative|less than (?:or equal to )?(?:zero|\$?0))[^.]{0,120}(?:deemed|"
    r"be treated)[^.]{0,60}(?:exceed|in excess|greater than|higher than|not (?:be )?(?:in compliance|satisf|met))",
    re.IGNORECASE,
)


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
    definitions = reached(definitions, root)
    found: dict[str, object] = {"cash_terms": tuple(d.term for d in definitions if re.search(r"\bcash\b", d.term, re.IGNORECASE))}
    spans: dict[str, tuple[Span, ...]] = {}
    doubts: list[Doubt] = []
    lists: dict[str, list[object]] = {"caps": [], "annualised": [], "deemed": [], "conversions": []}
    for definition in definitions:
        text = fold(" ".join(definition.text.split()))
        if _TWELVE.search(text):
            found["twelve_months"] = True
        if _DEEMED.search(text):
            found["non_positive"] = "breach"
        found["rounding"] = read_rounding(definition.text, definition.spans) or found.get("rounding")
        lists["conversions"] += read_conversion(text, definition.spans)
        factors, open_factors = read_annualised(definition, text)
        lists["annualised"] += factors
        doubts += open_factors
        if _EARNINGS.search(definition.term) and not re.search(r"ratio", definition.term, re.IGNORECASE):
            doubts += _take_earnings(found, lists, definition, text, convention, home)
            spans["ebitda"] = definition.spans
            continue
        if _DEBT.search(definition.term):
            found.setdefault("debt_term", definition.term)
        if _DEBT.search(definition.term) or re.search(r"ratio|leverage|cover", definition.term, re.IGNORECASE):
            doubts += _take_netting(found, spans, definition, read_netting(text, convention, home))
    # Cash that is defined apart ("Unrestricted Cash") settles what counts.
    for definition in definitions:
        if definition.term in _strings(found["cash_terms"]) and is_unrestricted(f"{definition.term} {definition.text}"):
            found["restricted_excluded"] = True
    return DefinitionTerms.model_validate(
        {**{name: tuple(items) for name, items in lists.items()}, "spans": spans, "doubts": tuple(doubts), **found}
    )


def _strings(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _take_earnings(
    found: dict[str, object],
    lists: dict[str, list[object]],
    definition: Definition,
    text: str,
    convention: Convention | None,
    home: str,
) -> tuple[Doubt, ...]:
    found.setdefault("ebitda_term", definition.term)
    named = tuple(name for name, pattern in _COMPONENTS if re.search(pattern, text, re.IGNORECASE))
    found["components"] = tuple(dict.fromkeys((*_strings(found.get("components")), *named)))
    found["pro_forma"] = bool(found.get("pro_forma")) or pro_forma_named(text)
    found["supports"] = tuple(dict.fromkeys((*_strings(found.get("supports")), *supports_asked(text))))
    caps, open_caps = read_caps(definition, text, convention, home)
    deemed, open_deemed = read_deemed(definition, text, convention, home)
    lists["caps"] += caps
    lists["deemed"] += deemed
    return (*open_caps, *open_deemed)


def _take_netting(
    found: dict[str, object], spans: dict[str, tuple[Span, ...]], definition: Definition, netting: Netting | None
) -> list[Doubt]:
    if netting is None:
        return []
    found["restricted_excluded"] = bool(found.get("restricted_excluded")) or netting.unrestricted
    found["cash_rules"] = tuple(dict.fromkeys((*_strings(found.get("cash_rules")), *netting.rules)))
    if netting.unclear:
        sentence = f"The definition of {definition.term} caps the cash that may be netted and its amount cannot be fixed."
        return [Doubt(code="review_cap_basis_ambiguous", sentence=sentence, spans=definition.spans)]
    before, cap = found.get("netting_cap"), netting.amount
    if isinstance(before, Amount) and cap is not None and before.value != cap.value:
        sentence = f"Two definitions cap netted cash at different amounts ({before.raw} and {cap.raw})."
        return [Doubt(code="review_definition_version_unclear", sentence=sentence, spans=definition.spans)]
    if netting.kind == "capped" or found.get("netting") != "capped":
        found["netting"], found["netting_cap"] = netting.kind, cap or before
        found["netting_share"] = netting.share if netting.share is not None else found.get("netting_share")
        spans["netting"] = definition.spans
    return []
