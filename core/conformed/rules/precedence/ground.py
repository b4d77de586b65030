"""What every evaluation of a case shares: operations that can count, instruments, doubts, live texts, the calendar."""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from conformed.language.traced import Traced, join, live_view
from conformed.model.calculation import Certificate
from conformed.model.dates import FiscalCalendar
from conformed.model.document import Document
from conformed.model.operation import EffectiveMode, Effectiveness, Extraction, Op, Operation, Target
from conformed.model.pack import CaseFile, Instrument, InstrumentKind
from conformed.model.provision import ProvisionTree
from conformed.model.span import Span
from conformed.rules.instruments.admit import Admitted, admit
from conformed.rules.instruments.chains import BASES, Chain, build_chains, ends_by_name
from conformed.rules.instruments.dating import Standing, standing_of
from conformed.rules.precedence.mentions import mention
from conformed.rules.precedence.redirect import redirected
from conformed.rules.precedence.targets import own_terms
from conformed.rules.precedence.words_prevail import settled

__all__ = ["Ground", "calendar_of", "ground_of"]

_UNCONDITIONAL = {EffectiveMode.ON_SIGNING, EffectiveMode.FIXED, EffectiveMode.AS_OF}
_VIEWS: OrderedDict[int, tuple[Document, Traced]] = OrderedDict()
_MOST_VIEWS = 64


def _view(document: Document) -> Traced:
    """The live view of a document, kept for the next question about the same document object."""
    held = _VIEWS.get(id(document))
    if held is not None and held[0] is document:
        _VIEWS.move_to_end(id(document))
        return held[1]
    view = live_view(document)
    _VIEWS[id(document)] = (document, view)
    while len(_VIEWS) > _MOST_VIEWS:
        _VIEWS.popitem(last=False)
    return view


