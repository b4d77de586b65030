"""Makes a case file of a pack that is given as data: short texts of our own, so that every span is a slice of a real text."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from dataclasses import dataclass
from fractions import Fraction

from conformed.app.rule_cases.pack_shapes import Op, PackCase, PackDocument, Use
from conformed.model.base import exact
from conformed.model.covenant import Comparator, CovenantTerms, Limit, Row, Trigger, Unit
from conformed.model.dates import Window
from conformed.model.document import Document, Media, Page
from conformed.model.operation import EffectiveMode, Effectiveness, Extraction, Operation, Target
from conformed.model.operation import Op as Kind
from conformed.model.pack import CaseFile, Execution, Instrument, InstrumentKind, Manifest, ManifestDocument, Question, Recital
from conformed.model.provision import Provision, ProvisionTree
from conformed.model.span import Span
from conformed.rules.compare import show_decimal

__all__ = ["made", "metric_name"]

_KINDS = {
    "amendment_and_restatement": InstrumentKind.RESTATEMENT,
    "election_notice": InstrumentKind.NOTICE,
    "cure_notice": InstrumentKind.NOTICE,
    "termination_notice": InstrumentKind.NOTICE,
}
_BASES = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}
_WORDS = {"lt": "be less than", "le": "not exceed", "ge": "not be less than", "gt": "be more than"}


def metric_name(metric: str) -> str:
    """A metric's name as an agreement would write it (``first_lien_net_leverage``, ``First Lien Net Leverage Ratio``)."""
    words = metric.replace("_", " ").title()
    return words if words.endswith("Ratio") else f"{words} Ratio"


def _kind(document: PackDocument) -> InstrumentKind:
    known = _KINDS.get(document.kind)
    if known is not None:
        return known
    try:
        return InstrumentKind(document.kind)
    except ValueError:
        return InstrumentKind.OTHER


def _shown(level: Fraction) -> str:
    whole = level * 100
    return f"{show_decimal(level, 2)} to 1.00" if whole.denominator == 1 else f"{level} to 1"


@dataclass
class _Page:
    """The text of one document in the making, and the provisions in it."""

    document: PackDocument
    text: str = ""
    marks: tuple[tuple[str, int, int], ...] = ()

    def put(self, words: str, section: str = "") -> tuple[int, int]:
        """Adds a paragraph and gives its place."""
        start = len(self.text) + (2 if self.text else 0)
        self.text = f"{self.text}\n\n{words}" if self.text else words
        if section:
            self.marks = (*self.marks, (section, start, len(self.text)))
        return start, len(self.text)


def _read(page: _Page) -> Document:
    name = page.document.doc
    sha = hashlib.sha256(f"{name}\0{page.text}".encode()).hexdigest()
    return Document(
        name=name,
        sha256=sha,
        media=Media.TEXT,
        reader="rule case 1",
        text=page.text,
        pages=(Page(number=1, start=0, end=len(page.text)),),
        paged=False,
    )


def _limit(level: str, document: Document, place: tuple[int, int]) -> Limit:
    value = exact(level)
    words = _shown(value)
    at = document.text.index(words, place[0])
    return Limit(
        unit=Unit.RATIO, value=value, raw=words, places=2 if "." in words else None, spans=(document.span(at, at + len(words)),)
    )


def _sentence(op: Op, metric: str) -> str:
    """The words of a statement."""
    verb = _WORDS[op.comparator or "le"]
    if op.schedule:
        levels = "; ".join(_shown(exact(r.level)) + _days(r.from_, r.to) for r in op.schedule)
    else:
        levels = _shown(exact(op.level or "0"))
    condition = ""
    if op.trigger is not None and op.trigger.level is not None:
        condition = f" This is tested only if loans are {_WORDS[op.trigger.comparator or 'gt'].removeprefix('be ')} {op.trigger.level} of commitments."
    return f"{op.section} Covenant. The Borrower shall ensure that the {metric_name(metric)} at each fiscal quarter end will {verb} {levels}.{condition}"


def _days(start: dt.date | None, end: dt.date | None) -> str:
    return (f" from {start}" if start else "") + (f" to {end}" if end else "")


