"""The rules extractor: covenants that agreements state, and what amendments, waivers and consents do to them.

The non-generative baseline and the default. It only reads documents that retrieval authorised.
"""

from __future__ import annotations

import re

from conformed.language.dates import find_dates
from conformed.language.traced import Traced, live_view
from conformed.model.covenant import Doubt
from conformed.model.dates import FiscalCalendar
from conformed.model.operation import Effectiveness, Extraction, Op, Operation, Target
from conformed.model.pack import CaseFile, Instrument, InstrumentKind
from conformed.model.provision import ProvisionTree
from conformed.ports import ExtractRequest
from conformed_plugins.extractors.changes import Context, operations_of
from conformed_plugins.extractors.effectiveness import read_effectiveness
from conformed_plugins.extractors.elections import read_elections
from conformed_plugins.extractors.instructions import find_instructions
from conformed_plugins.extractors.nesting import doubt_of, is_nested
from conformed_plugins.extractors.rejections import find_rejections
from conformed_plugins.extractors.relief import find_relief
from conformed_plugins.extractors.statements import Stated, read_statements
from conformed_plugins.extractors.timing import Timing, read_timing

__all__ = ["VERSION", "ClauseExtractor", "calendar_of"]

VERSION = "1.0.0"
_STATES = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}
_CHANGES = {InstrumentKind.AMENDMENT, InstrumentKind.WAIVER, InstrumentKind.CONSENT, InstrumentKind.SIDE_LETTER}
_ANNEX = re.compile(
    r"\bamended\b[^.]{0,120}?\b(?:delete\s+the\s+(?:stricken|struck)|as\s+set\s+forth\s+(?:in|on)|in\s+the\s+form\s+(?:of|attached)|to\s+read[^.]{0,40}?\bas\s+set\s+forth|in\s+(?:its|their)\s+entirety\s+(?:by|with|as))[^.]{0,260}?\b(?P<where>Annex|Exhibit|Schedule|Appendix)\s+(?P<label>[A-Z0-9][\w-]*)",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\b(?:Agreement|Facility|Documents?)\s+(?:is|are|shall\s+be)\s+(?:hereby\s+)?amended\b(?=\s*(?:as\s+follows|as\s+set\s+forth|in\s+the\s+following|:))",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:existing|prior|original)?\s*(?:credit|loan|facility)\s+agreement\b[^.;]{0,200}?\bdated\s+(?:as\s+of\s+)?(?P<date>[A-Z][a-z]+\s+\d{1,2},\s+\d{4})[^.;]{0,260}?\b(?:shall\s+(?:have\s+been|be)|is\s+hereby|are\s+hereby|has\s+been)\s+(?:\w+\s+){0,4}?(?:terminated|repaid|paid\s+in\s+full|discharged|cancell?ed)\b",
    re.IGNORECASE,
)


def calendar_of(case: CaseFile) -> FiscalCalendar | None:
    """The fiscal calendar that pack.yaml attests (MM-DD), if it does."""
    text = case.manifest.fiscal_year_end
    m = re.fullmatch(r"(\d{2})-(\d{2})", text or "")
    return FiscalCalendar(end_month=int(m[1]), end_day=int(m[2])) if m else None


