"""The words of windows: patterns over dates, and the words that say nothing about which days are meant."""

from __future__ import annotations

import re

__all__ = [
    "FILLER",
    "FISCAL_QUARTER",
    "FISCAL_YEAR",
    "FOOTNOTE",
    "NEAR",
    "OPEN_END",
    "OPEN_START",
    "ORDINAL_QUARTERS",
    "TRANSLATED",
]

OPEN_START = (
    r"(?:the\s+)?(?:(?:amendment\s+no\.?\s*\d{1,2}|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\s+amendment)\s+effective\s+date"
    r"|(?:the\s+)?(?:closing|effective|restatement|amendment|initial\s+borrowing|"
    r"original\s+closing)\s+(?:effective\s+)?date)|(?:the\s+)?date\s+(?:hereof|of\s+this\s+agreement)|(?:inception)"
)
OPEN_END = r"(?:the\s+)?(?:\w+\s+)?(?:maturity|termination|expiration|final\s+maturity)\s+date"

# D stands for a date; the phrase is matched after every date was replaced by a mark, so that the patterns stay short.
_PATTERNS: tuple[tuple[str, str], ...] = (
    ((
        r"D\s*,?\s*and\s+(?:for\s+)?each\s+(?:(?:fiscal|financial|calendar|test|relevant|subsequent|succeeding)\s+)*(?:quarters?|periods?|quarter\s+dates?|dates?|quarter\s+end)"
        r"\s*(?:ending|ended|occurring|falling)?\s*(?:thereafter|after\s+(?:it|that|such\s+date)|subsequent\s+thereto)\s*,?\s*(?:up\s+to|through|to|until)\s+(?:and\s+including|\(and\s+including\))\s+D"
), "between_closed"),
    ((
        r"(?:from|for|during)?\s*(?:and\s+after\s+|and\s+including\s+)?D\s*(?:and\s+)?(?:up\s+)?(?:to|through|until|"
        r"thru)\s+(?:and\s+including|\(and\s+including\))\s+D"
), "between_closed"),
    ((
        r"(?:beginning|commencing)\s+(?:on\s+or\s+after|after|on|"
        r"with)\s+D\s+(?:and\s+)?ending\s+(?:on\s+or\s+(?:before|prior\s+to)|prior\s+to|on)\s+D"
), "period_between"),
    ((
        r"(?<!\bor\s)(?<!\band\s)after\s+D\s*,?\s*(?:and|but|through|to)\s+(?:(?:on\s+or\s+(?:prior\s+to|before))|"
        r"(?:up\s+to\s+)?(?:and\s+)?(?:through\s+)?(?:and\s+)?including|through|until\s+and\s+including)\s+D"
), "after_to_closed"),
    ((
        r"(?:on\s+or\s+after|from\s+and\s+after|on\s+and\s+after|from|on)\s+D\s*,?\s*(?:and|but|to\s+and|"
        r"through\s+and)?\s*(?:on\s+or\s+(?:prior\s+to|before)|(?:up\s+to\s+)?and\s+including|to\s+and\s+including|"
        r"through\s+and\s+including)\s+D"
), "between_closed"),
    ((
        r"(?:on\s+or\s+after|from\s+and\s+after|on\s+and\s+after|from)\s+D\s*,?\s*(?:and|"
        r"but)\s+(?:at\s+any\s+time\s+)?(?:prior\s+to|before)\s+D"
), "between_before"),
    (r"(?<!\bor\s)(?<!\band\s)after\s+D\s*,?\s*(?:and|but)\s+(?:prior\s+to|before)\s+D", "after_before"),
    (r"(?:from|for|during|between)?\s*(?:and\s+after\s+|and\s+including\s+)?D\s*,?\s*(?:through|thru|-|–)\s*,?\s*D", "between_closed"),
    ((
        r"(?:from|for|between)?\s*(?:and\s+including\s+)?D\s*,?\s*(?:to|until|and)\s+(?:but\s+(?:excluding|"
        r"not\s+including)\s+)D"
), "between_before"),
    (r"(?:from|between)\s*(?:and\s+including\s+)?D\s*,?\s*(?:to|until|and)\s+D", "between_open"),
    (r"D\s+to\s+D", "between_open"),
    ((
        r"(?:from\s+|for\s+|during\s+)?(?:the\s+period\s+from\s+)?S\s*,?\s*(?:up\s+)?(?:to|through|until|"
        r"thru)\s*(?:,?\s*and\s+including|\(and\s+including\))?\s*,?\s*D"
), "start_to"),
    (r"S\s*-\s*D", "start_to_closed"),
    (r"(?:there-?after|after\s+that|from\s+then\s+on)\s*,?\s*(?:and\s+)?(?:up\s+to|to|through|until)\s+(?:and\s+including|\(and\s+including\))\s+D", "to_closed"),
    ((
        r"(?:on\s+or\s+(?:prior\s+to|before)|(?:up\s+)?(?:to|through|until)\s*,?\s*(?:and\s+)?including|"
        r"not\s+later\s+than|through|thru|at\s+or\s+prior\s+to)\s+D"
), "to_closed"),
    (r"(?:prior\s+to|before|ending\s+before)\s+D", "before"),
    (r"(?:from(?:\s+and\s+including)?|on\s+and\s+from)\s+D\s*,?\s*(?:onwards?|forward)", "from"),
    (r"(?:until|to|up\s+to)\s+D", "to_open"),
    ((
        r"(?:from\s+)?(?:on\s+or\s+after|from\s+and\s+after|on\s+and\s+after|from|commencing(?:\s+(?:on|with|"
        r"as\s+of))?|beginning(?:\s+(?:on|with|as\s+of))?|starting\s+(?:on|with)|at\s+and\s+after|"
        r"as\s+of\s+and\s+after)\s+(?:and\s+including\s+)?D\s*,?\s*(?:through|to|until)\s*,?\s*E"
), "from"),
    (r"D\s*,?\s*(?:through|to|until|-)\s*,?\s*E", "from"),
    ((
        r"(?:on\s+or\s+after|from\s+and\s+after|on\s+and\s+after|from|commencing(?:\s+(?:on|with|as\s+of))?|"
        r"beginning(?:\s+(?:on|with|as\s+of))?|starting\s+(?:on|with)|at\s+and\s+after|"
        r"as\s+of\s+and\s+after)\s+D(?:\s*,?\s*and\s+(?:at\s+all\s+times\s+|for\s+each\s+\S+\s+)?thereafter)?"
), "from"),
    ((
        r"D\s*,?\s*(?:and|or)\s+(?:for\s+|at\s+)?(?:each\s+|any\s+|every\s+|all\s+|"
        r"the\s+last\s+day\s+of\s+each\s+)?(?:(?:fiscal|financial|calendar|succeeding|subsequent|other|test|"
        r"relevant|half[\s-]year(?:ly)?|quarterly)\s+)*(?:quarters?|periods?|quarter\s+dates?|dates?|year|months?|quarter\s+end|times)?\s*(?:ending|"
        r"ended|ends|occurring|falling)?\s*(?:thereafter|after\s+(?:it|that|such\s+date)|later|after|"
        r"subsequent\s+thereto)"
), "from"),
    ((
        r"D\s*,?\s*and\s+(?:for\s+)?(?:each|any|every|all)\s+(?:subsequent|succeeding|"
        r"following)\s+(?:\w+\s+){0,3}?(?:dates?|quarters?|periods?|end|years?|months?)"
), "from"),
    (r"(?:after|subsequent\s+to|following|later\s+than|ending\s+after)\s+D", "after"),
    ((
        r"(?:at\s+any\s+time\s+|at\s+all\s+times\s+)?(?:there-?after|after\s+that|from\s+then\s+on|"
        r"(?:and\s+)?each\s+\w+\s+thereafter|(?:each|any|every)\s+(?:later|subsequent|succeeding|following)\s+(?:(?:fiscal|financial|relevant|test|quarter)\s+)*(?:quarter|period|date))"
), "then"),
    (r"D", "day"),
)  # fmt: skip
_MARKS = {"D": "\u0110", "S": "\u0160", "E": "\u0112"}
TRANSLATED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(re.sub(r"(?<![A-Za-z\\])([DSE])(?![A-Za-z])", lambda m: _MARKS[m[1]], pattern), re.IGNORECASE), name)
    for pattern, name in _PATTERNS
)
"""The patterns with marks in place of dates (D), of days like the closing date (S) and of days like the maturity date (E)."""

