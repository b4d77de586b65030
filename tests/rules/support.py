"""Case files from structured facts, with short texts of our own, so that every span is a real slice of a real text."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from support_acts import Act, Quote, day, doubt, limit, set_level, stated, substituted, suspended, temporary, waived

from conformed.model.decision import Effective
from conformed.model.document import Document, Media, Page
from conformed.model.operation import EffectiveMode, Effectiveness, Extraction, Operation
from conformed.model.pack import CaseFile, Execution, Instrument, InstrumentKind, Manifest, Question, Recital
from conformed.model.provision import Provision, ProvisionTree
from conformed.model.span import Span
from conformed.rules.precedence.precedence import decide

__all__ = [
    "Act", "Paper", "base", "candidates", "codes", "day", "decided", "doubt", "level_of", "limit", "make", "record", "set_level",
    "stated", "substituted", "suspended", "temporary", "waived",
]  # fmt: skip


@dataclass
class Paper:
    """One document in the making."""

    name: str
    kind: InstrumentKind
    dated: dt.date | None
    acts: Sequence[Act] = ()
    mode: EffectiveMode = EffectiveMode.ON_SIGNING
    effect: Mapping[str, Any] = field(default_factory=dict)
    execution: Execution = Execution.EXECUTED
    attested: bool = True
    signed_on: dt.date | None = None
    effective_on: dt.date | None = None
    shown_by: str = ""
    number: int | None = None
    amends: dt.date | None = None
    recites: Sequence[tuple[int | None, str | None]] = ()
    title: str = ""
    words: str = ""
    definitions: Mapping[str, str] = field(default_factory=dict)


def base(name: str = "base.txt", dated: str = "2022-01-14", *acts: Act, **more: Any) -> Paper:
    """An executed facility agreement, in force from its date."""
    given: dict[str, Any] = {"effective_on": day(dated), "mode": EffectiveMode.ON_CLOSING, **more}
    return Paper(name, InstrumentKind.FACILITY_AGREEMENT, day(dated), acts or (stated(),), **given)


def _document(paper: Paper) -> tuple[Document, ProvisionTree]:
    lines = [f"{paper.title or paper.name} dated {paper.dated}.", paper.words]
    marks: list[tuple[str, str, int, int]] = []
    text = "\n\n".join(line for line in lines if line)
    for term, words in paper.definitions.items():
        start = len(text) + 2
        text += f'\n\n"{term}" means {words}.'
        marks.append(("definition", term, start, len(text)))
    for act in paper.acts:
        start = len(text) + 2
        text += f"\n\n{act.words}"
        if act.label:
            marks.append(("section", act.label, start, len(text)))
    sha = hashlib.sha256(f"{paper.name}\0{text}".encode()).hexdigest()
    document = Document(
        name=paper.name,
        sha256=sha,
        media=Media.TEXT,
        reader="test 1.0.0",
        text=text,
        pages=(Page(number=1, start=0, end=len(text)),),
        paged=False,
    )
    provisions = tuple(
        Provision(
            index=i,
            parent=None,
            label=name if kind == "section" else "",
            heading=name if kind == "definition" else "Covenant",
            start=a,
            body=a,
            end=b,
            depth=1,
            kind=kind,
        )
        for i, (kind, name, a, b) in enumerate(marks)
    )
    return document, ProvisionTree(document=paper.name, provisions=provisions)


def _quote(document: Document) -> Quote:
    def find(words: str) -> tuple[Span, ...]:
        at = document.text.index(words)
        return (document.span(at, at + len(words)),)

    return find


def _operations(paper: Paper, document: Document) -> list[Operation]:
    made = []
    for ordinal, act in enumerate(paper.acts):
        rule = Effectiveness.model_validate(
            {"mode": act.mode or paper.mode, **(paper.effect if act.mode is None else {}), **act.effect}
        )
        fields = {
            "id": f"{paper.name}#{ordinal}",
            "document": paper.name,
            "effective": rule,
            **act.build(_quote(document)),
            **act.extra,
        }
        made.append(Operation.model_validate(fields))
    return made


def _instrument(paper: Paper) -> Instrument:
    amends = (
        Recital(text="Credit Agreement", kind=InstrumentKind.FACILITY_AGREEMENT, dated=paper.amends) if paper.amends else None
    )
    recites = tuple(
        Recital(text=f"Amendment {n}", kind=InstrumentKind.AMENDMENT, number=n, dated=day(d)) for n, d in paper.recites
    )
    evidence = (Span(document=paper.shown_by, sha256="0" * 64, page=None, start=0, end=0, text=""),) if paper.shown_by else ()
    return Instrument(document=paper.name, kind=paper.kind, title=paper.title, number=paper.number, dated=paper.dated, signed_on=paper.signed_on, execution=paper.execution,
                      execution_attested=paper.attested, effective_on=paper.effective_on, effective_evidence=evidence, amends=amends, recites=recites)  # fmt: skip


def make(
    papers: Sequence[Paper],
    test: str,
    *,
    known: str = "2030-01-01",
    shuffle: Callable[[list[Paper]], list[Paper]] = list,
    **asked: Any,
) -> tuple[CaseFile, Extraction]:
    """A case file and what an extractor would give for it."""
    manifest = asked.pop("manifest", Manifest())
    section = asked.pop("section", "7.11")
    question = Question(test_date=dt.date.fromisoformat(test), known_at=dt.date.fromisoformat(known), section=section, **asked)
    ordered = shuffle(list(papers))
    read = [(p, *_document(p)) for p in ordered]
    case = CaseFile(pack="test", digest="0" * 64, borrower=None, question=question, manifest=manifest, documents=tuple(d for _, d, _ in read),
                    trees=tuple(t for _, _, t in read), instruments=tuple(_instrument(p) for p, _, _ in read))  # fmt: skip
    return case, Extraction(operations=tuple(o for p, d, _ in read for o in _operations(p, d)))


def decided(papers: Sequence[Paper], test: str, **asked: Any) -> Effective:
    """What precedence gives for some papers."""
    return decide(*make(papers, test, **asked))


def codes(effective: Effective) -> set[str]:
    """All codes of a decision."""
    return {r.code for r in effective.reasons}


def level_of(effective: Effective) -> Fraction | None:
    """The level that governs, or None."""
    return getattr(getattr(effective.covenant, "limit", None), "value", None)


def candidates(effective: Effective) -> set[Fraction]:
    """Levels that remain open."""
    return {c.limit.value for c in effective.candidates}


def record(effective: Effective) -> tuple[str, Fraction | None, set[Fraction]]:
    """Result, level and open levels."""
    return effective.result, level_of(effective), candidates(effective)
