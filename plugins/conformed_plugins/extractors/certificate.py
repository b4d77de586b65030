"""Reads filled compliance certificates into labelled figures, each with the place of figure, label and scale.

A certificate is evidence of figures, never authority for the level. A form with blanks has no figures. A figure without a
statement of its scale is kept as written with the doubt ``review_scale_unknown``: size never decides scale.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from conformed.language.agreement import accounting_of
from conformed.language.amounts import Convention, convention_of, is_dash, is_nil, read_amount
from conformed.language.currency import UNKNOWN, home_currency
from conformed.language.labels import is_flow, is_named, name_of, takes_part
from conformed.language.scales import Heading, find_scales
from conformed.language.support import supports_given
from conformed.language.traced import Traced, live_view
from conformed.model.base import Missing
from conformed.model.calculation import Certificate, Figure
from conformed.model.covenant import Doubt
from conformed.model.document import Cell, Document
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, Instrument, InstrumentKind
from conformed.ports import ExtractRequest
from conformed_plugins.extractors.certificate_columns import Columns, pick_cell
from conformed_plugins.extractors.certificate_facts import signature, stub_period, test_date
from conformed_plugins.extractors.certificate_lines import Line, is_blank, read_lines
from conformed_plugins.extractors.certificate_rates import read_rate
from conformed_plugins.extractors.certificate_ratios import read_ratios

__all__ = ["VERSION", "CertificateExtractor"]

VERSION = "1.0.0"

_PAGE = re.compile(r"<?page>?|-+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Habits:
    """How one document writes numbers and money."""

    convention: Convention | None
    home: str
    headings: tuple[Heading, ...]
    day: datetime.date | None
    stub: int | None
    """Months of a year that all figures are of, where the paper says so; None for twelve, 0 for an unclear part."""


class CertificateExtractor:
    """Certificates of the case file into figures. Implements the Extractor port; proposes no operations."""

    def extract(self, request: ExtractRequest) -> Extraction:
        """One certificate for each filled compliance certificate among the authorised documents, in their order."""
        authorised = set(request.retrieved.authorised)
        found = []
        for instrument in request.case.instruments:
            if instrument.kind is not InstrumentKind.COMPLIANCE_CERTIFICATE or (
                authorised and instrument.document not in authorised
            ):
                continue
            document = request.case.document(instrument.document)
            certificate = _read(document, instrument, request.case, _table_labels(document, request))
            if certificate is not None:
                found.append(certificate)
        return Extraction(certificates=tuple(found), producer=f"certificate {VERSION}")


def _table_labels(document: Document, request: ExtractRequest) -> dict[int, str]:
    """Label of each table cell by the place where the cell starts: a label that wraps over lines is whole in its cell."""
    labels = {}
    for table in request.tables(document.name, tuple(page.number for page in document.pages)):
        for row in table.rows:
            worded = [words for words in (_live_words(document, cell) for cell in row) if sum(c.isalpha() for c in words) > 3]
            words = worded[0] if worded else ""
            labels.update({cell.span.start: words for cell in row if cell.span is not None and cell.text != words and words})
    return labels


def _live_words(document: Document, cell: Cell) -> str:
    """The words of a cell without note marks, struck and hidden ones."""
    if cell.span is None:
        return cell.text
    removed = sorted((*document.struck, *document.hidden, *document.furniture), key=lambda run: run.start)
    words, at = "", cell.span.start
    for run in removed:
        if run.end > at and run.start < cell.span.end:
            words += document.text[at : max(at, run.start)]
            at = max(at, run.end)
    return " ".join((words + document.text[at : cell.span.end]).split())


def _habits(document: Document, live: Traced, case: CaseFile, day: datetime.date | None) -> _Habits:
    """The document's own habits; where it shows none, the one that the rest of the pack agrees on."""
    convention, home = convention_of(live.text), home_currency(live.text)
    others = [other.text for other in case.documents if other.name != document.name]
    if convention is None:
        shown = {habit for text in others if (habit := convention_of(text)) is not None}
        convention = shown.pop() if len(shown) == 1 else None
    if home == UNKNOWN:
        homes = {code for text in others if (code := home_currency(text)) != UNKNOWN}
        home = homes.pop() if len(homes) == 1 else UNKNOWN
    return _Habits(convention, home, find_scales(live.text, home), day, stub_period(live))


