"""Turns amending instructions into typed operations."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from conformed.language.captions import read_caption
from conformed.language.limits import find_limits
from conformed.language.terms import limit_of, read_terms
from conformed.language.traced import Traced
from conformed.model.covenant import CovenantTerms, Doubt
from conformed.model.dates import FiscalCalendar
from conformed.model.operation import Effectiveness, Op, Operation, Target
from conformed.model.provision import ProvisionTree
from conformed_plugins.extractors.edits import Edit, read_edit
from conformed_plugins.extractors.effectiveness import dated_effect
from conformed_plugins.extractors.instructions import Instruction
from conformed_plugins.extractors.rows import changed_row, row_set
from conformed_plugins.extractors.statements import checked, read_statements
from conformed_plugins.extractors.swaps import Swap, quoted_words, read_swaps
from conformed_plugins.extractors.tables import is_row, is_table, row_operation, table_operation
from conformed_plugins.extractors.timing import Timing, read_timing
from conformed_plugins.extractors.wordings import of_definition, puts_in_place, undone

__all__ = ["Context", "operations_of"]

_SET = re.compile(
    r"\b(?:shall\s+(?:now\s+)?be|becomes?|is\s+(?:hereby\s+)?(?:changed|reset|increased|reduced|amended)\s+(?:to|at)|(?:will|shall)\s+be\s+(?:reset\s+(?:at|to)|changed\s+to|increased\s+to|reduced\s+to)|so\s+that\s+(?:the\s+)?(?:maximum|minimum|required)?\s*(?:ratio|level)\s+is)\s+$",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\b(?:is|are|shall\s+be|be)\s+(?:hereby\s+)?(?:\w+\s+)?(?:deleted|removed)\b|\b(?:deleting|removing)\s+(?:it|the\s+same|such\s+(?:sub)?(?:section|clause|paragraph)s?|(?:sub)?(?:sections?|clauses?|paragraphs?)\b)",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\bsubstitut|\binsert|\breplac|\bin\s+lieu\b|\badd(?:ed|ing)\b|\bin\s+(?:its|their)\s+place\b", re.IGNORECASE
)
_DELETE = re.compile(r"\b(?:deleted|removed|deleting)\b(?:[^.;]{0,60}?\bin\s+(?:its|their)\s+entiret(?:y|ies))?", re.IGNORECASE)
_WHOLE = re.compile(
    r"amend(?:ed|ing)\s+and\s+restat(?:ed|ing)|restated|restating|to\s+read\b|(?:replaced|deleted|amended|deleting\s+it|deleting\s+(?:the|such)\s+(?:sub)?section)\b[^.;]{0,60}?\bin\s+(?:full|its\s+entirety|their\s+entirety)|deleted\s+and\s+(?:is\s+)?replaced|(?:deleted|deleting|deletion)\b[^.;]{0,80}?\bthe\s+following\b[^.;:]{0,60}\b(?:substituted|inserted|replaced)|(?:substituting|inserting|substituted|inserted)\s+(?:(?:in\s+lieu|in\s+place)\s+thereof\s+|therefor\s+)the\s+following|replaced\s+(?:in\s+full\s+)?(?:by|with)\s+the\s+following",
    re.IGNORECASE,
)
_ADD = re.compile(r"\b(?:adding|inserting|added|inserted)\b|\bnew\s+(?:sub)?(?:section|clause)\b", re.IGNORECASE)
_RESERVED = re.compile(
    r"^\W*(?:(?:Section\s+)?\d[\d.]*\s+)?(?:\([A-Za-z]{1,3}\)\s*)*\W*(?:\[?\s*(?:intentionally\s+)?(?:reserved|omitted|deleted)\s*\]?)\W*$|\"\s*(?:\([a-z]+\)\s*)?\[?\s*(?:intentionally\s+(?:omitted|deleted)|reserved)\s*\]?\s*\"",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:last|first|second|third|final|end\s+of|beginning\s+of)\s+(?:sentence|proviso|paragraph)|\bclause\s+\(\w+\)|\bproviso\b|\bsub-?(?:clause|section|paragraph)\s+\(\w+\)|\bphrase\b|\bword",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Context:
    """What every operation of one instrument shares."""

    view: Traced
    tree: ProvisionTree
    document: str
    agreement: str
    effective: Effectiveness
    calendar: FiscalCalendar | None
    dated: datetime.date | None = None
    umbrella: tuple[int, Timing] | None = None
    """Where a list of amendments is opened, and the timing that its opening sentence gives to all of them."""


def operations_of(found: Instruction, context: Context, identity: str) -> list[Operation]:
    """The operations that one instruction makes. What is not understood is ``other_change`` with a doubt, never nothing."""
    timing = _timing(found, context)
    made = _made(found, context, identity, timing)
    for ordinal, section in enumerate(found.more):
        # Only a deletion means the same for every provision that is named with it.
        first = made[0]
        target = first.target.model_copy(update={"section": section, "caption": ""})
        other = first if first.op is Op.DELETE_PROVISION else _other(found, context, _common(found, context, identity, timing))
        made.append(other.model_copy(update={"id": f"{identity}+{ordinal}", "target": target}))
    return made


def _timing(found: Instruction, context: Context) -> Timing:
    """The instruction's own timing; where it has none, that of the sentence which opens the list of amendments."""
    words = f"{found.lead} {found.how}" if not found.how.lstrip().startswith(found.lead.strip()[:40] or "\0") else found.how
    own = read_timing(words, context.calendar)
    if own == Timing() and context.umbrella is not None and found.start >= context.umbrella[0]:
        return context.umbrella[1]
    return own


