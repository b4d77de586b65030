"""Whether an instrument speaks of changing a provision: the net under extraction, so that a change that was missed stops the run."""

from __future__ import annotations

import re

from conformed.model.operation import Op, Operation
from conformed.rules.slots import same_place

__all__ = ["mention", "speaks_of"]

_VERB = re.compile(r"\b(?:amend(?:ed|s|ing)?|restat(?:ed|es|ing)|delet(?:ed|es|ing)|replac(?:ed|es|ing)|substitut(?:ed|es|ing)|modif(?:ied|ies|ying)|read\s+as|revis(?:ed|es|ing)|increas(?:ed|es|ing)|reduc(?:ed|es|ing)|waiv(?:ed|es|ing)|suspend(?:ed|s|ing)?|not\s+(?:be\s+tested|apply))\b", re.IGNORECASE)
_THIS = re.compile(r"\s*(?:\([A-Za-z0-9]{1,4}\)\s*)*(?:of|to|in)\s+this\s+(?:\w+\s+)?(?:Amendment|Waiver|Consent|Letter|letter|Agreement)\b|\s*(?:hereof|hereto|above|below)\b")
_NEGATED = re.compile(r"\b(?:not|nothing|no|neither|except|other\s+than|without)\b[^.;]{0,80}$", re.IGNORECASE)
_AFTER, _BEFORE = 160, 160


def speaks_of(operation: Operation, slot: str) -> bool:
    """Whether a waiver, suspension or temporary level is about the covenant's provision: then it was understood."""
    section = slot.partition("#")[0]
    timed = operation.op in {Op.WAIVE_TEST, Op.SUSPEND_TESTING, Op.TEMPORARY_LEVEL, Op.GIVE_CONSENT, Op.CURE_RIGHT}
    target = operation.target.section
    return timed and bool(target) and (same_place(target, section) or same_place(section, target))


def mention(text: str, section: str) -> tuple[int, int] | None:
    """Where a text speaks of changing a provision (or the one that encloses it), if it does.

    Args:
        text: live text of the instrument.
        section: the provision in normal form.
    """
    base = section.partition("(")[0]
    if not base or not base[0].isdigit() or "." not in base:
        return None
    tail = section[len(base) :]
    inner = "".join(rf"(?:\s*{re.escape(part)})?" for part in re.findall(r"\([^)]*\)", tail))
    reference = re.compile(rf"(?:\b(?:Sections?|[Ss]ub-?sections?|[Cc]lauses?|[Pp]aragraphs?|SECTIONS?|SUBSECTIONS?)|\u00a7)\s*(?:\d[\w.()]*\s*(?:,|and|or)\s*)*{re.escape(base)}(?![\d.]*\d)(?P<inner>{inner})(?!\s*\()")
    for m in reference.finditer(text):
        if _THIS.match(text, m.end()):
            continue
        after = re.split(r"(?<=[a-z)\"])\.\s", text[m.end() : m.end() + _AFTER])[0]
        before = re.split(r"(?<=[a-z)\"])\.\s", text[max(0, m.start() - _BEFORE) : m.start()])[-1]
        verb = _VERB.search(after) or _VERB.search(before)
        if verb and not _NEGATED.search(before) and not re.search(r"\bnot\b", after[: verb.start()] if verb.string is after else ""):
            return max(0, m.start() - 20), min(len(text), m.end() + _AFTER)
    return None
