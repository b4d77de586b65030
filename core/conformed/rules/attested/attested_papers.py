"""Facts that a person adds about papers: conditions met on a day, an executed copy, the provision that an instruction means.

Each function holds one fact against the papers of the case. What a paper contradicts, or does not show, is not taken: it comes
back as a review code in the place of the override's own.
"""

from __future__ import annotations

import re

from conformed.language.dates import find_dates
from conformed.language.subjects import name_tokens
from conformed.language.traced import Traced, live_view
from conformed.model.decision import Reason
from conformed.model.operation import Extraction, Op, Operation
from conformed.model.override import CpEvidenceSeen, ExecutionSeen, TargetConfirmed
from conformed.model.pack import CaseFile, Execution, Instrument
from conformed.model.span import Span
from conformed.rules.authority.consent import shows_consent
from conformed.rules.instruments.instruments import read_instrument
from conformed.rules.instruments.notices import days_shown, denies
from conformed.rules.instruments.provisions import canonical_label
from conformed.rules.precedence.targets import LEVELS

__all__ = ["conditions_met", "executed", "places_of", "provision_meant"]

_ABOUT = LEVELS | {Op.TEMPORARY_LEVEL, Op.SUSPEND_TESTING}
_SIGNING = re.compile(r"^\W*(?:By|Name|Title|Its|Per|Date|Signed)\s*[:_]|/s/|^[\W_]*$")
_WORD = re.compile(r"\w+(?:[.,]\d+)*|[^\w\s]")


def places_of(view: Traced, words: str) -> list[tuple[int, int]]:
    """Where some words stand in a text, whatever the white space between them.

    Args:
        view: live text of a paper.
        words: the words, as a person copied them.
    """
    parts = [re.escape(word) for word in words.split()]
    return [m.span() for m in re.finditer(r"\s+".join(parts), view.text)] if parts else []


def _instrument_of(case: CaseFile, name: str) -> Instrument | None:
    """The instrument of a document, None where the case has none of that name."""
    return next((one for one in case.instruments if one.document == name), None)


def _view_of(case: CaseFile, name: str) -> Traced | None:
    """The live text of a document, None where the case has none of that name."""
    return next((live_view(one) for one in case.documents if one.name == name), None)


def _with_instrument(case: CaseFile, new: Instrument) -> CaseFile:
    """The case with one instrument in the place of the one of the same document."""
    return case.model_copy(update={"instruments": tuple(new if i.document == new.document else i for i in case.instruments)})


def conditions_met(case: CaseFile, override: CpEvidenceSeen) -> tuple[CaseFile, Reason]:
    """The day on which an instrument's conditions were met, where the paper named shows it and none shows another.

    Args:
        case: the case, the paper among its documents.
        override: the fact.
    """
    mine, view = _instrument_of(case, override.subject), _view_of(case, override.file)
    places = places_of(view, override.words) if view is not None else []

    def unshown(why: str, spans: tuple[Span, ...] = ()) -> tuple[CaseFile, Reason]:
        return case, Reason(code="review_cp_evidence_missing", sentence=why, subject=override.subject, spans=spans)

    if mine is None or view is None or len(places) != 1:
        return unshown(f"The words given do not stand once in {override.file}, so that it does not show the conditions as met.")
    spans = view.spans(*places[0])
    if override.file == override.subject:
        return unshown(f"{override.file} cannot show that its own conditions were met.", spans)
    if denies(view.text, *places[0]):
        return unshown(f"{override.file} does not say at these words that the conditions were met.", spans)
    if all(token.date != override.met_on for token in find_dates(view.text)):
        return unshown(f"{override.file} does not bear the day {override.met_on}.", spans)
    views = {one.name: live_view(one) for one in case.documents}
    others = {day for day, _, _ in days_shown(case.instruments, views).get(mine.document, [])}
    others |= {mine.effective_on} if mine.effective_on is not None else set()
    if others - {override.met_on}:
        days = ", ".join(sorted(day.isoformat() for day in others - {override.met_on}))
        why = f"The override says that the conditions of {mine.document} were met on {override.met_on}; the pack shows {days}."
        return case, Reason(code="review_effective_date_ambiguous", sentence=why, subject=mine.document, spans=spans)
    new = mine.model_copy(update={"effective_on": override.met_on, "effective_evidence": spans})
    why = f"The conditions of {mine.document} were met on {override.met_on}, as {override.file} shows; a person gave it."
    return _with_instrument(case, new), Reason(code=override.code, sentence=why, subject=mine.document, spans=spans)


