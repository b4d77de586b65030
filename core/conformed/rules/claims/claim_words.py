"""The closed vocabulary of drafted sentences: what each word can be in the grammar of ``claim_roles`` and ``claim_compare``.

A word outside this vocabulary, outside the names of the run and outside the cited claims' own words is not understood, and
a sentence that is not understood to its last word is refused. Neutral words are a closed class: words of being, of saying and
of place, and nouns of the trade. No word that bounds, denies, dates, compares, hopes or doubts is among them.
"""

from __future__ import annotations

from conformed.language.currency import CODES

__all__ = [
    "CAUSES",
    "COMPARATORS",
    "CUES",
    "FORBIDDEN",
    "HEDGES",
    "MODALS",
    "NEGATORS",
    "NEUTRAL",
    "OPERATORS",
    "PERMIT",
    "PHRASES",
    "REQUIRE",
    "RESULTS",
    "SIGNS",
]

_CODE = "(?:" + "|".join(sorted(CODES)) + ")"
_LEVEL = r"(?:maximum|max|minimum|min|ceiling|cap|floor|limit|threshold|level|covenant|permitted|required)"
_SIDE = rf"(?= (?:(?:the|a|an|its|that|this) )?(?:\d|covenant {_LEVEL}|(?!covenant){_LEVEL}\b))"
"""What stands next where "over" and "under" compare, and are no words of arithmetic or place."""

_NOT = (
    r"(?:(?:is|was|are|were|does|did|do)\s+)?(?:not|no)\s+(?:at any time\s+)?(?:to\s+)?"
    r"(?:be\s+|stand\s+|rise\s+|go\s+|climb\s+|move\s+|fall\s+|drop\s+|dip\s+)?(?:to\s+)?"
)
_PASSED = r"exceeded|passed|surpassed"
COMPARATORS: tuple[tuple[str, str], ...] = (
    (r"(?:is|was|has|had)(?: been)? not (?:been )?exceeded", "le_seen"),
    (r"(?:is|was|has been|had been) exceeded", "gt_seen"),
    (r"at or (?:below|under)|at most|up to and including|not? (?:more|greater|higher|larger) than|at or less than", "le"),
    (
        r"(?:less|lower|smaller) than or equal to|equal to or (?:less|lower|smaller) than|equal to or below|below or equal to",
        "le",
    ),
    (r"up to", "upto"),
    (r"within|inside", "within"),
    (r"outside", "outside"),
    (r"(?:equals?|meets?) or exceeds?", "ge"),
    (r"(?:(?:does|did|do) )?not reach", "lt"),
    (rf"{_NOT}(?:exceed(?:ed|ing|s)?|more than|greater than|higher than|above|over|in excess of)", "le"),
    (r"at or (?:above|over)|at least|not? (?:less|lower|smaller) than", "ge"),
    (
        r"(?:more|greater|higher) than or equal to|equal to or (?:more|greater|higher) than|equal to or above|above or equal to",
        "ge",
    ),
    (rf"{_NOT}(?:less than|lower than|below|under|short of)", "ge"),
    (r"(?:is |was )?not equal to|differs? from|differed from|(?:is |was )?different (?:from|to)", "ne"),
    (r"(?:is |was )?not the same as|instead of|rather than|(?:does|did|do) not (?:match|agree with)", "ne"),
    (r"(?:(?:fell|falls|fallen|is|was|came|comes|sat|sits|stood|stands) )?(?:strictly )?(?:below|beneath|short of)", "lt"),
    (rf"(?:strictly )?(?:less than|lower than|smaller than)|under{_SIDE}", "lt"),
    (r"(?:strictly )?(?:more than|greater than|higher than|above)|exceed(?:s|ed|ing)?|in excess of", "gt"),
    (rf"over{_SIDE}", "gt"),
    (r"equal to|equals|equalled|equaled|the same as|identical to|match(?:es|ed|ing)|agrees with|=", "eq"),
    (rf"exactly(?! (?:{_CODE} |[-$€£\d]))", "eq"),
    (r"meets|satisfies", "met"),
    (r"(?:does|did) not (?:meet|satisfy)|fail(?:s|ed) to (?:meet|satisfy)", "unmet"),
    (r"or (?:less|lower|below|under)", "le_after"),
    (r"or (?:more|higher|above|over|greater)", "ge_after"),
    (rf"not (?:to )?be (?:{_PASSED})", "le_passive"),
    (r"(?:rise|go|climb|move) (?:above|over|beyond)", "gt"),
    (r"(?:drop|fall|go|dip) (?:below|under)", "lt"),
    (r"≤", "le"),
    (r"≥", "ge"),
    (r"<", "lt"),
    (r">", "gt"),
)
"""Comparators in words and signs, longest reading first; ``_after``, ``_passive`` and ``_seen`` ones follow their number."""

