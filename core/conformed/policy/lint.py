"""Lints a contract: everything that refuses it, and what loads but deserves a second look. Each with code and place."""

from __future__ import annotations

from collections.abc import Iterator

from conformed.errors import PolicyError
from conformed.model.base import Frozen
from conformed.policy.load import Loaded, load_bytes, problems_of
from conformed.policy.schema import Application, Consequence, Keep, StepName, StepOutcome, TaskContract
from conformed.policy.steps import PERSON
from conformed.policy.versions import Pin

__all__ = ["CODES", "Note", "lint"]

CODES = {
    "P001": "The contract is refused.",
    "P101": "High consequence and one person may approve alone.",
    "P102": "No regression slices: a change cannot be tested.",
    "P103": "The steps' time limits add up to more than the run's.",
    "P104": "High consequence and a plugin is pinned to a range of versions.",
    "P105": "A failed check or an unparsed answer rejects, so that no person sees why.",
    "P106": "Not every review code sends the run to a person.",
    "P107": "Scratch text of models is kept.",
    "P108": "A step with something open ends the run early, so that the person gets a thinner file.",
    "P109": "No headroom alert is set.",
    "P110": "Tokens may be generated and no cost or output limit bounds them.",
}
"""Codes of lint. P0xx refuse, P1xx warn."""


class Note(Frozen):
    """One remark of lint."""

    code: str
    """One of CODES."""
    level: str
    """error or warning."""
    file: str
    """File."""
    line: int
    """1-based."""
    column: int
    """1-based."""
    found: str
    """What was found."""
    mend: str
    """What to do."""

    def __str__(self) -> str:
        """One line, as compilers write it."""
        return f"{self.file}:{self.line}:{self.column}: {self.level} {self.code}: {self.found} {self.mend}".rstrip()


def lint(data: bytes, *, name: str) -> tuple[Note, ...]:
    """Lints the bytes of a contract.

    Args:
        data: the exact bytes.
        name: how the file is called in messages.

    Returns:
        Remarks, sorted by place; empty where there are none.
    """
    if problems := problems_of(data, TaskContract, name=name):
        return tuple(
            Note(code="P001", level="error", file=name, line=one.line, column=one.column, found=one.found, mend=one.mend)
            for one in problems
        )
    try:
        loaded = load_bytes(data, TaskContract, name=name)
    except PolicyError as problem:  # the same check as above; kept so that the two can never disagree in silence
        return (
            Note(
                code="P001",
                level="error",
                file=name,
                line=problem.line,
                column=problem.column,
                found=problem.found,
                mend=problem.mend,
            ),
        )
    notes = []
    for code, found, mend, path in _warnings(loaded.value):
        line, column = _place(loaded, path)
        notes.append(Note(code=code, level="warning", file=name, line=line, column=column, found=found, mend=mend))
    return tuple(sorted(notes, key=lambda note: (note.line, note.column, note.code)))


def _place(loaded: Loaded[TaskContract], path: tuple[str | int, ...]) -> tuple[int, int]:
    return loaded.place(*path)


def _warnings(contract: TaskContract) -> Iterator[tuple[str, str, str, tuple[str | int, ...]]]:
    """Code, what was found, mend, path."""
    high = contract.consequence is Consequence.HIGH
    if high and not contract.approval.two_people:
        yield (
            "P101",
            "one person may approve although the consequence is high.",
            "Set two_people: true.",
            ("approval", "two_people"),
        )
    if not contract.regression_slices:
        yield "P102", "there are no regression slices.", "Name the cases that must not get worse.", ()
    total = sum(step.timeout_seconds for step in contract.steps)
    if total > contract.limits.wall_seconds:
        found = f"the steps may take {total} s together and the run {contract.limits.wall_seconds} s."
        yield "P103", found, "The run's limit counts; lower the steps' or raise it.", ("limits", "wall_seconds")
    for index, step in enumerate(contract.steps):
        for place, ref in enumerate(step.uses):
            if high and len(Pin.parse(ref.version).bounds) > 1:
                found = f"{ref.plugin} is pinned to the range {ref.version}."
                yield "P104", found, "Pin one version.", ("steps", index, "uses", place, "version")
        ends = step.then[StepOutcome.REVIEW] == PERSON and index + 1 < len(contract.steps)
        if ends and step.name is not StepName.ROUTE:  # what is routed to a person is not to be answered by a machine
            found = f"an open point in {step.name} ends the run."
            yield "P108", found, "Let review lead to the next step.", ("steps", index, "then", "review")
    for key in ("on_verifier_error", "on_unparsed"):
        if getattr(contract, key) == "reject":
            yield "P105", f"{key} is reject.", "Write review.", (key,)
    if "review_*" not in contract.abstain_when:
        yield (
            "P106",
            "abstain_when lists single codes.",
            'Write "review_*" unless the others are meant to pass.',
            ("abstain_when",),
        )
    if Keep.SCRATCH_TEXT in contract.retention.keep:
        yield "P107", "scratch_text is kept.", "Move it to never_keep.", ("retention", "keep")
    if contract.application is Application.COVENANT and contract.headroom_alert is None:
        yield "P109", "headroom_alert is not set.", "Give the least headroom that passes without a remark, in turns.", ()
    limits = contract.limits
    if limits.generated_tokens and not (limits.cost_units and limits.output_tokens):
        found = "tokens may be generated and cost_units or output_tokens is zero."
        yield "P110", found, "State all three, or forbid generation with 0.", ("limits", "generated_tokens")
