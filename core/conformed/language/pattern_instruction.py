"""What every instruction of a change shares: the provision it works on, its effect, and how far it names the figure."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from conformed.language.dates import find_dates
from conformed.language.pattern_effect import Effect, read_effect, waives_default
from conformed.language.pattern_words import Named, PatternReading, Value, metric_named, provisions, sentence_around
from conformed.language.subjects import find_subject

__all__ = ["ENDING_AFTER", "clash", "finish", "instruments", "label_of", "name_figure", "target_of", "unquoted"]

ENDING_AFTER = re.compile(r"\b(?:ending|ended|expiring|falling|occurring)\s+(?:on\s+or\s+)?after\s+$", re.IGNORECASE)
"""Right before a date: the change is for periods that end after it."""
_LISTED = re.compile(
    r"\b(?:listed|described|specified|set\s+(?:out|forth)|referred\s+to|contained)\s+(?:in|under)\s+$|\b(?:items?|conditions?(?:\s+precedent)?|documents?|certificates?|matters|deliverables|requirements)\s+(?:in|of)\s+$",
    re.IGNORECASE,
)
_RATIO_IN = re.compile(
    r"(?:\b(?:ratios?|levels?|figures?|references?|tables?|limits?|maximum|minimum|covenants?|tests?|percentage|multiple|Ratio|Leverage|rows?)\b[^.;,()]{0,30}|\"\s*(?:(?:as|where|which\s+is|that\s+is)\s+)?)$",
    re.IGNORECASE,
)
"""What may be said to stand in a provision that is changed; a condition or an item stands in a provision that is not."""
_TAKES = (
    r"(?:is|are|shall\s+be|becomes?|shall\s+become|takes?|has|shall\s+(?:take|have)|appl(?:y|ies)|shall\s+apply|comes?\s+into)"
)
_PART = re.compile(
    rf"(?:^|(?<=[.;]\s)|(?<=\bthat\s)|(?<=\band\s))(?:The\s+|the\s+)?(?:[Ss]ection|[Pp]aragraph|[Cc]lause|[Pp]art|[Aa]mendments?|[Cc]hanges?|[Ii]ncrease|[Rr]eduction)\b(?:[^.;]|\.\d){{0,240}}?\b{_TAKES}\s+(?:(?:in\s+)?(?:effect|effective|force)|(?=from\b|on\b))\b(?:[^.;,]|\.\d)*"
)
_INSTRUMENT = re.compile(
    r"\[\s*(?P<bracket>(?:[A-Z][\w-]*\s+(?:of\s+)?){0,3}(?:Amendment|Supplement|Letter|Deed|Agreement|Waiver)\b[^\]\"]{0,40})\]"
    r"|(?:^|(?<=[.;]\s)|(?<=\n))(?P<open>(?:[A-Z][\w-]*\s+(?:of\s+)?){0,2}(?:Amendment|Supplement|Letter|Deed)(?:\s+No\.?\s*\d+|\s+dated\s+[^:;.,]{6,24})?)\s*:",
)
_DATED = re.compile(
    r"\b(?:dated|Agreement|amended|restated|Letter)\s*,?\s*(?:as\s+of\s+|on\s+)?(?:the\s+)?$|\b(?:signed|executed|made|entered\s+into)\s*,?\s*(?:and\s+delivered\s+)?as\s+of\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_WHOSE = re.compile(
    r"\b(?P<home>(?:[A-Z]\w+\s+)?(?:Amendment(?:\s+(?:No\.?\s*\d+|Letter|Agreement))?|Supplemental\s+(?:Agreement|Deed|Letter)))\b[^.;\"]{0,60}?\b(?:is|are|shall\s+be)\s+(?:hereby\s+)?(?:further\s+)?(?:amended|varied|changed|modified)\b"
)
"""The earlier amendment that a sentence amends, named before "Section 4 thereof"."""
_OWN = re.compile(r"\b(?:of\s+)?this\s+(?:Amendment|Letter|Agreement|Deed|Waiver)\b|here(?:of|in|to)\b", re.IGNORECASE)


def target_of(text: str, before: int) -> Named | None:
    """The provision that an instruction works on: the nearest one named before it that is not the instrument's own."""
    named = [
        n
        for n in provisions(text)
        if not _listed(text, n.start)
        and not _OWN.match(text[n.end : n.end + 30].strip())
        and not n.home.lower().startswith("this")
    ]
    earlier = [n for n in named if n.start < before]
    target = earlier[-1] if earlier else named[0] if named else None
    if target is not None and not target.home and re.match(r"\s+(?:thereof|of\s+it)\b", text[target.end :]):
        whole = _WHOSE.search(text, sentence_around(text, target.start)[0], target.start)
        target = replace(target, home=" ".join(whole["home"].split())) if whole else target
    return target


def _listed(text: str, at: int) -> bool:
    """Whether a provision is only where a condition or an item is listed, and nothing of it is changed."""
    m = _LISTED.search(text[max(0, at - 34) : at])
    if m is None:
        return False
    start = at - (len(text[max(0, at - 34) : at]) - m.start())
    return _RATIO_IN.search(text[max(0, start - 50) : start]) is None


