"""Waivers, suspensions and temporary levels: time-limited states that leave the permanent text as it is."""

from __future__ import annotations

import datetime
import re

from conformed.language.dates import find_dates
from conformed.language.limits import find_limits
from conformed.language.terms import limit_of
from conformed.model.covenant import Doubt
from conformed.model.dates import Window
from conformed.model.operation import Op, Operation, Target
from conformed_plugins.extractors.changes import Context
from conformed_plugins.extractors.waiver_terms import WaiverTerms, waiver_terms, with_surroundings

__all__ = ["find_relief"]

_NUM = r"\d{1,2}(?:\.\d{1,3})*[A-Z]?(?:\s*\((?:[A-Za-z]{1,4}|\d{1,2})\))*"
_SECTIONS = rf"(?:Sections?|[Ss]ubsections?|[Cc]lauses?)\s*(?P<nums>{_NUM}(?:\s*(?:\([A-Z][^)]*\))?\s*(?:,|and|,\s*and|or)\s*(?:(?:Sections?|[Cc]lauses?)\s*)?{_NUM})*)"
_WAIVE = re.compile(
    rf"\b(?:hereby\s+)?(?:waives?|agrees?\s+to\s+waive|waived)\b(?P<words>[^.]{{0,420}}?){_SECTIONS}(?P<tail>(?:[^.]|\.\d)*)",
)
_SUSPEND = re.compile(
    rf"{_SECTIONS}(?:\s*\([^)]*\))?[^.;]{{0,160}}?\b(?:shall|will)\s+not\s+(?:be\s+(?:tested|applicable|calculated)|apply)\b(?P<tail>(?:[^.]|\.\d)*)"
)
_SUSPEND_BY_NAME = re.compile(
    rf"\b(?:testing|compliance\s+with|the\s+requirements?\s+of|application\s+of)\s+(?:[^.;]{{0,80}}?\s)?{_SECTIONS}(?:\s*\([^)]*\))?[^.;]{{0,120}}?\b(?:is|are|shall\s+be)\s+(?:hereby\s+)?suspended\b(?P<tail>(?:[^.]|\.\d)*)"
)
_NOT_REQUIRED = re.compile(
    rf"\b(?:shall|will|need|is|are)\s+not\s+(?:be\s+)?(?:required|obligated|obliged)\s+to\s+(?:comply|be\s+in\s+compliance)\s+with\s+(?:[^.;\"]{{0,80}}?\s)?{_SECTIONS}(?:\s*\([^)]*\))?(?P<tail>(?:[^.]|\.\d)*)"
)
_WAIVED = re.compile(
    rf"(?P<words>\b(?:[Cc]ompliance|[Nn]on-?[Cc]ompliance|[Ff]ailure|[Bb]reach(?:es)?|[Vv]iolations?|[Dd]efaults?|[Rr]equirements?|[Cc]ovenants?)\b(?:[^.;]|\.\d){{0,260}}?){_SECTIONS}(?P<tail>(?:[^.;]|\.\d){{0,260}}?\b(?:is|are|be)\s+(?:hereby\s+)?(?:permanently\s+|irrevocably\s+)?waived\b(?:[^.]|\.\d)*)"
)
_UNGRANTED = re.compile(
    r"\b(?:do|does|did|shall|will|has|have|is|are|may|would)\s+not\s+(?:\w+\s+){0,3}$|\b(?:nothing|neither|none|no\s+(?:Lender|party|provision|term|breach|default|failure))\b[^.;,]{0,60}$"
    r"|\b(?:may|might|would|could)\s+(?:\w+\s+)?$|\b(?:refus|declin)\w*\s+to\s+(?:\w+\s+)?$|\brequest\w*\s+that\s+(?:\w+\s+){0,5}$",
    re.IGNORECASE,
)
"""A waiver that is denied, only possible, or asked for is none."""
_READ_AS = re.compile(
    rf"\b(?P<solely>[Ss]olely|[Oo]nly|[Ff]or)\b(?P<when>[^\"]{{0,300}}?)\b(?:reference|ratio|figure|level)s?\b[^\".;]{{0,80}}?{_SECTIONS}[^\"]{{0,80}}?\"(?P<find>[^\"]+)\"[^\"]{{0,80}}?\b(?:read\s+as|replaced\s+by|deemed\s+to\s+(?:be|read))\b[^\"]{{0,30}}?\"(?P<replace>[^\"]+)\""
)
_CEASE = re.compile(
    r"\b(?:cease\s+to\s+be\s+effective|expire|terminate|end|lapse)s?\s+(?:on|upon|at)\b[^.]{0,60}?", re.IGNORECASE
)
_PERIOD = re.compile(r"\"(?P<name>[A-Z][\w ]{0,40}Period)\"\s*(?:means|shall\s+mean)(?P<body>[^;]{0,500}?(?<!\bNo)\.)(?:\s|$|\")")
_LIQUIDITY = re.compile(r"\b(?:minimum\s+)?liquidity\b", re.IGNORECASE)