def _common(found: Instruction, context: Context, identity: str, timing: Timing) -> dict[str, object]:
    view = context.view
    target = Target(
        section=found.section,
        caption=found.caption,
        term=found.term,
        agreement=context.agreement,
        spans=view.spans(found.start, min(found.how_end, found.start + 300)),
    )
    effective = context.effective
    if timing.effective is not None:
        effective = dated_effect(effective, timing.effective, context.dated)
    return {
        "id": identity,
        "document": context.document,
        "target": target,
        "effective": effective,
        "instruction": view.spans(found.start, found.how_end),
    }


def _other(found: Instruction, context: Context, common: dict[str, object]) -> Operation:
    a, b = found.payload
    doubt = Doubt(
        code="review_clause_not_fully_read",
        sentence="The instrument changes the provision, or part of it, in a way that was not understood.",
        spans=context.view.spans(found.start, found.how_end),
    )
    return Operation.model_validate(
        {**common, "op": Op.OTHER_CHANGE, "payload": context.view.spans(a, b) if b > a else (), "doubts": (doubt,)}
    )


def _made(found: Instruction, context: Context, identity: str, timing: Timing) -> list[Operation]:
    view = context.view
    text = view.text
    found = of_definition(found)
    a, b = found.payload
    common = _common(found, context, identity, timing)
    how = " ".join(found.how.split())
    if undone(found):
        return [_other(found, context, common)]
    swaps = read_swaps(found, text)
    if found.term:
        if swaps and len(swaps) == 1:
            return [_swapped(swaps[0], context, common, timing)]
        if not swaps and (edit := read_edit(found, text)) is not None:
            return [_edited(edit, context, common, timing)]
        op = (
            Op.DEFINE
            if re.search(r"\b(?:added|new\s+definitions?)\b", how)
            else Op.REPLACE_DEFINITION
            if _WHOLE.search(how) and not _PART.search(found.around) and b > a
            else Op.AMEND_DEFINITION
        )
        return [
            Operation.model_validate(
                {**common, "op": op, "payload": view.spans(a, b) if b > a else (), "from_period": timing.from_period}
            )
        ]
    if (row := changed_row(found, view, timing)) is not None:
        return [row_set(row, found, view, common) or _other(found, context, common)]
    if not timing.clear:
        return [_other(found, context, common)]
    if swaps:
        if timing.windows:
            return [_for_a_time(swaps, context, common, timing) or _other(found, context, common)]
        return [_swapped(s, context, {**common, "id": f"{identity}.{i}" if i else identity}, timing) for i, s in enumerate(swaps)]
    if _deletes(found, text, how):
        return [
            _other(found, context, common)
            if timing.windows or timing.from_period
            else Operation.model_validate({**common, "op": Op.DELETE_PROVISION})
        ]
    if b <= a:
        return [_set_level(found, context, common, timing)]
    start = timing.from_period or (timing.windows[0].start if timing.windows else None)
    if is_row(found.lead, how):
        return [row_operation(found, view, context.calendar, common, how, start)]
    if is_table(found.lead, how):
        return [table_operation(found, view, context.calendar, common, how, start)]
    if timing.windows:
        return [_other(found, context, common)]
    whole = _WHOLE.search(how) is not None and not (
        _PART.search(found.around) and not re.search(r"restating\s+subsections?", how)
    )
    added = _ADD.search(how) is not None
    if (
        whole
        or (added and not _PART.search(found.around))
        or (added and re.search(r"new\s+(?:sub)?section|following\s+(?:sub)?section", how, re.IGNORECASE))
    ):
        terms = _payload_terms(found, context)
        instead = puts_in_place(found, how)
        op = Op.ADD_PROVISION if added and not instead else Op.REPLACE_PROVISION
        return [Operation.model_validate({**common, "op": op, "terms": terms, "payload": view.spans(a, b), "from_period": start})]
    return [_other(found, context, common)]


