"""A run done again with overrides: from the reading that its first run recorded, with the facts that people added since."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from conformed.engine.context import Conclusion, Inputs, StepContext
from conformed.engine.history import fold
from conformed.engine.log import Log, ours
from conformed.engine.request import RunRequest
from conformed.engine.slots import CASE, EXTRACTION, RETRIEVED, Calculated
from conformed.engine.workflow import Kind, Workflow
from conformed.errors import JournalError, ReplayError, UsageError
from conformed.model.decision import Decision, Effective, Reason
from conformed.model.operation import Extraction
from conformed.model.override import Overridden, Override, ResultRejected, Told
from conformed.model.pack import CaseFile
from conformed.model.retrieval import Retrieved
from conformed.policy.steps import ORDERS, Application
from conformed.rules.attested.attested import Attested, attest, decide_attested
from conformed.rules.precedence.reading import key_of

__all__ = ["Again", "Recorded", "Rerun", "recorded_run", "with_overrides"]

M = TypeVar("M", bound=BaseModel)
Work = Callable[[Effective, Extraction, CaseFile], Calculated]
"""The calculation of a run."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run as the log has it."""

    run: str
    """Run id."""
    case_id: str
    """Case under which it stands in the log."""
    request: RunRequest
    """What was asked."""
    decision: Decision
    """Its record."""
    commit: str
    """Name of that record in the log."""
    size: int
    """Bytes of that record."""
    case: CaseFile
    """What was read."""
    retrieved: Retrieved
    """What was found of it."""
    extraction: Extraction
    """What was proposed of it."""