_THAT_FAILURE = re.compile(
    r"\bwaives?\b(?P<words>[^.]{0,200}?\b(?:that|such|the\s+foregoing)\s+(?:failure|default|breach|non-?compliance)\b)(?P<tail>(?:[^.]|\.\d)*)",
    re.IGNORECASE,
)
_FAILED = re.compile(rf"\b(?:comply|complied|compliance|failure|failed)\b[^.]{{0,80}}?{_SECTIONS}")


def _waivers_of_failure(text: str, context: Context, start: int) -> list[Operation]:
    """A waiver of "that failure": the provision stands in the sentence that told the failure."""
    found: list[Operation] = []
    for m in _THAT_FAILURE.finditer(text):
        told = None
        for told in _FAILED.finditer(text, 0, m.start()):  # noqa: B007 - the last one before the waiver is meant
            pass
        if told is None:
            continue
        dates = [t.date for t in find_dates(m["words"] + m["tail"])]
        place, asked = (m.start(), min(m.end(), m.start() + 900)), _asked(context, m)
        for section in _sections(told["nums"]):
            fields = {
                **_common(context, section, place, start + len(found)),
                "op": Op.WAIVE_TEST,
                "windows": tuple(Window(start=d, end=d) for d in dates),
                "ceiling": asked.ceiling,
                "ceiling_comparator": asked.comparator,
                "ceiling_metric": asked.metric,
                "doubts": asked.doubts,
            }
            found.append(Operation.model_validate(fields))
    return found


def _sections(nums: str) -> list[str]:
    return [re.sub(r"\s+", "", n) for n in re.findall(_NUM, nums)]


def find_relief(context: Context, start: int) -> list[Operation]:
    """All waivers, suspensions and temporary levels of an instrument.

    Args:
        context: the instrument.
        start: first ordinal for the ids of the operations.
    """
    text = context.view.text
    found: list[Operation] = []
    for m in _WAIVE.finditer(text):
        if _UNGRANTED.search(text[max(0, m.start() - 90) : m.start()]):
            continue
        tail = m["words"] + m["tail"]
        if re.search(
            r"\b(?:default|compliance|failure|requirements?|breach|violation|covenant|comply)\b", m["words"], re.IGNORECASE
        ) or re.search(r"^\s*(?:hereby\s+)?compliance", m["words"]):
            found += _waivers(m, tail, context, start + len(found))
    for m in _WAIVED.finditer(text):
        if _UNGRANTED.search(text[max(0, m.start() - 90) : m.start()]):
            continue
        found += _waivers(m, m["words"] + m["tail"], context, start + len(found))
    if not found:
        found += _waivers_of_failure(text, context, start)
    for pattern in (_SUSPEND, _SUSPEND_BY_NAME, _NOT_REQUIRED):
        for m in pattern.finditer(text):
            found += _suspensions(m, context, start + len(found))
    for m in _READ_AS.finditer(text):
        found += _temporary(m, context, start + len(found))
    return found


def _common(context: Context, section: str, place: tuple[int, int], ordinal: int) -> dict[str, object]:
    spans = context.view.spans(*place)
    return {"id": f"{context.document}#r{ordinal}", "document": context.document, "effective": context.effective,
            "target": Target(section=section, agreement=context.agreement, spans=spans), "instruction": spans}  # fmt: skip


def _asked(context: Context, m: re.Match[str]) -> WaiverTerms:
    """What the words of a waiver, and those around it, ask in return."""
    start, end = m.span("tail")
    begin = m.start() - len(_lead(context.view.text, m.start()))
    return with_surroundings(context.view, waiver_terms(context.view, start, end), begin, start, end)


def _waivers(m: re.Match[str], tail: str, context: Context, ordinal: int) -> list[Operation]:
    end_at = _CEASE.search(m["tail"])
    ends_on: datetime.date | None = None
    if end_at:
        after = find_dates(m["tail"], end_at.start(), end_at.start() + 220)
        ends_on = after[0].date if after else None
    body = m["tail"][: end_at.start()] if end_at else m["tail"]
    dates = [t.date for t in find_dates(m["words"]) + find_dates(body) if t.date != ends_on]
    windows = tuple(Window(start=d, end=d) for d in dates)
    asked = _asked(context, m)
    early = (
        "any Event of Default"
        if re.search(
            r"Event\s+of\s+Default\s+shall\s+occur|occurrence\s+of\s+(?:any|an)\s+(?:other\s+)?Event\s+of\s+Default", m["tail"]
        )
        else ""
    )
    doubts = (
        asked.doubts
        if windows
        else (
            *asked.doubts,
            Doubt(
                code="review_effective_date_ambiguous",
                sentence="The waiver does not name the test date that it excuses.",
                spans=context.view.spans(m.start(), min(m.end(), m.start() + 500)),
            ),
        )
    )
    place = (m.start(), min(m.end(), m.start() + 900))
    return [
        Operation.model_validate(
            {
                **_common(context, s, place, ordinal + i),
                "op": Op.WAIVE_TEST,
                "windows": windows,
                "ends_on": ends_on,
                "ceiling": asked.ceiling,
                "ceiling_comparator": asked.comparator,
                "ceiling_metric": asked.metric,
                "ends_early_on": early,
                "doubts": doubts,
            }
        )
        for i, s in enumerate(_sections(m["nums"]))
    ]