NEGATORS = (
    r"(?:(?:is|was|are|were|does|did|do) )?not (?:permit|allow|let)(?!ted|ed)"
    r"|(?:is|was|are|were) not (?:permitted|allowed) to(?= (?:exceed|be|fall|drop|rise|go|climb|move|dip|stand)\b)"
    r"|prohibits|forbids|prevents|disallows|prohibited from|barred from"
)
"""Turns the next comparator round, once (rule book 4.11)."""

MODALS: tuple[tuple[str, str], ...] = (
    (r"shall|must|is to|are to|(?:is|was|are|were) (?:required|obliged) to|ha[sd] to|have to|needs? to|needed to", "shall"),
    (r"(?:may|can)(?= not\b)", "may_not"),
    (r"may|might|can|could|would|will|should", "may"),
    (r"to be", "to_be"),
    (r"will(?= not (?:permit|allow|let)\b)", "shall"),
    (r"will(?= (?:not|ensure|procure|maintain|keep)\b)", "will"),
)
"""Mood of a sentence: an obligation, or anything else."""

_GOES_ON = r"(?= (?:not|no|at|less|below|under|up)\b)"
REQUIRE = (
    r"requires|required|restricts|confines|requirement(?! (?:of|is|was|at)\b)|requiring|limits|calls for|insists on|imposes|undertakes|undertook|"
    r"(?:has |have )?(?:undertaken|agreed|covenanted)|agrees(?! with)|covenants(?= (?:to|that|not)\b)"
    rf"|(?:limited|restricted|confined|held|kept) to{_GOES_ON}"
)
"""Words after which a comparator says what is required."""

PERMIT = r"permits|permitted|permissible|allows|allowed|allowable"
"""Words that say what is required where they stand with a comparator or a word for the level; alone they would soften it."""

_REACHED = (
    rf"before (?:(?:reaching|hitting) (?:the )?{_LEVEL}(?: {_LEVEL})?|(?:the )?{_LEVEL}(?: {_LEVEL})? (?:is|was) (?:reached|hit))"
)
PHRASES = (
    r"amount(?:s|ed|ing)? to|exist(?:s|ed)|outcome|set out|sets out|laid down|lays down|carried out|works? out|worked out|in full|"
    r"the last day of|(?:relevant|measurement|reference|test) (?:period|quarter)|as against|in force|provided (?:by|for|in|under)|(?:is|was|are|as) provided|subject to(?= an? (?:\d|maximum|minimum|limit|ceiling|cap|floor))|i\.e\.?|ie|namely|viz\.?|of the order of(?= \d)|with reference to|for the purposes? of|in respect of|with respect to|in relation to|"
    rf"in terms of|according to|by reference to|pursuant to|in accordance with|{_REACHED}"
)
"""Words for what a figure or result is, that carry no fact of their own."""

_MORE = r"(?:more|additional|further|extra)"
CUES: tuple[tuple[str, str], ...] = (
    (r"debt (?:headroom )?shortfall|shortfall in debt headroom", "-headroom_debt"),
    (r"EBITDA (?:headroom )?shortfall|shortfall in EBITDA headroom", "-headroom_ebitda"),
    (rf"{_MORE} debt", "more_debt"),
    (r"room for(?= [^,;]*\bdebt\b)|headroom,? (?:measured|expressed|stated) in (?:terms of )?(?:tested |net )?debt", "headroom_debt"),
    (r"headroom,? (?:measured|expressed|stated) in (?:terms of )?EBITDA", "headroom_ebitda"),
    (r"debt (?:headroom|cushion)|(?:headroom|cushion) (?:(?:in|on) (?:terms of )?|measured in )(?:tested |net )?debt(?: terms)?",
     "headroom_debt"),
    (r"in (?:terms of debt|debt terms)", "of_debt"),
    (r"in (?:terms of EBITDA|EBITDA terms)", "of_ebitda"),
    (r"(?:tested |net )?debt (?:could|can) (?:rise|increase|grow|go up) by", "headroom_debt"),
    (rf"(?:could|can) (?:carry|take on|bear|add|incur|borrow)(?= [^,;]*\d[^,;]* {_MORE}(?: debt)?\b)", "headroom_debt"),
    (r"(?:EBITDA|earnings) (?:headroom|cushion)|(?:headroom|cushion) (?:(?:in|on) (?:terms of )?|measured in )EBITDA(?: terms)?",
     "headroom_ebitda"),
    (r"EBITDA (?:could|can) (?:fall|decline|drop|decrease|go down) by", "headroom_ebitda"),
    (r"headroom", "headroom"),
    (r"excess|shortfall|overshoot", "-room"),
    (r"(?:difference|gap|distance)(?: between)?", "gap"),
    (r"compliance certificate|certificate(?:'s)?|report(?:s|ed|ing)|certif(?:ies|ied)", "certificate"),
    (r"recalculated|recomputed|recalculation|calculation|calculated|computed|actual|work(?:ed|s|ing) out", "calculated"),
    (r"maximum|max|ceiling|caps?|capped at|upper (?:limit|bound)|(?:limited|restricted|confined) to(?! (?:not|no|at|less|below|up)\b)",
     "maximum"),
    (r"minimum|min|floor|lower (?:limit|bound)", "minimum"),
    (r"covenant(?:ed)? (?:level|limit|threshold)|level|limit|threshold|hurdle|requirement(?= (?:of|is|was|at)\b)", "level"),
    (r"(?:level|limit) in force|governing (?:level|limit)", "own_level"),
    (r"tests? against|tested against|against|compare[ds]? (?:with|to)|versus|vs\.?|relative to|next to|set beside", "against"),
    (r"covenant", "covenant"),
    (r"tested debt|net debt|debt", "debt"),
    (r"EBITDA", "ebitda"),
    (r"tested figure|tested (?:as|at)(?= (?:\w+ )?\d[\d.]*(?:x| ?:| to | times))", "tested"),
    (r"ratio", "ratio"),
    (r"as known on|known on|known at|knowledge date|known by", "known"),
    (r"test date", "test_date"),
)  # fmt: skip
"""Words that say what the next value is."""

