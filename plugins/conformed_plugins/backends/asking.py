"""Asks a backend on behalf of an extractor or a drafter, and reads the JSON that it answers with. Nothing that it says is believed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from conformed.errors import ConformedError, PluginError
from conformed.ports import Backend, Completion
from conformed_plugins.verifiers.strict_json import read_json

__all__ = ["ask", "json_of"]

_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(?P<inner>.*)\n?```\s*", re.DOTALL)
MOST_CHARACTERS = 65_536
"""Longest answer that is read."""


def ask(
    backend: Backend | None, who: str, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
) -> tuple[tuple[Completion, ...], ...]:
    """Completions of a backend, one tuple a prompt, their shape checked.

    Args:
        backend: what generates.
        who: whoever asks, for messages.
        prompts: the prompts.
        samples: completions of each.
        seed: the seed.
        options: options of generation.

    Raises:
        PluginError: when there is no backend, it failed, or it gave something else than completions.
    """
    if backend is None:
        raise PluginError(
            f"{who} needs a backend, and the contract names none for its step.", "Name one, or leave the plugin out."
        )
    if not prompts:
        return ()
    try:
        given = backend.generate(prompts, samples=samples, seed=seed, options=options)
    except ConformedError:
        raise
    except Exception as problem:  # noqa: BLE001 - a stranger's code: whatever it raises ends here, and its words may be the prompt's
        kind = type(problem).__name__
    else:
        if _whole(given, len(prompts), samples):
            return given
        raise PluginError(f"The backend of {who} gave something else than {samples} completions a prompt.", "Ask its author.")
    raise PluginError(f"The backend of {who} failed with {kind}.", "Look at the backend.")


def _whole(given: object, prompts: int, samples: int) -> bool:
    return (
        isinstance(given, tuple)
        and len(given) == prompts
        and all(isinstance(row, tuple) and len(row) == samples for row in given)
        and all(isinstance(one, Completion) and type(one.text) is str for row in given for one in row)
    )


def json_of(text: str) -> tuple[Any, str]:
    """The JSON that an answer is, with no more around it than a thought before it or a fence; or None and why it is none.

    Returns:
        The value and an empty code, or None and a code of ``read_json``.
    """
    if len(text) > MOST_CHARACTERS:
        return None, "json_too_long"
    thought = _THOUGHT.match(text)
    rest = text[thought.end() :] if thought else text
    fenced = _FENCED.fullmatch(rest)
    return read_json(fenced["inner"] if fenced else rest, characters=MOST_CHARACTERS, depth=8)