def _read(document: Document, instrument: Instrument, case: CaseFile, table_labels: dict[int, str]) -> Certificate | None:
    live = live_view(document)
    day, day_spans, day_open = test_date(live)
    habits = _habits(document, live, case, day)
    lines = read_lines(live.text)
    columns = Columns(live.text, lines)
    figures: list[Figure] = []
    doubts: list[Doubt] = []
    ratios = read_ratios(live, day)
    taken = [(start, end) for start, end, _ in ratios]
    for line in lines:
        if line.broken and takes_part(line.label):
            doubts.append(_broken(live, line))
        if not line.cells or is_blank(live.text[line.start : line.end]):
            continue
        if any(start < line.cells[-1][1] and line.cells[0][0] < end for start, end in taken):
            continue
        if any(h.start < line.cells[-1][1] and line.cells[0][0] < h.end for h in habits.headings):
            continue  # "£000" heads a column
        found, doubt = _figures(live, line, columns, habits, table_labels)
        doubts.extend(doubt)
        figures.extend(found)
    if not any(takes_part(figure.label) for figure in figures) and not doubts:  # a form with blanks has none
        return None
    doubts.extend(_two_scales(live, lines, habits))
    doubts.extend(
        Doubt(code="review_input_missing", sentence=f"{document.name}: {note.sentence}")
        for note in document.notes
        if note.code in {"formula_without_value", "formula_error"}
    )
    if day_open:
        doubts.append(
            Doubt(
                code="review_period_mismatch", sentence=f"{document.name} names more than one day or period end for its figures."
            )
        )
    if habits.stub is not None and not any((figure.months or 0) == 12 for figure in figures):
        said = f"{document.name} gives figures for part of a year and none for twelve months."
        doubts.append(Doubt(code="review_period_incomplete", sentence=said))
    signed, signed_spans = signature(live, instrument)
    all_figures = _unique((*figures, *(figure for _, _, figure in ratios)))
    level, ratio = _only(all_figures, "required_level"), _only(all_figures, "ratio")
    spans = {
        "test_date": day_spans,
        "signed": signed_spans,
        "level": level.spans if level else (),
        "ratio": ratio.spans if ratio else (),
    }
    return Certificate(
        document=document.name,
        test_date=day,
        figures=all_figures,
        states_level=level.value if level else None,
        states_ratio=ratio.value if ratio else None,
        signed=signed,
        accounting=accounting_of(live.text),
        supports=supports_given(live.text),
        spans={name: places for name, places in spans.items() if places},
        doubts=tuple(dict.fromkeys(doubts)),
    )


def _broken(live: Traced, line: Line) -> Doubt:
    """A line that names an amount of the calculation and whose number cannot be read as one."""
    said = (
        "says an amount in words and in digits that differ"
        if "words" in line.broken
        else "holds a number that is not in one piece"
    )
    return Doubt(code=line.broken, sentence=f"The line {line.label!r} {said}.", spans=live.spans(line.start, line.end))


def _figures(
    live: Traced, line: Line, columns: Columns, habits: _Habits, table_labels: dict[int, str]
) -> tuple[tuple[Figure, ...], tuple[Doubt, ...]]:
    """What one line gives: a rate, the figure of the column that counts, or one figure a period where no column is of twelve months."""
    rate = read_rate(live, line, habits.convention, habits.home, habits.day)
    if rate is not None:
        return (rate,), ()
    origin = live.origin_of(line.cells[0][0])
    label = table_labels.get(origin[1], line.label) if origin else line.label
    if not label or (not is_named(label) and not line.tabular) or len(label) > 240 or _PAGE.fullmatch(label):
        return (), ()
    name, known = name_of(label), takes_part(label)
    periods = columns.periods(line) if len(line.cells) > 1 and is_flow(name) else None
    if periods is not None and not any(p.months == 12 and p.end == habits.day for p in periods):
        found: list[Figure] = []
        doubts: list[Doubt] = []
        for cell, period in zip(line.cells, periods, strict=True):
            figure, doubt = _of_cell(live, line, cell, label, habits)
            doubts.extend(doubt)
            if figure is not None:
                of = {"name": f"{name}__{period.months}m_{period.end:%Y%m%d}", "as_of": period.end, "months": period.months}
                found.append(figure.model_copy(update={**of, "basis": "restated" if period.restated else ""}))
        return tuple(found), tuple(doubts)
    cell, open_columns = pick_cell(columns, line, habits.day)
    if open_columns:
        sentence = f"The line {label!r} has several columns and none is headed by the test date or by twelve months."
        places = live.spans(*cell) + live.spans(line.label_start, line.label_end)
        return (), (Doubt(code="review_period_mismatch", sentence=sentence, spans=places),) if known else ()
    figure, doubt = _of_cell(live, line, cell, label, habits)
    if figure is not None and habits.stub and is_flow(name):
        figure = figure.model_copy(update={"months": habits.stub})
    return ((figure,) if figure else ()), doubt


