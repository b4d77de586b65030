"""The closed vocabulary of drafted sentences, and what no draft may say.

A word outside this vocabulary, outside the names of the run and outside the cited claims' own words is not understood, and
a sentence that is not understood to its last word is refused.
"""

from __future__ import annotations

import re

from conformed.language.currency import CODES

__all__ = [
    "ABSENCE",
    "CAUSE",
    "COMPARATORS",
    "CUES",
    "EFFECT",
    "FILLER",
    "HEDGES",
    "LEGAL",
    "MODALS",
    "NEGATORS",
    "OPERATORS",
    "RECOMMENDATION",
    "REQUIRE",
    "RESULTS",
]


_CODE = "(?:" + "|".join(sorted(CODES)) + ")"


def _split(text: str) -> list[str]:
    return text.split()


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b(?:{pattern})\b" for pattern in patterns), re.IGNORECASE)


RECOMMENDATION = _any(
    r"recommend\w*",
    r"advis(?:e|es|ed|able)",
    r"suggest\w*",
    r"propos(?:e|es|ed)",
    r"should",
    r"ought",
    r"approv\w+",
    r"declin(?:e|es|ed|ing)",
    r"reject(?:s|ed)?",
    r"consider(?:s|ed|ing)?",
    r"accelerat\w+",
    r"repric\w+",
    r"reset(?:s|ting)?",
    r"extend(?:s|ed)?",
    r"hold",
    r"sell",
    r"buy",
    r"comfortabl\w+",
    r"acceptable",
    r"adequate",
    r"ample",
    r"thin",
    r"tight",
    r"strong",
    r"weak\w*",
    r"healthy",
    r"concern\w*",
    r"worr\w+",
    r"prudent",
    r"favou?rabl\w+",
    r"lend(?:ing)? more",
    r"grant(?:ed|ing)? (?:the |a )?(?:loan|credit|"
    r"waiver)",
    r"satisfactory",
    r"risk\w*",
)
"""Advice and judgment of the credit (CC-13)."""

LEGAL = _any(
    r"(?:event of )?default(?:s|ed)?",
    r"breach(?:es|ed)? (?:of|the|its)",
    r"has breached",
    r"in breach",
    r"void",
    r"invalid",
    r"valid",
    r"unenforceable",
    r"enforceable",
    r"binding",
    r"binds",
    r"entitled",
    r"waived?",
    r"waives",
    r"cured?",
    r"cures",
    r"in compliance",
    r"compl(?:y|ies|ied|iant)",
    r"non-?compliance",
    r"violat\w+",
    r"lawful\w*",
    r"illegal",
    r"liable",
    r"guilty",
    r"remed(?:y|ies|ied)",
    r"continuing",
)
"""Legal conclusions (CC-14)."""

CAUSE = _any(
    r"because",
    r"due to",
    r"owing to",
    r"as a result of",
    r"driven by",
    r"caused? by",
    r"caus(?:e|es|ed|ing)",
    r"thanks to",
    r"on account of",
    r"reflect(?:s|ed|ing)?",
    r"attributable",
    r"stem(?:s|med|ming)? from",
    r"result(?:s|ed|ing)? from",
    r"led to",
    r"explained by",
    r"since",
)
"""Business causes (CC-15)."""

ABSENCE = _any(
    r"no \w+(?: \w+)? (?:was|were|has been|have been|is|are|exists?)",
    r"never",
    r"none of",
    r"nothing",
    r"there (?:is|are|was|were) no",
)
"""Absence said outright; only "the pack contains no ..." is allowed (CC-20)."""

EFFECT = _any(
    r"amend(?:s|ed)?",
    r"chang(?:es|ed)",
    r"rais(?:es|ed)",
    r"lower(?:s|ed)",
    r"replac(?:es|ed)",
    r"increas(?:es|ed)",
    r"reduc(?:es|ed)",
    r"sets?",
    r"moves?",
)
"""Words that say that an instrument takes effect (CC-11)."""