def recorded_run(log: Log, run: str) -> Recorded:
    """Reads a run back from the log.

    Raises:
        UsageError: when there is no such run, or it has no decision, or came to none that can be done again.
        JournalError, ReplayError: when its records do not hold.
    """
    with ours("read"):
        records = list(log.records(run=run))
    if not records:
        raise UsageError(f"The log has no run {run!r}.", "Run ids are printed at the end of a run.")
    history = fold(records, run)
    if not history.record:
        raise UsageError(f"Run {run} has no decision.", "Only a run that has ended can be overridden.")
    held = {move.slot: move.commit for move in history.moves if move.slot}
    sizes: dict[str, int] = {}
    lacking = [slot.name for slot in (CASE, RETRIEVED, EXTRACTION) if slot.name not in held]
    if history.moves and history.moves[0].step != ORDERS[Application.COVENANT][0]:
        raise UsageError(f"Run {run} is no run of a pack.", "Only a run of a pack can be overridden; ask a task again.")
    if lacking:
        raise UsageError(
            f"Run {run} did not come to its {lacking[0].replace('_', ' ')}.", "Mend what stopped it and run the pack again."
        )

    def load(commit: str, kind: type[M]) -> M:
        with ours("read"):
            data = log.get_blob(commit)
        sizes[commit] = len(data)
        try:
            return kind.model_validate_json(data)
        except ValidationError:
            raise JournalError(
                f"What run {run} recorded is no {kind.__name__} of this version.", "Run the pack again, and override that run."
            ) from None

    decision = load(history.record, Decision)
    return Recorded(
        run=run, case_id=history.case, request=load(history.request, RunRequest), decision=decision, commit=history.record,
        size=sizes[history.record], case=load(held[CASE.name], CaseFile), retrieved=load(held[RETRIEVED.name], Retrieved),
        extraction=load(held[EXTRACTION.name], Extraction),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Again:
    """What a run is done again from."""

    case: CaseFile
    """The case as it was first read, with the papers that overrides added."""
    retrieved: Retrieved
    """What was found of it."""
    extraction: Extraction
    """What was proposed of it."""
    overrides: tuple[Override, ...]
    """Every override that counts, in a fixed order."""
    earlier: Decision
    """The decision that is overridden."""


class Rerun:
    """The rules of a run with overrides, and what each of these changed.

    Args:
        again: what the run is done again from.
        work: the calculation of a run.
    """

    def __init__(self, again: Again, work: Work) -> None:
        self._again, self._work = again, work
        self.attested = self._attested(again.overrides)

    def _attested(self, overrides: Iterable[Override]) -> Attested:
        return attest(self._again.case, self._again.extraction, overrides)

    def decide(self, case: CaseFile, extraction: Extraction) -> Effective:
        """Precedence with every override."""
        return decide_attested(case, extraction, self.attested)[0]

    def told(self) -> tuple[Told, ...]:
        """What became of each override: taken or not, and whether anything would be otherwise without it."""
        every = self._again.overrides
        effective, read, why_not = decide_attested(self.attested.case, self.attested.extraction, self.attested)
        whole = self._outcome(self.attested, effective)
        said = {one.model_dump_json(): reason for one, reason in self.attested.said}
        found = []
        for one in every:
            reason = said.get(one.model_dump_json())
            taken = read if reason is None else reason.code == one.code
            left = self._attested(o for o in every if o is not one)
            changed = taken and whole != self._outcome(left, decide_attested(left.case, left.extraction, left)[0])
            found.append(
                Told(
                    override=one,
                    taken=taken,
                    changed=changed,
                    sentence=_sentence(one, reason, why_not, taken=taken, changed=changed),
                )
            )
        return tuple(found)

    def _outcome(self, attested: Attested, effective: Effective) -> tuple[object, ...]:
        """Everything of an outcome that a person would notice, the codes of overrides apart."""
        worked = self._work(effective, attested.extraction, attested.case)
        calculation = worked.calculation
        codes = {(r.code, r.subject) for r in (*effective.reasons, *worked.reasons) if not r.code.startswith("override")}
        governing = (effective.covenant,) if not hasattr(effective.covenant, "code") else ()
        return (
            effective.result, effective.overlay, effective.not_tested, key_of(governing), key_of(effective.candidates),
            tuple(sorted(codes)), str(getattr(calculation, "ratio", "")), str(getattr(calculation, "comparison", "")),
            tuple((f.name, f.value) for f in getattr(calculation, "figures", ())),
        )  # fmt: skip


def _sentence(one: Override, reason: Reason | None, why_not: str, *, taken: bool, changed: bool) -> str:
    if not taken:
        return f"Not taken. {reason.sentence if reason is not None else why_not}".strip()
    if one.code in {"override_review_confirmed", "override_result_rejected"}:
        return f"Noted. {reason.sentence if reason is not None else ''}".strip()
    if changed:
        return f"Taken. {reason.sentence if reason is not None else 'The reading that counsel took governs what it answers.'}"
    return "Taken, and it changes nothing: without it the outcome would be the same."


def with_overrides(base: Workflow, again: Again, rerun: Rerun, root: str) -> Workflow:
    """A run's workflow that reads nothing: what was read, found and proposed is taken from the record of an earlier run.

    Calculation, claims and draft are worked as in every run.

    Args:
        base: the workflow of a run of the pack.
        again: what is done again.
        rerun: the rules with the overrides.
        root: the run whose reading is used.
    """
    names = tuple(document.name for document in again.case.documents)
    retrieved = again.retrieved.model_copy(update={"authorised": tuple(sorted({*again.retrieved.authorised, *names}))})
    stored: dict[str, Callable[[Inputs, StepContext], BaseModel]] = {
        "intake": lambda _inputs, _context: rerun.attested.case,
        "retrieve": lambda _inputs, _context: retrieved,
        "extract": lambda _inputs, _context: rerun.attested.extraction,
        "precedence": lambda inputs, _context: rerun.decide(inputs[CASE], inputs[EXTRACTION]),
    }
    origin = (f"the reading of run {root}",)
    steps = tuple(
        replace(step, run=stored[step.name], kind=Kind.PURE, plugins=() if step.name == "precedence" else origin)
        if step.name in stored
        else step
        for step in base.steps
    )

    def conclude(known: Conclusion) -> BaseModel:
        found = base.conclude(known)
        if not isinstance(found, Decision):
            raise ReplayError("The record of the run is not a decision.")
        return _noted(found, again, rerun.told())

    return replace(base, steps=steps, conclude=conclude)


def _noted(decision: Decision, again: Again, told: tuple[Told, ...]) -> Decision:
    rejected = any(isinstance(one, ResultRejected) for one in again.overrides)
    steps = [f"{one.override.code}: {one.sentence}" for one in told if not one.taken or "changes nothing" in one.sentence]
    if rejected:
        steps.insert(0, f"Run the pack again: the result of run {again.earlier.run} is not accepted.")
    overridden = Overridden(earlier=again.earlier.run, told=told, rerun_required=rejected)
    return decision.model_copy(update={"overridden": overridden, "next_steps": (*dict.fromkeys(steps), *decision.next_steps)})
