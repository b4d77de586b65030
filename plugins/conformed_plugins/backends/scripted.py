"""A backend that says what a file says it should: for tests, demonstrations and the casefiles. It generates nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformed.errors import PluginError
from conformed.ports import Completion

__all__ = ["ScriptedBackend", "ScriptedOptions"]

MOST_BYTES = 16 << 20
"""Largest script."""


class ScriptedOptions(BaseModel):
    """Options of the backend."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    script: Path | None = None
    """A JSON file: a list of objects with ``when`` (words of the prompt) and ``say`` (responses, by sample). None says nothing."""


class _Line(BaseModel):
    """What is said to prompts that hold some words."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    when: str = Field(min_length=1)
    say: list[str] = Field(min_length=1)


class ScriptedBackend:
    """Answers from its script. The first line whose words the prompt holds counts; sample n gets response n, over and over.

    With a temperature the seed says with which response it begins. A prompt that no line fits gets an empty response, which holds no answer and so ends in review.

    Args:
        options: where the script is.

    Raises:
        PluginError: when the script cannot be read or is none.
    """

    repeatable = True

    def __init__(self, options: ScriptedOptions) -> None:
        data = b"[]"
        if options.script is not None:
            try:
                with options.script.open("rb") as stream:
                    data = stream.read(MOST_BYTES + 1)
            except OSError as problem:
                raise PluginError(
                    f"The script {options.script} cannot be read: {problem.strerror}.", "Mend `script`."
                ) from problem
        if len(data) > MOST_BYTES:
            raise PluginError(f"The script {options.script} is larger than {MOST_BYTES} bytes.", "Give a smaller one.")
        try:
            self._lines = [_Line.model_validate(one) for one in json.loads(data)]
        except (ValidationError, ValueError, TypeError, RecursionError) as problem:
            raise PluginError(f"The script {options.script} is refused.", "Write a list of {when, say}.") from problem
        self._producer = f"sha256:{hashlib.sha256(data).hexdigest()}"

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        """Completions, one tuple a prompt. Tokens are words of the text; their numbers mean nothing."""
        first = seed if "temperature" in options else 0
        return tuple(tuple(self._one(prompt, first + sample) for sample in range(samples)) for prompt in prompts)

    def _one(self, prompt: str, sample: int) -> Completion:
        said = next((line.say for line in self._lines if line.when in prompt), [""])
        text = said[sample % len(said)]
        words = len(text.split())
        return Completion(text, tuple(range(words)), (0.0,) * words, (0.0,) * words, "eos", self._producer, len(prompt.split()))
