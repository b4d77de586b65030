"""Covenants that an agreement states: every provision read by itself, with the words of the enclosing one as its lead."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from conformed.language.terms import read_terms
from conformed.language.traced import Traced
from conformed.model.covenant import Comparator, CovenantKind, CovenantTerms, Doubt, Unit
from conformed.model.dates import FiscalCalendar
from conformed.model.provision import Provision, ProvisionTree
from conformed_plugins.extractors.boxes import chosen
from conformed_plugins.extractors.conditions import Place, conditioned

__all__ = ["Stated", "checked", "read_statements"]

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
_CONDITIONAL = re.compile(
    r"\b(?:so\s+long|if|unless|provided|conditions?\s+(?:shall|is|are|be)|satisf\w+|may\s+(?:declare|make|pay|incur|create|issue)|permitted|except(?:\s+that)?|to\s+the\s+extent)\b",
    re.IGNORECASE,
)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_STANDING = re.compile(
    r"\b(?:so|as)\s+long\s+as\s+(?:any|the|this|there|all|either|Borrower|it)\b[^:;]{0,220}?(?:outstanding|unpaid|owing|effect|remains?|hereunder|Agreement|Commitment|Obligations?|Notes?|Loans?)\b|\b(?:unless|except(?:\s+as)?)\s+(?:(?:the|such|otherwise|with|prior|written)\s+)*(?:\w+\s+){0,4}?(?:Lenders?|Banks?|Agent|Holders?|consent\w*|agree\w*)\b[^:;]{0,80}",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"^(?:\W*(?:ARTICLE|Section)?\W*)?(?:.*\b(?:conditions?\s+(?:precedent|to|of)|representations?|defin|events?\s+of\s+default|defaults?\b|remedies|assign)|interpretation)",
    re.IGNORECASE,
)
# An amount is a covenant only under a caption that says so: sums of money stand everywhere in an agreement.
_AMOUNTS = re.compile(
    r"net\s*worth|equity|ebitda|liquidity|\bfinancial\s+(?:covenant|condition|undertaking|test|requirement|ratio|standard|definition|maintenance)|\bminimum\b|\bmaximum\b|cash\s+(?:balance|flow|and\s+cash|on\s+hand)|unencumbered\s+cash|"
    r"(?:net|operating|consolidated)\s+(?:income|profit|loss)|earnings|profitab|capital\s+expenditures?|net\s+capital|tangible|working\s+capital|capitali[sz]ation|leverage|coverage",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(r"\bby\s+(?:more|less|an\s+amount|at\s+least)\b", re.IGNORECASE)
_WORKED_OUT = re.compile(
    r"[,;]\s*(?:less(?!\s+than)|plus|minus|net\s+of|reduced\s+by|increased\s+by|together\s+with)\b|\b(?:plus|minus)\b",
    re.IGNORECASE,
)
_GLOSS = re.compile(r"\bwith\s+\"|\bdefined\s+as\b|\bwhere\s+\"|(?<=[a-z0-9)])\.\s")
_RATIO_OF = re.compile(r"\bratio\s+of\s+(?:(?:the|its|their|total|aggregate|\([a-z]\))\s+)*$", re.IGNORECASE)
_FORM = re.compile(r"\bform\s+of\b|certificate|exhibit", re.IGNORECASE)
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
        found = read_terms(view, body, min(own_end, end), section=p.label, caption=caption, lead=lead, calendar=calendar)
        if not found and inner and any(c.kind == "clause" for c in inner):
            whole = read_terms(view, body, min(b, end), section=p.label, caption=caption, lead=lead, calendar=calendar)
            edge = view.origin_of(own_end)
            found = tuple(t for t in whole if edge and t.spans["metric"] and t.spans["metric"][0].start < edge[1])
            merged_until = b if found else merged_until
        for terms in (chosen(checked(t, view), chain, view, tree, min(own_end, end), lead) for t in found):
            place = Stated(p, terms, a, max(own_end, merged_until if merged_until == b else 0))
            (kept if _counts(chain, terms, view.text, body, lead, annex=annex) else other).append(place)
    return _told_once(_with_conditions(kept, view, tree)), other


def _with_conditions(kept: list[Stated], view: Traced, tree: ProvisionTree) -> list[Stated]:
    """Covenants with the conditions that other clauses set to them."""
    places = []
    for stated in kept:
        chain = _context(tree, stated.provision)
        around = next((p for p in chain if p.kind == "section"), chain[min(1, len(chain) - 1)])
        section = (view.offset_of(tree.document, around.start), view.offset_of(tree.document, around.end))
        places.append(Place(stated.terms, stated.start, stated.end, section))
    return [replace(s, terms=t) for s, t in zip(kept, conditioned(places, view), strict=True)]


def _lead(view: Traced, tree: ProvisionTree, chain: list[Provision]) -> str:
    if len(chain) < 2:
        return ""
    parent = chain[1]
    body, at = view.offset_of(tree.document, parent.body), view.offset_of(tree.document, chain[0].start)
    siblings = [p for p in tree.provisions if p.parent == parent.index and p.kind != "definition"]
    first = view.offset_of(tree.document, siblings[0].start) if siblings else at
    return view.text[body : min(first, body + _LEAD)] if first > body else ""


def _told_once(kept: list[Stated]) -> list[Stated]:
    """Two provisions of one number that both state a covenant (two texts bound in one file): neither is taken without a person."""
    numbers: dict[str, set[int]] = {}
    for stated in kept:
        numbers.setdefault(stated.terms.section, set()).add(stated.provision.index)
    # Where one clause stands twice, so does the section around it.
    twice = {section.partition("(")[0] for section, places in numbers.items() if len(places) > 1}
    result = []
    for stated in kept:
        terms = stated.terms
        if terms.section.partition("(")[0] in twice:
            doubt = Doubt(
                code="review_target_ambiguous",
                sentence="The document states a covenant under this number in more than one place.",
                spans=terms.spans["clause"],
            )
            terms = terms.model_copy(update={"doubts": (*terms.doubts, doubt)})
        result.append(replace(stated, terms=terms))
    return result


def checked(terms: CovenantTerms, view: Traced) -> CovenantTerms:
    """Terms with the doubts that the words between figure and level raise."""
    metric, clause = terms.spans["metric"], terms.spans["clause"]
    if not metric or not clause or not terms.rows:
        return terms
    document = metric[0].document
    start, end = view.offset_of(document, metric[0].start), view.offset_of(document, metric[-1].end)
    stop = view.offset_of(document, clause[-1].end)
    level = terms.rows[0].limit
    found = []
    if level.unit is Unit.AMOUNT:
        at = view.offset_of(document, level.spans[0].start) if level.spans else stop
        if _DIFFERENCE.search(view.text, end, max(end, at)):
            found.append(
                ("review_metric_ambiguous", "The level is set for a difference of two figures, of which only one was read.")
            )
        tail = _GLOSS.search(view.text, at, max(at, stop))
        if _WORKED_OUT.search(view.text, end, max(end, tail.start() if tail else stop)):
            found.append(
                ("review_level_by_external_reference", "The amount is worked out from another figure that is not in the clause.")
            )
    elif not terms.numerator and _RATIO_OF.search(view.text[max(0, start - 60) : start]):
        found.append(("review_metric_ambiguous", "The clause is about a ratio of two figures, of which only one was read."))
    doubts = tuple(Doubt(code=c, sentence=s, spans=clause) for c, s in found)
    return terms.model_copy(update={"doubts": (*terms.doubts, *doubts)}) if doubts else terms


def _number(label: str) -> str:
    """An article's number in figures; empty where it cannot be told, or where the document numbers its sections without articles."""
    name = label.rpartition(" ")[2].upper()
    if name.isdigit():
        return name
    value = 0
    for a, b in zip(name, [*name[1:], ""], strict=True):
        if a not in _ROMAN:
            return ""
        value += -_ROMAN[a] if b and _ROMAN.get(b, 0) > _ROMAN[a] else _ROMAN[a]
    return str(value)


