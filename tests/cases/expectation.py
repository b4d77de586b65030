"""Compares a decision record with a pack's expected.yaml.

The keys of expected.yaml: ``result``, ``overlay``, ``covenant`` (section, metric, comparator, level, level_as_written,
document; or null), ``ratio`` (exact, or null), ``headroom_debt`` (whole units of ``currency``, or null), ``codes`` (each must be
there), ``must_not_codes``, ``findings`` (each must be there), ``candidates`` (shaped like covenant; exactly these levels),
``rejected_ratios`` (ratios of the texts that are no maintenance covenant: what an extractor should say of them) and, for a
covenant that is not tested, ``reason``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

__all__ = ["differences"]

TERMS = ("section", "metric", "comparator", "document")


def differences(decision: Mapping[str, Any], expected: Mapping[str, Any]) -> list[str]:
    """A sentence for each point in which a decision record is not what was expected.

    Args:
        decision: the record as JSON (``conformed run PACK --json``).
        expected: expected.yaml.
    """
    told = [
        f"{key}: expected {expected[key]}, found {decision.get(key)}"
        for key in ("result", "overlay")
        if decision.get(key) != expected[key]
    ]
    if expected["result"] in {"pass", "breach"}:
        told += _terms("covenant", decision.get("covenant"), expected["covenant"])
    told += _figure("ratio", _calculated(decision, "ratio"), expected["ratio"], wanted=expected["result"] != "not_tested")
    if expected["headroom_debt"] is not None:
        told += _figure("headroom_debt", _calculated(decision, "headroom_debt"), expected["headroom_debt"], wanted=True)
    codes = {reason["code"] for reason in (*decision.get("reasons", ()), *decision.get("findings", ()))}
    told += [f"code {code} is missing" for code in (*expected["codes"], *expected["findings"]) if code not in codes]
    told += [f"code {code} must not be there" for code in expected["must_not_codes"] if code in codes]
    return list(dict.fromkeys(told + _candidates(decision.get("candidates", ()), expected["candidates"])))


def _calculated(decision: Mapping[str, Any], key: str) -> object:
    """A value of the calculation; None where it or the calculation is missing."""
    calculation = decision.get("calculation")
    value = calculation.get(key) if isinstance(calculation, Mapping) else None
    return None if isinstance(value, Mapping) else value


def _figure(name: str, found: object, want: object, *, wanted: bool) -> list[str]:
    """Compares one exact figure; where none is expected, one that is there is told unless it may be shown for information."""
    if want is None:
        return [f"{name}: expected none, found {found}"] if wanted and found is not None else []
    if found is None:
        return [f"{name}: expected {want}, found none"]
    return [] if Fraction(str(found)) == Fraction(str(want)) else [f"{name}: expected {want}, found {found}"]


def _terms(name: str, found: object, want: Mapping[str, Any]) -> list[str]:
    """Compares a covenant with the terms expected of it."""
    if not isinstance(found, Mapping) or "limit" not in found:
        return [f"{name}: expected {want['level_as_written']} in {want['section']}, found none"]
    told = [f"{name}.{key}: expected {want[key]}, found {found.get(key)}" for key in TERMS if found.get(key) != want[key]]
    limit = found["limit"]
    told += _figure(f"{name}.level", limit["value"], want["level"], wanted=True)
    if limit["raw"] != want["level_as_written"]:
        told.append(f"{name}.level_as_written: expected {want['level_as_written']}, found {limit['raw']}")
    if not found.get("spans"):
        told.append(f"{name}: no span shows it")
    return told


def _candidates(found: Sequence[Mapping[str, Any]], want: Sequence[Mapping[str, Any]]) -> list[str]:
    """Compares the open readings by level, whatever their order, and each one's terms."""
    levels = sorted(Fraction(str(one["limit"]["value"])) for one in found)
    if levels != sorted(Fraction(str(one["level"])) for one in want):
        return [f"candidates: expected {[str(one['level']) for one in want]}, found {[str(level) for level in levels]}"]
    told = []
    for one in want:
        same = [other for other in found if Fraction(str(other["limit"]["value"])) == Fraction(str(one["level"]))]
        told += _terms(f"candidate {one['level']}", same[0], one)
    return told
