"""Turns amending instructions into typed operations."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from conformed_plugins.extractors.instructions import Instruction
from conformed_plugins.extractors.statements import read_statements

from conformed.language.captions import read_caption
from conformed.language.clauses import read_levels
from conformed.language.dates import find_dates
from conformed.language.limits import find_limits
from conformed.language.subjects import find_subject, metric_of
from conformed.language.terms import limit_of, read_terms, rows_of
from conformed.language.traced import Traced
from conformed.language.windows import read_phrase
from conformed.model.base import Missing
from conformed.model.covenant import Comparator, CovenantTerms, Doubt
from conformed.model.dates import FiscalCalendar
from conformed.model.operation import Effectiveness, Op, Operation, Target
from conformed.model.provision import ProvisionTree

__all__ = ["Context", "operation_of"]

_FIND_REPLACE = (
    re.compile(r"(?:deleting|replacing|striking(?:\s+out)?|removing|substituting\s+for)\s+(?:therefrom\s+)?(?:the\s+|each\s+)?(?:text|figures?|words?|phrase|ratios?|references?\s+to|numbers?|amounts?|level|percentage|date)?\s*(?:the\s+\w+\s+)?\"(?P<find>[^\"]{1,300})\"(?P<mid>[^\"]{0,160}?)\b(?:substituting|inserting|replacing|putting|with|by|in\s+lieu|adding|in\s+its\s+place|the)\b[^\"]{0,120}?\"(?P<replace>[^\"]{1,300})\"", re.IGNORECASE | re.DOTALL),
    re.compile(r"\"(?P<find>[^\"]{1,300})\"(?P<mid>[^\"]{0,320}?)\b(?:shall\s+be|is|are|be)\s+(?:hereby\s+)?(?:read\s+as|replaced\s+(?:by|with)|changed\s+to|deleted\s+and\s+(?:replaced\s+(?:by|with)|substituted\s+(?:by|with)))\b[^\"]{0,60}?\"(?P<replace>[^\"]{1,300})\"", re.IGNORECASE | re.DOTALL),
    re.compile(r"\bsubstituting\s+\"(?P<replace>[^\"]{1,300})\"(?P<mid>[^\"]{0,60})\bfor\b[^\"]{0,80}?\"(?P<find>[^\"]{1,300})\"", re.IGNORECASE | re.DOTALL),
)  # fmt: skip
_SET = re.compile(r"\b(?:shall\s+(?:now\s+)?be|becomes?|is\s+(?:hereby\s+)?(?:changed|reset|increased|reduced|amended)\s+(?:to|at)|(?:will|shall)\s+be\s+(?:reset\s+(?:at|to)|changed\s+to|increased\s+to|reduced\s+to)|so\s+that\s+(?:the\s+)?(?:maximum|minimum|required)?\s*(?:ratio|level)\s+is)\s+$", re.IGNORECASE)
_TABLE = re.compile(r"\btables?\b|\b(?:covenant\s+)?levels\b|\bratios\s+(?:set\s+forth|for)\b", re.IGNORECASE)
_DELETE = re.compile(r"\b(?:deleted|removed|deleting)\b(?:[^.;]{0,60}?\bin\s+(?:its|their)\s+entiret(?:y|ies))?", re.IGNORECASE)
_WHOLE = re.compile(
    r"amend(?:ed|ing)\s+and\s+restat(?:ed|ing)|restated|restating|to\s+read\b|(?:replaced|deleted|amended|deleting\s+it|deleting\s+(?:the|such)\s+(?:sub)?section)\b[^.;]{0,60}?\bin\s+(?:full|its\s+entirety|their\s+entirety)|deleted\s+and\s+(?:is\s+)?replaced|replaced\s+(?:in\s+full\s+)?(?:by|with)\s+the\s+following",
    re.IGNORECASE,
)
_ADD = re.compile(r"\b(?:adding|inserting|added|inserted)\b|\bnew\s+(?:sub)?(?:section|clause)\b", re.IGNORECASE)
_RESERVED = re.compile(r"^\W*(?:\[?\s*(?:intentionally\s+)?(?:reserved|omitted|deleted)\s*\]?)\W*$|\"\s*(?:\([a-z]+\)\s*)?\[?\s*(?:intentionally\s+(?:omitted|deleted)|reserved)\s*\]?\s*\"", re.IGNORECASE)
_PART = re.compile(r"\b(?:last|first|second|third|final|end\s+of|beginning\s+of)\s+(?:sentence|proviso|paragraph)|\bclause\s+\(\w+\)|\bproviso\b|\bsub-?(?:clause|section|paragraph)\s+\(\w+\)|\bphrase\b|\bword", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Context:
    """What every operation of one instrument shares."""

    view: Traced
    tree: ProvisionTree
    document: str
    agreement: str
    effective: Effectiveness
    calendar: FiscalCalendar | None


def operation_of(found: Instruction, context: Context, identity: str) -> Operation:
    """The operation that one instruction makes. What is not understood is ``other_change`` with a doubt, never nothing."""
    view = context.view
    text = view.text
    a, b = found.payload
    target = Target(section=found.section, caption=found.caption, term=found.term, agreement=context.agreement, spans=view.spans(found.start, min(found.how_end, found.start + 300)))
    common = {"id": identity, "document": context.document, "target": target, "effective": context.effective, "instruction": view.spans(found.start, found.how_end)}
    how = " ".join(found.how.split())
    swap = _swap(found, text)
    if swap is not None:
        find, (x, y) = swap
        return Operation.model_validate({**common, "op": Op.SUBSTITUTE_TEXT, "find": find, "replace": " ".join(text[x:y].split()),
                                         "replace_spans": view.spans(x, y), "from_period": _from_period(how, context.calendar)})  # fmt: skip
    if found.term:
        op = Op.DEFINE if re.search(r"\b(?:added|new)\b", how) else Op.REPLACE_DEFINITION if _WHOLE.search(how) and not _PART.search(how) and b > a else Op.AMEND_DEFINITION
        return Operation.model_validate({**common, "op": op, "payload": view.spans(a, b) if b > a else ()})
    if _DELETE.search(how) and ((b > a and _RESERVED.search(text[a:b].strip())) or (b <= a and (_RESERVED.search(how) or not _find_replace(found.how)) and not _PART.search(how) and not _SET.search(how))):
        return Operation.model_validate({**common, "op": Op.DELETE_PROVISION})
    if b <= a:
        return _set_level(found, context, common)
    if _TABLE.search(how) and not re.search(r"amended\s+and\s+restated", how, re.IGNORECASE):
        return _table(found, context, common, how)
    whole = _WHOLE.search(how) is not None and not (_PART.search(how) and not re.search(r"restating\s+subsections?", how))
    added = _ADD.search(how) is not None
    if whole or (added and not _PART.search(how)) or (added and re.search(r"new\s+(?:sub)?section|following\s+(?:sub)?section", how, re.IGNORECASE)):
        terms = _payload_terms(found, context)
        op = Op.ADD_PROVISION if added and not re.search(r"restat", how, re.IGNORECASE) else Op.REPLACE_PROVISION
        return Operation.model_validate({**common, "op": op, "terms": terms, "payload": view.spans(a, b), "from_period": _from_period(how, context.calendar)})
    doubt = Doubt(code="review_clause_not_fully_read", sentence="The instrument changes part of the provision in a way that was not understood.", spans=view.spans(found.start, found.how_end))
    return Operation.model_validate({**common, "op": Op.OTHER_CHANGE, "payload": view.spans(a, b), "doubts": (doubt,)})


_DELETES = re.compile(r"\b(?:deleting|replacing|striking(?:\s+out)?|deletion\s+of)\s+(?:therefrom\s+)?(?:the\s+|each\s+)?(?:\w+\s+){0,3}\"(?P<find>[^\"]{1,300})\"[^\"]*\Z", re.IGNORECASE | re.DOTALL)
_SHORT = 400


def _swap(found: Instruction, text: str) -> tuple[str, tuple[int, int]] | None:
    """Words to be replaced and the place of those that replace them, where an instruction only swaps words."""
    a, b = found.payload
    if b > a:
        m = _DELETES.search(found.how) if found.quoted and b - a < _SHORT else None
        return (m["find"].strip(), (a, b)) if m else None
    m = _find_replace(found.how)
    if m is None:
        return None
    start = found.start + m.start("replace")
    return m["find"].strip(), (start, start + len(m["replace"]))


def _find_replace(how: str) -> re.Match[str] | None:
    for pattern in _FIND_REPLACE:
        m = pattern.search(how)
        if m:
            return m
    return None


def _set_level(found: Instruction, context: Context, common: dict[str, object]) -> Operation:
    text = context.view.text
    for unit in ("ratio", "amount"):
        tokens = find_limits(text, found.start, found.end, unit)
        for token in tokens:
            if len(tokens) == 1 and _SET.search(text[found.start : token.start]):
                limit = limit_of(token, context.view)
                if limit is not None:
                    return Operation.model_validate({**common, "op": Op.SET_LEVEL, "limit": limit})
    doubt = Doubt(code="review_clause_not_fully_read", sentence="The instrument changes the provision in a way that was not understood.", spans=context.view.spans(found.start, found.how_end))
    return Operation.model_validate({**common, "op": Op.OTHER_CHANGE, "doubts": (doubt,)})


_COVERS = re.compile(r"\b(?:for\s+(?:the\s+)?(?:each\s+)?(?:period|fiscal\s+quarter|quarter|relevant\s+period|test\s+period)s?\s+(?:ending|ended|expiring)|commencing\s+with|beginning\s+with|ending\s+after|ending\s+on\s+or\s+after|from\s+and\s+after)\b[^.;:]{0,120}", re.IGNORECASE)


def _from_period(how: str, calendar: FiscalCalendar | None) -> datetime.date | None:
    m = _COVERS.search(how)
    if m is None:
        return None
    dates = find_dates(m[0])
    if dates:
        after = re.search(r"ending\s+after", m[0], re.IGNORECASE)
        return dates[0].date + datetime.timedelta(days=1) if after else dates[0].date
    fiscal = re.search(r"\b((?:19|20)\d\d)\s+(first|second|third|fourth)\s+fiscal\s+quarter|(first|second|third|fourth)\s+fiscal\s+quarter\s+of\s+(?:fiscal\s+(?:year\s+)?)?((?:19|20)\d\d)", m[0], re.IGNORECASE)
    if fiscal:
        phrase = read_phrase(f"{fiscal[2] or fiscal[3]} fiscal quarter", calendar, f"fiscal year {fiscal[1] or fiscal[4]}")
        return phrase.windows[0].start if phrase and not phrase.needs_calendar else None
    return None


def _table(found: Instruction, context: Context, common: dict[str, object], how: str) -> Operation:
    view, text = context.view, context.view.text
    a, b = found.payload
    cut = re.compile(r"\n\s*;?\s*provided\b", re.IGNORECASE).search(text, a, b)
    b = cut.start() if cut else b
    for unit in ("ratio", "amount"):
        limits = find_limits(text, a, b, unit)
        if limits:
            break
    else:
        doubt = Doubt(code="review_clause_not_fully_read", sentence="A table was put in and no level was found in it.", spans=view.spans(a, b))
        return Operation.model_validate({**common, "op": Op.REPLACE_TABLE, "payload": view.spans(a, b), "doubts": (doubt,)})
    steps, problems = read_levels(text, a, b, limits, context.calendar, table=True)
    head = text[a : limits[0].start]
    words = f"{how} {head}"
    comparator: Comparator | Missing
    if re.search(r"\bmaximum\b", words, re.IGNORECASE) and not re.search(r"\bminimum\b", words, re.IGNORECASE):
        comparator = Comparator.LE
    elif re.search(r"\bminimum\b", words, re.IGNORECASE) and not re.search(r"\bmaximum\b", words, re.IGNORECASE):
        comparator = Comparator.GE
    else:
        comparator = Missing(reason="Neither the instruction nor the head of the table says maximum or minimum.", code="review_comparator_ambiguous")
    subject = None
    deleting = re.search(r"\b(?:maximum|minimum)\b", found.how, re.IGNORECASE)
    for start, end in ((found.start + deleting.start() if deleting else found.start, found.how_end), (a, limits[0].start), (found.start, found.how_end)):
        subject = _title_subject(view, start, end)
        if subject is not None:
            break
    name = subject[0] if subject else ""
    doubts = [Doubt(code=p.what, sentence=p.sentence, spans=view.spans(p.start, p.end)) for p in problems]
    doubts += [Doubt(code=t.problem, sentence="The number as written cannot be read as one level.", spans=view.spans(t.start, t.end)) for t in limits if t.problem]
    if not name:
        doubts.append(Doubt(code="finding_definition_not_in_pack", sentence="The instrument gives the section and the table, not the name of the figure.", spans=view.spans(found.start, found.how_end)))
    spans = {"clause": view.spans(found.start, b), "metric": subject[1] if subject else view.spans(found.start, found.how_end)}
    terms = CovenantTerms(name=name or f"Section {found.section}", metric=metric_of(name) if name else "unnamed", section=found.section, caption=found.caption,
                          comparator=comparator, rows=rows_of(steps, view), tested="test_period_end", doubts=tuple(doubts), spans=spans)  # fmt: skip
    return Operation.model_validate({**common, "op": Op.REPLACE_TABLE, "terms": (terms,), "payload": view.spans(a, b), "from_period": _from_period(how, context.calendar)})


def _title_subject(view: Traced, start: int, end: int) -> tuple[str, tuple[object, ...]] | None:
    """A figure named in a caption or column head, capitals included ("MAXIMUM LEVERAGE RATIO")."""
    text = view.text[start:end]
    capitals = re.search(r"(?:(?:MAXIMUM|MINIMUM)\s+)?((?:[A-Z][A-Z&/-]+\s+(?:TO\s+|OF\s+)?){0,6}(?:RATIO|LEVERAGE|COVERAGE|EBITDA|NET\s+WORTH|LIQUIDITY))\b", text)
    subject = find_subject(view.text, start, end)
    if subject is not None:
        name = re.sub(r"^(?:Maximum|Minimum|Ratio\s+of|ratio\s+of)\s+", "", subject.name)
        return name, view.spans(subject.start, subject.end)
    if capitals:
        name = " ".join(capitals[1].split()).title()
        return name, view.spans(start + capitals.start(1), start + capitals.end(1))
    return None


def _payload_terms(found: Instruction, context: Context) -> tuple[CovenantTerms, ...]:
    a, b = found.payload
    kept, _ = read_statements(context.view, context.tree, context.calendar, start=max(0, a - 2), end=b, quoted=True)
    base = found.section.split("(")[0]
    terms = [s.terms for s in kept if s.terms.spans["clause"]]
    if not terms:
        mark = re.compile(r"\s*(?:\([A-Za-z0-9]{1,4}\)|[A-Z]\.)\s*").match(context.view.text, a, b)
        start = mark.end() if mark else a
        caption, body = read_caption(context.view.text, start)
        return read_terms(context.view, min(body, b), b, section=found.section, caption=caption or found.caption, calendar=context.calendar)
    named = []
    for t in terms:
        inside = t.section.startswith((base, found.section)) or (re.fullmatch(r"\d+", found.section) and t.section.startswith(found.section + "."))
        named.append(t if inside else t.model_copy(update={"section": found.section}))
    return tuple(named)
