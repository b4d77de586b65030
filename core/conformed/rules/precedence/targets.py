"""What an operation works on: the covenant in question, another provision, or something that is not in the text in force (PR-22, PR-24)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.language.names import ORDINAL
from conformed.language.roman import ROMAN
from conformed.language.subjects import name_tokens
from conformed.model.covenant import CovenantTerms
from conformed.model.operation import Op, Operation
from conformed.rules.instruments.provisions import canonical_label

__all__ = ["LEVELS", "Stray", "amendment_meant", "own_terms", "section_of", "spent_change", "stray", "touches"]

LEVELS = frozenset(
    {
        Op.REPLACE_PROVISION,
        Op.REPLACE_TABLE,
        Op.SET_LEVEL,
        Op.SUBSTITUTE_TEXT,
        Op.ADD_PROVISION,
        Op.DELETE_PROVISION,
        Op.REPLACE_ROW,
        Op.STATE_COVENANT,
    }
)
"""Operations that set, change or end a covenant for good."""
_PERMANENT = LEVELS | {Op.OTHER_CHANGE}
_RATIO = re.compile(r"\d\s*(?:\.\d+)?\s*(?:to|:)\s*1\b|\d\.\d+\s*(?:x|times)\b", re.IGNORECASE)
_SPENT = re.compile(r"\bamendment\b", re.IGNORECASE)
_OF_ONE = re.compile(
    rf"\A[^;]{{0,40}}?\d[\w.]*(?:\s*\(\w{{1,4}}\))*\s+(?:of|to|in)\s+(?:the\s+)?(?P<one>Amendment\s+(?:Letter\s+)?(?:No\.?|Number|\#)\s*\w+|{ORDINAL}\s+Amendment)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stray:
    """An operation that may have been meant for the covenant and does not fit it.

    Attributes:
        operation: the operation.
        code: review code that says how it does not fit.
        sentence: plain words.
    """

    operation: Operation
    code: str
    sentence: str


def section_of(slot: str) -> str:
    """The provision of a covenant's slot (``7.11#total_leverage`` names one of several figures of 7.11)."""
    return slot.partition("#")[0]


def own_terms(operation: Operation, slot: str) -> list[CovenantTerms]:
    """The terms of an operation that belong to one covenant: same provision and, where it holds several, the same figure."""
    section, _, metric = slot.partition("#")
    here = [t for t in operation.terms if t.section == section]
    return [t for t in here if t.metric == metric] if metric else here


def _encloses(target: str, section: str) -> bool:
    """Whether a target is a provision around a section: a section around its paragraphs, or an article around its sections."""
    if "." in target and section.startswith((target + "(", target + ".")):
        return True
    article = re.fullmatch(r"(?:ARTICLE\s*)?([IVX]+|\d{1,2})", target, re.IGNORECASE)
    if article is None:
        return False
    word = article[1].upper()
    number = str(ROMAN.index(word) + 1) if word in ROMAN else word
    return section.startswith(number + ".")


def amendment_meant(operation: Operation) -> str:
    """The amendment whose words an instruction says that it changes, as written; empty where it changes the agreement."""
    if _SPENT.search(operation.target.agreement):
        return operation.target.agreement
    words = operation.target.spans
    m = _OF_ONE.match(words[0].text[:200]) if words else None
    return m["one"] if m else ""


def _spent(operation: Operation) -> bool:
    """Whether an instruction says that it changes the words of an amendment."""
    return bool(amendment_meant(operation))


def touches(operation: Operation, slot: str) -> bool:
    """Whether a permanent operation works on a covenant's provision, on one that encloses it, or on words inside it."""
    section, target = section_of(slot), operation.target.section
    if operation.op not in _PERMANENT or _spent(operation):
        return False
    if own_terms(operation, slot):
        return True
    if operation.op is Op.STATE_COVENANT:
        return False
    if any(t.section == section for t in operation.terms) or target == section:
        # A provision that holds several figures: new text for one of them leaves open what becomes of the others.
        return operation.op is not Op.SET_LEVEL or "#" not in slot
    if operation.op is Op.ADD_PROVISION or not target:
        return False
    if target.startswith(section + "("):
        return operation.op in {Op.SUBSTITUTE_TEXT, Op.OTHER_CHANGE}
    if operation.op is Op.SUBSTITUTE_TEXT and operation.target.term:
        return False
    return _encloses(target, section)


def _about_a_level(operation: Operation) -> bool:
    """Whether an operation moves a level: an instruction about other words may stand where nothing is known of it."""
    if operation.op in {Op.SET_LEVEL, Op.TEMPORARY_LEVEL, Op.SUSPEND_TESTING}:
        return True
    words = f"{operation.find} {operation.replace}"
    return operation.op is Op.SUBSTITUTE_TEXT and not operation.target.term and _RATIO.search(words) is not None


def spent_change(operation: Operation) -> bool:
    """Whether an operation changes words of an amendment that may be those of a level."""
    return _spent(operation) and bool(
        operation.terms or _about_a_level(operation) or operation.op in LEVELS - {Op.ADD_PROVISION, Op.SUBSTITUTE_TEXT}
    )


def _fits(caption: str, terms: tuple[CovenantTerms, ...]) -> bool:
    """Whether a caption can be that of a covenant: one has all words of the other's caption or name."""
    wanted = name_tokens(caption)
    return not wanted or any(
        wanted <= n or (n and n <= wanted) for t in terms for n in (name_tokens(t.caption), name_tokens(t.name))
    )


def stray(operation: Operation, slot: str, known: dict[str, tuple[CovenantTerms, ...]], labels: frozenset[str]) -> Stray | None:
    """Whether an operation may have been meant for a covenant that it does not touch, or touches under another caption.

    Args:
        operation: an operation that is, or may be, in force.
        slot: the covenant in question.
        known: covenants of the chain by slot, each with every reading of it.
        labels: numbers of the provisions of the text in force; empty where the pack holds none.
    """
    section, target = section_of(slot), canonical_label(operation.target.section)
    document, caption = operation.document, operation.target.caption
    if spent_change(operation):
        return Stray(
            operation, "review_amends_spent_amendment", f"{document} changes words of an amendment and not of the agreement."
        )
    if not _about_a_level(operation):
        return None
    if touches(operation, slot) or (operation.op not in LEVELS and (target == section or _encloses(target, section))):
        if target == section and not _fits(caption, known.get(slot, ())):
            return Stray(
                operation, "review_target_heading_mismatch", f"{document} gives {section} a caption that is not the covenant's."
            )
        return None
    there = tuple(t for s, terms in known.items() if section_of(s) == target for t in terms)
    if not target:
        return Stray(operation, "review_target_ambiguous", f"{document} sets a level and does not say in which provision.")
    if target == section or target.startswith(section + "("):
        return Stray(
            operation, "review_target_ambiguous", f"{document} sets a level in {target}, and more than one covenant may be meant."
        )
    if there:
        if caption and not _fits(caption, there) and _fits(caption, known.get(slot, ())):
            return Stray(operation, "review_target_heading_mismatch", f"{document} names {target} by the caption of {section}.")
        return None
    if not labels or (operation.op in {Op.SUBSTITUTE_TEXT, Op.TEMPORARY_LEVEL, Op.SUSPEND_TESTING} and target in labels):
        return None
    return Stray(
        operation, "review_target_not_found", f"{document} sets a level in {target}, where the text in force states none."
    )
