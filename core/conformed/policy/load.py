"""Loads a YAML file into a model: strict, with the place of every refusal and the digest of the exact bytes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from conformed.errors import PolicyError
from conformed.policy.refused import RefusedError
from conformed.policy.strict import MAX_BYTES, Node, parse
from conformed.policy.typed import Problem, near, shape

__all__ = ["Loaded", "load_bytes", "load_model", "load_text", "problems_of"]

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Loaded(Generic[M]):
    """A model and the bytes from which it was read."""

    value: M
    """The validated model."""
    digest: str
    """SHA-256 of the exact bytes, 64 lower-case hex digits."""
    path: str
    """The file, as it was named."""
    data: bytes = field(repr=False)
    """The exact bytes."""
    places: Mapping[tuple[str | int, ...], tuple[int, int]] = field(repr=False)
    """Line and column (1-based) of each key path, e.g. ``("steps", 0, "uses")``."""

    def place(self, *path: str | int) -> tuple[int, int]:
        """Line and column of a key path, or of the nearest one above it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, (1, 1))


def load_model(path: Path, model: type[M]) -> Loaded[M]:
    """Reads a YAML file into a model.

    Args:
        path: the file.
        model: the pydantic model that it must fit.

    Raises:
        PolicyError: for every refusal, with file, line, column and the mend.
    """
    name = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError as problem:
        raise PolicyError("there is no such file.", "Check the path.", file=name) from problem
    except OSError as problem:
        raise PolicyError(f"the file cannot be read: {problem.strerror}.", "Check its permissions.", file=name) from problem
    return load_bytes(data, model, name=name)


