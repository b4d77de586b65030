"""A clarifying sentence beside a covenant ("for the avoidance of doubt ..."): whether it says what the covenant says."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.limits import find_limits
from conformed.language.pattern_words import compared, sentence_around
from conformed.model.covenant import Comparator

__all__ = ["Gloss", "find_gloss"]

_GLOSS = re.compile(
    r"[,;(]?\s*\b(?:and\s+)?(?:for\s+(?:the\s+)?avoidance\s+of\s+(?:any\s+)?doubt|to\s+avoid\s+(?:any\s+)?doubt|it\s+(?:being|is)\s+(?:hereby\s+)?(?:understood|agreed|acknowledged)(?:\s+and\s+agreed)?|"
    r"for\s+(?:the\s+sake\s+of\s+)?clarity|by\s+way\s+of\s+clarification|that\s+is(?:\s+to\s+say|\s*,)|i\.e\.|in\s+other\s+words|accordingly)\b,?",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"\b(?:breach(?:ed|es)?|default|fail(?:s|ed|ure)?|non-?compliance|not\s+(?:be\s+)?(?:in\s+compliance|compl(?:y|ied|iant)|met|satisfied|permitted)|does\s+not\s+comply|infring\w+|violat\w+)\b",
    re.IGNORECASE,
)
_NOT_BAD = re.compile(
    r"\b(?:not|no|never|nor)\s+(?:be\s+|in\s+|itself\s+|constitute\s+|cause\s+|give\s+rise\s+to\s+|result\s+in\s+|an?\s+|any\s+)*(?:breach\w*|(?:Event\s+of\s+)?Default|fail(?:s|ure)?|infring\w+|violat\w+|non-?compliance)\b",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"\b(?:in\s+compliance|may\s+(?:be\s+)?equal|complie[sd]|comply|met|satisfied|permitted|compliant)\b", re.IGNORECASE
)
_EQUAL = re.compile(r"\b(?:equal(?:s|\s+to)?|exactly|precisely|is|of)\s+$", re.IGNORECASE)
_LEADS = re.compile(r"\b(?:where|if|when|while|provided\s+that|so\s+long\s+as)\s", re.IGNORECASE)
_MOST, _REACH = 12, 600  # a clause has few clarifications, and they are short
_TURN = {
    Comparator.LT: Comparator.GE,
    Comparator.GE: Comparator.LT,
    Comparator.LE: Comparator.GT,
    Comparator.GT: Comparator.LE,
}
_EQUALITY_PASSES = frozenset({Comparator.LE, Comparator.GE})


@dataclass(frozen=True, slots=True)
class Gloss:
    """What a clarifying sentence allows.

    Attributes:
        stretch: the whole of it, with its opening words.
        at: the words that compare.
        allowed: the comparison that it allows; None where it speaks only of the level itself.
        equality: whether the level itself passes, where it speaks only of that.
        level: its level.
    """

    stretch: tuple[int, int]
    at: tuple[int, int]
    allowed: Comparator | None
    equality: bool | None
    level: Fraction | None

    def differs(self, comparator: Comparator | None, level: Fraction | None) -> bool:
        """Whether it says something else than a covenant of this comparison and level."""
        if self.allowed is not None:
            return (self.allowed, self.level) != (comparator, level)
        return self.level != level or comparator is None or self.equality != (comparator in _EQUALITY_PASSES)


def find_gloss(text: str) -> Gloss | None:
    """The first clarifying sentence that compares a figure with a level, or says how the level itself counts."""
    for m in itertools.islice(_GLOSS.finditer(text), _MOST):
        end = min(sentence_around(text, m.end())[1], m.end() + _REACH)
        close = text.find(")", m.end(), end)
        if m[0].lstrip().startswith("(") and close > 0:
            end = close
        if not find_limits(text, m.end(), end, "ratio"):
            continue
        found = _compares(text, m, end)
        if found is not None:
            return found
    return None


def _compares(text: str, m: re.Match[str], end: int) -> Gloss | None:
    told = compared(text, m.end(), end)
    token = told.limit if told else find_limits(text, m.end(), end, "ratio")[0]
    words = text[m.end() : end]
    harmless = _NOT_BAD.sub(" ", words)
    bad = _BAD.search(harmless) is not None
    if not bad and harmless == words and not _GOOD.search(words) and told is None:
        return None
    lead = [x.start() for x in _LEADS.finditer(text, m.end(), told.at[0] if told else token.start)]
    subject = told.subject.start if told and told.subject else None
    if told is not None:
        allowed = Comparator(told.comparator)
        conditional = bool(lead) or re.search(r"\bwould\b", words) is not None
        if (
            bad
            and not re.search(r"\bunless\b", words)
            and (
                conditional
                or re.search(r"\bconstitut\w+|\b(?:is|be|are)\s+an?\s+(?:breach|default|failure)", words, re.IGNORECASE)
            )
        ):
            allowed = _TURN[allowed]
        start = lead[-1] if lead else subject if subject is not None else told.at[0]
        return Gloss((m.start(), end), (start, max(token.end, told.at[1])), allowed, None, token.value)
    if not _EQUAL.search(text[max(m.end(), token.start - 24) : token.start]):
        return None
    start = lead[-1] if lead else m.end()
    return Gloss((m.start(), end), (start, token.end), None, not bad, token.value)