def instruments(text: str, places: list[int]) -> list[str]:
    """The instrument under whose heading each place stands; empty where not every place has one of its own."""
    marks = list(_INSTRUMENT.finditer(text))
    found: list[str] = []
    for index, place in enumerate(places):
        stop = places[index - 1] if index else -1
        own = [m for m in marks if stop < m.start() < place]
        if len(own) != 1:
            return []
        name = " ".join((own[0]["bracket"] or own[0]["open"]).split())
        numbered = re.search(r"\bNo\.?\s*\d+$", name)
        found.append(numbered[0] if numbered else name)
    return found if len(found) > 1 and len(set(found)) == len(found) else []


def clash(text: str, places: list[int]) -> str:
    """The doubt of several instruments on one provision: a conflict where they count from one day, else a text not fully read."""
    days = {(e.mode, e.day) for e in (read_effect(text, sentence_around(text, p)) for p in places)}
    return "review_conflict_same_effective_date" if len(days) == 1 else "review_clause_not_fully_read"


def label_of(target: Named | None) -> str:
    """The provision as a reading names it: with the amendment that it is of, or the caption that is quoted beside it."""
    if target is None:
        return ""
    if re.match(r"(?:[A-Z]\w+\s+)?(?:Amendment|Supplement(?:al)?|First|Second|Third|Fourth|Fifth|Sixth|Amending)\b", target.home):
        return f"{target.home}, section {target.number}"
    if target.caption and re.search(r"Ratio|Leverage|Cover|Debt", target.caption):
        return f"{target.number} captioned {target.caption}"
    return target.number


def finish(
    text: str,
    fields: dict[str, Value],
    spans: dict[str, tuple[int, int]],
    place: tuple[int, int],
    *,
    unstated: set[str],
    doubts: set[str] | None = None,
) -> PatternReading:
    """Adds what every change may have: its effect, what it reaches back to, a waiver of what it removes, the periods it is for."""
    effect: Effect = read_effect(text, place)
    if effect.at is not None:
        spans["effective"] = effect.at
    if effect.mode == "as_of":
        fields["reach_back_to"] = effect.day
        waived = waives_default(text)
        fields["waives_intervening_default"] = waived is not None
        if waived:
            spans["waiver"] = waived
        if effect.at:
            spans["reach_back"] = effect.at
    if effect.mode == "as_of_on_cp" and effect.back_at:
        spans["dated_back"] = effect.back_at
    if effect.open:
        doubts = {*(doubts or set()), "review_effective_date_ambiguous"}
    if not effect.stated:
        unstated = {*unstated, "effective.mode"}
    for letter, part in zip("abcdefgh", _PART.finditer(text), strict=False):
        own = effect.at if effect.at and part.start() <= effect.at[0] < part.end() and part.start() <= place[1] else None
        spans[f"part_{letter}"] = (max(part.start(), own[0] - 3), own[1]) if own else part.span()
    told = {effect.day, *_days(fields)}
    for token in find_dates(text, *place):
        before = text[max(place[0], token.start - 40) : token.start]
        quoted = text.count('"', place[0], token.start) % 2 == 1
        if not quoted and token.date not in told and not ENDING_AFTER.search(before) and not _DATED.search(before):
            # A date in the operative sentence whose part was not understood may say for how long, or from when.
            doubts = {*(doubts or set()), "review_clause_not_fully_read"}
    for token in find_dates(text):
        if ENDING_AFTER.search(text, max(0, token.start - 40), token.start):
            on_it = "on or" in " ".join(text[max(0, token.start - 14) : token.start].lower().split())
            fields["applies_to_periods_ending_after"] = token.date - dt.timedelta(days=1) if on_it else token.date
    return PatternReading(fields, spans, effect.mode, frozenset(unstated), tuple(sorted(doubts or set())), effect.day)


def _days(value: Value) -> list[dt.date]:
    """Every day that a reading already gives."""
    if isinstance(value, dt.date):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [day for one in inner for day in _days(one)]


def unquoted(text: str, span: tuple[int, int]) -> str:
    """The words between quotation marks."""
    return " ".join(text[span[0] + 1 : span[1] - 1].split())


def _direction(words: str) -> str | None:
    """What ``maximum ratio`` and ``minimum ratio`` say of the comparison."""
    low = re.search(r"\b(?:minimum|lowest\s+(?:permitted|permissible))\b", words, re.IGNORECASE)
    high = re.search(r"\b(?:maximum|highest|greatest|upper)\b", words, re.IGNORECASE)
    return "le" if high and not low else "ge" if low and not high else None


def name_figure(words: str, fields: dict[str, Value], unstated: set[str]) -> None:
    """Metric and comparison as far as the instruction names them: what only says "the ratio" leaves both to the agreement."""
    subject = find_subject(words, 0, len(words))
    metric = metric_named(subject) if subject is not None and subject.name != "Ratio" else None
    fields["metric"], fields["comparator"] = metric, _direction(words)
    unstated |= {k for k in ("metric", "comparator") if fields[k] is None}