_NOT = (
    r"(?:(?:is|was|are|were|does|did|do)\s+)?(?:not|no)\s+(?:at any time\s+)?(?:to\s+)?"
    r"(?:be\s+|stand\s+|rise\s+|go\s+|fall\s+|drop\s+)?"
)
COMPARATORS: tuple[tuple[str, str], ...] = (
    (r"at or below|at most|not? (?:more|greater|higher) than", "le"),
    (rf"{_NOT}(?:exceed(?:ed|ing|s)?|more than|greater than|higher than|above|over|in excess of)", "le"),
    (r"at or above|at least|not? (?:less|lower) than", "ge"),
    (rf"{_NOT}(?:less than|lower than|below|under)", "ge"),
    (r"(?:is |was )?not equal to|differs? from|differed from|(?:is |was )?different from", "ne"),
    (r"less than|lower than|below|under(?= \d)", "lt"),
    (r"more than|greater than|higher than|above|exceed(?:s|ed|ing)?|in excess of", "gt"),
    (r"equal to|equals|equalled", "eq"),
    (rf"exactly(?! (?:{_CODE} |[-$€£\d]))", "eq"),
    (r"or (?:less|lower)", "le_after"),
    (r"or (?:more|higher)", "ge_after"),
    (r"≤", "le"),
    (r"≥", "ge"),
    (r"<", "lt"),
    (r">", "gt"),
)
"""Comparators in words and signs, longest reading first; ``_after`` ones follow their number."""

NEGATORS = r"not (?:permit|allow|let)"
"""Turns the next comparator round, once (rule book 4.11)."""

MODALS: tuple[tuple[str, str], ...] = (
    (r"shall|must|is to|(?:is|was) required to|has to", "shall"),
    (r"may|might|can|could|would|will|should", "may"),
)
"""Mood of a sentence: an obligation, or anything else."""

REQUIRE = r"requires|required|requirement|requiring|limits|limited to"
"""Words after which a comparator says what is required."""

CUES: tuple[tuple[str, str], ...] = (
    (r"debt headroom|headroom in (?:terms of )?debt|headroom measured in debt", "headroom_debt"),
    (r"EBITDA headroom|headroom in (?:terms of )?EBITDA|headroom measured in EBITDA", "headroom_ebitda"),
    (r"headroom", "headroom"),
    (r"compliance certificate|certificate(?:'s)?", "certificate"),
    (r"recalculated|recomputed|calculation|calculated|worked out", "calculated"),
    (r"maximum", "maximum"),
    (r"minimum", "minimum"),
    (r"tests? against|tested against|covenant level|level|limit|threshold|against|ceiling|compared with", "level"),
    (r"tested debt|net debt|debt", "debt"),
    (r"EBITDA", "ebitda"),
    (r"tested figure|tested as|tested at", "tested"),
    (r"ratio", "ratio"),
    (r"as known on|known on|known at|knowledge date|known by", "known"),
    (r"test date", "test_date"),
)
"""Words that say what the next value is."""

HEDGES = r"about|approximately|roughly|rounded to"
"""Marks of a rounded figure (CC-06)."""

OPERATORS: tuple[tuple[str, str], ...] = (
    (rf"divided by|over(?= (?:EBITDA|{_CODE} |[$€£\d]))|/|÷", "/"),
    (rf"multiplied by|times(?= (?:{_CODE} |[$€£\d]))|×", "*"),
    (rf"minus|less(?= (?:{_CODE} |[$€£\d]))", "-"),
    (r"plus", "+"),
)
"""Arithmetic in words (CC-18)."""

RESULTS: tuple[tuple[str, str], ...] = (
    (r"not tested", "not_tested"),
    (r"(?:is|was) not met|not met", "breach"),
    (r"(?:is|was) met|met", "pass"),
    (r"pass(?:es|ed)?", "pass"),
    (r"breach", "breach"),
    (r"review", "review"),
)
"""Result words (CC-08)."""

FILLER = frozenset(
    _split(
        "there force period "
        "a according agreement amount amounts an and applicable applies apply applying are as at be beside borrower by "
        "came clause code come comes company compared comparison computed covenant date day document end ended ending "
        "evidence exact exactly figure figures fiscal for from give given gives governed governing governs "
        "group has held in is it its keep kept lies measured named names of on open out pack per person please point "
        "provide provided provides quarter question read reads reason reasons record remain remained remains resolve "
        "resolves result run said says section set sets setting show showing shown shows sits so stands stated states "
        "stating stay stood test tested testing that the then this to under value was were what where which while with "
        "words"
    )
)
"""Words that carry no fact of their own."""
