"""Whether a sentence does what its verb says: one that denies, proposes or tells it as past does nothing; one on a condition is open.

Only the operative sentence is looked at, without what stands in quotation marks: "this waiver is not an amendment" beside a
waiver denies an amendment, and the waiver stands.
"""

from __future__ import annotations

import re

from conformed.language.pattern_words import PatternReading, sentence_around

__all__ = ["as_meant"]

_VERBS: dict[str, str] = {
    "waive_test": r"waiv\w+",
    "give_consent": r"consent\w*|agree\w*|approv\w+",
    "suspend_testing": r"suspend\w*",
    "elect_increase": r"(?:be\s+)?(?:increas\w+|rais\w+|step\w*)|elect\w*",
    "cure_right": r"be\s+(?:added|counted|included|treated|deemed|applied|deducted)|added|counted|included|treated|deemed|applied|deducted",
}
_CHANGES = r"(?:be\s+)?(?:amend\w*|delet\w+|replac\w+|restat\w+|chang\w+|modif\w+|substitut\w+|increas\w+|reduc\w+|remov\w+|read\s+as)|become|be"
_HELP = r"(?:do|does|did|shall|will|is|are|was|were|may|must|has|have|can|could|would|should)"
_PROPOSED = re.compile(
    r"\b(?:propos(?:e|es|ed|al|als)|request(?:s|ed)?|reject(?:s|ed)?|declin(?:e|es|ed)|refus(?:e|es|ed)|may\s+agree|might|intends?|contemplat\w+|discuss\w*|negotiat\w+|if\s+so\s+agreed|withdrawn|withdrew)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:unless|only\s+if|only\s+when|if\s+and\s+only\s+if|provided\s+that|if\s+(?:the|any|all|each|a|and)\b|should\s+the)\b|\bin\s+the\s+event\b",
    re.IGNORECASE,
)
_LASTING = frozenset({"elect_increase", "calc_basis", "cure_right", "give_consent", "waive_test", "suspend_testing"})
"""Rights have conditions of their own, which are read as such."""
_ANCHORS = ("op", "find", "delta", "type", "target", "level", "freeze", "rate")
_QUOTED = re.compile(r"\"[^\"]*\"")


def as_meant(text: str, reading: PatternReading) -> PatternReading | None:
    """The reading, with a doubt where its sentence sets a condition; None where the sentence does not do it at all."""
    op = str(reading.fields.get("op"))
    anchor = next((reading.spans[name] for name in _ANCHORS if name in reading.spans), None)
    if anchor is None or op in {"none", "state_covenant"}:
        return reading
    start, end = sentence_around(text, anchor[0])
    words = _QUOTED.sub(lambda m: '"' * len(m[0]), text[start:end])
    verbs = _VERBS.get(op, _CHANGES)
    denied = re.search(
        rf"\b{_HELP}\s+(?:hereby\s+)?not\s+(?:hereby\s+|\w+ly\s+)?(?:{verbs})\b|\b(?:nothing|neither|no\s+(?:Lender|party|one))\b[^.;]{{0,120}}\b(?:{verbs})\b",
        words,
        re.IGNORECASE,
    )
    if op == "suspend_testing" and denied is None:
        denied = re.search(r"\bnot\s+(?:be\s+)?suspended\b|\bnot\s+cease\b", words, re.IGNORECASE)
    past = re.search(
        rf"\b(?:was|were|had\s+been|has\s+been|have\s+been|previously)\s+(?:\w+\s+)?(?:{verbs})\b", words, re.IGNORECASE
    )
    if denied or past or _PROPOSED.search(words):
        return None
    if op not in _LASTING and _OPEN.search(words):
        doubts = tuple(sorted({*reading.doubts, "review_clause_not_fully_read"}))
        return PatternReading(reading.fields, reading.spans, reading.mode, reading.unstated, doubts)
    return reading
