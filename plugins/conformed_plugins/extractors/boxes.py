"""Whether a form's covenant was chosen: its own box, those of the provisions around it, and how many of a choice are ticked."""

from __future__ import annotations

import re

from conformed.language.boxes import Box, find_boxes
from conformed.language.traced import Traced
from conformed.model.covenant import CovenantTerms, Doubt
from conformed.model.provision import Provision, ProvisionTree

__all__ = ["chosen"]

_ASKS = re.compile(r"\b(?:marked|checked|ticked|initial+ed|box(?:es)?|(?:check|select|mark|tick|choose)\s+(?:only\s+)?one|if\s+selected|(?:is|are|as)\s+selected)\b", re.IGNORECASE)  # fmt: skip
_ONE = re.compile(r"\b(?:check|select|mark|tick|choose)\s+(?:only\s+)?one\b|\bone\s+(?:only\s+)?of\s+the\s+following\b", re.IGNORECASE)  # fmt: skip
_BEFORE = 8
"""How far before its provision a box may stand on the same line."""


def _box_of(view: Traced, tree: ProvisionTree, provision: Provision, until: int | None = None) -> list[Box]:
    """The boxes with which a provision opens: before its number, behind it, or in its heading."""
    start, body = view.offset_of(tree.document, provision.start), view.offset_of(tree.document, provision.body)
    line = max(view.text.rfind("\n", 0, start) + 1, start - _BEFORE)
    return find_boxes(view.text, line, body if until is None else until)


def chosen(terms: CovenantTerms, chain: list[Provision], view: Traced, tree: ProvisionTree, end: int, lead: str) -> CovenantTerms:
    """Terms with what the boxes say; boxes that do not say one thing are a doubt.

    Args:
        terms: the covenant.
        chain: its provision and those around it, from the inside.
        view: live view of the document.
        tree: its provisions.
        end: where the provision's own words end.
        lead: words of the enclosing provision before this one.
    """
    metric = terms.spans.get("metric", ())
    if not metric:
        return terms
    at = view.offset_of(metric[0].document, metric[0].start)
    start = view.offset_of(tree.document, chain[0].start)
    own = _box_of(view, tree, chain[0], max(at, start))
    around = [b for p in chain[1:] if p.kind != "article" for b in _box_of(view, tree, p)]
    behind = find_boxes(view.text, at, end)
    boxes = [*own, *around]
    if not boxes and not behind:
        return (
            _doubted(terms, view, (start, at), "The form lets covenants be chosen, and this one has no box.")
            if _asks(lead)
            else terms
        )
    ticked = {b.ticked for b in boxes}
    if len(own) > 1 or len(ticked) != 1 or behind or any(b.contrary for b in boxes):
        return _doubted(terms, view, (start, at), "The boxes of the form do not say plainly whether the covenant was chosen.")
    if _ONE.search(lead) or _ONE.search(view.text[start:at]):
        number = sum(b.ticked for p in _siblings(tree, chain[0]) for b in _box_of(view, tree, p)[:1])
        if number != 1:
            return _doubted(terms, view, (start, at), f"The form asks for one box, and {number} are ticked.")
    return terms.model_copy(update={"selected": ticked.pop()})


def _asks(lead: str) -> bool:
    """Whether the words above let a choice be made."""
    return _ASKS.search(lead[-400:]) is not None


def _siblings(tree: ProvisionTree, provision: Provision) -> list[Provision]:
    return [p for p in tree.provisions if p.parent == provision.parent and p.kind == provision.kind]


def _doubted(terms: CovenantTerms, view: Traced, place: tuple[int, int], sentence: str) -> CovenantTerms:
    doubt = Doubt(code="review_clause_not_fully_read", sentence=sentence, spans=view.spans(place[0], max(place[1], place[0] + 1)))
    return terms.model_copy(update={"doubts": (*terms.doubts, doubt)})
