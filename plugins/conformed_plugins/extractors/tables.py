"""Tables of levels that an instrument puts in the place of a provision's own."""

from __future__ import annotations

import datetime as dt
import re

from conformed.language.clauses import read_levels
from conformed.language.limits import find_limits
from conformed.language.subjects import find_subject, metric_of
from conformed.language.terms import rows_of
from conformed.language.traced import Traced
from conformed.model.base import Missing
from conformed.model.covenant import Comparator, CovenantTerms, Doubt
from conformed.model.dates import FiscalCalendar
from conformed.model.operation import Op, Operation
from conformed.model.span import Span
from conformed_plugins.extractors.instructions import Instruction

__all__ = ["is_row", "is_table", "row_operation", "table_operation"]

_TABLE = re.compile(r"\b(?:tables?|grid|chart)\b|\b(?:covenant\s+)?levels\b|\bratios\s+(?:set\s+forth|for)\b", re.IGNORECASE)
_ROW = re.compile(
    r"\b(?:rows?|entry|entries|line\s+items?)\b[^.;:]{0,80}?\b(?:of|in|from|under)\b[^.;:]{0,40}?\b(?:tables?|grid|chart|schedule|Section|clause|paragraph)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"\b(?:for|labell?ed|opposite|headed|reading|beginning|entitled|ending|dated)\s+\"([^\"]{2,90})\"", re.IGNORECASE
)
_OF_IT = re.compile(r"\b(?:tables?|grid|chart|schedule\s+of\s+\w+)\b[^.;\"]{0,60}$", re.IGNORECASE)


def is_table(lead: str, how: str) -> bool:
    """Whether an instruction is about the table of a provision, not about the whole provision."""
    if _OF_IT.search(lead):
        return True
    return _TABLE.search(how) is not None and not re.search(r"amended\s+and\s+restated", how, re.IGNORECASE)


def is_row(lead: str, how: str) -> bool:
    """Whether an instruction is about rows of a provision's table, so that the other rows stay."""
    return _ROW.search(f"{lead} {how}" if not how.startswith(lead.strip()[:40] or "\0") else how) is not None


def row_operation(
    found: Instruction,
    view: Traced,
    calendar: FiscalCalendar | None,
    common: dict[str, object],
    how: str,
    from_period: dt.date | None,
) -> Operation:
    """The operation that restates one row of a table. Several rows, rows added or deleted, and a row without a name have a doubt."""
    read = table_operation(found, view, calendar, common, how, from_period)
    words = f"{found.lead} {found.how}" if not found.how.startswith(found.lead.strip()[:40] or "\0") else found.how
    labels = _LABELLED.findall(words)
    label = " ".join(labels[0].split()) if len(labels) == 1 else ""
    one = len(read.terms) == 1 and len(read.terms[0].rows) == 1 and re.search(r"\brows\b", words, re.IGNORECASE) is None
    other = re.search(r"\b(?:add|insert|delet|remov)\w*", words, re.IGNORECASE) is not None
    doubts = read.doubts
    if not one or other or from_period is not None:
        said = "The instrument changes rows of a table in a way that was not understood."
        doubts = (
            *doubts,
            Doubt(code="review_clause_not_fully_read", sentence=said, spans=view.spans(found.start, found.how_end)),
        )
    target = read.target.model_copy(update={"row": label})
    return read.model_copy(update={"op": Op.REPLACE_ROW, "target": target, "doubts": doubts})


def table_operation(
    found: Instruction,
    view: Traced,
    calendar: FiscalCalendar | None,
    common: dict[str, object],
    how: str,
    from_period: dt.date | None,
) -> Operation:
    """The operation that replaces a table. A table without a level, or that cannot be read, has a doubt."""
    text = view.text
    a, b = found.payload
    cut = re.compile(r"\n\s*;?\s*provided\b", re.IGNORECASE).search(text, a, b)
    b = cut.start() if cut else b
    for unit in ("ratio", "amount"):
        limits = find_limits(text, a, b, unit)
        if limits:
            break
    else:
        doubt = Doubt(
            code="review_clause_not_fully_read",
            sentence="A table was put in and no level was found in it.",
            spans=view.spans(a, b),
        )
        return Operation.model_validate({**common, "op": Op.REPLACE_TABLE, "payload": view.spans(a, b), "doubts": (doubt,)})
    steps, problems = read_levels(text, a, b, limits, calendar, table=True)
    head = text[a : limits[0].start]
    words = f"{how} {head}"
    comparator: Comparator | Missing
    if re.search(r"\bmaximum\b", words, re.IGNORECASE) and not re.search(r"\bminimum\b", words, re.IGNORECASE):
        comparator = Comparator.LE
    elif re.search(r"\bminimum\b", words, re.IGNORECASE) and not re.search(r"\bmaximum\b", words, re.IGNORECASE):
        comparator = Comparator.GE
    else:
        comparator = Missing(
            reason="Neither the instruction nor the head of the table says maximum or minimum.",
            code="review_comparator_ambiguous",
        )
    subject = None
    deleting = re.search(r"\b(?:maximum|minimum)\b", found.how, re.IGNORECASE)
    for start, end in (
        (found.start + deleting.start() if deleting else found.start, found.how_end),
        (a, limits[0].start),
        (found.start, found.how_end),
    ):
        subject = _title_subject(view, start, end)
        if subject is not None:
            break
    name = subject[0] if subject else ""
    doubts = [Doubt(code=p.what, sentence=p.sentence, spans=view.spans(p.start, p.end)) for p in problems]
    doubts += [
        Doubt(code=t.problem, sentence="The number as written cannot be read as one level.", spans=view.spans(t.start, t.end))
        for t in limits
        if t.problem
    ]
    if not name:
        doubts.append(
            Doubt(
                code="finding_definition_not_in_pack",
                sentence="The instrument gives the section and the table, not the name of the figure.",
                spans=view.spans(found.start, found.how_end),
            )
        )
    spans = {"clause": view.spans(found.start, b), "metric": subject[1] if subject else view.spans(found.start, found.how_end)}
    terms = CovenantTerms(name=name or f"Section {found.section}", metric=metric_of(name) if name else "unnamed", section=found.section, caption=found.caption,
                          comparator=comparator, rows=rows_of(steps, view), tested="test_period_end", doubts=tuple(doubts), spans=spans)  # fmt: skip
    return Operation.model_validate(
        {**common, "op": Op.REPLACE_TABLE, "terms": (terms,), "payload": view.spans(a, b), "from_period": from_period}
    )


def _title_subject(view: Traced, start: int, end: int) -> tuple[str, tuple[Span, ...]] | None:
    """A figure named in a caption or column head, capitals included ("MAXIMUM LEVERAGE RATIO")."""
    text = view.text[start:end]
    capitals = re.search(
        r"(?:(?:MAXIMUM|MINIMUM)\s+)?((?:[A-Z][A-Z&/-]+\s+(?:TO\s+|OF\s+)?){0,6}(?:RATIO|LEVERAGE|COVERAGE|EBITDA|NET\s+WORTH|LIQUIDITY))\b",
        text,
    )
    subject = find_subject(view.text, start, end)
    if subject is not None:
        name = re.sub(r"^(?:Maximum|Minimum|Ratio\s+of|ratio\s+of)\s+", "", subject.name)
        return name, view.spans(subject.start, subject.end)
    if capitals:
        name = " ".join(capitals[1].split()).title()
        return name, view.spans(start + capitals.start(1), start + capitals.end(1))
    return None
