"""The table of series: one name a thing, and the docs page says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformed_plugins.training.runs.diagnosis import diagnose
from conformed_plugins.training.runs.names import FAMILIES, GROUPS, NAMES, about, unknown
from conformed_plugins.training.runs.patterns import PATTERNS
from conformed_plugins.training.runs.series import Series
from conformed_plugins.training.runs.shortcuts import SHORTCUTS

PAGE = Path(__file__).parents[3] / "docs" / "training-runs.md"
UNITS = {"share", "count", "tokens", "nats", "seconds", "bytes", "reward", "number"}


def test_every_name_stands_once_with_group_and_unit() -> None:
    """No name and no beginning of a family stands twice or hides another, and each has a group, a unit and a meaning."""
    names = [one.name for one in (*NAMES, *FAMILIES)]
    assert len(names) == len(set(names))
    assert not [one.name for one in NAMES if one.name.startswith(tuple(family.name for family in FAMILIES))]
    assert all(one.group in GROUPS and one.unit in UNITS and one.meaning for one in (*NAMES, *FAMILIES))


def test_the_page_has_every_name_and_every_pattern() -> None:
    """The docs page names each series of its group, and each code that a diagnosis can give."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for group in GROUPS:
        row = next(line for line in lines if line.startswith(f"| {group} |"))
        missing = [one.name for one in (*NAMES, *FAMILIES) if one.group == group and f"`{one.name}" not in row]
        assert missing == []
    codes = {one.code for one in diagnose(Series({})).judgements}
    assert len(codes) == len(PATTERNS) + len(SHORTCUTS)
    assert {line.split("`")[1] for line in lines if line.startswith("| `")} >= codes


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("loss", "optimisation"),
        ("code:wrong", "reward signal"),
        ("evaluation.unseen.accuracy", "evaluation"),
        ("code:", None),
        ("lost", None),
    ],
)
def test_a_name_is_looked_up(name: str, group: str | None) -> None:
    """Single names and members of families are known; a bare beginning and a misspelling are not."""
    one = about(name)
    assert (one.group if one else None) == group
    assert unknown([name]) == (() if group else (name,))