def _terms(op: Op, metric: str, document: Document, place: tuple[int, int]) -> CovenantTerms:
    clause = (document.span(*place),)
    rows = []
    at = place
    for row in op.schedule:
        limit = _limit(row.level, document, at)
        at = (limit.spans[0].end, place[1])
        label = _shown(exact(row.level)) + _days(row.from_, row.to)
        rows.append(Row(limit=limit, window=Window(start=row.from_, end=row.to), label=label, spans=limit.spans))
    if not rows:
        rows = [Row(limit=_limit(op.level or "0", document, place))]
    trigger = None
    if op.trigger is not None and op.trigger.level is not None:
        trigger = Trigger(
            numerator="loans",
            denominator="commitments",
            comparator=Comparator(op.trigger.comparator or "gt"),
            level=exact(op.trigger.level),
            raw=op.trigger.level,
            spans=clause,
        )
    return CovenantTerms(name=metric_name(metric), metric=metric, section=op.section, caption="Covenant", comparator=Comparator(op.comparator or "le"),
                         rows=tuple(rows), tested="each_fiscal_quarter_end", trigger=trigger, spans={"clause": clause})  # fmt: skip


_SAYS = {
    "set_level": "The ratio in Section {section} is changed to be {level}.",
    "temporary_level": "For some days Section {section} stands at {level}.",
    "suspend": "Section {section} is put aside for a time.",
    "increase": "The right to an increase under Section {section} is used.",
    "waive": "The failure of Section {section} is excused.",
    "delete": "Section {section} is taken out.",
}


def _windows(op: Op) -> tuple[Window, ...]:
    days = (*op.dates, *op.windows)
    if days:
        return tuple(Window(start=d, end=d) for d in days)
    return (Window(start=op.from_, end=op.to),) if op.from_ or op.to else ()


def _operation(op: Op, metric: str, document: Document, place: tuple[int, int], common: dict[str, object]) -> Operation:
    words: tuple[Span, ...] = (document.span(*place),)
    common = {**common, "target": Target(section=op.section, spans=words), "instruction": words}
    if op.op in {"state", "restate"}:
        return Operation.model_validate(
            {**common, "op": Kind.STATE_COVENANT, "terms": (_terms(op, metric, document, place),), "payload": words}
        )
    if op.op == "delete":
        return Operation.model_validate({**common, "op": Kind.DELETE_PROVISION})
    if op.op in {"set_level", "temporary_level"}:
        timed = {"op": Kind.TEMPORARY_LEVEL, "windows": _windows(op)} if op.op == "temporary_level" else {"op": Kind.SET_LEVEL}
        return Operation.model_validate({**common, **timed, "limit": _limit(op.level or "0", document, place)})
    if op.op == "suspend":
        open_end = op.ends_early not in {"", "none", "confirmed_no"}
        return Operation.model_validate(
            {**common, "op": Kind.SUSPEND_TESTING, "windows": _windows(op), "ends_early_on": op.ends_early if open_end else ""}
        )
    if op.op == "waive":
        ceiling = _limit(op.ceiling, document, place) if op.ceiling else None
        return Operation.model_validate({**common, "op": Kind.WAIVE_TEST, "windows": _windows(op), "ceiling": ceiling})
    return Operation.model_validate(
        {**common, "op": Kind.ELECT_INCREASE, "windows": _windows(op), "delta": op.delta, "cap": op.cap}
    )


def _effect(document: PackDocument) -> Effectiveness:
    rule = document.effective
    if rule is None:
        return Effectiveness(mode=EffectiveMode.ON_SIGNING)
    mode = EffectiveMode("fixed" if rule.mode == "fixed_date" else rule.mode)
    day = rule.reach_back_to or rule.date or (document.dated if mode is EffectiveMode.AS_OF_ON_CP else None)
    return Effectiveness(mode=mode, date=day, long_stop=rule.long_stop, waives_default=rule.waives_default)


def _instrument(document: PackDocument, case: PackCase) -> Instrument:
    others = {d.doc: d for d in case.documents}
    kind = _kind(document)
    met = document.effective.cp if document.effective else None
    recites = []
    for name in document.recites:
        other = others.get(name)
        if other is not None and _kind(other) in _BASES:
            continue
        digits = re.search(r"\d+", name)
        number = other.number if other else int(digits[0]) if digits else None
        dated = other.dated if other else None
        recites.append(Recital(text=name, kind=_kind(other) if other else InstrumentKind.AMENDMENT, number=number, dated=dated))
    consent = document.consent
    agreed = consent is None or (consent.shown and consent.given_by == consent.class_)
    return Instrument(
        document=document.doc, kind=kind, title=document.doc, number=document.number, dated=document.dated, signed_on=document.signed_on,
        execution=Execution(document.execution), execution_attested=agreed, effective_on=met.date if met is not None and met.evidenced else None,
        amends=_amends(document, case), recites=tuple(recites),
    )  # fmt: skip


