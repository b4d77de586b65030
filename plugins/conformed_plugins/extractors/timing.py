"""For which periods, and from which day, one amending instruction says that it counts.

The words stand before the provision ("Commencing with the fiscal quarter ending ...") or after it. A date, or a word of
time or condition, whose part is not understood makes the instruction unclear: it is never dropped.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from conformed.language.dates import find_dates
from conformed.language.windows import read_phrase
from conformed.model.dates import FiscalCalendar, Window

__all__ = ["Timing", "read_timing"]

_DAY = dt.timedelta(days=1)
_QUOTED = re.compile(r"\"[^\"]*\"")
_ROW = re.compile(r"\b(?:rows?|lines?|columns?)\s+(?:\w+\s+){0,5}\"[^\"]*\"", re.IGNORECASE)
_DATED = re.compile(
    r"\b(?:dated|amended|restated)\s*,?\s*(?:and\s+effective\s+)?(?:as\s+of\s+|on\s+)?(?:the\s+)?$|\bas\s+in\s+effect\s+(?:on|as\s+of|at)\s+$|\bAgreement\s*,?\s*(?:dated\s+)?as\s+of\s+$"
    r"|\b(?:signed|executed|made|entered\s+into)\s*,?\s*(?:and\s+delivered\s+)?as\s+of\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:(?:effective\s+)?(?:commencing|beginning|starting)\s+(?:with|on|as\s+of|from)|(?:effective\s+)?from\s+and\s+after|effective\s+(?:for|with\s+respect\s+to))\b|\b(?:ending|ended|occurring|falling)\s+(?:on\s+or\s+)?after\s+$",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"\b(?:solely\s+|only\s+)?(?:for|as\s+of|as\s+at|at|with\s+respect\s+to|in\s+respect\s+of|during|until|through|prior\s+to|from|commencing|beginning|starting|to)\s+(?:the\s+|each\s+|any\s+|all\s+|such\s+|and\s+including\s+|and\s+after\s+)*"
    r"(?:(?:period|fiscal|financial|calendar|last|test|four|two|three|consecutive|relevant|measurement|quarters?|years?|months?|dates?|periods?|days?|of|the|each|any|on|or|after|ending|ended|expiring|occurring|falling|with|about|first|including|and)\s+)*$",
    re.IGNORECASE,
)
_EFFECTIVE = re.compile(
    r"\b(?:effective|with\s+effect)\s+(?:retroactively\s+)?(?:as\s+of|as\s+from|on\s+and\s+from|on|from)\s+(?:and\s+(?:from|after)\s+)?(?:the\s+)?$",
    re.IGNORECASE,
)
_NAMED_DAY = re.compile(
    r"\b(?i:effective|with\s+effect|as\s+of|on|upon|from|at)\s+(?:as\s+of\s+|on\s+|from\s+|upon\s+)?"
    r"(?:and\s+(?:as\s+of|after|from|upon)\s+)?(?:(?:the|such)\s+(?:occurrence\s+of\s+)?(?:the\s+)?)?(?:[A-Z][\w.]*\s+){0,5}"
    r"(?:Effective\s+Date|Effective\s+Time|date\s+hereof|date\s+of\s+this\s+\w+)\b"
    r"|\b(?i:subject\s+to|upon|in\s+reliance\s+(?:on|upon))\s+(?:the\s+)?(?:satisfaction|occurrence|fulfil\w*|terms|representations|conditions?)\b[^.;:]*?(?:,|$)"
    r"|\bimmediately\s+(?:upon|prior|before|after|following|preceding)\b",
)
_OPEN_WORD = re.compile(
    r"\b(?i:solely|only|during|until|unless|so\s+long\s+as|while|temporar\w*|in\s+the\s+event|"
    r"for\s+(?:the|each|any|all|such)\s+(?:\w+\s+){0,3}(?:quarters?|periods?|years?|months?|test\s+dates?))\b|\bPeriod\b|\b[Ii]f\b(?!\s+(?:any|applicable|the\s+reference|it\s+were|they\s+were|a\s+reference))"
)


@dataclass(frozen=True, slots=True)
class Timing:
    """What the words say.

    Attributes:
        from_period: first period end that the change covers; earlier ones keep the old text.
        windows: the days that it covers, where it counts for a time only.
        effective: a day of effect of the instruction's own.
        clear: whether every date and word of time was understood.
    """

    from_period: dt.date | None = None
    windows: tuple[Window, ...] = ()
    effective: dt.date | None = None
    clear: bool = True


def read_timing(words: str, calendar: FiscalCalendar | None) -> Timing:
    """Reads the words of one instruction, its new text left out.

    Args:
        words: from the start of the sentence to the new text.
        calendar: fiscal calendar, where known.
    """
    plain = " ".join(_QUOTED.sub(" ", _ROW.sub(" ", words)).split())
    tokens = [t for t in find_dates(plain) if not _DATED.search(plain[max(0, t.start - 60) : t.start])]
    if not tokens:
        fiscal = _fiscal(plain, calendar)
        if fiscal is not None:
            return fiscal
        rest = _NAMED_DAY.sub(" ", plain)
        return Timing(clear=_OPEN_WORD.search(rest) is None)
    first, last = tokens[0], tokens[-1]
    effective = _EFFECTIVE.search(plain[: first.start])
    if effective is not None and len(tokens) == 1:
        rest = plain[: effective.start()] + " " + plain[first.end :]
        return Timing(effective=first.date, clear=_OPEN_WORD.search(_NAMED_DAY.sub(" ", rest)) is None)
    start = _FOR.search(plain[: first.start])
    if start is None:
        return Timing(clear=False)
    tail = re.compile(
        r"\s*,?\s*(?:\band\s+)?(?:(?:for\s+|at\s+)?(?:each|any|all|every)?\s*(?:(?:fiscal|financial|test|last|day|of|such|the)\s+)*(?:quarters?|periods?|dates?|times?)?\s*(?:ending\s+)?)?\bthereafter\b|\s*,?\s+only\b"
    ).match(plain, last.end)
    end = tail.end() if tail else last.end
    rest = plain[: start.start()] + " " + plain[end:]
    clear = _OPEN_WORD.search(_NAMED_DAY.sub(" ", rest)) is None
    phrase = plain[start.start() : end]
    begins = _FROM.search(plain[max(0, start.start() - 12) : first.start])
    if len(tokens) == 1 and (begins is not None or (tail is not None and "thereafter" in tail[0])):
        after = re.search(r"\b(?:ending|ended|occurring|falling)\s+after\s+$", plain[: first.start], re.IGNORECASE)
        return Timing(from_period=first.date + _DAY if after else first.date, clear=clear)
    read = read_phrase(re.sub(r"\b(?:solely|only|effective|respect)\b", " ", phrase, flags=re.IGNORECASE), calendar)
    if read is None or read.then or read.period or read.needs_calendar or read.near:
        return Timing(clear=False)
    if len(read.windows) == 1 and read.windows[0].end is None:
        return Timing(from_period=read.windows[0].start, clear=clear)
    if any(w.end_unclear or w.start_unclear for w in read.windows):
        return Timing(clear=False)
    return Timing(windows=read.windows, clear=clear)


def _fiscal(plain: str, calendar: FiscalCalendar | None) -> Timing | None:
    m = re.search(
        r"\b(?P<lead>commencing|beginning|starting)\s+(?:with|in)\s+(?:the\s+)?(?:(?P<y1>(?:19|20)\d\d)\s+(?P<q1>first|second|third|fourth)\s+fiscal\s+quarter|(?P<q2>first|second|third|fourth)\s+fiscal\s+quarter\s+of\s+(?:fiscal\s+)?(?:year\s+)?(?P<y2>(?:19|20)\d\d))",
        plain,
        re.IGNORECASE,
    )
    if m is None:
        return None
    phrase = read_phrase(f"{m['q1'] or m['q2']} fiscal quarter", calendar, f"fiscal year {m['y1'] or m['y2']}")
    if phrase is None or phrase.needs_calendar:
        return Timing(clear=False)
    return Timing(from_period=phrase.windows[0].start)
