"""From strings to the types that a schema asks for, and nothing looser.

pydantic alone would read ``010`` as ten, ``1_000`` as a thousand, ``yes`` as true and ``1704067200`` as a date. Here a
scalar becomes a whole number, a truth value or a date only in its one plain form; everything else stays text and is
judged as text.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from conformed.policy.nulls import NOTHING
from conformed.policy.strict import Node

__all__ = ["Problem", "near", "shape"]

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong with a file; sorts by place."""

    line: int
    """1-based."""
    column: int
    """1-based."""
    found: str
    """What was found."""
    mend: str
    """What to do."""


def near(word: str, known: Iterable[str]) -> str:
    """A mend that names the nearest known word, or all of them where none is near."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(names) or 'none'}."


def shape(node: Node, kind: Any, problems: list[Problem]) -> Any:
    """Plain data for pydantic, with scalars turned into what the annotation asks for.

    Args:
        node: a value of the file.
        kind: the annotation of the place where it stands.
        problems: what is refused is added here, with its place.
    """
    kind = _bare(kind)
    if get_origin(kind) in (Union, types.UnionType):
        kind = _choose(node, [_bare(one) for one in get_args(kind) if one is not type(None)])
    if node.scalar is not None:
        return _scalar(node, node.scalar, kind, problems)
    if node.items is not None:
        inner = _item_kinds(kind, len(node.items))
        return [shape(item, one, problems) for item, one in zip(node.items, inner, strict=True)]
    assert node.fields is not None
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _model(node, node.fields, kind, problems)
    value_kind = get_args(kind)[1] if get_origin(kind) in (dict, Mapping) and len(get_args(kind)) == 2 else Any
    return {key: shape(value, value_kind, problems) for key, value in node.fields.items()}


def _bare(kind: Any) -> Any:
    """An annotation without Annotated and type aliases."""
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif hasattr(kind, "__value__"):  # a `type X = ...` alias of Python 3.12
            kind = kind.__value__
        else:
            return kind


def _choose(node: Node, kinds: list[Any]) -> Any:
    """The member of a union that fits the form of the value; Any where that is not one."""
    if node.fields is not None:
        fitting = [k for k in kinds if (isinstance(k, type) and issubclass(k, BaseModel)) or get_origin(k) in (dict, Mapping)]
    elif node.items is not None:
        fitting = [k for k in kinds if get_origin(k) in (list, tuple, set, frozenset, Sequence)]
    else:
        text = node.scalar or ""
        fitting = [k for k in kinds if (k is int and _WHOLE.match(text)) or (k is bool and text in ("true", "false"))]
        fitting = fitting or [k for k in kinds if k not in (int, bool)] or kinds
        return fitting[0]
    return fitting[0] if len(fitting) == 1 else Any


def _item_kinds(kind: Any, count: int) -> list[Any]:
    """The annotation of each item of a list."""
    arguments = get_args(kind)
    if get_origin(kind) is tuple and arguments and arguments[-1] is not Ellipsis:
        return [*arguments, *[Any] * count][:count]
    if get_origin(kind) in (list, tuple, set, frozenset, Sequence) and arguments:
        return [arguments[0]] * count
    return [Any] * count


def _scalar(node: Node, text: str, kind: Any, problems: list[Problem]) -> Any:
    """One scalar in the type asked for, or a problem and the text. A marked ``null`` stays: its shape says what it means."""
    if text == NOTHING:
        return text
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    if kind is bool or (choices and all(isinstance(one, bool) for one in choices)):
        if text in ("true", "false"):
            return text == "true"
        problems.append(Problem(node.line, node.column, f"{text!r} is neither true nor false.", "Write true or false."))
    elif kind is int:
        if _WHOLE.match(text) and len(text) <= 18:
            return int(text)
        problems.append(
            Problem(
                node.line,
                node.column,
                f"{text!r} is not a whole number.",
                "Write digits only, without a leading zero, sign or exponent.",
            )
        )
    elif kind is dt.date:
        try:
            if _DATE.match(text):
                return dt.date.fromisoformat(text)
        except ValueError:
            pass
        problems.append(Problem(node.line, node.column, f"{text!r} is not a date.", "Write year, month and day: 2024-12-31."))
    elif kind is float:
        problems.append(
            Problem(
                node.line,
                node.column,
                f"{text!r} stands where a binary float is asked for.",
                "Ask the schema's author for an exact type.",
            )
        )
    return text


def _model(node: Node, fields: dict[str, Node], model: type[BaseModel], problems: list[Problem]) -> dict[str, Any]:
    """A mapping that becomes a model: unknown keys are refused at the key."""
    known: dict[str, Any] = {(info.alias or name): info.annotation for name, info in model.model_fields.items()}
    data: dict[str, Any] = {}
    for key, value in fields.items():
        if key in known:
            data[key] = shape(value, known[key], problems)
        else:
            place = node.keys[key]
            problems.append(Problem(place.line, place.column, f"the key {key!r} is not known here.", near(key, known)))
    return data