HEDGES = r"about|approximately|approx\.?|roughly|around|circa|c\.(?= ?[\d$€£])|rounded to"
"""Marks of a rounded figure (CC-06)."""

OPERATORS: tuple[tuple[str, str], ...] = (
    (rf"divided by|over(?= (?:(?:tested |net )?debt|EBITDA|{_CODE} |[$€£]|\d[\d,.]* ?(?:m|bn|million|billion)\b))|/|÷", "/"),
    (rf"multiplied by|times(?= (?:{_CODE} |[$€£\d]))|×", "*"),
    (rf"minus|less(?= (?:{_CODE} |[$€£\d]))", "-"),
    (r"plus", "+"),
)
"""Arithmetic in words (CC-18)."""

_DONE = r"(?:carried out|made|performed|conducted|run|done|applied|required to be made)"
_GIVEN = r"(?:given|reached|stated|determined|reported|available|recorded)"
RESULTS: tuple[tuple[str, str], ...] = (
    (rf"not (?:been )?tested|untested|no (?:covenant )?test (?:is|was|has been|fell to be) {_DONE}|not a tested", "not_tested"),
    (r"(?:(?:is|was|has been) )?not (?:met|satisfied|passed)|(?:does|did|do) not pass|fail(?:s|ed|ure)?(?! to\b)", "breach"),
    (r"(?:(?:is|was|has been) )?(?:met|satisfied)|pass(?:es|ed)?", "pass"),
    (r"breach", "breach"),
    (r"(?:is|was|were|are|has been) tested(?! (?:as|at|against)\b)", "tested"),
    (
        rf"(?:(?:left|referred|marked|flagged) (?:for|to) )?review|no result (?:is|was|has been|can be|could be) {_GIVEN}",
        "review",
    ),
)
"""Result words (CC-08)."""

FORBIDDEN = r"(?:is|was|are|were) (?:not (?:permitted|permissible|allowed)(?! to\b)|prohibited(?! from\b)|forbidden(?! from\b))"
"""Said of a ratio on the wrong side of a value: "a ratio above 4.75x is not permitted"."""

SIGNS = (("negative", "negative"), ("positive", "positive"))
"""Which side of nothing a headroom is on."""

CAUSES = r"because|since|as|for the reason that|the reason being that"
"""Words that may join a result to the run's own reason for it, and nothing else (CC-15)."""

_NEUTRAL = {
    "articles and pronouns": "a an the it its itself this that these those which what where when who our",
    "being and having": "is are was were be been being has have had",
    "saying": "said says say show showing shows shown state stated states stating read reads record recorded records give gives given "
    "giving named names name disclose discloses disclosed indicate indicates indicated note noted present presents presented",
    "amounting": "came come comes coming stand stands stood standing sit sits sat lie lies lay stay stays remain remained remains "
    "measure measured measures totals totalled totaled totalling equate equates equated dividing run runs ran put puts",
    "setting": "set sets setting fix fixes fixed prescribe prescribes prescribed stipulate stipulates stipulated ensure ensures procure procures specify specifies "
    "specified establish establishes established provide provides contain contained govern governed governing governs apply "
    "applicable applies applied applying use used uses using resolve resolves keep kept keeps hold maintain maintained maintains maintaining "
    "derive derived derives taken found held imposed",
    "places and parts": "between at on of for in by under with to from as per out beside here there",
    "producing": "yield yields yielded produce produces produced leave leaves leaving refer refers referred resulting",
    "joining": "and or so while where then whereas but also thus therefore hence accordingly though although",
    "nouns": "agreement amount amounts basis borrower clause company computation date day days document end ended ending evidence exact exactly "
    "facilities facility figure figures financial fiscal force group instrument number pack paper period person point provision quarter "
    "quarter-end question reading reason reasons result row run section terms test tested testing text value values wording words year year-end",
    "requests": "open please",
}
NEUTRAL = frozenset(word for words in _NEUTRAL.values() for word in words.split())
"""Words that carry no fact of their own."""
