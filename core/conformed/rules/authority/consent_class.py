"""Which class of lenders an agreement asks for to change its covenant, and which classes an instrument names (rule book PR-20).

Most covenants are the Required (Majority) Lenders' to change. A springing one is often reserved to one class ("Section 7.11
may be amended only with the consent of the Required Revolving Lenders"). Only a sentence that names a class, a change and the
provision (or the financial covenant) together reserves it; everything else leaves the usual class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from conformed.rules.precedence.slots import same_place

__all__ = ["EVERY_LENDER", "USUAL", "Reserved", "classes_named", "needed_classes", "reserved_classes"]

USUAL = "required lenders"
"""The class that can change what is reserved to no other, whatever the agreement calls it."""
EVERY_LENDER = "every lender"
"""Each lender, or each one affected."""

_GROUP = r"(?:Lenders|Banks|Purchasers|Holders|Noteholders)"
_SHARE = r"(?:Required|Majority|Requisite|Super-?[Mm]ajority)"
_CLASS = re.compile(rf"\b(?P<share>{_SHARE})\s+(?P<which>(?:(?!{_GROUP}\b)[A-Z][\w/-]*\s+){{0,4}}){_GROUP}\b")
_EVERY = re.compile(
    rf"\b(?:each|every|all)\s+(?:of\s+)?(?:the\s+)?(?:(?:directly|adversely|\w+ly)\s+)?(?:affected\s+)?(?:{_GROUP}|Lender|Bank)\b"
)
_AGREES = re.compile(
    rf"\bconsent\s+of\s+(?:each|every|all)\s+(?:of\s+)?(?:the\s+)?(?:{_GROUP}|Lender|Bank)\b"
    rf"|\b(?:each|every|all)\s+(?:of\s+)?(?:the\s+)?(?:{_GROUP}|Lender|Bank)s?\s+(?:party\s+(?:here)?to|under\s+the|(?:hereby\s+)?(?:agree|consent)s?)\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(r"\b(?:amend|waiv|modif|chang|supplement|var(?:y|ied))\w*", re.IGNORECASE)
_PLACE = re.compile(
    r"(?:\b(?:Sections?|[Cc]lauses?|[Pp]aragraphs?)|\u00a7)\s*(?P<list>\d[\w.]*(?:\([\w]+\))*(?:\s*(?:,|and|or)\s*(?:Section\s+)?\d[\w.]*(?:\([\w]+\))*)*)"
)
_COVENANT = re.compile(r"\bfinancial\s+(?:performance\s+|maintenance\s+)?covenants?\b", re.IGNORECASE)
_EDGE = re.compile(r"[;.]\s+|\bprovided\b|\n\s*\n")
_WITHOUT = re.compile(
    r"\bwithout\s+(?:the\s+)?(?:prior\s+)?(?:written\s+)?(?:consent|approval|agreement)\s+of\s+(?:the\s+)?$", re.IGNORECASE
)
_NO = re.compile(r"\b(?:no|not|nor|none|neither)\b", re.IGNORECASE)
_PLAIN = frozenset({"credit", "consenting", "existing", "loan", "the"})
_CONSENT_OF = re.compile(r"\b(?:consent|approval|agreement)\s+of\s+$", re.IGNORECASE)
_UNDERSTOOD = re.compile(r"\bunderstood\b|\bnot\s+(?:constitute|be\s+(?:deemed|construed|considered))\b", re.IGNORECASE)
_HERE = re.compile(r"\bthis\s+(?:section|clause|covenant|paragraph)\b|\bthe\s+foregoing\s+covenant\b", re.IGNORECASE)
_OPENS = re.compile(r"^[ \t]*(?:(?:Section|SECTION|Clause)\s+)?(?P<number>\d{1,2}\.\d{1,3})\b(?!\s*(?:to|:|x)\b)", re.MULTILINE)
_REACH = 700
_BACK = 8_000


@dataclass(frozen=True, slots=True)
class Reserved:
    """A change that an agreement keeps for one class.

    Attributes:
        name: the class in normal form, such as ``required revolving lenders``.
        sections: provisions named.
        covenant: the sentence speaks of the financial covenant without its number.
        place: the words, as offsets.
    """

    name: str
    sections: tuple[str, ...]
    covenant: bool
    place: tuple[int, int]


def _normal(m: re.Match[str]) -> str:
    words = [w for w in m["which"].lower().split() if w not in _PLAIN]
    share = "supermajority" if m["share"].lower().startswith("super") else "required"
    return " ".join([share, *words, "lenders"])


def classes_named(text: str) -> frozenset[str]:
    """The classes that an instrument names as agreeing, in normal form.

    Args:
        text: live text of the instrument.
    """
    named = {_normal(m) for m in _CLASS.finditer(text)}
    return frozenset(named | ({EVERY_LENDER} if _AGREES.search(text) else set()))


def reserved_classes(text: str) -> tuple[Reserved, ...]:
    """What an agreement reserves to a class other than the usual one.

    Args:
        text: live text of the agreement.
    """
    found: dict[tuple[str, tuple[str, ...], bool], Reserved] = {}
    for m in (*_CLASS.finditer(text), *_EVERY.finditer(text)):
        name = _normal(m) if m.re is _CLASS else EVERY_LENDER
        if name == USUAL:
            continue
        a, b = _segment(text, m.start(), m.end())
        before, after = text[a : m.start()], text[m.end() : b]
        if _CHANGES.search(before) is None and _CHANGES.search(after) is None:
            continue
        if _WITHOUT.search(before) and not _NO.search(before):
            continue  # "may be amended without the consent of ..."
        if name == EVERY_LENDER and (not _CONSENT_OF.search(before) or _UNDERSTOOD.search(text, a, b)):
            continue
        around = (before, after)
        sections = tuple(
            sorted({p for part in around for s in _PLACE.finditer(part) for p in re.findall(r"\d[\w.]*(?:\(\w+\))*", s["list"])})
        )
        here = _here(text, a) if any(_HERE.search(part) for part in around) else ""
        sections = tuple(sorted({*sections, here} - {""}))
        covenant = any(_COVENANT.search(part) for part in around)
        # What every lender must agree to is listed by number: talk of "financial covenants" there says what is no such change.
        covenant = covenant and name != EVERY_LENDER
        if sections or covenant:
            found.setdefault((name, sections, covenant), Reserved(name, sections, covenant, (a, b)))
    return tuple(found[k] for k in sorted(found))


def _here(text: str, at: int) -> str:
    """The number of the provision in which a place stands, by the last number that opens a line before it."""
    last = ""
    for m in _OPENS.finditer(text, max(0, at - _BACK), at):
        last = m["number"]
    return last


def _segment(text: str, start: int, end: int) -> tuple[int, int]:
    low = max(0, start - _REACH)
    edges = [m.end() for m in _EDGE.finditer(text, low, start)]
    last = _EDGE.search(text, end, min(len(text), end + _REACH))
    return (edges[-1] if edges else low), (last.start() if last else min(len(text), end + _REACH))


def needed_classes(reserved: Iterable[Reserved], sections: Iterable[str], *, covenant: bool) -> frozenset[str]:
    """The classes to which the provisions of a change are reserved; none where the usual class can make it.

    Args:
        reserved: what the agreement reserves.
        sections: provisions that the instrument changes.
        covenant: whether it changes the level, or the test, of a covenant.
    """
    touched = tuple(sections)
    return frozenset(
        r.name
        for r in reserved
        if (covenant and r.covenant) or any(same_place(p, s) or same_place(s, p) for p in r.sections for s in touched)
    )