def _window_of(words: str, context: Context) -> tuple[tuple[Window, ...], str]:
    """Windows of a relief: dates in the sentence, or those of a named period that the instrument defines."""
    dates = find_dates(words)
    early = ""
    if not dates:
        for p in _PERIOD.finditer(context.view.text):
            if p["name"] not in words:
                continue
            dates = find_dates(p["body"])
            if re.search(r"\bearlier\s+of\b|\bnotif|\belect", p["body"], re.IGNORECASE):
                early = "notice or election that ends the period"
            ends = [t.date for t in dates]
            starts = re.search(
                r"\bfrom\b[^.]{0,60}?\b(?:effective\s+date|date\s+hereof|date\s+of\s+this)", p["body"], re.IGNORECASE
            )
            if len(ends) == 1 and (starts or re.search(r"\b(?:through|until|ending|to)\b", p["body"])):
                inclusive = bool(re.search(r"\bthrough\b|\bincluding\b|\bending\s+on\b", p["body"]))
                return (Window(start=None, end=ends[0], end_unclear=not inclusive),), early
            if len(ends) == 2 and ends[0] < ends[1]:
                inclusive = bool(re.search(r"\bthrough\b|\bincluding\b", p["body"]))
                return (Window(start=ends[0], end=ends[1], end_unclear=not inclusive),), early
        return (), early
    days = [t.date for t in dates]
    if re.search(r"\b(?:through|to\s+and\s+including|until)\b", words, re.IGNORECASE) and len(days) == 2:
        return (
            Window(start=days[0], end=days[1], end_unclear="until" in words.lower() and "including" not in words.lower()),
        ), early
    return tuple(Window(start=d, end=d) for d in days), early


def _lead(text: str, at: int) -> str:
    """The words of the sentence before a place."""
    return re.split(r"(?<=[A-Za-z0-9)\"])(?<!\b[Nn]o)[.;:]\s+|\n[ \t]*\n", text[max(0, at - 400) : at])[-1]


def _suspensions(m: re.Match[str], context: Context, ordinal: int) -> list[Operation]:
    windows, early = _window_of(_lead(context.view.text, m.start()) + m[0], context)
    place = (m.start(), min(m.end(), m.start() + 900))
    doubts = (
        []
        if windows
        else [
            Doubt(
                code="review_suspension_end_unclear",
                sentence="Testing is suspended and the words do not give the dates.",
                spans=context.view.spans(*place),
            )
        ]
    )
    if _LIQUIDITY.search(context.view.text):
        liquid = _LIQUIDITY.search(context.view.text)
        assert liquid is not None
        doubts.append(
            Doubt(
                code="finding_other_test_in_force",
                sentence="Another test, of liquidity, applies in the relief period and is outside this run.",
                spans=context.view.spans(liquid.start(), liquid.end()),
            )
        )
    return [
        Operation.model_validate(
            {
                **_common(context, s, place, ordinal + i),
                "op": Op.SUSPEND_TESTING,
                "windows": windows,
                "ends_early_on": early,
                "doubts": tuple(doubts),
            }
        )
        for i, s in enumerate(_sections(m["nums"]))
    ]


def _temporary(m: re.Match[str], context: Context, ordinal: int) -> list[Operation]:
    dates = find_dates(m["when"])
    tokens = find_limits(m["replace"], 0, len(m["replace"]), "ratio")
    if not dates or len(tokens) != 1:
        return []
    view_tokens = find_limits(context.view.text, m.start("replace"), m.end("replace"), "ratio")
    limit = limit_of(view_tokens[0], context.view) if view_tokens else None
    windows = tuple(Window(start=t.date, end=t.date) for t in dates)
    place = (m.start(), m.end())
    return [
        Operation.model_validate(
            {
                **_common(context, s, place, ordinal + i),
                "op": Op.TEMPORARY_LEVEL,
                "windows": windows,
                "limit": limit,
                "find": m["find"],
                "replace": m["replace"],
            }
        )
        for i, s in enumerate(_sections(m["nums"]))
    ]
