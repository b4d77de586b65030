"""Comparison words: what compliance needs of a figure as against its level (rule book 4.11).

A predicate ("exceed", "be less than", "of not more than") is turned round once when its governing words forbid it
("shall not permit ... to exceed"; in a list of things not to do, "Permit ... to exceed" without its lead-in).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from conformed.model.covenant import Comparator

__all__ = ["Governed", "find_governed", "next_predicate", "trailing_comparator"]

LE, LT, GE, GT = Comparator.LE, Comparator.LT, Comparator.GE, Comparator.GT
_TURN = {LE: GT, GT: LE, LT: GE, GE: LT}

_BE = r"(?:be\s+|is\s+|are\s+|being\s+)?"
_MORE, _FEWER = r"(?:greater|more|higher|larger)", r"(?:less|lower|smaller|fewer)"
# Longer phrases first: "not more than" must not be read as "more than", "at or below" not as "below".
_PHRASES: tuple[tuple[str, Comparator], ...] = (
    (
        (
            rf"{_BE}(?:{_FEWER}\s+than\s+or\s+equal\s+to|equal\s+to,?\s+or\s+{_FEWER}\s+than,?|"
            r"(?:at|equal\s+to)\s+or\s+(?:below|under)|(?:below|under)\s+or\s+equal\s+to)"
        ),
        LE,
    ),
    (
        (
            rf"{_BE}(?:{_MORE}\s+than\s+or\s+equal\s+to|equal\s+to,?\s+or\s+{_MORE}\s+than,?|equal\s+to\s+or\s+in\s+excess\s+of|"
            r"equal\s+(?:to\s+)?or\s+exceed|(?:at|equal\s+to)\s+or\s+(?:above|over)|"
            r"(?:above|over|in\s+excess\s+of)\s+or\s+equal\s+to)|exceeds?\s+or\s+(?:be\s+)?equals?(?:\s+to)?|"
            r"(?:meets?|reach(?:es)?|equals?|exceeds?)\s+or\s+exceeds?|reach(?:es)?"
        ),
        GE,
    ),
    (
        (
            rf"(?:not|no|never)\s+(?:to\s+)?(?:be\s+)?(?:at\s+any\s+time\s+)?{_MORE}\s+than|not\s+to\s+be\s+{_MORE}\s+than|"
            r"(?:not|no)\s+(?:to\s+)?be\s+in\s+excess\s+of|not\s+in\s+excess\s+of|not\s+(?:to\s+)?(?:exceed(?:ing)?|surpass(?:ing)?)|"
            r"not\s+(?:to\s+be\s+|be\s+)?(?:above|over)|at\s+(?:the\s+)?most|a\s+maximum\s+of|up\s+to\s+and\s+including"
        ),
        LE,
    ),
    (
        (
            rf"(?:not|no|never)\s+(?:to\s+)?(?:be\s+)?(?:at\s+any\s+time\s+)?{_FEWER}\s+than|not\s+to\s+be\s+{_FEWER}\s+than|"
            r"not\s+(?:to\s+)?(?:be\s+|fall\s+|remain\s+|stay\s+)?(?:below|under)|at\s+least(?:\s+equal\s+to)?|a\s+minimum\s+of"
        ),
        GE,
    ),
    (
        (
            rf"{_BE}{_MORE}\s+than|exceed(?:s|ed|ing)?|surpass(?:es)?|(?:be\s+|is\s+)?in\s+excess\s+of|"
            r"(?:be|rise|go|come\s+out|is|rises|goes)\s+(?:above|over)|(?:above|over)(?=\s+\d)"
        ),
        GT,
    ),
    (
        (
            rf"{_BE}{_FEWER}\s+than|(?:be|fall|falls|drop|stay|remain|is|drops|stays|remains)\s+(?:below|under)|"
            r"(?:below|under)(?=\s+\d)"
        ),
        LT,
    ),
)
# "of 3.50 to 1.00 or less", "be 3.50:1 or more": the comparison stands behind the level.
_BEHIND = (
    r"\b(?:be|is|of|at|equal\s+to)(?=\s+(?:a\s+ratio\s+of\s+)?\d[\d.]{0,7}(?:\s*(?:to|:)\s*\d(?:\.0+)?|x|\s+times)?\s*,?\s+or\s+"
    r"(?:(?P<fewer>less|lower|below|fewer)|(?P<more>more|greater|higher|above))\b)"
)
_NOT_EQUAL = r"(?!\s+or\s+(?:be\s+|is\s+)?equal)"  # "not greater than or equal to" forbids equality too
_PREDICATE = re.compile(
    "|".join([*(rf"(?P<p{i}>\b(?:{p})\b{_NOT_EQUAL if i > 1 else ''})" for i, (p, _) in enumerate(_PHRASES)), _BEHIND]),
    re.IGNORECASE,
)

_REACH = 1600  # how far before a predicate its governing words may stand
_PERMIT = re.compile(
    r"\b(?:shall|will|may|must|do(?:es)?|can|to|agrees?)\s+(?:not|at\s+no\s+time|never)\s*,?[^.;:]{0,240}?\b(?:permit|allow|suffer|incur|let|cause|have|create|maintain)\b"
    r"|\bnot\s+(?:to\s+)?(?:permit|allow|suffer|have)\b"
    r"|\b(?:[Nn]either|[Nn]one\s+of|[Nn]o\s+(?=[A-Z]|(?:member|compan(?:y|ies)|person|party|entity)\b))[^.;:]{2,120}?\b(?:shall|will|may|must)\s+(?:\w+\s+){0,2}?(?:permit|allow|suffer|let|cause)\b"
    r"|(?<![a-z] )\b(?:Permit|Allow|Suffer|Incur)\b(?!ted)|(?<!shall )(?<!will )(?<!may )(?<!must )(?<!to )\b(?:permit|allow|suffer)\s+(?:the|its|any|at)\b",
)
_FAIL = re.compile(r"\b(?i:fail(?:s|ed)?\s+to\s+(?:achieve|maintain|have|keep|cause|ensure|procure))\b")
_MODAL = r"(?:shall|will|may|must|do(?:es)?|can)"
_NEVER = (
    r"(?:at\s+no\s+(?:time|(?:fiscal\s+|financial\s+)?quarter\s+end|test\s+date|quarter\s+date|date)|in\s+no\s+event|"
    r"under\s+no\s+circumstances?|on\s+no\s+\w+(?:\s+\w+)?|never)"
)
# Between "must" and "not exceed" a time may stand, and a word that says that it is no news; any other words may hold another verb.
_MEANWHILE = (
    r"(?:,?\s+(?:again|also|thereafter|then|further|likewise|still|always|at\s+all\s+times|once\s+(?:more|again))\b|"
    r",?\s+(?:on|as\s+(?:of|at)|at|for|from|during)\s+(?:[A-Z][a-z]+\s+\d{1,2},\s*\d{4}|\d{1,2}\s+[A-Z][a-z]+,?\s+\d{4}|"
    r"(?:(?:the\s+)?(?:last\s+day|end|close)\s+of\s+)?(?:any|each|every|that|such|the)\s+[A-Za-z][A-Za-z ]{2,40}))+?,?"
)
_NOT = re.compile(
    rf"\b{_MODAL}{_MEANWHILE}\s+(?:not|never)(?=\s*$|\s+(?:be|exceed|surpass|fall|drop|rise|go|permit|allow)\b)|"
    rf"\b{_MODAL}\s+(?:not\b|{_NEVER}\b)|\b{_NEVER}\s*,?\s+{_MODAL}\b|\bnot\s+on\s+any\b",
    re.IGNORECASE,
)
_COMMANDED = re.compile(rf"\b(?:shall|will|may|must|does|do)(?:{_MEANWHILE})?\s*$", re.IGNORECASE)
"""A command just before what it forbids."""
_REQUIRE = re.compile(
    r"\b(?:[Mm]aintain|[Kk]eep|[Aa]chieve|[Hh]ave|[Ee]nsure|[Pp]rocure|[Cc]ause|own|[Oo]btain)\b"
    r"|\b(?:shall|will|must)\b(?!\s+(?:not|never|at\s+no|in\s+no|on\s+no|under\s+no)\b)(?=(?:\s+(?:be|equal|always\s+be|remain|stay)\b"
    r"|\s*,?\s+(?:(?:at|on|as\s+(?:of|at)|for|during)\s[^;:.]{0,160})?$))"
    r"|\b(?:shall|will|must)\s+always\s*$|\b(?:[Aa]grees?|[Uu]ndertakes?|[Cc]ovenants?)\s+(?:with\s+[^.;:]{2,60}?\s+)?that\b"
    r"|\b(?:is|are)\s+to\s*$|\b(?:is|are)\s*$",
)
_HAVE_BARE = re.compile(r"(?:^|[\s.)])Have\s*,?\s+(?:an?|the|its|as\s+(?:of|at)|at|on|for)\b")
_PREVENT = re.compile(r"\b(?:prevent|prohibit|stop)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Governed:
    """A predicate in its sentence.

    Attributes:
        start: first offset of the predicate.
        end: one past its last.
        comparator: what compliance needs.
        governor: offset at which the governing words start.
        governed: ``permit``, ``fail``, ``not``, ``require`` or empty where no governing words were found.
        behind: the comparison stands behind its level ("of 3.50 to 1.00 or less").
    """

    start: int
    end: int
    comparator: Comparator
    governor: int
    governed: str
    behind: bool = False


def next_predicate(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the next predicate between two offsets stands, whatever governs it."""
    match = _PREDICATE.search(text, start, end)
    return match.span() if match else None


