"""JSON of a candidate, read so that it has one meaning or none: no key twice, no float, no NaN, within limits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NoReturn

__all__ = ["exact_number", "plain", "read_json", "written"]

_NUMBER = re.compile(r"-?[0-9]{1,200}(?:\.[0-9]{1,200}|/[0-9]{1,200})?", re.ASCII)


class _Refused(ValueError):  # noqa: N818 - never leaves this module
    """The code of a refusal."""


def _refuse(code: str) -> NoReturn:
    raise _Refused(code)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _refuse("duplicate_key")


def _whole(digits: str) -> int:
    return int(digits) if len(digits) <= 1000 else _refuse("number_too_long")


def read_json(text: str, *, characters: int = 65_536, values: int = 2_000, depth: int = 32) -> tuple[Any, str]:
    """The value and an empty code, or None and why it is refused.

    Args:
        text: what a candidate wrote.
        characters: most characters.
        values: most values in it, keys not counted.
        depth: deepest nesting.

    Returns:
        One of the codes json_too_long, not_json, duplicate_key, float_refused, nan_refused, number_too_long, surrogate_refused,
        json_too_deep, json_too_many_values, or none.
    """
    if len(text) > characters:
        return None, "json_too_long"
    try:
        found = json.loads(
            text,
            object_pairs_hook=_once,
            parse_float=lambda _digits: _refuse("float_refused"),
            parse_constant=lambda _name: _refuse("nan_refused"),
            parse_int=_whole,
        )
        written(found).encode("utf-8")
    except _Refused as refusal:
        return None, str(refusal)
    except UnicodeEncodeError:
        return None, "surrogate_refused"
    except RecursionError:
        return None, "json_too_deep"
    except ValueError:
        return None, "not_json"
    level, count = [found], 0
    for _ in range(depth + 1):
        count += len(level)
        if count > values:
            return None, "json_too_many_values"
        level = [
            one
            for value in level
            if isinstance(value, dict | list)
            for one in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return found, ""
    return None, "json_too_deep"


def plain(value: Any) -> Any:
    """Facts as plain lists and dictionaries, however they were frozen."""
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def written(value: Any) -> str:
    """The one text of a JSON value. Two values are the same, types included, exactly when their texts are."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def exact_number(value: Any) -> Fraction | None:
    """An exact number given as an integer or as text such as ``3.50`` or ``-7/2``; None for anything else, exponents included."""
    if type(value) is int:
        return Fraction(value)
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return None
    try:
        return Fraction(value)
    except ZeroDivisionError:
        return None
