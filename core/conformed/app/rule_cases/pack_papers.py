"""Makes a case file of a pack that is given as data: short texts of our own, so that every span is a slice of a real text."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from dataclasses import dataclass

from conformed.app.rule_cases.pack_operations import metric_name, operation, words_of
from conformed.app.rule_cases.pack_shapes import PackCase, PackDocument, Use
from conformed.model.document import Document, Media, Page
from conformed.model.operation import EffectiveMode, Effectiveness, Extraction, Operation, Target
from conformed.model.operation import Op as Kind
from conformed.model.pack import (
    CaseFile,
    Execution,
    Instrument,
    InstrumentKind,
    LenderConsent,
    Manifest,
    ManifestDocument,
    Question,
    Recital,
)
from conformed.model.provision import Provision, ProvisionTree

__all__ = ["made", "metric_name"]

_KINDS = {
    "amendment_and_restatement": InstrumentKind.RESTATEMENT,
    "election_notice": InstrumentKind.NOTICE,
    "cure_notice": InstrumentKind.NOTICE,
    "termination_notice": InstrumentKind.NOTICE,
}
_BASES = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}


def _kind(document: PackDocument) -> InstrumentKind:
    known = _KINDS.get(document.kind)
    if known is not None:
        return known
    try:
        return InstrumentKind(document.kind)
    except ValueError:
        return InstrumentKind.OTHER


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


def _effect(document: PackDocument) -> Effectiveness:
    rule = document.effective
    if rule is None:
        return Effectiveness(mode=EffectiveMode.ON_SIGNING)
    mode = EffectiveMode("fixed" if rule.mode == "fixed_date" else rule.mode)
    day = rule.reach_back_to or rule.date or (document.dated if mode is EffectiveMode.AS_OF_ON_CP else None)
    event = "conditions" if mode is EffectiveMode.AS_OF and rule.cp is not None else ""
    return Effectiveness(mode=mode, date=day, long_stop=rule.long_stop, waives_default=rule.waives_default, event=event)


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
    # An executed amendment whose day of signing is not given was signed on a day that nobody knows.
    day_known = document.signed_on is not None or kind is not InstrumentKind.AMENDMENT or document.execution != "executed"
    agreed = consent is None or (consent.shown and consent.given_by == consent.class_)
    return Instrument(
        document=document.doc, kind=kind, title=document.doc, number=document.number, dated=document.dated, signed_on=document.signed_on,
        execution=Execution(document.execution), execution_attested=agreed and day_known, effective_on=met.date if met is not None and met.evidenced else None,
        lapsed_on=(met.date or case.known_at) if met is not None and met.failed and not met.evidenced else None,
        consent=None if consent is None else LenderConsent(needed=consent.class_, given_by=consent.given_by, shown=consent.shown),
        finance_document=document.finance_document, amends=_amends(document, case), recites=tuple(recites),
    )  # fmt: skip


def _amends(document: PackDocument, case: PackCase) -> Recital | None:
    """The agreement that an instrument changes: the one it recites, else the last one in effect when it was made."""
    if _kind(document) is InstrumentKind.FACILITY_AGREEMENT:
        return None
    bases = [d for d in case.documents if d is not document and _kind(d) in _BASES]
    named = [d for d in bases if d.doc in document.recites]
    before = sorted(
        (d for d in bases if d.dated and document.dated and _stood(d, document.dated)), key=lambda d: d.dated or dt.date.min
    )
    meant = named[-1:] or before[-1:]
    return Recital(text="the agreement", kind=InstrumentKind.FACILITY_AGREEMENT, dated=meant[0].dated) if meant else None


def _stood(agreement: PackDocument, day: dt.date) -> bool:
    """Whether an agreement was there to be changed: made by that day and, for a restatement, made before and not shown to come later."""
    assert agreement.dated is not None
    if _kind(agreement) is not InstrumentKind.RESTATEMENT:
        return agreement.dated <= day
    met = agreement.effective.cp if agreement.effective else None
    begun = met.date if met is not None and met.evidenced else agreement.effective.date if agreement.effective else None
    return agreement.dated < day and (begun is None or begun <= day)


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
            words = words_of(op, case.metric)
            places.append(page.put(words, op.section if op.op in {"state", "restate"} else ""))
        for sentence in paper.says:
            page.put(sentence)
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
            operation(o, case.metric, document, p, {**common, "id": f"{paper.doc}#{i}"})
            for i, (o, p) in enumerate(zip(paper.ops, places, strict=True))
        ]
    end = case.test_date
    manifest = Manifest(
        fiscal_year_end=f"{end.month:02d}-{end.day:02d}",
        documents=tuple(ManifestDocument(file=d.name) for d in documents),
        **dict.fromkeys(case.attested, True),
    )
    question = Question(test_date=case.test_date, known_at=case.known_at, facts=_facts(case.trigger), **_asked(case))
    instruments = tuple(_instrument(d, case) for d in sorted(case.documents, key=lambda d: d.doc))
    file = CaseFile(pack=case.id, digest=hashlib.sha256(case.model_dump_json().encode()).hexdigest(), borrower=None, question=question, manifest=manifest,
                    documents=tuple(documents), trees=tuple(trees), instruments=instruments)  # fmt: skip
    return file, Extraction(operations=tuple(operations), producer="rule case")


def _asked(case: PackCase) -> dict[str, str]:
    """What is asked for: the provision in which the latest agreement states the covenant, or its name where another has no such number."""
    stated = [(d, o.section) for d in case.documents for o in d.ops if o.op in {"state", "restate"}]
    if not stated:
        return {}
    section = max(stated, key=lambda s: s[0].dated or dt.date.min)[1]
    numbers: dict[str, set[str]] = {}
    for document, number in stated:
        numbers.setdefault(document.doc, set()).add(number)
    return {"section": section} if all(section in n for n in numbers.values()) else {"covenant": metric_name(case.metric)}


def _facts(use: Use | None) -> dict[str, str]:
    if use is None:
        return {}
    return {name: value for name, value in (("commitments", use.commitments), ("utilised", use.utilised)) if value is not None}
