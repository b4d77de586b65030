"""Ratios that are no covenant of the agreement, each told once a provision with the reason why it was left out (rule PR-25)."""

from __future__ import annotations

import re

from conformed.language.ratios import find_ratios
from conformed.language.traced import Traced
from conformed.model.covenant import CovenantKind, Doubt
from conformed.model.provision import Provision, ProvisionTree
from conformed_plugins.extractors.statements import Stated

__all__ = ["find_rejections"]

_PRICING = re.compile(
    r"\bmargin\b|\bpricing\b|applicable\s+(?:rate|percentage|margin|fee)|\bfees?\b|interest\s+rate", re.IGNORECASE
)
_FORM = re.compile(r"\bform\s+of\b|certificate|exhibit", re.IGNORECASE)
_DEFAULT = re.compile(r"events?\s+of\s+default|\bdefaults?\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:other|senior\s+note|note|second\s+lien|junior|subordinated|loan\s+note|bond)\s+(?:\w+\s+){0,3}?(?:agreement|indenture|facility|instrument)\b|indenture|cross",
    re.IGNORECASE,
)
_SAYS = {
    "reject_pricing_grid": "A ratio that sets a margin or fee.",
    "reject_form_of_certificate": "A level printed in a form or exhibit.",
    "reject_other_facility_covenant": "A covenant of another agreement.",
    "reject_incurrence_only": "A ratio that is a condition for an action.",
    "reject_other_ratio": "A ratio that is not tested as a covenant of this agreement.",
}


def _chain(tree: ProvisionTree, provision: Provision) -> list[Provision]:
    chain = [provision]
    while (parent := chain[-1].parent) is not None:
        chain.append(tree.provisions[parent])
    return chain


def _code(chain: list[Provision], words: str) -> str:
    headings = " | ".join(p.heading for p in chain)
    if any(p.kind == "schedule" and _FORM.search(p.heading) for p in chain):
        return "reject_form_of_certificate"
    if _PRICING.search(headings) or re.search(r"\bapplicable\s+margin\b|\blevel\s+(?:I|1|one)\b", words, re.IGNORECASE):
        return "reject_pricing_grid"
    if _DEFAULT.search(headings) or _OTHER.search(words):
        return "reject_other_facility_covenant"
    if chain[0].kind == "definition":
        return "reject_other_ratio"
    return "reject_incurrence_only"


def find_rejections(view: Traced, tree: ProvisionTree, kept: list[Stated], other: list[Stated]) -> list[Doubt]:
    """Each provision that holds a ratio and is no covenant, with its code.

    Args:
        view: live view of the agreement.
        tree: its provisions.
        kept: covenants that were read.
        other: readings that are none.
    """
    taken = [(s.start, s.end) for s in kept]
    innermost: dict[int, tuple[int, int]] = {}
    starts = [(view.offset_of(tree.document, p.start), p.index) for p in tree.provisions] if find_ratios(view.text) else []
    for token in find_ratios(view.text):
        if any(a <= token.start < b for a, b in taken):
            continue
        inside = [index for at, index in starts if at <= token.start]
        if inside:
            innermost.setdefault(inside[-1], (token.start, token.end))
    doubts: dict[tuple[str, int], Doubt] = {}
    for index, (start, end) in sorted(innermost.items()):
        provision = tree.provisions[index]
        code = _code(_chain(tree, provision), view.text[max(0, start - 400) : end + 80])
        doubts[(code, index)] = Doubt(code=code, sentence=_SAYS[code], spans=view.spans(start, end))
    for stated in other:
        code = (
            "reject_incurrence_only"
            if stated.terms.kind is CovenantKind.INCURRENCE
            else _code(_chain(tree, stated.provision), "")
        )
        doubts.setdefault(
            (code, stated.provision.index), Doubt(code=code, sentence=_SAYS[code], spans=stated.terms.spans["clause"])
        )
    return [doubts[key] for key in sorted(doubts, key=lambda k: (doubts[k].spans[0].start if doubts[k].spans else 0, k))]
