"""The plan of a run: what it is for, what is expected of it and what ends it, written before it begins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError

from conformed.errors import GivenTypeError, GivenValueError, PolicyError
from conformed.model.base import Frozen
from conformed.policy.strict import Node, parse
from conformed.policy.typed import Problem, shape

__all__ = ["RunPlan", "plan_of", "plan_text", "read_plan"]

_MEND = "Write it before the run begins: a plan made afterwards explains, and cannot be missed."


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty; write a sentence")
    return text


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _plain(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy of its own: what is written is what was planned, whatever the caller does to its mapping later."""
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as problem:
        raise ValueError("it holds something that is no plain JSON (an object, NaN); write numbers and texts") from problem
    return copied


Sentence = Annotated[str, AfterValidator(_said)]
Setting = str | int | bool | float | list[Any] | dict[str, Any] | None


class RunPlan(Frozen):
    """What is planned. None of the sentences may be empty, and there is no run without them."""

    model_config = ConfigDict(strict=True)

    objective: Sentence
    """What the run is to reach, as a figure where there is one."""
    hypothesis: Sentence
    """Why it should, in words that the run can prove wrong."""
    method: Literal["grpo", "policy", "sft", "trl"]
    """How it trains: the in-house GRPO, the whole way to a policy, supervised training, or the trainer of the plugin on TRL."""
    cap_updates: Annotated[int, Field(ge=1)]
    """Most updates."""
    cap_seconds: Annotated[int, Field(ge=1)]
    """Most seconds of wall clock."""
    stop_rules: Annotated[tuple[Sentence, ...], BeforeValidator(_as_tuple), Field(min_length=1)]
    """What ends it early. A rule of the form ``SERIES above NUMBER for N updates`` is also checked (see ``stops``)."""
    checkpoint_rule: Sentence
    """Which checkpoint is kept, and by what."""
    seed: Annotated[int, Field(ge=0)]
    """Seed of the run."""
    data_digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of the data set."""
    settings: Annotated[Mapping[str, Setting], AfterValidator(_plain)] = Field(default_factory=lambda: MappingProxyType({}))
    """Everything else that makes the run what it is, as plain JSON. From YAML, at their first level:
    whole numbers, true and false; everything else is text."""


_NEEDED = tuple(name for name, one in RunPlan.model_fields.items() if one.is_required())


def plan_of(given: RunPlan | Mapping[str, Any] | None) -> RunPlan:
    """A plan, checked.

    Args:
        given: a plan, or its keys and values; None stands for no plan at all.

    Raises:
        GivenTypeError: when it is neither.
        GivenValueError: naming everything that it lacks, or the first thing that is wrong with it.
    """
    if isinstance(given, RunPlan):
        return given
    if given is not None and not isinstance(given, Mapping):
        raise GivenTypeError(f"The plan is a {type(given).__name__}.", "Give a RunPlan.")
    plain = dict(given or {})
    lacking = [name for name in _NEEDED if name not in plain]
    if lacking:
        whole = "There is no plan" if not plain else "The plan is not whole"
        raise GivenValueError(f"{whole}: it lacks {', '.join(lacking)}.", _MEND)
    try:
        return RunPlan.model_validate(plain)
    except ValidationError as problem:
        where, said = _first(problem)
        raise GivenValueError(f"The plan: {where}: {said}.", "Mend the value.") from problem


def read_plan(text: str, *, name: str = "the plan") -> RunPlan:
    """A plan from YAML text: strict, and refused with line and column.

    Args:
        text: the YAML.
        name: how it is called in messages, the path for instance.

    Raises:
        PolicyError: for every refusal; all keys that lack are named at once.
    """
    try:
        root = parse(text.encode("utf-8"), name=name)
    except UnicodeEncodeError as problem:
        raise PolicyError("the text holds half a character (a lone surrogate).", "Delete it.", file=name) from problem
    if root.fields is None:
        raise PolicyError(f"the plan is {root.kind}.", "Write `key: value` lines.", file=name, line=root.line, column=root.column)
    lacking = [key for key in _NEEDED if key not in root.fields]
    problems: list[Problem] = []
    data = shape(root, RunPlan, problems)
    if problems:
        first = min(problems)
        raise PolicyError(first.found, first.mend, file=name, line=first.line, column=first.column)
    if lacking:
        raise PolicyError(f"the plan lacks {', '.join(lacking)}.", _MEND, file=name, line=root.line, column=root.column)
    try:
        return RunPlan.model_validate(data)
    except ValidationError as problem:
        where, said = _first(problem)
        node = _node(root, problem.errors(include_url=False, include_input=False)[0]["loc"])
        raise PolicyError(f"{where}: {said}.", "Mend the value.", file=name, line=node.line, column=node.column) from problem


def plan_text(plan: RunPlan) -> bytes:
    """A plan as it is kept: JSON with sorted keys, the same bytes for the same plan."""
    whole = json.dumps(plan.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return whole.encode("utf-8") + b"\n"


def _first(problem: ValidationError) -> tuple[str, str]:
    """Which key, and what is wrong with it, without the value itself."""
    first = problem.errors(include_url=False, include_input=False)[0]
    return ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ").rstrip(".")


def _node(root: Node, path: tuple[str | int, ...]) -> Node:
    node = root
    for part in path:
        if node.fields is not None and part in node.fields:
            node = node.fields[str(part)]
        elif node.items is not None and isinstance(part, int) and part < len(node.items):
            node = node.items[part]
    return node