FILLER = re.compile(
    r"\b(?:for|the|a|an|of|on|in|at|and|or|any|each|every|all|time|times|as|to|such|with|day|last|date|dates|period|periods|quarter|quarters|quarterly|"
    r"fiscal|financial|calendar|year|years|month|months|test|relevant|measurement|computation|determination|calculation|reporting|covenant|"
    r"ending|ended|end|ends|expiring|occurring|falling|during|thereof|then|four|twelve|consecutive|rolling|nearest|about|closest|"
    r"ratio|ratios|maximum|minimum|leverage|coverage|level|levels|amount|amounts|applicable|required|percentage|total|net|senior|secured|"
    r"interest|fixed|charge|charges|consolidated|debt|ebitda|cash|flow|worth|tangible|capital|column|opposite|set|forth|below|above|is|be|shall|table|"
    r"S|C|CAPTION|TABLE|by|company|borrower|parent|its|case|commencing|beginning|that|which|this|section|corresponding|liquidity|indicated)\b",
    re.IGNORECASE,
)
NEAR = re.compile(r"\b(?:nearest(?:\s+to)?|on\s+or\s+about|closest\s+to)\b", re.IGNORECASE)
ORDINAL_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
FISCAL_QUARTER = re.compile(
    r"(?:\b(first|second|third|fourth|1st|2nd|3rd|4th)\s+(?:fiscal\s+)?quarter\b|\b(?:fiscal\s+quarter\s+|Q)([1-4])\b)",
    re.IGNORECASE,
)
FISCAL_YEAR = re.compile(
    (
        r"\bQ[1-4]\s+(?P<q>(?:19|20)\d\d)\b|\bfiscal\s+(?:year\s+)?(?:ending\s+|ended\s+)?(?:in\s+)?((?:19|20)\d\d)\b|"
        r"\bFY\s?((?:19|20)\d\d|\d\d)\b"
    ),
    re.IGNORECASE,
)
FOOTNOTE = re.compile(r"(?<![*\\])\*{1}(?![*])|[\u2020\u2021\u00a7\u00b9\u00b2\u00b3]")
"""Marks that point to words elsewhere."""