@dataclass(frozen=True, slots=True)
class Ground:
    """What every evaluation of a case shares.

    Attributes:
        case: the case file.
        operations: operations of documents that can operate, in the extractor's order.
        certificates: papers that show figures, of documents that were known; never authority for the level.
        copies: what conformed copies say; never a source.
        elections: elections of any document that was known, whatever its kind.
        admitted: instruments that can operate, and what was set aside.
        instruments: every instrument by document, evidence from after the knowledge date taken off.
        doubts: review codes about each admitted instrument.
        carried: changes of an amendment's own words, as made: they are now part of that amendment.
        renumbered: by operation, how its provision was found under another number.
        numbers: by document, the numbers that it says it changed, new by old.
        views: live text of each document.
        calendar: fiscal calendar, where attested.
    """

    case: CaseFile
    operations: tuple[Operation, ...]
    elections: tuple[Operation, ...]
    certificates: tuple[Certificate, ...]
    copies: tuple[Operation, ...]
    admitted: Admitted
    instruments: dict[str, Instrument]
    doubts: dict[str, tuple[str, ...]]
    views: dict[str, Traced]
    calendar: FiscalCalendar | None
    carried: tuple[Operation, ...] = ()
    renumbered: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, dict[str, str]] = field(default_factory=dict)
    _texts: dict[tuple[str, str], Traced | None] = field(default_factory=dict)
    _mentions: dict[tuple[str, str], tuple[int, int] | None] = field(default_factory=dict)

    def text_of(self, spans: tuple[Span, ...]) -> Traced | None:
        """The live text behind spans, or None where there are none."""
        parts = []
        for span in spans:
            view = self.views[span.document]
            parts.append(view.slice(view.offset_of(span.document, span.start), view.offset_of(span.document, span.end)))
        return join(parts) if parts else None

    def payload_of(self, operation: Operation, slot: str) -> Traced | None:
        """The text that an operation gives to one covenant: of a payload that states several, only that covenant's sentence."""
        key = (operation.id, slot)
        if key not in self._texts:
            own = own_terms(operation, slot)
            several = len(operation.terms) > 1 and len(own) == 1
            self._texts[key] = self.text_of(own[0].spans.get("clause", ()) if several else operation.payload)
        return self._texts[key]

    def replacement_of(self, operation: Operation) -> Traced | None:
        """The words that a find-and-replace instruction puts in."""
        key = (operation.id, "\0replace")
        if key not in self._texts:
            self._texts[key] = self.text_of(operation.replace_spans)
        return self._texts[key]

    def mention_in(self, document: str, section: str) -> tuple[int, int] | None:
        """Where a document speaks of changing a provision, if it does."""
        key = (document, section)
        if key not in self._mentions:
            self._mentions[key] = mention(self.views[document].text, section)
        return self._mentions[key]

    def remembered(self, key: tuple[str, str], find: Callable[[], tuple[int, int] | None]) -> tuple[int, int] | None:
        """A place in a document, looked for once: the same question is asked again for every stretch of a timeline."""
        if key not in self._mentions:
            self._mentions[key] = find()
        return self._mentions[key]

    def tree_of(self, document: str) -> ProvisionTree:
        """The tree of a document."""
        return next(t for t in self.case.trees if t.document == document)

    def standing(self, operation: Operation, test: dt.date) -> Standing:
        """How an operation stands on a date.

        A day attested for an instrument does not speak for an event of one of its operations where another operation of the
        same instrument waits for conditions of its own, or where it is no more than the day of signing (PR-10).
        """
        instrument = self.instruments[operation.document]
        if operation.effective.mode is EffectiveMode.ON_EVENT and instrument.effective_on is not None:
            modes = {o.effective.mode for o in self.operations if o.document == operation.document}
            signing = instrument.effective_on in {instrument.signed_on, instrument.dated} and bool(modes & _UNCONDITIONAL)
            if signing or modes - _UNCONDITIONAL - {EffectiveMode.ON_EVENT}:
                instrument = instrument.model_copy(update={"effective_on": None, "effective_evidence": ()})
        return standing_of(operation, instrument, test, self.case.question.known_at)

    def base_standing(self, instrument: Instrument, test: dt.date) -> Standing:
        """How an agreement stands on a date, by the words of its statements; closing where it has none."""
        kinds = {Op.STATE_COVENANT, Op.RESTATE_AGREEMENT}
        own = next((o for o in self.operations if o.document == instrument.document and o.op in kinds), None)
        closing = Effectiveness(mode=EffectiveMode.ON_CLOSING)
        rule = own or Operation(id="base", op=Op.STATE_COVENANT, document=instrument.document, target=Target(), effective=closing)
        return self.standing(rule, test)

    def chains_on(self, test: dt.date, *, without: frozenset[str] = frozenset()) -> tuple[Chain, ...]:
        """The chains whose agreement is in force on a date. An agreement whose closing is not evidenced counts, with that doubt.

        Args:
            test: the date.
            without: agreements to be left out, for the reading in which they never took effect.
        """
        instruments = tuple(i for i in self.admitted.instruments if i.document not in without)
        standings = {i.document: self.base_standing(i, test) for i in instruments if i.kind in BASES}
        in_force = {d: s.state != "not_yet" for d, s in standings.items()}
        certain = {d: s.state == "in_force" and not self.doubts.get(d) for d, s in standings.items()}
        ended = [d for d, day in ends_by_name(self.operations, instruments, certain).items() if day <= test]
        return build_chains(instruments, in_force, ended)

    def at(self, test: dt.date) -> Ground:
        """The same ground for a question about another test date."""
        question = self.case.question.model_copy(update={"test_date": test})
        return replace(self, case=self.case.model_copy(update={"question": question}))


def calendar_of(case: CaseFile) -> FiscalCalendar | None:
    """The fiscal calendar that pack.yaml attests, if it does."""
    text = case.manifest.fiscal_year_end
    if not text or len(text) != 5:
        return None
    return FiscalCalendar(end_month=int(text[:2]), end_day=int(text[3:]))


def ground_of(case: CaseFile, extraction: Extraction) -> Ground:
    """What every evaluation of the case shares."""
    views = {d.name: _view(d) for d in case.documents}
    admitted = admit(case, views, extraction.operations)
    operating = {i.document for i in admitted.instruments}
    operations = settled(extraction.operations, (i.document for i in admitted.instruments if i.kind in BASES), views)
    known = {i.document: i for i in admitted.known}
    ground = Ground(
        case=case,
        operations=tuple(o for o in operations if o.document in operating),
        elections=tuple(o for o in extraction.operations if o.op is Op.ELECT_INCREASE and o.document in known),
        certificates=tuple(c for c in extraction.certificates if c.document in known),
        copies=tuple(
            o for o in extraction.operations if o.document in known and known[o.document].kind is InstrumentKind.CONFORMED_COPY
        ),
        admitted=admitted,
        instruments={i.document: known.get(i.document, i) for i in case.instruments},
        doubts=dict(admitted.doubts),
        views=views,
        calendar=calendar_of(case),
    )
    return redirected(ground)