class ClauseExtractor:
    """Reads operations and statements by the grammar of conformed.language."""

    def extract(self, request: ExtractRequest) -> Extraction:
        """Proposals of all authorised documents, in order of document and place."""
        case = request.case
        calendar = calendar_of(case)
        operations: list[Operation] = []
        rejected: list[Doubt] = []
        for document, tree, instrument in zip(case.documents, case.trees, case.instruments, strict=True):
            if document.name not in request.retrieved.authorised:
                continue
            view = live_view(document)
            effective = read_effectiveness(view, instrument)
            if instrument.kind in _STATES:
                self._states(view, tree, instrument, effective, calendar, operations, rejected)
            elif instrument.kind in _CHANGES:
                self._changes(view, tree, instrument, effective, calendar, operations, rejected)
            elif instrument.kind is InstrumentKind.NOTICE:
                operations.extend(read_elections(view, instrument))
        return Extraction(operations=tuple(operations), rejected=tuple(rejected), producer=f"clauses {VERSION}")

    def _states(
        self, view: Traced, tree: ProvisionTree, instrument: Instrument, effective: Effectiveness, calendar: FiscalCalendar | None,
        operations: list[Operation], rejected: list[Doubt],
    ) -> None:  # fmt: skip
        name = instrument.document
        kept, other = read_statements(view, tree, calendar)
        if instrument.kind is InstrumentKind.RESTATEMENT:
            agreement = instrument.amends.text if instrument.amends else ""
            spans = instrument.amends.spans if instrument.amends else view.spans(0, min(len(view), 200))
            operations.append(
                Operation(
                    id=f"{name}#restate",
                    op=Op.RESTATE_AGREEMENT,
                    document=name,
                    target=Target(agreement=agreement, spans=spans),
                    effective=effective,
                    instruction=spans,
                )
            )
        operations.extend(_statement(s, view, name, effective, i) for i, s in enumerate(kept))
        rejected.extend(find_rejections(view, tree, kept, other))
        for i, m in enumerate(_ENDS.finditer(view.text[:400_000])):
            spans = view.spans(m.start(), m.end())
            dates = find_dates(m["date"])
            if dates and instrument.dated and dates[0].date < instrument.dated:
                operations.append(Operation(id=f"{name}#end{i}", op=Op.TERMINATE_AGREEMENT, document=name, effective=effective, instruction=spans,
                                            target=Target(agreement=dates[0].date.isoformat(), spans=spans)))  # fmt: skip

    def _changes(
        self, view: Traced, tree: ProvisionTree, instrument: Instrument, effective: Effectiveness, calendar: FiscalCalendar | None,
        operations: list[Operation], rejected: list[Doubt],
    ) -> None:  # fmt: skip
        name = instrument.document
        context = Context(
            view,
            tree,
            name,
            instrument.amends.text if instrument.amends else "",
            effective,
            calendar,
            instrument.dated,
            _umbrella(view.text, calendar),
        )
        annex = _annex_start(view.text)
        text_end = annex if annex is not None else len(view.text)
        instructions = find_instructions(view.text[:text_end])
        for i, found in enumerate(instructions):
            made = operations_of(found, context, f"{name}#{i}")
            if is_nested(view.text[:text_end], instructions[:i], found):
                doubt = doubt_of(found, view)
                made = [one.model_copy(update={"doubts": (*one.doubts, doubt)}) for one in made]
            operations.extend(made)
        operations.extend(
            o for o in find_relief(context, 0) if o.instruction and o.instruction[0].start < _origin(view, text_end)
        )
        if annex is not None:
            spans = view.spans(annex, min(len(view), annex + 80))
            operations.append(
                Operation(
                    id=f"{name}#restate",
                    op=Op.RESTATE_AGREEMENT,
                    document=name,
                    target=Target(agreement=context.agreement, spans=spans),
                    effective=effective,
                    instruction=spans,
                )
            )
            kept, other = read_statements(view, tree, calendar, start=annex, quoted=True, annex=True)
            operations.extend(_statement(s, view, name, effective, i) for i, s in enumerate(kept))
            rejected.extend(find_rejections(view, tree, kept, other))


def _umbrella(text: str, calendar: FiscalCalendar | None) -> tuple[int, Timing] | None:
    """The timing that the sentence which opens a list of amendments gives to all of them, where it gives one."""
    for m in _OPENS.finditer(text[:60_000]):
        sentence = re.split(r"(?<=[A-Za-z0-9)\"])[.;]\s+|\n[ \t]*\n", text[max(0, m.start() - 400) : m.start()])[-1]
        timing = read_timing(sentence, calendar)
        if timing != Timing():
            return m.end(), timing
    return None


def _origin(view: Traced, offset: int) -> int:
    origin = view.origin_of(offset) if offset < len(view.text) else None
    return origin[1] if origin else 1 << 60


def _annex_start(text: str) -> int | None:
    """Where an annex that holds the whole amended agreement begins, if the instrument says that it has one."""
    m = _ANNEX.search(text)
    if m is None:
        return None
    heading = re.compile(rf"^[ \t]*{m['where']}\s+{re.escape(m['label'])}\b[^\n]{{0,80}}$", re.IGNORECASE | re.MULTILINE)
    places = [h.start() for h in heading.finditer(text, m.end())]
    articles = [
        a.start()
        for a in re.finditer(r"^[ \t]*ARTICLE\s+(?:I|1|ONE)\b", text, re.MULTILINE | re.IGNORECASE)
        if a.start() > m.end()
    ]
    if len(text) < 60_000 or not articles:
        return None
    before = [p for p in places if p < articles[-1]]
    return before[0] if before else articles[0]


def _statement(stated: Stated, view: Traced, name: str, effective: Effectiveness, ordinal: int) -> Operation:
    terms = stated.terms
    return Operation(id=f"{name}#s{ordinal}", op=Op.STATE_COVENANT, document=name, effective=effective, terms=(terms,), instruction=terms.spans["clause"],
                     target=Target(section=terms.section, caption=terms.caption, spans=terms.spans["clause"]), payload=view.spans(stated.start, stated.end))  # fmt: skip
