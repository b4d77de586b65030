"""JSON from files, read strictly into models: every refusal is one sentence with its place, field and mend."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from conformed.errors import UsageError

__all__ = ["lines_of", "read_bytes", "validated"]

M = TypeVar("M", bound=BaseModel)


def read_bytes(path: Path, what: str, most: int) -> bytes:
    """The bytes of a file.

    Args:
        path: the file.
        what: what it is, for messages: ``data set``.
        most: most bytes.

    Raises:
        UsageError: when it cannot be read or is larger.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as problem:
        raise UsageError(f"The {what} {path} cannot be read: {problem.strerror}.", "Check its path and permissions.") from problem
    if len(data) > most:
        raise UsageError(f"The {what} {path} is larger than {most} bytes.", "Give a smaller one.")
    return data


def lines_of(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """The lines of a file that are not blank, each with its place, ``name:number``."""
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            yield f"{name}:{number}", line


def validated(data: bytes, model: type[M], place: str, fields: str) -> M:
    """A model from JSON in which no key stands twice.

    Args:
        data: the JSON.
        model: what it must fit.
        place: where it stands, for messages.
        fields: which fields there are, as the mend of a refusal.

    Raises:
        UsageError: naming place and field.
    """
    try:
        return model.model_validate(json.loads(data, object_pairs_hook=_once))
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "the whole"
        said = first["msg"].removeprefix("Value error, ").rstrip(".")
        raise UsageError(f"{place}: {field}: {said}.", fields) from problem
    except RecursionError as problem:
        raise UsageError(f"{place}: nested too deeply.", fields) from problem
    except ValueError as problem:
        raise UsageError(f"{place}: no JSON object: {problem}.", fields) from problem


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(pairs)
    if len(whole) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return whole