def _amends(document: PackDocument, case: PackCase) -> Recital | None:
    """The agreement that an instrument changes: the one it recites, else the last one made before it."""
    if _kind(document) is InstrumentKind.FACILITY_AGREEMENT:
        return None
    bases = [d for d in case.documents if d is not document and _kind(d) in _BASES]
    named = [d for d in bases if d.doc in document.recites]
    before = sorted(
        (d for d in bases if d.dated and document.dated and d.dated <= document.dated), key=lambda d: d.dated or dt.date.min
    )
    meant = named[-1:] or before[-1:]
    return Recital(text="the agreement", kind=InstrumentKind.FACILITY_AGREEMENT, dated=meant[0].dated) if meant else None


def made(case: PackCase) -> tuple[CaseFile, Extraction]:
    """The case file and what an extractor would propose for it.

    Args:
        case: a pack as data.
    """
    documents: list[Document] = []
    trees: list[ProvisionTree] = []
    operations: list[Operation] = []
    for paper in sorted(case.documents, key=lambda d: d.doc):
        page = _Page(paper)
        page.put(f"{paper.doc}: {paper.kind.replace('_', ' ')} dated {paper.dated}.")
        if paper.consent is not None and not (paper.consent.shown and paper.consent.given_by == paper.consent.class_):
            page.put("Made between the borrower, the agent and certain Lenders.")
        places = []
        for op in paper.ops:
            words = (
                _sentence(op, case.metric)
                if op.op in {"state", "restate"}
                else _SAYS[op.op].format(section=op.section, level=_shown(exact(op.level or op.ceiling or "0")))
            )
            if op.op == "waive" and op.ceiling:
                words += f" This holds only up to {_shown(exact(op.ceiling))}."
            places.append(page.put(words, op.section if op.op in {"state", "restate"} else ""))
        document = _read(page)
        documents.append(document)
        trees.append(ProvisionTree(document=paper.doc, provisions=tuple(
            Provision(index=i, parent=None, label=section, heading="Covenant", start=a, body=a, end=b, depth=1, kind="section") for i, (section, a, b) in enumerate(page.marks)
        )))  # fmt: skip
        common: dict[str, object] = {"document": paper.doc, "effective": _effect(paper)}
        if _kind(paper) is InstrumentKind.RESTATEMENT:
            whole = (document.span(0, min(len(document.text), 60)),)
            operations.append(
                Operation.model_validate(
                    {
                        **common,
                        "id": f"{paper.doc}#restate",
                        "op": Kind.RESTATE_AGREEMENT,
                        "target": Target(spans=whole),
                        "instruction": whole,
                    }
                )
            )
        operations += [
            _operation(o, case.metric, document, p, {**common, "id": f"{paper.doc}#{i}"})
            for i, (o, p) in enumerate(zip(paper.ops, places, strict=True))
        ]
    end = case.test_date
    manifest = Manifest(
        fiscal_year_end=f"{end.month:02d}-{end.day:02d}", documents=tuple(ManifestDocument(file=d.name) for d in documents)
    )
    question = Question(test_date=case.test_date, known_at=case.known_at, section=_asked(case), facts=_facts(case.trigger))
    instruments = tuple(_instrument(d, case) for d in sorted(case.documents, key=lambda d: d.doc))
    file = CaseFile(pack=case.id, digest=hashlib.sha256(case.model_dump_json().encode()).hexdigest(), borrower=None, question=question, manifest=manifest,
                    documents=tuple(documents), trees=tuple(trees), instruments=instruments)  # fmt: skip
    return file, Extraction(operations=tuple(operations), producer="rule case")


def _asked(case: PackCase) -> str | None:
    """The provision in question: where the latest agreement states the covenant."""
    stated = [(d.dated or dt.date.min, o.section) for d in case.documents for o in d.ops if o.op in {"state", "restate"}]
    return max(stated, key=lambda s: s[0])[1] if stated else None


def _facts(use: Use | None) -> dict[str, str]:
    if use is None:
        return {}
    return {name: value for name, value in (("commitments", use.commitments), ("utilised", use.utilised)) if value is not None}