def executed(case: CaseFile, override: ExecutionSeen) -> tuple[CaseFile, Reason]:
    """That an instrument is executed, where a copy of it has the same words and no blank or draft mark.

    The share of lenders that a change needs is not taken from a signature of the borrower: it must show in a paper (PR-20).

    Args:
        case: the case, the executed copy among its documents.
        override: the fact.
    """
    mine = _instrument_of(case, override.subject)
    ours, theirs = _view_of(case, override.subject), _view_of(case, override.file)
    if mine is None or ours is None or theirs is None or override.file == override.subject:
        why = "The executed copy, or the document of which it is one, is not among the papers."
        return case, Reason(code="review_unsigned_instrument", sentence=why, subject=override.subject)
    copy = read_instrument(theirs, override.file)
    spans = copy.spans.get("execution", ())
    if copy.execution not in {Execution.EXECUTED, Execution.UNKNOWN}:
        why = f"{override.file} is no executed copy of {mine.document}: it reads as {copy.execution.value}."
        code = "review_partial_execution" if copy.execution is Execution.PARTIAL else "review_unsigned_instrument"
        return case, Reason(code=code, sentence=why, subject=mine.document, spans=spans)
    if ours.text == theirs.text:
        why = f"{override.file} is the same paper as {mine.document} and shows no signature that it lacks."
        return case, Reason(code="review_unsigned_instrument", sentence=why, subject=mine.document, spans=spans)
    if _operative(ours.text) != _operative(theirs.text):
        why = f"{override.file} has other words than {mine.document}, signatures apart: which of them was signed is open."
        return case, Reason(code="review_unsigned_instrument", sentence=why, subject=mine.document, spans=spans)
    attested = mine.execution_attested or shows_consent(theirs.text)
    new = mine.model_copy(
        update={"execution": Execution.EXECUTED, "execution_attested": attested, "signed_on": override.signed_on}
    )
    why = f"{override.file} is the executed copy of {mine.document}, signed to the end on {override.signed_on}; a person gave it."
    return _with_instrument(case, new), Reason(code=override.code, sentence=why, subject=mine.document, spans=spans)


def _operative(text: str) -> list[str]:
    """The words and marks of a paper, lines of signature left out."""
    lines = [line for line in text.splitlines() if not _SIGNING.search(line.strip())]
    return _WORD.findall("\n".join(lines))


def provision_meant(case: CaseFile, extraction: Extraction, override: TargetConfirmed) -> tuple[Extraction, Reason]:
    """An instruction with the provision that it means, where the document gives one such instruction.

    Args:
        case: the case.
        extraction: what was proposed; the level stays the instruction's own.
        override: the fact.
    """
    section, named = canonical_label(override.section), canonical_label(override.named)

    def left(code: str, why: str, spans: tuple[Span, ...] = ()) -> tuple[Extraction, Reason]:
        return extraction, Reason(code=code, sentence=why, subject=override.subject, spans=spans)

    fits = [
        o
        for o in extraction.operations
        if o.document == override.subject
        and o.op in _ABOUT - {Op.STATE_COVENANT}
        and canonical_label(o.target.section) == named
        and _says(o, override.words)
    ]
    if len(fits) != 1:
        how = "no instruction" if not fits else f"{len(fits)} instructions"
        about = f"that name {override.named}" if override.named else "that name no provision"
        return left("review_target_ambiguous", f"{override.subject} has {how} {about}: it must be one.")
    bases = {i.document for i in case.instruments if i.document != override.subject}
    stated = {t.section.partition("#")[0] for o in extraction.operations if o.document in bases for t in o.terms}
    labels = {p.label for tree in case.trees if tree.document in bases for p in tree.provisions if p.label and not p.quoted}
    if section not in {canonical_label(one) for one in stated | labels}:
        return left("review_target_not_found", f"No other document of the pack has the provision {override.section}.")
    old = fits[0]
    if not _in_doubt(old, named, section, extraction, {canonical_label(one) for one in stated | labels}):
        why = f"The instruction of {override.subject} names {override.named}, which the agreement has: what it means is not open."
        return left("review_target_ambiguous", why, old.instruction[:2])
    terms = tuple(t.model_copy(update={"section": section}) if canonical_label(t.section) == named else t for t in old.terms)
    target = old.target.model_copy(update={"section": section, "caption": "", "agreement": ""})
    new = old.model_copy(update={"target": target, "terms": terms})
    why = f"An instruction of {override.subject} means {override.section}; a person settled it by reference."
    operations = tuple(new if o.id == old.id else o for o in extraction.operations)
    return extraction.model_copy(update={"operations": operations}), Reason(
        code=override.code, sentence=why, subject=override.subject, spans=old.instruction[:2]
    )


def _in_doubt(old: Operation, named: str, section: str, extraction: Extraction, known: set[str]) -> bool:
    """Whether it is open which provision an instruction means.

    It is where it names none or one that there is not, where it changes the words of an amendment, where the provision meant lies
    inside the one named, and where it calls the provision by a caption that is another's.
    """
    if named not in known or section.startswith(named + "(") or "amendment" in old.target.agreement.lower():
        return True
    called = name_tokens(old.target.caption)
    there = [
        name_tokens(words) for o in extraction.operations for t in o.terms if t.section == named for words in (t.caption, t.name)
    ]
    return bool(called) and not any(called <= one or (one and one <= called) for one in there)


def _says(operation: Operation, words: str) -> bool:
    """Whether an instruction has some words; every one has none."""
    said = " ".join(" ".join(span.text for span in operation.instruction).split())
    return " ".join(words.split()) in said