def _counts(chain: list[Provision], terms: CovenantTerms, text: str, body: int, lead: str, *, annex: bool) -> bool:
    """Whether a reading is a covenant of the agreement: by the headings above it, else by opening a provision of its own."""
    if terms.kind not in {CovenantKind.MAINTENANCE, CovenantKind.SPRINGING}:
        return False
    if not annex and any(p.kind == "schedule" and _FORM.search(p.heading) for p in chain):
        return False
    major = next((p.label.partition(".")[0] for p in chain if p.kind == "section"), "")
    # An article of another number than the section's is not the one that holds it: its own heading was not seen.
    around = [p for p in chain if p.kind == "section" or (p.kind == "article" and _number(p.label) in {major, ""})]
    if any(_ELSEWHERE.search(p.heading) for p in around if p.heading):
        return False
    headed = [p.heading for p in chain if p.heading and p.kind in {"clause", "section", "item"}]
    financial = any(_FINANCIAL.search(h) for h in headed)
    if not financial and any(_ACTIONS.search(h) for h in headed):
        return False
    if terms.rows and all(r.limit.unit is Unit.AMOUNT for r in terms.rows):
        strict = isinstance(terms.comparator, Comparator) and terms.comparator in {Comparator.LT, Comparator.GT}
        return not strict and any(_AMOUNTS.search(h) for h in headed[:2])
    words = " ".join(s.text for s in terms.spans.get("clause", ()))
    if re.search(r"\bpro\s+forma\b", words, re.IGNORECASE) and not financial:
        return False
    if not financial and _CONDITIONAL.search(_STANDING.sub(" ", lead[-400:])):
        return False
    opens = bool(terms.spans["clause"]) and terms.spans["clause"][0].start - chain[0].body < 300
    return financial or (opens and not any(p.depth > 3 for p in chain[:1]))
