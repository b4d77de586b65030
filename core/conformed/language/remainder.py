"""What is left of a covenant's sentence when every part that the grammar knows has been taken out of it.

A sentence that states a ratio is short and made of few words. Any other word in it may be a condition, an exception or a
date, so it is a doubt: a clause is read whole or it goes to a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformed.language.conditions import Found
from conformed.language.dates import find_dates
from conformed.language.window_words import FOOTNOTE

__all__ = ["unread_words"]

_KNOWN = frozenset(
    re.findall(
        r"\S+",
        """
        a an the its their his it they this that these those such each any every all own both single whole one
        of on at as in for to by with and or from than per
        shall will must may does do is are be been being was were has have having had
        permit permits permitted allow allows suffer incur maintain maintains maintained keep keeps kept ensure ensures procure procures
        cause causes achieve achieves fail fails agree agrees covenant covenants undertake undertakes obtain let prevent required obliged comply
        remain stay up
        last final day days date dates end ends ended ending expiring close closing falling occurring nearest closest about
        fiscal financial calendar quarter quarters quarterly quarter-end year years yearly annual annually month months monthly period periods
        semi-annual semi-annually three four six twelve consecutive rolling trailing preceding previous immediately recently recent then time
        times always during twelve-month four-quarter
        test tests testing measure measured measurement calculate calculated calculation determined determination computed computation
        reference reporting accounting accordance pursuant basis consolidated combined aggregate together taken pro forma annualized annualised
        based using information reflected report reports statements accounts delivered
        ratio ratios level levels maximum minimum applicable correlative corresponding respective relevant column table opposite against
        set forth out below shown indicated specified stated listed described named follows expressed figure number amount multiple beside alongside next adjacent
        thereof thereto therein hereof herein hereunder herewith hereby thereon section sections clause clauses paragraph definition defined
        respect relation regard case
        borrower borrowers company parent guarantor guarantors subsidiary subsidiaries group restricted holdings lender lenders obligor obligors
        itself s debt indebtedness earnings leverage total net senior cash flow interest coverage cover capital minus plus sum divided
        liabilities assets tangible worth expense expenses rent rental income taxes depreciation amortization amortisation funded subordinated secured unsecured
        """,
    )
)
_CONDITION = frozenset(
    re.findall(
        r"\S+",
        """
        if when whenever where while unless only solely except other otherwise until after before prior following subject upon once without
        provided notwithstanding excluding tested
        """,
    )
)
_SETS = re.compile(r"\b(?:if|when|whenever|while|unless|until|only|solely)\b", re.IGNORECASE)
_SKIP = re.compile(
    r"\bso\s+long\s+as\s+(?:(?:any|the|all|each)\s+)?(?:Loans?|Advances?|Commitments?|Obligations?|Notes?|Lenders?|Letters?\s+of\s+Credit|amounts?|Facility|"
    r"Facilities|Indebtedness|principal)\b[^,;:]{0,160}\b(?:outstanding|unpaid|effect|hereunder|remains?|owing|available|in\s+force)\b[^,;:]{0,80}(?:[,;:]|$)"
    r"|\b(?:from\s+the\s+(?:date\s+hereof|date\s+of\s+this\s+Agreement|Closing\s+Date|Effective\s+Date)\s*,?\s+)?until\s+(?:(?:any|the|all|such)\s+)*"
    r"(?:Loans?|Advances?|Commitments?|Obligations?|Notes?|Termination\s+Date|Maturity\s+Date|payment\s+in\s+full|Facility|Facilities)\b[^,;:]{0,160}(?:[,;:]|$)"
    r"|\bas\s+(?:provided|set\s+forth|set\s+out|defined|specified|described)\s+in\b|\bbased\s+upon\b"
    r"|\bthe\s+following(?=\s+(?:table|ratios?|levels?|schedule|grid|amounts?|periods?)\b|\s*:|\s*$)|\bas\s+follows\b"
    r"|\b(?:shall|will|must|may|does|do)\s+(?:not|never|at\s+no\s+(?:time|\w+(?:\s+\w+){0,2}\s+(?:end|date)))\b(?!\s+(?:ensure|procure|achieve))|\bat\s+no\s+time\b|\bon\s+no\s+\w+\b"
    r"|\bnot\s+to\s+(?=permit|allow|suffer)|\bset\s+forth\s+above\b|\bmost\s+recent(?:ly)?\b|\bamount\s+equal\s+to\b|\b(?:first|second|third)\s+column\b|\bin\s+excess\b(?=\s*$)"
    r"|\b(?:in\s+no\s+event|under\s+no\s+circumstances?)\b|\bcolumns?\s+(?:\d|one|two|[A-D])\b|\b(?:left|right)-hand\s+column\b"
    r"|\b(?:fiscal|financial|calendar)\s+years?\s+(?:ending\s+|ended\s+)?(?:19|20)\d\d\b|^[ \t]*(?:19|20)\d\d[ \t]*$"
    r"|\bduring\s+the\s+term\s+of\s+this\s+Agreement\b"
    r"|\b(?:ended|ending)\s+(?:on|at)\s+or\s+(?:(?:immediately|most\s+recently)\s+)?(?:prior\s+to|preceding|before)\s+(?:any|such|each|that)\s+(?:date|day|time)(?:\s+of\s+determination)?\b"
    r"|\b(?:ending|occurring|falling)\s+on\s+or\s+after\s+the\s+(?:date\s+hereof|date\s+of\s+this\s+Agreement)\b"
    r"|\b(?:during|in)\s+which\s+(?:such|that|the)\s+(?:date|day|period|(?:(?:fiscal|financial)\s+)?quarter|test\s+date)\s+(?:occurs|falls|ends)\b"
    r"|\(\s*(?:to\s+be\s+)?tested\s+(?:quarterly|monthly|annually|semi-?annually)\s*\)"
    r"|\band\s+(?:for|on|at|as\s+of)\s+(?:the\s+(?:last\s+day|end)\s+of\s+)?each\s+(?:(?:fiscal|financial|quarter|test)\s+)*(?:quarter|date|period)\s+(?:ending\s+)?thereafter\b"
    r"|\bwhich\s+(?=(?:(?:is|are|does|do|shall|will|must)\b|\s))|\bneither\s+(?:the\s+)?(?-i:[A-Z])\w+(?:\s+(?-i:[A-Z])\w+)?\s+nor\s+(?:the\s+)?(?:any\s+)?(?:of\s+its\s+)?(?-i:[A-Z])\w+"
    r"|(?:\bas\s+|\bto\s+be\s+)?\b(?<!when\s)(?<!if\s)(?<!only\s)tested\s+(?=(?:at|on|as\s+(?:of|at)|for|by\s+reference\s+to)\s+(?:each|every|any|the)\b)|\b(?:each|every)\s+(?:later|subsequent|succeeding|following)\s+(?=(?:fiscal|financial|relevant|test|quarter)\b)|\bmake\s+sure\b"
    r"|\band\s+(?:after\s+that|thereafter)(?=\s*,?\s+(?:on|at|for|as\s+of)\s+(?:each|every)\b)|\bin\s+the\s+second(?=\s*[.:]?\s*\Z)|\A\s*\d{1,2}(?:\.\d{1,3})+[.:]?\s+(?=(?-i:[A-Z])|\s*(?:on|at|as|for|in|shall|must|will)\b)"
    r"|,?\s*with\s+\"[^\"]{1,60}\"\s+defined\s+as\b.*\Z"
    r"|\(\s*(?:the|each|an?|such)?\s*,?\s*\"[^\"]{1,80}\"\s*\)"
    r"|\((?:[a-z]|[ivx]{1,4}|\d{1,2}|[A-Z])\)"
    r"|\b(?:Sections?|Clauses?|paragraphs?|clauses?|sections?)\s+\d[\w.]*(?:\s*\(\w{1,4}\))*"
    r"|\A\s*(?:\W*\w{1,2}[.)]\s+)?\W*(?-i:[A-Z][A-Z \t&,/'()-]{3,80})[.:]\s",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_NAMED_TIME = re.compile(
    r"\b(?P<name>(?:[A-Z][\w'-]*\s+){0,5})(?P<noun>Period|Date|Event|Trigger|Condition|Phase|Term|Quarter|Day|"
    r"Time|Measurement)s?\b"
)
_PLAIN_TIME = frozenset(
    [
        "test",
        "testing",
        "relevant",
        "measurement",
        "calculation",
        "reference",
        "reporting",
        "computation",
        "determination",
        "accounting",
        "financial",
        "fiscal",
        "covenant",
        "quarter",
        "quarterly",
        "twelve",
        "month",
        "twelve-month",
        "ltm",
        "rolling",
        "four",
        "applicable",
        "annual",
        "month-end",
        "year",
        "half-year",
        "semi-annual",
        "interim",
        "each",
        "any",
        "every",
        "such",
        "the",
        "end",
        "last",
        "calendar",
        "period",
        "date",
        "on",
        "of",
        "leverage",
        "ratio",
        "ending",
        "ended",
        "respective",
        "corresponding",
        "for",
        "in",
        "as",
        "at",
        "column",
        "maximum",
        "minimum",
        "evaluation",
    ]
)
_FIRST_FULL = re.compile(
    r"\b(?:first|second|third|fourth|1st|2nd|3rd|4th)\s+(?:full\s+)?(?:fiscal\s+|financial\s+|calendar\s+)?(?:quarter|month|year|test\s+date|quarter\s+date)s?\b"
    r"[^.;]{0,40}\b(?:after|following|since|from|to\s+occur|commencing)\b",
    re.IGNORECASE,
)


def unread_words(
    text: str, parts: Iterable[tuple[int, int]], taken: Iterable[tuple[int, int]], *, conditions_only: bool = False
) -> list[Found]:
    """Doubts from words of a sentence that no part of the grammar took.

    Args:
        text: the text.
        parts: stretches that belong to the sentence.
        taken: stretches inside them that were read (subject, predicate, levels with their labels).
        conditions_only: only words that set a condition count (amounts of money come with longer sentences than ratios).

    Returns:
        At most one doubt for each stretch.
    """
    gone = sorted(taken)
    doubts = []
    for start, end in parts:
        piece = _blank(text, start, end, gone)
        full = _FIRST_FULL.search(piece)
        if full:
            sentence = "The first test is named by a period whose date is not in the clause."
            doubts.append(Found(start + full.start(), start + full.end(), "review_input_missing", None, sentence))
            continue
        mark = FOOTNOTE.search(piece)
        word = (mark.start(), mark.end(), False) if mark else _strange(piece)
        if conditions_only:
            found = _SETS.search(piece)
            word = (
                (found.start(), found.end(), True)
                if found
                else word
                if word and word[2] and _NAMED_TIME.match(piece, word[0])
                else None
            )
        if word is None:
            continue
        if word[2]:
            code, sentence = (
                "review_trigger_evidence_missing",
                "The covenant bites only under a condition or for a time that was not understood.",
            )
        else:
            code, sentence = (
                "review_clause_not_fully_read",
                "The sentence that states the level holds words that were not understood.",
            )
        doubts.append(Found(start + word[0], start + word[1], code, None, sentence))
    return doubts


def _blank(text: str, start: int, end: int, taken: list[tuple[int, int]]) -> str:
    piece = list(text[start:end])
    for a, b in taken:
        for i in range(max(a, start) - start, min(b, end) - start):
            piece[i] = " "
    joined = "".join(piece)
    dates = find_dates(joined)  # dates have readers of their own: a first test, a window, or a doubt
    for token in dates:
        joined = joined[: token.start] + " " * (token.end - token.start) + joined[token.end :]
    return _SKIP.sub(lambda m: " " * len(m[0]), joined)


def _strange(piece: str) -> tuple[int, int, bool] | None:
    """The first word that is not known, with whether it sets a condition."""
    odd: tuple[int, int, bool] | None = None
    for m in re.finditer(r"[A-Za-z][A-Za-z'-]*|\d[\d.,]*%?", piece):
        word = m[0].lower().removesuffix("'s").strip("'-")
        if word in _CONDITION:
            return m.start(), m.end(), True
        capital = m[0][0].isupper()
        known = word in _KNOWN or all(w in _KNOWN for w in word.split("-")) or not word
        if not known and not capital and odd is None:
            odd = m.start(), m.end(), False
    for m in _NAMED_TIME.finditer(piece):
        if not all(w.lower().strip("'-") in _PLAIN_TIME for w in m["name"].split()):
            return m.start(), m.end(), True
    return odd