def _of_cell(
    live: Traced, line: Line, cell: tuple[int, int], label: str, habits: _Habits
) -> tuple[Figure | None, tuple[Doubt, ...]]:
    name, known = name_of(label), takes_part(label)
    raw = re.sub(r"\s+(?=\))", "", live.text[cell[0] : cell[1]].replace("\t", " "))
    places = live.spans(*cell) + live.spans(line.label_start, line.label_end)
    heading = _heading(live, line, habits)
    if is_dash(raw) or is_nil(raw):
        currency = (heading.currency if heading else None) or habits.home
        return Figure(name=name, label=label, value=Fraction(0), currency=currency, raw=raw, as_of=habits.day, spans=places), ()
    amount = read_amount(raw, convention=habits.convention, home=habits.home)
    if isinstance(amount, Missing):
        return None, (Doubt(code=amount.code, sentence=f"{label}: {amount.reason}", spans=places),) if known else ()
    if "%" in live.text[cell[0] : cell[1]] or live.text[cell[1] : line.end].lstrip(" \t)").startswith("%"):
        return None, ()
    doubts: tuple[Doubt, ...] = ()
    if known and heading is None and amount.scale == 1:
        sentence = f"The line {label!r} stands under no statement of units, thousands or millions."
        doubts = (Doubt(code="review_scale_unknown", sentence=sentence, spans=places),)
    own = amount.scale > 1 or heading is None  # a scale word on the line itself goes before the heading's
    factor = 1 if own or heading is None else heading.factor
    figure = Figure(
        name=name,
        label=label,
        value=amount.value * factor,
        currency=amount.currency or (heading.currency if heading else None) or habits.home,
        scale=amount.scale * factor,
        raw=raw,
        as_of=habits.day,
        spans=places if own or heading is None else places + live.spans(heading.start, heading.end),
    )
    return figure, doubts


def _heading(live: Traced, line: Line, habits: _Habits) -> Heading | None:
    """The statement of scale of a line: its own, else the nearest one above that heads more than one line."""
    inside = [h for h in habits.headings if line.start <= h.start and h.end <= line.end]
    if inside:
        return inside[-1]
    above = [h for h in habits.headings if h.end <= line.start and not _bound_to_a_line(live.text, h)]
    return above[-1] if above else None


def _two_scales(live: Traced, lines: list[Line], habits: _Habits) -> tuple[Doubt, ...]:
    """Statements of scale that follow each other with no figure between them and say different things: which one counts?"""
    heads = [h for h in habits.headings if not _bound_to_a_line(live.text, h)]
    starts = [line.start for line in lines if line.cells]
    for first, then in pairwise(heads):
        between = any(first.end <= start < then.start for start in starts)
        if first.factor != then.factor and not between and any(start > then.end for start in starts):
            said = "Two statements of scale stand one after the other and differ; which of them the figures follow is open."
            return (
                Doubt(
                    code="review_scale_suspect",
                    sentence=said,
                    spans=live.spans(first.start, first.end) + live.spans(then.start, then.end),
                ),
            )
    return ()


def _bound_to_a_line(text: str, heading: Heading) -> bool:
    """Whether a statement of scale stands on a line that has a figure, and so speaks of that line alone."""
    end = text.find("\n", heading.end)
    rest = text[heading.end : end if end >= 0 else len(text)]
    return any(c.isdigit() for c in rest) and not any(word in rest for word in ("20", "19"))


def _unique(figures: tuple[Figure, ...]) -> tuple[Figure, ...]:
    """Figures with names made unique; a line that repeats an earlier one with the same value is left out."""
    kept: list[Figure] = []
    for figure in figures:
        same = [other for other in kept if other.name == figure.name or other.name.startswith(f"{figure.name}__")]
        part = figure.name.startswith(("debt_", "addback_", "gain_"))
        if any(other.value == figure.value and other.currency == figure.currency for other in same) and not part:
            continue
        kept.append(figure if not same else figure.model_copy(update={"name": f"{figure.name}__{len(same) + 1}"}))
    return tuple(kept)


def _only(figures: tuple[Figure, ...], name: str) -> Figure | None:
    """The figure of a name, where the certificate gives one value for it and no other."""
    found = [figure for figure in figures if figure.name == name or figure.name.startswith(f"{name}__")]
    return found[0] if len(found) == 1 else None
