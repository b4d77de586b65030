"""Compares what a case expects with what the product gives, field by field, as plain data."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection
from fractions import Fraction

from conformed.app.rule_cases.outcome import FieldOutcome, FieldResult
from conformed.policy.nulls import NOTHING

__all__ = ["Plain", "compare_fields", "compare_one", "compare_set", "plain", "same", "shown"]

Plain = str | None | list["Plain"] | dict[str, "Plain"]
"""Data as a file has it: text, nothing, lists and mappings."""


def plain(value: object) -> Plain:
    """Any value as plain data: exact numbers and dates as text, truth values as true and false."""
    if value is None or value == NOTHING:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, dt.date):
        return value.isoformat()
    return " ".join(str(value).split())


def shown(value: Plain) -> str:
    """Plain data on one line."""
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return "[" + ", ".join(shown(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {shown(v)}" for k, v in value.items()) + "}"
    return value


_EXACT = re.compile(r"-?\d+(?:\.\d+|/[1-9]\d*)?\Z", re.ASCII)


def same(expected: Plain, got: Plain) -> bool:
    """Whether two texts say the same: numbers by value, words without regard to capitals."""
    if isinstance(expected, str) and isinstance(got, str):
        if _EXACT.match(expected) and _EXACT.match(got):
            return Fraction(expected) == Fraction(got)
        return expected.casefold() == got.casefold()
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(same, expected, got))
    return expected == got


def compare_one(field: str, expected: Plain, got: Plain, *, unstated: bool = False, equal: bool | None = None) -> FieldResult:
    """One field.

    Args:
        field: its name.
        expected: what the case says.
        got: what the product says.
        unstated: whether the product says that the words do not give it.
        equal: whether they are the same, where that is not simply so.
    """
    if same(expected, got) if equal is None else equal:
        outcome = FieldOutcome.RIGHT
    elif unstated:
        outcome = FieldOutcome.UNSTATED
    else:
        outcome = FieldOutcome.MISSING if got is None else FieldOutcome.WRONG
    return FieldResult(field=field, outcome=outcome, expected=shown(expected), got=shown(got))


def compare_fields(field: str, expected: Plain, got: Plain, unstated: Collection[str]) -> list[FieldResult]:
    """One field with everything inside it. Rows of a schedule are matched by the day on which they begin."""
    silent = any(field == u or field.startswith(u + ".") for u in unstated)
    if isinstance(expected, dict):
        inner = got if isinstance(got, dict) else {}
        return [f for key, value in expected.items() for f in compare_fields(f"{field}.{key}", value, inner.get(key), unstated)]
    if isinstance(expected, list) and expected and all(isinstance(row, dict) for row in expected):
        return _rows(field, [row for row in expected if isinstance(row, dict)], got, unstated)
    return [compare_one(field, expected, got, unstated=silent)]


def _rows(field: str, expected: list[dict[str, Plain]], got: Plain, unstated: Collection[str]) -> list[FieldResult]:
    rows = [row for row in got if isinstance(row, dict)] if isinstance(got, list) else []
    by_day = all("from" in row for row in expected)
    found = []
    for index, row in enumerate(expected):
        match = (
            next((r for r in rows if r.get("from") == row["from"]), None)
            if by_day
            else rows[index]
            if index < len(rows)
            else None
        )
        if match is None:
            silent = f"{field}.others" in unstated or field in unstated
            taken = None if silent or not rows else shown([*rows])
            found.append(compare_one(f"{field}[{index + 1}]", row, taken, unstated=silent, equal=False))
            continue
        wanted = {key: row[key] for key in row}
        found += [
            f
            for key, value in wanted.items()
            for f in compare_fields(f"{field}[{index + 1}].{key}", value, match.get(key), unstated)
        ]
    if rows and len(rows) > len(expected):
        found.append(compare_one(field, f"{len(expected)} rows", f"{len(rows)} rows"))
    return found


def compare_set(field: str, expected: Plain, got: Collection[str]) -> FieldResult:
    """Codes or candidates, without regard to order or to more than once."""
    wanted = [e for e in expected if isinstance(e, str)] if isinstance(expected, list) else []
    ordered: list[Plain] = [*sorted(got)]
    equal = len(wanted) == len(ordered) and all(any(same(w, g) for g in ordered) for w in wanted)
    return compare_one(field, [*sorted(wanted)], ordered or None, equal=equal)
