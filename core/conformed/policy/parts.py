"""The parts of a task contract that stand by themselves: words, limits, approval, retention and the like."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from conformed.errors import RuleError
from conformed.model.base import Frozen
from conformed.policy.refused import RefusedError
from conformed.policy.versions import Pin, parse_version
from conformed.rules.calculation.formula import NAMES, names_in

__all__ = [
    "AllowedPlugin",
    "AnswerForm",
    "Approval",
    "Consequence",
    "Count",
    "Evidence",
    "Formula",
    "Keep",
    "Limits",
    "Name",
    "Normalisation",
    "Retention",
    "Seconds",
    "Sentence",
    "Slice",
    "Task",
    "Version",
    "VersionPin",
]


def _version(text: str) -> str:
    parse_version(text)
    return text


def _pin(text: str) -> str:
    Pin.parse(text)
    return text


def _formula(text: str) -> str:
    """A formula in the closed language, over the names that a calculation can give."""
    try:
        names = names_in(text)
    except RuleError as problem:
        raise RefusedError(f"not a formula: {problem.found}", "Write names, numbers, + - * / ( ), min and max.") from problem
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        raise RefusedError(f"{unknown[0]!r} is nothing that a calculation gives", f"Names: {', '.join(NAMES)}.")
    if "earnings" not in names:
        raise RefusedError("the formula does not name earnings", f"Names: {', '.join(NAMES)}.")
    return text


Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
"""Lower case, digits, underscore and hyphen; begins with a letter."""
Sentence = Annotated[str, Field(min_length=3, max_length=2000)]
"""Plain words for a person."""
Count = Annotated[int, Field(ge=0, le=10**15)]
"""A whole number, zero allowed."""
Seconds = Annotated[int, Field(ge=1, le=86_400)]
"""Whole seconds, one day at most."""
Formula = Annotated[str, Field(min_length=3, max_length=400), AfterValidator(_formula)]
"""A ratio in the closed expression language, such as ``(debt - cash) / earnings``."""
Version = Annotated[str, AfterValidator(_version)]
"""Numbers and points, ``1.0.0``."""
VersionPin = Annotated[str, AfterValidator(_pin)]
"""Exact (``1.0.0``) or a range with both ends (``>=1,<2``)."""


class Consequence(StrEnum):
    """What an error costs. High: the machine prepares the file and a person concludes."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Evidence(StrEnum):
    """A source that may show a fact."""

    PACK_DOCUMENT = "pack_document"
    ATTESTATION = "attestation"
    QUESTION_FACT = "question_fact"


class Normalisation(StrEnum):
    """A change of representation (never of value) that is allowed before comparing."""

    EXACT_NUMBERS = "exact_numbers"
    ISO_DATES = "iso_dates"
    PROVISION_NUMBERS = "provision_numbers"
    WHITE_SPACE = "white_space"


class Keep(StrEnum):
    """An artefact of a run that may be kept for audit."""

    DECISION_RECORD = "decision_record"
    EVIDENCE = "evidence"
    CALCULATION_TRACE = "calculation_trace"
    RATIONALE = "rationale"
    MODEL_OUTPUT = "model_output"
    RENDERED_PROMPT = "rendered_prompt"
    SCRATCH_TEXT = "scratch_text"


class Limits(Frozen):
    """Ceilings of one run. When one is reached the run goes to a person (review_budget_exceeded)."""

    input_tokens: Count
    """Most tokens given to models; without a model, words of the pack's text are not counted."""
    output_tokens: Count
    """Most tokens of the answers that are kept."""
    generated_tokens: Count
    """Most tokens that models may generate, discarded ones included; 0 forbids generation."""
    wall_seconds: Seconds
    """Longest run, in seconds of wall time."""
    cost_units: Count
    """Most cost units, in the unit of the institution's own price list; 0 forbids anything that costs."""


class AnswerForm(Frozen):
    """The accepted form of the answer."""

    record: Literal["conformed.decision/1", "conformed.answer/1"]
    """Shape of the record that a run hands over: of the covenant case, or of a short answer."""
    results: tuple[Literal["pass", "breach", "not_tested", "answered", "review"], ...] = Field(min_length=1)
    """Results that it may state."""

    @model_validator(mode="after")
    def _review_is_possible(self) -> AnswerForm:
        if "review" not in self.results:
            raise RefusedError(
                "review is not among the results", "Add it: a run must always be able to stop for a person.", ("results",)
            )
        return self


class Approval(Frozen):
    """Who may approve the action that stays under human authority."""

    roles: tuple[Name, ...] = Field(min_length=1)
    """Roles whose holders may approve."""
    two_people: bool
    """Whether two people must; nobody approves their own work in any case."""
    different_roles: bool = False
    """Whether the two must hold different roles."""

    @model_validator(mode="after")
    def _can_be_done(self) -> Approval:
        if len(set(self.roles)) != len(self.roles):
            raise RefusedError("a role stands twice", "Keep one.", ("roles",))
        if self.different_roles and not self.two_people:
            raise RefusedError(
                "different_roles is set for one person", "Set two_people: true, or take it out.", ("different_roles",)
            )
        if self.different_roles and len(self.roles) < 2:
            raise RefusedError("different_roles is set and there is one role", "Name a second role.", ("roles",))
        return self


class Retention(Frozen):
    """What is kept for audit, and for how long; what is never kept."""

    keep: tuple[Keep, ...] = Field(min_length=1)
    """Artefacts kept."""
    years: int = Field(ge=1, le=100)
    """Whole years, from the end of the run."""
    never_keep: tuple[Keep, ...] = (Keep.SCRATCH_TEXT,)
    """Artefacts that are discarded with the run."""

    @model_validator(mode="after")
    def _clear(self) -> Retention:
        if both := sorted(set(self.keep) & set(self.never_keep)):
            raise RefusedError(f"{both[0]} is both kept and never kept", "Take it out of one of the lists.", ("never_keep",))
        if Keep.SCRATCH_TEXT not in (*self.keep, *self.never_keep):
            raise RefusedError(
                "nothing is said of scratch_text", "Put it under never_keep, or under keep where that is meant.", ("never_keep",)
            )
        if Keep.DECISION_RECORD not in self.keep:
            raise RefusedError("decision_record is not kept", "Add it: a run without its record shows nothing.", ("keep",))
        return self


class Slice(Frozen):
    """A named set of golden cases that must not get worse."""

    name: Name
    """Name of the slice."""
    cases: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9][A-Za-z0-9_.-]*)*$")], ...] = Field(
        min_length=1
    )
    """Folders of the cases, relative to the workspace."""


class AllowedPlugin(Frozen):
    """A distribution whose plugins may take part."""

    distribution: Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$")]
    """Name of the installed distribution."""
    version: VersionPin
    """Which versions are accepted."""
    entry_points: tuple[str, ...] = ()
    """Its entry points that are meant; empty for all. One that is meant and failed to load stops the contract."""
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the installed files as `conformed plugins` shows it, where the very build is pinned."""


class Task(Frozen):
    """What the task is, for `policy explain` and the build check."""

    graded: Sentence
    """The object graded: what is right or wrong in the end."""
    checkability: Literal["cheap", "dear"]
    """What it costs to check an answer."""
    rung: Literal["recall", "local_transformation", "composition", "search", "grounded_action"]
    """Rung of the ladder."""
    baseline: Sentence
    """The direct baseline against which anything dearer is compared."""
    human_action: Sentence
    """The action that remains under human authority."""
