"""The task contract: what is decided before a prompt is written. A frozen record; the engine executes it as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema, model_validator

from conformed.model.base import Exact, Frozen
from conformed.model.codes import CODES
from conformed.policy.fitting import check_application
from conformed.policy.may import Action, SecondApproval, check_may, roles_for
from conformed.policy.parts import (
    AllowedPlugin,
    AnswerForm,
    Approval,
    Consequence,
    Evidence,
    Formula,
    Keep,
    Limits,
    Name,
    Normalisation,
    Retention,
    Seconds,
    Sentence,
    Slice,
    Task,
    Version,
    VersionPin,
)
from conformed.policy.refused import RefusedError
from conformed.policy.sampling import Sampling
from conformed.policy.steps import CORE_CHECK, Application, StepName, StepOutcome

__all__ = [
    "Action",
    "AllowedPlugin",
    "AnswerForm",
    "Application",
    "Approval",
    "Consequence",
    "Evidence",
    "Formula",
    "Keep",
    "Limits",
    "Normalisation",
    "PluginRef",
    "Retention",
    "Sampling",
    "SecondApproval",
    "Slice",
    "Step",
    "StepName",
    "StepOutcome",
    "Task",
    "TaskContract",
]

_SCALAR = {"type": ["string", "integer", "boolean"]}
_OPTIONS_SCHEMA = {"type": "object", "additionalProperties": {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]}}
Options = Annotated[dict[str, str | tuple[str, ...]], WithJsonSchema(_OPTIONS_SCHEMA)]
"""Options as written. They stay text until the plugin's own options model gives them types, when the contract is bound."""


class PluginRef(Frozen):
    """A plugin by name and version, with its options."""

    plugin: Name
    """Registered name within its kind."""
    version: VersionPin
    """Which versions are accepted."""
    options: Options = Field(default_factory=dict)
    """Options, checked against the plugin's own options model when the contract is bound."""


class Step(Frozen):
    """One step of the state machine: what it needs and gives, who does it, for how long, and where it leads."""

    name: StepName
    """Which step."""
    needs: tuple[str, ...]
    """Types that must have been given before."""
    gives: tuple[str, ...]
    """Types that it hands over."""
    uses: tuple[PluginRef, ...] = ()
    """Plugins that do it, in order; empty for steps that rules do."""
    backend: PluginRef | None = None
    """What generates for them, in the steps extract and draft; none where nothing is generated."""
    timeout_seconds: Seconds
    """Longest time for the step."""
    then: dict[StepOutcome, str]
    """Next state for each outcome: the next step, or ``person``."""


