"""The tests of a code item, as they stand in its facts: strict, without floats, and kept outside the sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

__all__ = ["CallTest", "CodeTests", "StdinTest", "read_tests"]

JSON = {"sort_keys": True, "separators": (",", ":"), "ensure_ascii": True, "allow_nan": False}


def _has_float(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(not isinstance(key, str) or _has_float(one) for key, one in value.items())
    if isinstance(value, list | tuple):
        return any(_has_float(one) for one in value)
    return not (value is None or isinstance(value, bool | int | str))


class _Test(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class StdinTest(_Test):
    """The program is run on an input. What it prints is the answer."""

    kind: Literal["stdin"]
    """``stdin``."""
    input: str
    """What it can read."""
    output: str
    """What it must print. Line ends at the very end do not count, on either side; everything else does, to the byte."""

    def stdin(self) -> bytes:
        """The input as bytes."""
        return self.input.encode("utf-8")

    def expected(self) -> bytes:
        """The right output."""
        return self.output.encode("utf-8").rstrip(b"\n")


class CallTest(_Test):
    """A function of the program is called. What it returns is the answer.

    Floats cannot stand in facts. Where one is needed, ``arguments_json`` and ``result_json`` give JSON as text.
    """

    kind: Literal["call"]
    """``call``."""
    function: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]
    """Name of the function."""
    arguments: list[Any] = []
    """Arguments by position."""
    arguments_json: str | None = None
    """In place of ``arguments``."""
    result: Any = None
    """What it must return, type for type: 1, 1.0, true and "1" are four answers, and a tuple or a subclass is none."""
    result_json: str | None = None
    """In place of ``result``."""

    @model_validator(mode="after")
    def _one_of_each(self) -> CallTest:
        for name in ("arguments", "result"):
            text, named = getattr(self, f"{name}_json"), {name, f"{name}_json"} & self.model_fields_set
            if len(named) != 1:
                raise ValueError(f"give {name} or {name}_json")
            if text is not None and (json.dumps(json.loads(text), **JSON) != text):  # type: ignore[arg-type]
                raise ValueError(f"{name}_json is not in its one form: sorted keys, no spaces, ASCII, shortest floats")
            if _has_float(getattr(self, name)):
                raise ValueError(f"{name} holds what is no plain JSON without floats")
        if not isinstance(json.loads(self.call()), list):
            raise ValueError("arguments_json is no list")  # noqa: TRY004 - pydantic gathers ValueError
        return self

    def call(self) -> str:
        """The arguments as JSON text."""
        return self.arguments_json if self.arguments_json is not None else json.dumps(_thawed(self.arguments), **JSON)  # type: ignore[arg-type]

    def expected(self) -> bytes:
        """The right result, in the one form in which the sandbox writes results."""
        text = self.result_json if self.result_json is not None else json.dumps(_thawed(self.result), **JSON)  # type: ignore[arg-type]
        return text.encode("ascii")


def _thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thawed(one) for key, one in value.items()}
    return [_thawed(one) for one in value] if isinstance(value, list | tuple) else value


class CodeTests(_Test):
    """Tests of an item. A candidate's author may be told of the public ones; of the hidden ones nobody."""

    public: list[Annotated[StdinTest | CallTest, Field(discriminator="kind")]] = []
    """May be fed back."""
    hidden: list[Annotated[StdinTest | CallTest, Field(discriminator="kind")]] = []
    """Count in the verdict and show nowhere."""


def read_tests(facts: Mapping[str, Any], most: int) -> CodeTests | str:
    """Tests of an item, or the code of why there are none: tests_missing, tests_malformed or tests_too_many.

    Args:
        facts: facts of the request; its ``tests`` has the lists ``public`` and ``hidden``.
        most: most tests, both lists together.
    """
    if not facts.get("tests"):
        return "tests_missing"
    try:
        tests = CodeTests.model_validate(_thawed(facts["tests"]))
        for test in (*tests.public, *tests.hidden):
            test.expected()
            if isinstance(test, StdinTest):
                test.stdin()
    except (ValidationError, ValueError, TypeError, RecursionError):
        return "tests_malformed"
    count = len(tests.public) + len(tests.hidden)
    return "tests_missing" if count == 0 else "tests_too_many" if count > most else tests
