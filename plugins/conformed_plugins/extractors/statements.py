"""Covenants that an agreement states: every provision read by itself, with the words of the enclosing one as its lead."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.language.terms import read_terms
from conformed.language.traced import Traced
from conformed.model.covenant import CovenantKind, CovenantTerms
from conformed.model.dates import FiscalCalendar
from conformed.model.provision import Provision, ProvisionTree

__all__ = ["Stated", "read_statements"]

_FINANCIAL = re.compile(
    r"\bratios?\b|leverage|coverage|\bcover\b|debt\s+to|indebtedness\s+to|liabilities\s+to|ebitda|net\s+worth|networth|liquidity|\bfinancial\s+(?:covenant|condition|undertaking|test|requirement|ratio|standard|definition)|"
    r"\bminimum\b|\bmaximum\b|cash\s+(?:balance|flow|and\s+cash)|net\s+income|earnings|gearing|capital\s+expenditure",
    re.IGNORECASE,
)
# Sections about actions (incurring debt, paying dividends): a ratio in them is a condition of the action.
_ACTIONS = re.compile(
    r"\bliens?\b|restricted\s+payments?|dividends?|distributions?|investments?|acquisitions?|asset\s+sales?|dispositions?|fundamental\s+changes|mergers?|prepayments?|incremental|refinancing|transactions|"
    r"subsidiaries|^\W*(?:limitations?\s+on\s+|additional\s+|other\s+|permitted\s+)?(?:indebtedness|debt)\W*$|negative\s+pledge|guarant(?:ees|ies)|loans\b|advances|use\s+of\s+proceeds|collateral|availability|borrowing",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(r"\b(?:so\s+long|if|unless|provided|conditions?\s+(?:shall|is|are|be)|satisf\w+|may\s+(?:declare|make|pay|incur|create|issue)|permitted|except(?:\s+that)?|to\s+the\s+extent)\b", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"^(?:\W*(?:ARTICLE|Section)?\W*)?(?:.*\b(?:conditions?\s+(?:precedent|to|of)|representations?|defin|events?\s+of\s+default|defaults?\b|remedies|assign)|interpretation)",
    re.IGNORECASE,
)
_FORM = re.compile(r"\bform\s+of\b|certificate|exhibit", re.IGNORECASE)
_BOX = re.compile(r"\[\s*(?P<mark>[xX\u2713\u2714\u00d8_ ]?)\s*\]")
_LEAD = 700


@dataclass(frozen=True, slots=True)
class Stated:
    """Terms found in one provision, and the stretch of the view that is its text."""

    provision: Provision
    terms: CovenantTerms
    start: int
    end: int


def _context(tree: ProvisionTree, provision: Provision) -> list[Provision]:
    chain = [provision]
    while chain[-1].parent is not None:
        chain.append(tree.provisions[chain[-1].parent])
    return chain


def _selected(text: str, start: int) -> bool | None:
    m = _BOX.match(text, start) or _BOX.search(text, max(0, start - 8), start)
    return None if m is None else m["mark"] not in {"", " ", "_"}


def read_statements(
    view: Traced, tree: ProvisionTree, calendar: FiscalCalendar | None, *, start: int = 0, end: int | None = None, quoted: bool = False,
    annex: bool = False,
) -> tuple[list[Stated], list[Stated]]:  # fmt: skip
    """All covenants of an agreement, and the ratios that are none.

    Args:
        view: live view of the document.
        tree: its provisions.
        calendar: fiscal calendar, where known.
        start: first offset of the view to look at.
        end: one past the last.
        quoted: whether provisions inside quotations count (for the text that an amendment puts in).
        annex: whether the stretch is an annex that holds a whole agreement.

    Returns:
        Maintenance covenants, and other readings (incurrence, forms).
    """
    end = len(view.text) if end is None else end
    kept: list[Stated] = []
    other: list[Stated] = []
    children: dict[int | None, list[Provision]] = {}
    for p in tree.provisions:
        children.setdefault(p.parent, []).append(p)
    merged_until = -1
    for p in tree.provisions:
        if p.kind in {"definition", "article", "schedule"} or (p.quoted and not quoted):
            continue
        a, b = view.offset_of(tree.document, p.start), view.offset_of(tree.document, p.end)
        if a < start or a >= end or a < merged_until:
            continue
        chain = _context(tree, p)
        body = view.offset_of(tree.document, p.body)
        inner = children.get(p.index, [])
        own_end = min([view.offset_of(tree.document, c.start) for c in inner] or [b])
        lead = _lead(view, tree, chain)
        caption = p.heading
        selected = _selected(view.text, a)
        found = read_terms(view, body, min(own_end, end), section=p.label, caption=caption, lead=lead, selected=selected, calendar=calendar)
        if not found and inner and any(c.kind == "clause" for c in inner):
            whole = read_terms(view, body, min(b, end), section=p.label, caption=caption, lead=lead, selected=selected, calendar=calendar)
            edge = view.origin_of(own_end)
            found = tuple(t for t in whole if edge and t.spans["metric"] and t.spans["metric"][0].start < edge[1])
            merged_until = b if found else merged_until
        for terms in found:
            place = Stated(p, terms, a, max(own_end, merged_until if merged_until == b else 0))
            (kept if _counts(chain, terms, view.text, body, lead, annex=annex) else other).append(place)
    return kept, other


def _lead(view: Traced, tree: ProvisionTree, chain: list[Provision]) -> str:
    if len(chain) < 2:
        return ""
    parent = chain[1]
    body, at = view.offset_of(tree.document, parent.body), view.offset_of(tree.document, chain[0].start)
    siblings = [p for p in tree.provisions if p.parent == parent.index and p.kind != "definition"]
    first = view.offset_of(tree.document, siblings[0].start) if siblings else at
    return view.text[body : min(first, body + _LEAD)] if first > body else ""


def _counts(chain: list[Provision], terms: CovenantTerms, text: str, body: int, lead: str, *, annex: bool) -> bool:
    """Whether a reading is a covenant of the agreement: by the headings above it, else by opening a provision of its own."""
    if terms.kind is not CovenantKind.MAINTENANCE:
        return False
    if not annex and any(p.kind == "schedule" and _FORM.search(p.heading) for p in chain):
        return False
    if any(_ELSEWHERE.search(p.heading) for p in chain if p.kind in {"article", "section"} and p.heading):
        return False
    headed = [p.heading for p in chain if p.heading and p.kind in {"clause", "section", "item"}]
    financial = any(_FINANCIAL.search(h) for h in headed)
    if not financial and any(_ACTIONS.search(h) for h in headed):
        return False
    words = " ".join(s.text for s in terms.spans.get("clause", ()))
    if re.search(r"\bpro\s+forma\b", words, re.IGNORECASE) and not financial:
        return False
    if not financial and _CONDITIONAL.search(lead[-300:]):
        return False
    opens = bool(terms.spans["clause"]) and terms.spans["clause"][0].start - chain[0].body < 300
    return financial or (opens and not any(p.depth > 3 for p in chain[:1]))