class TaskContract(Frozen):
    """A versioned, immutable task contract."""

    name: Name
    """Name."""
    version: Version
    """Version of the contract itself."""
    title: Sentence
    """One line for people."""
    application: Application = Application.COVENANT
    """What it is about, which fixes its steps."""
    task: Task
    """What is graded, how, and what stays with a person."""
    consequence: Consequence
    """What an error costs."""
    limits: Limits
    """Ceilings of one run."""
    steps: tuple[Step, ...]
    """The state machine. Of a covenant: intake, retrieve, extract, precedence, calculate, claim_check, draft. Of a short answer:
    route, generate, answer, verify, select."""
    verifier: Name = CORE_CHECK
    """Of a covenant: ``claim_check`` for the product's own deterministic checks alone, or a verifier used in that step beside
    them. Of a short answer: the verifier of the step verify that checks items which name no form."""
    on_verifier_error: Literal["review", "reject"] = "review"
    """Outcome when the verifier raises, times out or returns something malformed. Never accept."""
    on_unparsed: Literal["review", "reject"] = "review"
    """Outcome when an answer does not parse. Never accept."""
    evidence: tuple[Evidence, ...] = Field(min_length=1)
    """Sources of evidence permitted."""
    answer: AnswerForm
    """The accepted answer form."""
    normalisation: tuple[Normalisation, ...] = ()
    """Changes of representation allowed before comparing."""
    abstain_when: tuple[str, ...] = Field(min_length=1)
    """Reason codes that send the run to a person: single review codes, or ``review_*`` for all."""
    approval: Approval
    """Who may approve."""
    second_approval: SecondApproval | None = None
    """When a second person must confirm, beside what approval asks; with two_people always."""
    may: dict[Action, tuple[Name, ...]] = Field(default_factory=dict)
    """Who may do what: roles by action, or ``anyone``; what is not named keeps its default."""
    retention: Retention
    """What is kept."""
    regression_slices: tuple[Slice, ...] = ()
    """Golden cases that must not get worse."""
    allowed_plugins: tuple[AllowedPlugin, ...] = Field(min_length=1)
    """Distributions whose plugins may take part; nothing else is bound."""
    headroom_alert: Exact | None = None
    """Finding below this headroom, in turns of the ratio (``1/4`` or ``0.25``), exact; absent for no alert."""
    formulas: dict[Name, Formula] = Field(default_factory=dict)
    """How a ratio is worked out, by normal name of its metric (``net_leverage``); the rule book's own where a name is absent."""
    templates: dict[Name, Sentence] = Field(default_factory=dict)
    """The institution's own wording by name of the sentence; the drafter's own where a name is absent."""
    sampling: Sampling | None = None
    """Of a short answer: how much may be generated for one item, and how an answer is chosen; a covenant has none."""

    @model_validator(mode="after")
    def _consistent(self) -> TaskContract:
        check_application(self)
        check_may(self.may)
        self._steps_once()
        for index, code in enumerate(self.abstain_when):
            if code != "review_*" and not (code in CODES and code.startswith("review_")):
                raise RefusedError(
                    f"{code!r} is not a review code", "Write review_* or a code of `conformed codes`.", ("abstain_when", index)
                )
        if self.headroom_alert is not None and self.headroom_alert < 0:
            raise RefusedError("headroom_alert is negative", "Write zero or more, or leave it out.", ("headroom_alert",))
        for index, names in self._repeated():
            raise RefusedError(f"{names[1]!r} stands twice under {names[0]}", "Keep one.", (names[0], index))
        return self

    def _steps_once(self) -> None:
        for number, step in enumerate(self.steps):
            if step.timeout_seconds > self.limits.wall_seconds:
                raise RefusedError(
                    f"the step {step.name} may take {step.timeout_seconds} s and the whole run {self.limits.wall_seconds} s",
                    "Lower timeout_seconds or raise limits.wall_seconds.",
                    ("steps", number, "timeout_seconds"),
                )
            seen: set[str] = set()
            for index, ref in enumerate(step.uses):
                if ref.plugin in seen:
                    raise RefusedError(f"{step.name} uses {ref.plugin!r} twice", "Keep one.", ("steps", number, "uses", index))
                seen.add(ref.plugin)

    def _repeated(self) -> Iterator[tuple[int, tuple[str, str]]]:
        lists: tuple[tuple[str, list[str]], ...] = (
            ("regression_slices", [one.name for one in self.regression_slices]),
            ("allowed_plugins", [one.distribution.lower() for one in self.allowed_plugins]),
            ("evidence", [one.value for one in self.evidence]),
        )
        for key, names in lists:
            for index, name in enumerate(names):
                if name in names[:index]:
                    yield index, (key, name)

    def step(self, name: StepName | str) -> Step:
        """The step of a name.

        Raises:
            KeyError: when there is none (a loaded contract has all of its application).
        """
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(name)

    def abstains(self, code: str) -> bool:
        """Whether a reason code sends the run to a person under this contract."""
        return code in self.abstain_when or ("review_*" in self.abstain_when and code.startswith("review_"))

    def roles(self, action: Action) -> tuple[str, ...]:
        """Roles of which a person must hold one for an action; ``("anyone",)`` where none is asked for."""
        return roles_for(action, self.may, self.approval, self.second_approval)
