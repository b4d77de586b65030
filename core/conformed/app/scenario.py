"""A scenario: the rules of a run on other dates or figures. It is not a run: no record, no claim, no draft, nothing in the log."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from conformed.app.answer import CovenantAnswer, SaidCode, answer_of
from conformed.app.binding import Bound
from conformed.app.copies.copy_text import answer_text
from conformed.app.memory import Read, held_back
from conformed.app.options import RunOptions, silent
from conformed.app.pages import shown
from conformed.app.pages.pen import Pen
from conformed.app.pages.screen import RESULT_WORDS, headroom_sentences
from conformed.app.reading import PackFiles, case_of_files, open_pack, question_of
from conformed.app.scenario_figures import Changed, change_figures, move_income, read_changes
from conformed.app.service import Service
from conformed.engine.checks import check_proposal
from conformed.engine.slots import Calculated
from conformed.errors import PackError, UsageError
from conformed.model.base import Frozen, Missing
from conformed.model.calculation import Calculation, Certificate
from conformed.model.codes import code_class
from conformed.model.decision import Result
from conformed.model.operation import Extraction
from conformed.model.pack import Question
from conformed.ports import ExtractRequest
from conformed.rules.calculation.inputs import choose_certificate

__all__ = ["Scenario", "Scenarios", "read_changes", "scenario_text"]

_ROUNDS = 12
_LABEL = "SCENARIO, not a decision: worked on figures or dates that were supposed. It is not in the log."


class Scenario(Frozen):
    """What the rules say of a supposed case."""

    schema_version: str = "conformed.scenario/1"
    """Shape of this record."""
    label: str = _LABEL
    """What it is, for whoever finds it on paper."""
    result: Result
    """What the rules say; never a decision."""
    figures: tuple[Changed, ...] = ()
    """Figures that were supposed."""
    carried_from: dt.date | None = None
    """The test date of the certificate whose figures were carried to another date."""
    answer: CovenantAnswer
    """Which covenant governs."""
    calculation: Calculation | Missing
    """The calculation."""
    codes: tuple[SaidCode, ...] = ()
    """Codes of the whole scenario with their sentences; findings too."""


class Scenarios(Service):
    """Works scenarios on packs of a workspace. A pack is read once, and kept as for every question without a record."""

    def work(self, path: Path, options: RunOptions, changes: Mapping[str, str], *, carry: bool = False) -> Scenario:
        """Works one scenario.

        Args:
            path: the pack.
            options: dates, covenant and facts.
            changes: figures by name or label, as typed.
            carry: where no certificate is for the test date, take the figures of the last one before it.

        Raises:
            ConformedError: when the pack cannot be read, or a figure is named that the certificate does not have.
        """
        from conformed.app.working import calculated, governing

        bound, pack = self._bound(options), open_pack(path)
        contract = bound.contract.contract
        question = question_of(options, pack.manifest, self._clock().date())
        key = f"scenario {bound.memory_key(pack.evidence.digest, question)}"
        read = self._remember().get(key, lambda: _read(bound, pack, path, question)).asking(question)
        extraction, figures, carried = _supposed(read.extraction, question, changes, carry=carry)
        witnesses = self._witnesses(pack, bound)
        effective = held_back(governing(extraction, read.case, contract.headroom_alert, contract.formulas), read)
        effective = witnesses.level(read.case, extraction, effective)

        def work_out(given: Extraction) -> Calculated:
            return calculated(effective, given, read.case, contract.headroom_alert, contract.formulas)

        supposed = next((one.now for one in figures if one.name == "ebitda"), None)
        if supposed is not None:
            extraction = _settled(work_out, extraction, supposed, question.test_date)
        worked = witnesses.figures(read.case, work_out(extraction))
        judged = _judged(pack, question, {"read": read, "extraction": extraction, "effective": effective, "calculated": worked})
        return Scenario(
            result=judged.result,
            figures=figures,
            carried_from=carried,
            answer=answer_of(read.case.pack, question, effective),
            calculation=worked.calculation,
            codes=tuple(
                SaidCode(code=one.code, sentence=one.sentence, subject=one.subject) for one in (*judged.reasons, *judged.findings)
            ),
        )


def _judged(pack: PackFiles, question: Question, parts: Mapping[str, Any]) -> Any:
    """Judged by the same function as a run, on the parts that a scenario has."""
    from conformed.engine.context import Conclusion
    from conformed.engine.judge import judge
    from conformed.engine.request import RunRequest
    from conformed.engine.slots import CALCULATED, CASE, EFFECTIVE, EXTRACTION, RETRIEVED

    request = RunRequest(pack=pack.name, pack_digest=pack.evidence.digest, question=question, contract="", contract_digest="")
    held = {
        CASE.name: parts["read"].case,
        RETRIEVED.name: parts["read"].retrieved,
        EXTRACTION.name: parts["extraction"],
        EFFECTIVE.name: parts["effective"],
        CALCULATED.name: parts["calculated"],
    }
    return judge(Conclusion(run="scenario", request=request, held=held, failures=()))


def _read(bound: Bound, pack: PackFiles, path: Path, question: Question) -> Read:
    """Reads a pack and asks every extractor, those of certificates too, each proposal checked as in a run."""
    from conformed.app.running import PackTables

    readers = bound.readers()
    case = case_of_files(pack, question, readers, silent)
    if not case.documents:
        why = " ".join(refusal.sentence for refusal in case.refusals[:3])
        raise PackError(f"No document of {path} could be read. {why}".strip())
    retrieved, extraction = bound.proposals(case)
    tables = PackTables(pack, readers)
    certificates: list[Certificate] = []
    for name, extractor in bound.made("extract"):
        if name.startswith("certificate "):  # the ones that proposals leaves out
            request = ExtractRequest(case=case, retrieved=retrieved, tables=lambda n, pages: tables(case, n, pages))
            given = extractor.extract(request)
            check_proposal(given, case, retrieved.authorised)
            certificates += given.certificates
    return Read(case=case, retrieved=retrieved, extraction=extraction.model_copy(update={"certificates": tuple(certificates)}))


def _supposed(
    extraction: Extraction, question: Question, changes: Mapping[str, str], *, carry: bool
) -> tuple[Extraction, tuple[Changed, ...], dt.date | None]:
    """What extraction gave, with the supposed figures in the certificate of the test date."""
    day, certificates, carried = question.test_date, extraction.certificates, None
    if carry and not any(one.test_date == day for one in certificates):
        earlier = [one.test_date for one in certificates if one.test_date is not None and one.test_date < day]
        if not earlier:
            raise UsageError("No certificate of the pack is for a date before the test date.", "Leave --carry out.")
        carried = max(earlier)
        moved = (_carry(one, day) for one in certificates if one.test_date == carried)
        certificates = (*(one for one in certificates if one.test_date != carried), *moved)
    if not changes:
        return extraction.model_copy(update={"certificates": certificates}), (), carried
    chosen = choose_certificate(certificates, day)
    if isinstance(chosen, Missing):
        raise UsageError(chosen.reason, "Choose its test date, or add --carry to take the figures of the last one before.")
    changed, said = change_figures(chosen, changes)
    others = tuple(one for one in certificates if one.test_date not in {day, None})
    return extraction.model_copy(update={"certificates": (*others, changed)}), said, carried


def _settled(work_out: Callable[[Extraction], Calculated], given: Extraction, supposed: Fraction, day: dt.date) -> Extraction:
    """Net income such that earnings under their caps are what was supposed: exact, since the caps make them linear in pieces.

    Where no such income is found the figures are left as they are, and the calculation says that they do not tie.
    """

    def moved(by: Fraction) -> Extraction:
        certificates = (move_income(one, by) if one.test_date in {day, None} else one for one in given.certificates)
        return given.model_copy(update={"certificates": tuple(certificates)})

    def gap(by: Fraction) -> Fraction | None:
        found = work_out(moved(by)).calculation
        steps = () if isinstance(found, Missing) else found.steps
        return next((step.value - supposed for step in steps if step.name == "ebitda_computed"), None)

    before, gap_before = Fraction(0), gap(Fraction(0))
    if not gap_before:
        return given
    by = -gap_before
    for _ in range(_ROUNDS):
        missed = gap(by)
        if missed is None or (missed and missed == gap_before):
            return given
        if not missed:
            return moved(by)
        before, by, gap_before = by, by - missed * (by - before) / (missed - gap_before), missed
    return given


def _carry(certificate: Certificate, day: dt.date) -> Certificate:
    """A certificate as if made for another day: what was of its own test date is now of that day; older periods stay."""
    own = certificate.test_date
    figures = tuple(one.model_copy(update={"as_of": day}) if one.as_of == own else one for one in certificate.figures)
    return certificate.model_copy(update={"test_date": day, "figures": figures})


def scenario_text(scenario: Scenario, *, width: int = 100, colour: bool = False) -> str:
    """The scenario for a screen; its first line says that it is one.

    Args:
        scenario: what was worked.
        width: columns of the terminal.
        colour: whether to colour.
    """
    pen = Pen(width, colour=colour)
    pen.line((scenario.label, "bold"))
    pen.gap()
    pen.line((f"Would be: {RESULT_WORDS[scenario.result][0]}", "bold"))
    for one in scenario.figures:
        was, now = (shown.money(value, one.currency) for value in (one.was, one.now))
        pen.item(one.name, f"{now} instead of {was}. {one.note}".rstrip())
    if scenario.carried_from:
        pen.say(f"Figures carried from the certificate for {shown.day(scenario.carried_from)}.", indent=2)
    calculation = scenario.calculation
    pen.heading("Ratio and headroom")
    if isinstance(calculation, Missing):
        pen.say(f"Not calculated: {calculation.reason}", indent=2)
    elif isinstance(calculation.comparison, Missing):
        pen.say(f"Not compared: {calculation.comparison.reason}", indent=2)
    else:
        found = calculation.comparison
        pen.item(f"{found.shown_left} {found.comparator.sign} {found.shown_right}", "met" if found.met else "NOT met")
        for line in headroom_sentences(calculation, found.comparator):
            pen.say(line, indent=2)
    opened = [code for code in scenario.codes if code_class(code.code) == "review"]
    if opened:
        pen.heading("Open")
    for code in opened:
        pen.item(code.code, code.sentence)
    pen.gap()
    return pen.text() + "\n" + answer_text(scenario.answer, width=width, colour=colour)
