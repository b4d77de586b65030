"""Whether a sentence does what its verb says: one that denies, proposes or tells it as past does nothing; one on a condition is open.

Only the operative sentence is looked at, without what stands in quotation marks: "this waiver is not an amendment" beside a
waiver denies an amendment, and the waiver stands.
"""

from __future__ import annotations

import re
from dataclasses import replace

from conformed.language.pattern_words import PatternReading, sentence_around

__all__ = ["as_meant"]

_VERBS: dict[str, str] = {
    "waive_test": r"waiv\w+",
    "give_consent": r"consent\w*|agree\w*|approv\w+",
    "suspend_testing": r"suspend\w*",
    "elect_increase": r"(?:be\s+)?(?:increas\w+|rais\w+|step\w*)|elect\w*",
    "calc_basis": r"(?:be\s+)?(?:read|computed|calculated|measured|determined|converted|treated|construed|tested)|continue",
    "cure_right": r"be\s+(?:added|counted|included|treated|deemed|applied|deducted)|added|counted|included|treated|deemed|applied|deducted",
}
_CHANGES = r"(?:be(?:en)?\s+)?(?:amend\w*|delet\w+|replac\w+|restat\w+|chang\w+|modif\w+|substitut\w+|increas\w+|reduc\w+|rais\w+|lower\w+|remov\w+|var(?:y|i)\w*|revis\w+|alter\w+|adjust\w+|struck|strik\w+|omit\w+|insert\w+|revok\w+|reset|read(?:\s+as)?|constru\w+|deem\w*|retro\w+)|become|be"
_HELP = r"(?:do|does|did|shall|will|is|are|was|were|may|must|has|have|can|could|would|should)"
_PROPOSED = re.compile(
    r"\b(?:propos(?:e|es|ed|al|als)|requests|requested|request\s+(?:that|for|to)\b|reject(?:s|ed)?|declin(?:e|es|ed)|refus(?:e|es|ed)|may\s+agree|might|intends?|contemplat\w+|discuss\w*|negotiat\w+|if\s+so\s+agreed|withdrawn|withdrew)\b",
    re.IGNORECASE,
)
_SOME_NOT = re.compile(
    rf"\b{_HELP}\s+(?:hereby\s+)?not\b(?!\s+(?:otherwise|affect\w*|be\s+(?:affected|less|more|greater|above|below|higher|lower|tested)|less|more|greater|above|below|exceed\w*|met|complied|satisfied|in\s+compliance|changed|waived?|permit|allow|suffer|have|(?:on|at|as\s+of|for)\s+any))",
    re.IGNORECASE,
)
"""A denial in the sentence of a change that is neither of the change nor of what a ratio may be: it is open what it denies."""
_NOT_DONE = re.compile(
    rf"\b(?:may|might|would|could)\s+(?:\w+\s+)?(?:{_CHANGES})\b|\bnot\s+(?:hereby\s+|thereby\s+|being\s+)?(?:amend|delet|replac|restat|chang|modif|substitut|increas|reduc|rais|lower|remov|vary|revis|alter|strik|omit|insert)ing\b",
    re.IGNORECASE,
)
"""A change that may be made, or that the words say is not made: a change is made or it is not."""
_OPEN = re.compile(
    r"\b(?:unless|only\s+if|only\s+when|if\s+and\s+only\s+if|provided\s+that|if\s+(?:the|any|all|each|a|and)\b|should\s+the)\b|\bin\s+the\s+event\b",
    re.IGNORECASE,
)
_LASTING = frozenset({"elect_increase", "calc_basis", "cure_right", "give_consent", "waive_test", "suspend_testing"})
"""Rights have conditions of their own, which are read as such."""
_ANCHORS = ("op", "find", "delta", "type", "target", "level", "freeze", "rate")
_AS_IF = re.compile(r"\bas\s+(?:if|though)\b[^,.;]*", re.IGNORECASE)
"""What is only supposed ("read as if the one were substituted for the other") is neither denied nor told."""
_QUOTED = re.compile(r"\"[^\"]*\"|\[[^\]]*\]")


def as_meant(text: str, reading: PatternReading) -> PatternReading | None:
    """The reading, with a doubt where its sentence sets a condition; None where the sentence does not do it at all."""
    op = str(reading.fields.get("op"))
    anchor = next((reading.spans[name] for name in _ANCHORS if name in reading.spans), None)
    if anchor is None or op in {"none", "state_covenant"}:
        return reading
    start, end = sentence_around(text, anchor[0])
    words = _QUOTED.sub(lambda m: '"' * len(m[0]), text[start:end])
    words = _AS_IF.sub(lambda m: " " * len(m[0]), words)
    verbs = _VERBS.get(op, _CHANGES)
    denied = re.search(
        rf"\b{_HELP}\s+(?:hereby\s+)?not\s*(?:,[^,;.]{{1,80}},)?\s*(?:(?:hereby|thereby|instead|now|then|so|\w+ly)\s+){{0,2}}(?:{verbs})\b|\b(?:nothing|neither|no\s+(?:Lender|party|one))\b[^.;]{{0,120}}\b(?:{verbs})\b",
        words,
        re.IGNORECASE,
    )
    if op == "suspend_testing" and denied is None:
        denied = re.search(r"\bnot\s+(?:be\s+)?suspended\b|\bnot\s+cease\b", words, re.IGNORECASE)
    past = re.search(
        rf"\b(?:was|were|had\s+been|has\s+been|(?<!to\s)have\s+been|previously)\s+(?:\w+\s+)?(?:{verbs})\b", words, re.IGNORECASE
    )
    if denied or past or _PROPOSED.search(words) or (op not in _LASTING and _NOT_DONE.search(words)):
        return None
    for name in ("effective", "dated_back"):  # a condition that was read as that of the effect is not open
        a, b = reading.spans.get(name, (0, 0))
        words = (
            words[: max(0, a - start)] + " " * (min(b, end) - max(a, start)) + words[max(0, b - start) :]
            if a < end and start < b
            else words
        )
    if op not in _LASTING and (_OPEN.search(words) or _SOME_NOT.search(words)):
        doubts = tuple(sorted({*reading.doubts, "review_clause_not_fully_read"}))
        return replace(reading, doubts=doubts)
    return reading