def _swapped(swap: Swap, context: Context, common: dict[str, object], timing: Timing) -> Operation:
    text = " ".join(context.view.text[swap.start : swap.end].split())
    spans = context.view.spans(swap.start, swap.end)
    return Operation.model_validate(
        {
            **common,
            "op": Op.SUBSTITUTE_TEXT,
            "find": swap.find,
            "replace": text,
            "replace_spans": spans,
            "from_period": timing.from_period,
        }
    )


def _edited(edit: Edit, context: Context, common: dict[str, object], timing: Timing) -> Operation:
    new = context.view.spans(edit.start, edit.end) if edit.end > edit.start else ()
    text = " ".join(context.view.text[edit.start : edit.end].split())
    given = {"find": edit.find, "replace": text, "replace_spans": new, "place": edit.place, "from_period": timing.from_period}
    return Operation.model_validate({**common, "op": Op.AMEND_DEFINITION, **given})


def _for_a_time(swaps: list[Swap], context: Context, common: dict[str, object], timing: Timing) -> Operation | None:
    """A level swapped for some periods only: it is a temporary level, and the text stays."""
    view = context.view
    old, new = (
        find_limits(swaps[0].find, 0, len(swaps[0].find), "ratio"),
        find_limits(view.text, swaps[0].start, swaps[0].end, "ratio"),
    )
    if len(swaps) != 1 or len(old) != 1 or len(new) != 1:
        return None
    limit = limit_of(new[0], view)
    if limit is None:
        return None
    return Operation.model_validate(
        {
            **common,
            "op": Op.TEMPORARY_LEVEL,
            "limit": limit,
            "windows": timing.windows,
            "find": swaps[0].find,
            "replace": new[0].raw,
        }
    )


def _deletes(found: Instruction, text: str, how: str) -> bool:
    """Whether the whole provision goes: no other words come in its place, and it is the provision that is deleted."""
    a, b = found.payload
    if _PART.search(found.lead):
        return False
    if b > a:
        return (_DELETE.search(how) is not None and _RESERVED.search(text[a:b].strip()) is not None) or (
            _RESERVED.search(text[a:b].strip()) is not None and _WHOLE.search(how) is not None
        )
    if _RESERVED.search(how):
        return _DELETE.search(how) is not None or _WHOLE.search(how) is not None
    bare = re.sub(r"\([^)]*\)", " ", how[len(how) - len(how.lstrip()) :])
    taken_out = re.search(
        r"\b(?:deleting|removing|deletion\s+of)\s+(?:therefrom\s+)?(?:the\s+(?:text|provisions|whole)\s+of\s+)?$",
        found.lead,
        re.IGNORECASE,
    )
    return (
        (_GONE.search(bare) is not None or taken_out is not None)
        and not _INSTEAD.search(bare)
        and not _PART.search(found.around)
        and quoted_words(found.how) == 0
    )


def _set_level(found: Instruction, context: Context, common: dict[str, object], timing: Timing) -> Operation:
    text = context.view.text
    for unit in ("ratio", "amount"):
        tokens = find_limits(text, found.start, found.end, unit)
        for token in tokens:
            if len(tokens) == 1 and _SET.search(text[found.start : token.start]):
                limit = limit_of(token, context.view)
                if limit is not None:
                    timed = (
                        {"op": Op.TEMPORARY_LEVEL, "windows": timing.windows}
                        if timing.windows
                        else {"op": Op.SET_LEVEL, "from_period": timing.from_period}
                    )
                    return Operation.model_validate({**common, **timed, "limit": limit})
    return _other(found, context, common)


def _payload_terms(found: Instruction, context: Context) -> tuple[CovenantTerms, ...]:
    a, b = found.payload
    kept, _ = read_statements(context.view, context.tree, context.calendar, start=max(0, a - 2), end=b, quoted=True)
    base = found.section.split("(")[0]
    terms = [s.terms for s in kept if s.terms.spans["clause"]]
    if not terms:
        mark = re.compile(r"\s*(?:\([A-Za-z0-9]{1,4}\)|[A-Z]\.)\s*").match(context.view.text, a, b)
        start = mark.end() if mark else a
        caption, body = read_caption(context.view.text, start)
        read = read_terms(
            context.view, min(body, b), b, section=found.section, caption=caption or found.caption, calendar=context.calendar
        )
        return tuple(checked(t, context.view) for t in read)
    named = []
    for t in terms:
        inside = t.section.startswith((base, found.section)) or (
            re.fullmatch(r"\d+", found.section) and t.section.startswith(found.section + ".")
        )
        named.append(t if inside else t.model_copy(update={"section": found.section}))
    return tuple(named)