def find_governed(text: str, start: int, end: int, sentence: int) -> Governed | None:
    """The first predicate between two offsets, with its polarity settled by the words before it.

    Args:
        text: the clause's text.
        start: where to look from.
        end: where to stop looking.
        sentence: start of the sentence; governing words are sought from here.
    """
    match = _PREDICATE.search(text, start, end)
    if match is None:
        return None
    sentence = max(sentence, match.start() - _REACH)
    before = text[sentence : match.start()]
    if match["fewer"] or match["more"]:
        return replace(
            _govern(before, sentence, match.start(), match.end(), LE if match["fewer"] else GE, negated=False), behind=True
        )
    base = next(c for i, (_, c) in enumerate(_PHRASES) if match[f"p{i}"])
    negated = match[0].lower().split()[0] in {"not", "no", "never"}
    return _govern(before, sentence, match.start(), match.end(), base, negated=negated)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for found in pattern.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    return found


_ASIDE = re.compile(r"\([^()]*\b(?:shall|will|must|may)\b[^()]*\)")


def _govern(before: str, offset: int, start: int, end: int, base: Comparator, *, negated: bool) -> Governed:
    # What is commanded within brackets ("(the first of which shall be ...)") does not rule the words behind them.
    before = _ASIDE.sub(lambda m: " " * len(m[0]), before)

    def made(comparator: Comparator, word: re.Match[str] | None, kind: str) -> Governed:
        return Governed(start, end, comparator, offset + word.start() if word else start, kind)

    fail = _last(_FAIL, before)
    if fail is not None:
        return made(base, fail, "fail")
    prevent = _last(_PREVENT, before)
    if prevent is not None:
        return made(_TURN[base], prevent, "permit")
    permit, forbid, require = _last(_PERMIT, before), _last(_NOT, before), _last(_REQUIRE, before)
    if permit is not None:
        # "will not permit the ratio, if less than ..., to maintain" does not occur; the permit verb rules the sentence.
        return made(_TURN[base], permit, "permit")
    bare = _HAVE_BARE.search(before)
    if (
        bare is not None
        and not negated
        and base in {GT, LT}
        and forbid is None
        and not re.search(r"\b(?:shall|will|must)\b", before[: bare.start() + 1])
    ):
        return made(_TURN[base], bare, "permit")
    if negated and _COMMANDED.search(before):
        return made(base, require or forbid, "require")
    if forbid is not None and (require is None or require.start() <= forbid.start()):
        return made(_TURN[base], forbid, "not")
    if require is not None:
        return made(base, require, "require")
    return made(base, None, "")


_TRAILING = re.compile(
    r"\s*,?\s*or\s+(?P<down>less|lower|below|fewer)\b|\s*,?\s*or\s+(?P<up>more|greater|higher|above|better)\b", re.IGNORECASE
)


def trailing_comparator(text: str, at: int) -> tuple[Comparator, int] | None:
    """``3.50 to 1.00 or less``: a comparator after the level, with its end."""
    match = _TRAILING.match(text, at)
    if match is None:
        return None
    return (LE if match["down"] else GE), match.end()
