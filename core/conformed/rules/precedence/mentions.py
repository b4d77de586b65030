"""Whether an instrument speaks of changing a provision: the net under extraction, so that a change that was missed stops the run."""

from __future__ import annotations

import re

from conformed.model.operation import Op, Operation
from conformed.rules.precedence.slots import same_place

__all__ = ["mention", "speaks_of"]

_VERB = re.compile(
    r"\b(?:amend(?:ed|s|ing)?|restat(?:e|ed|es|ing)|delet(?:e|ed|es|ing)|replac(?:e|ed|es|ing)|substitut(?:e|ed|es|ing)|"
    r"modif(?:y|ied|ies|ying)|read\s+as|revis(?:e|ed|es|ing)|increas(?:e|ed|es|ing)|reduc(?:e|ed|es|ing)|waiv(?:e|ed|es|ing)|"
    r"suspend(?:ed|s|ing)?|not\s+(?:be\s+tested|apply))\b",
    re.IGNORECASE,
)
_THIS = re.compile(
    r"\s*(?:\([A-Za-z0-9]{1,4}\)\s*)*(?:of|to|in)\s+this\s+(?:\w+\s+)?(?:Amendment|Waiver|Consent|Letter|letter|Agreement)\b"
    r"|\s*(?:hereof|hereto|above|below)\b"
)
_NEGATED = re.compile(r"\b(?:not|nothing|no|neither|except|other\s+than|without)\b[^.;]{0,80}$", re.IGNORECASE)
_NUMBERED = r"(?:\b(?:Sections?|[Ss]ub-?sections?|[Cc]lauses?|[Pp]aragraphs?|SECTIONS?|SUBSECTIONS?)|\u00a7)"
_SENTENCE = re.compile(r"(?<=[a-z)\"])\.\s")
_REACH = 160
_TIMED = {Op.WAIVE_TEST, Op.SUSPEND_TESTING, Op.TEMPORARY_LEVEL, Op.GIVE_CONSENT, Op.CURE_RIGHT}


def speaks_of(operation: Operation, slot: str) -> bool:
    """Whether a waiver, suspension or temporary level is about the covenant's provision: then it was understood."""
    section, target = slot.partition("#")[0], operation.target.section
    return operation.op in _TIMED and bool(target) and (same_place(target, section) or same_place(section, target))


def _reference(section: str) -> re.Pattern[str] | None:
    """A reference to a provision, to one that encloses it, or to a paragraph inside it; not to its neighbours."""
    base = section.partition("(")[0]
    if not base or not base[0].isdigit() or "." not in base:
        return None
    parts = [rf"\s*{re.escape(p)}" for p in re.findall(r"\([^)]*\)", section[len(base) :])]
    around = "".join(f"(?:{p})?" for p in parts[:-1])
    inner = rf"(?:{''.join(parts)}|{around}(?!\s*\())" if parts else ""
    return re.compile(rf"{_NUMBERED}\s*(?:\d[\w.()]*\s*(?:,|and|or)\s*)*{re.escape(base)}(?![\d.]*\d)(?![A-Z]){inner}")


def mention(text: str, section: str) -> tuple[int, int] | None:
    """Where a text speaks of changing a provision (or the one that encloses it), if it does.

    Args:
        text: live text of the instrument.
        section: the provision in normal form.
    """
    reference = _reference(section)
    if reference is None:
        return None
    for m in reference.finditer(text):
        if _THIS.match(text, m.end()):
            continue
        after = _SENTENCE.split(text[m.end() : m.end() + _REACH])[0]
        before = _SENTENCE.split(text[max(0, m.start() - _REACH) : m.start()])[-1]
        later = _VERB.search(after)
        if later is None and _VERB.search(before) is None:
            continue
        refused = later is not None and re.search(r"\bnot\b", after[: later.start()]) is not None
        if not refused and not _NEGATED.search(before):
            return max(0, m.start() - 20), min(len(text), m.end() + _REACH)
    return None