def load_text(text: str, model: type[M], *, name: str) -> Loaded[M]:
    """Reads YAML text into a model; the digest is of its UTF-8 bytes.

    Args:
        text: the YAML.
        model: the pydantic model that it must fit.
        name: how it is called in messages.

    Raises:
        PolicyError: for every refusal, with file, line, column and the mend.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise PolicyError("the text holds half a character (a lone surrogate).", "Delete it.", file=name) from problem
    return load_bytes(data, model, name=name)


def load_bytes(data: bytes, model: type[M], *, name: str) -> Loaded[M]:
    """Reads bytes into a model.

    Args:
        data: the exact bytes of the YAML.
        model: the pydantic model that it must fit.
        name: how it is called in messages.

    Raises:
        PolicyError: for every refusal, with file, line, column and the mend.
    """
    root = parse(data, name=name)
    value, problems = _validate(root, model)
    if problems or value is None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more below it)" if len(problems) > 1 else ""
        raise PolicyError(first.found + more, first.mend, file=name, line=first.line, column=first.column)
    return Loaded(value=value, digest=hashlib.sha256(data).hexdigest(), path=name, data=data, places=_places(root))


def problems_of(data: bytes, model: type[BaseModel], *, name: str) -> tuple[Problem, ...]:
    """Everything that is wrong with a file, sorted by place; empty where it loads."""
    try:
        root = parse(data, name=name)
    except PolicyError as problem:
        # The first words of the message are the place, which the problem carries apart.
        return (Problem(problem.line, problem.column, problem.found, problem.mend),)
    return tuple(_validate(root, model)[1])


def _validate(root: Node, model: type[M]) -> tuple[M | None, list[Problem]]:
    """The model, or what is wrong, sorted by place."""
    problems: list[Problem] = []
    if root.fields is None:
        return None, [Problem(root.line, root.column, f"the file is {root.kind}.", "It must be a mapping: `key: value` lines.")]
    data = shape(root, model, problems)
    value: M | None = None
    try:
        value = model.model_validate(data)
    except ValidationError as failure:
        problems += _further(root, failure, problems)
    return value, sorted(problems)


def _further(root: Node, failure: ValidationError, known: list[Problem]) -> list[Problem]:
    """What pydantic found beyond what is known already, without the echoes of it."""
    taken = {(problem.line, problem.column) for problem in known}
    mends = " ".join(problem.mend for problem in known)
    found = []
    for error in failure.errors(include_url=False):
        if error["type"] == "missing" and f"Did you mean {str(error['loc'][-1])!r}?" in mends:
            continue  # the key is there, misspelt
        if error["type"] == "value_error" and known:
            continue  # a check of a whole model says nothing while parts of it are not what was written
        if error["type"] == "too_short" and len(_at(root, error["loc"])[0].items or ()) >= error["ctx"]["min_length"]:
            continue  # the list is long enough; one of its items is wrong and stands below
        problem = _problem(root, error)
        if (problem.line, problem.column) not in taken:
            found.append(problem)
    # Were every error an echo of another, the file would still not fit: something must be said.
    return found or ([] if known else [_problem(root, failure.errors(include_url=False)[0])])


def _problem(root: Node, error: Any) -> Problem:
    """A pydantic error at the place of the node that it is about."""
    node, trail = _at(root, error["loc"])
    where = ".".join(trail)
    line, column = node.line, node.column
    context = error.get("ctx") or {}
    if error["type"] == "missing":
        missing = error["loc"][-1]
        return Problem(line, column, f"the key {missing!r} is missing{f' in {where}' if where else ''}.", f"Add `{missing}:`.")
    if error["type"] == "value_error":
        cause = context.get("error")
        refused = cause if isinstance(cause, RefusedError) else RefusedError(str(cause or error["msg"]), "")
        node, _ = _at(node, refused.path)  # a check of a whole model may say which of its keys it is about
        found = refused.found.removesuffix(".") + "."
        return Problem(node.line, node.column, f"{where}: {found}" if where else found, refused.mend)
    found, mend = _words(node, error["type"], error["msg"], context)
    return Problem(line, column, f"{where}: {found}" if where else found, mend)


def _words(node: Node, kind: str, message: str, context: Mapping[str, Any]) -> tuple[str, str]:
    """What was found and the mend, for the errors that people make."""
    shown = f"{node.scalar!r}" if node.scalar is not None else node.kind
    if kind in ("enum", "literal_error"):
        return f"{shown} is not known here.", near(node.scalar or "", re.findall(r"'([^']*)'", str(context.get("expected"))))
    if kind == "string_pattern_mismatch":
        return f"{shown} does not have the expected form.", f"The form is {context['pattern']}."
    if kind == "too_short":
        return "the list is too short.", f"Give at least {context['min_length']}."
    forms = {"string": "text", "tuple": "a list", "list": "a list", "dict": "a mapping", "model": "a mapping"}
    belongs = forms.get(kind.partition("_")[0])
    if kind.endswith("_type") and belongs is not None:
        return f"{shown} stands where {belongs} belongs.", f"Write {belongs}."
    return f"{shown} is refused: {message[:1].lower()}{message[1:]}.", "Mend the value."


def _at(root: Node, path: Iterable[str | int]) -> tuple[Node, list[str]]:
    """The node at a path of pydantic's, and the part of the path that the file has."""
    node, trail = root, []
    for part in path:
        if node.fields is not None and part in node.fields:
            node = node.fields[str(part)]
        elif node.items is not None and isinstance(part, int) and 0 <= part < len(node.items):
            node = node.items[part]
        else:
            continue  # pydantic's own label of a branch of a union, or a missing key
        trail.append(str(part))
    return node, trail


def _places(root: Node) -> dict[tuple[str | int, ...], tuple[int, int]]:
    """Where each key path stands."""
    places: dict[tuple[str | int, ...], tuple[int, int]] = {(): (root.line, root.column)}
    waiting: list[tuple[tuple[str | int, ...], Node]] = [((), root)]
    while waiting:
        path, node = waiting.pop()
        inner: list[tuple[str | int, Node]] = list((node.fields or {}).items())
        inner += enumerate(node.items or [])
        for part, child in inner:
            places[(*path, part)] = (child.line, child.column)
            waiting.append(((*path, part), child))
    return places
