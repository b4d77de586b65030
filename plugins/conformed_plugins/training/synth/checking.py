"""The check of an answer: reads JSON of one form, evaluates nothing, needs no clock, no thread and no second look."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NoReturn

from conformed.errors import GivenTypeError
from conformed.evaluation.normalise import normalise_date, normalise_ratio
from conformed.model.answer import Outcome
from conformed_plugins.training.items import Checked, Task, TrainingItem
from conformed_plugins.training.synth.steps import judged_trace
from conformed_plugins.training.synth.unreadable import unreadable

__all__ = ["LONGEST", "check"]

LONGEST = 8_192
"""Most characters of a response; a longer one is wrong unread."""

_NONE: Mapping[str, bool] = MappingProxyType({})
_NORMAL: Mapping[str, Callable[[str], tuple[str | None, str]]] = {"level": normalise_ratio, "date": normalise_date}


class _Refused(ValueError):  # noqa: N818 - never leaves this module
    """The code of a refusal."""


def _refuse(code: str) -> NoReturn:
    raise _Refused(code)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _refuse("duplicate_key")


_READER = json.JSONDecoder(
    object_pairs_hook=_once,
    parse_float=lambda _digits: _refuse("number_refused"),
    parse_int=lambda _digits: _refuse("number_refused"),
    parse_constant=lambda _name: _refuse("number_refused"),
)


def check(item: TrainingItem, text: str) -> Checked:
    """Judges a response.

    Args:
        item: the question, with its right answer.
        text: the whole response; white space around it does not matter.

    Returns:
        ``incorrect`` with ``format_ok`` False for what is not JSON of the task's form; ``review`` only where no field is
        wrong and one cannot be told; ``error`` where the item itself is faulty.

    Raises:
        GivenTypeError: when the response is no text.
    """
    if not isinstance(text, str):
        raise GivenTypeError(f"A response of type {type(text).__name__} is no text.", "Give a str.")
    judge = _JUDGES.get(item.task)
    if judge is None:
        return Checked(Outcome.ERROR, format_ok=False, code="error_no_check_for_task")
    if len(text) > LONGEST:
        return Checked(Outcome.INCORRECT, format_ok=False, code="response_too_long")
    try:
        found = _READER.decode(text)
    except _Refused as refusal:
        return Checked(Outcome.INCORRECT, format_ok=False, code=str(refusal))
    except RecursionError:
        return Checked(Outcome.INCORRECT, format_ok=False, code="json_too_deep")
    except ValueError:
        return Checked(Outcome.INCORRECT, format_ok=False, code="not_json")
    return judge(item, found)


def _fields(item: TrainingItem, found: Any) -> Checked:
    right = item.facts.get("fields")
    if not isinstance(right, Mapping) or not right:
        return Checked(Outcome.ERROR, format_ok=False, code="error_item_without_fields")
    if type(found) is not dict or found.keys() != right.keys():
        return Checked(Outcome.INCORRECT, format_ok=False, code="other_keys")
    if not all(type(value) is str for value in found.values()):
        return Checked(Outcome.INCORRECT, format_ok=False, code="value_is_no_text")
    known = {key: _same(key, found[key], value, item.prompt) for key, value in right.items()}
    parts = {key: bool(one) for key, one in known.items()}
    wrong = next((key for key, one in known.items() if one is False), None)
    if wrong is not None:
        return Checked(Outcome.INCORRECT, format_ok=True, code=f"wrong_{wrong}", parts=parts)
    if None in known.values():
        return Checked(Outcome.REVIEW, format_ok=True, code="review_value_unreadable", parts=parts)
    return Checked(Outcome.CORRECT, format_ok=True, code="all_fields_right", parts=parts)


def _same(key: str, value: str, right: str, prompt: str) -> bool | None:
    """Whether a value is the right one; None where that cannot be told."""
    if value == right:
        return True
    if unreadable(value):
        return None
    bare = value.strip(" \t\n\r")
    if bare == right.strip():
        return True
    normal = _NORMAL.get(key)
    if normal is None or not bare or not right or not _stands_in(bare, prompt):
        return False
    read = normal(bare)[0]
    return read is not None and read == normal(right)[0]


def _stands_in(value: str, prompt: str) -> bool:
    """Whether a value stands in the clause letter by letter, whole: no letter or digit of it is cut off."""
    clause = prompt.partition("\n")[2]
    return re.search(rf"(?<!\w)(?<!\d[.,:]){re.escape(value)}(?!\w|[.,:]\d)", clause) is not None


def _trace(item: TrainingItem, found: Any) -> Checked:
    if not {"comparator", "inputs", "parts", "ratio", "result"} <= item.facts.keys():
        return Checked(Outcome.ERROR, format_ok=False, code="error_item_without_figures")
    if type(found) is not dict or found.keys() != {"steps", "result"}:
        return Checked(Outcome.INCORRECT, format_ok=False, code="other_keys")
    outcome, form, code, parts = judged_trace(found, item.facts)
    return Checked(outcome, format_ok=form, code=code, parts=parts)


_JUDGES: Mapping[Task, Callable[[TrainingItem, Any], Checked]] = {
    Task.FIELDS: _fields,
    Task.CLAUSE: _fields,
    Task.TRACE: _trace,
    Task.SOURCES: _fields,
}
