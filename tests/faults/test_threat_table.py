"""The table of threats in docs/faults.md: as many rows as there are attacks, and each names tests that are there."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "long"))

from fault_threats import ROOT, TABLE, rows_of

ROWS = rows_of(TABLE.read_text(encoding="utf-8"))
ATTACKS = 20
"""Rows of the table of threats in the design of the log."""


def test_every_attack_has_a_row() -> None:
    """No row was dropped, and none has no test."""
    assert len(ROWS) == ATTACKS
    assert all(ROWS.values())


@pytest.mark.parametrize("attack", sorted(ROWS))
def test_the_tests_of_a_row_are_there(attack: str) -> None:
    """Each is a function of its file, with a claim in its docstring and something that it asserts or expects to be raised."""
    for file, name in ROWS[attack]:
        tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
        found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
        assert len(found) == 1, f"{file}::{name}"
        assert ast.get_docstring(found[0])
        assert any(isinstance(node, ast.Assert) for node in ast.walk(found[0]))


def test_every_test_of_threats_has_its_row() -> None:
    """A test that is added to the file of threats is named in the table, but for the one of the untouched log."""
    file = "audit/test_threats.py"
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
    named = {name for tests in ROWS.values() for one, name in tests if one == file}
    assert there - named == {"test_the_untouched_log_holds_and_says_how_far_it_was_seen"}
