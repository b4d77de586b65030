"""Every code has its page entry and a test, and the page is what its maker writes."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from conformed.engine.next_steps import next_steps
from conformed.model.codes import CODES, code_class
from conformed.model.decision import Reason, Result

SHOW_ONLY = {"app", "audit", "cli", "hooks", "house", "policy"}
"""Tests that show codes made by hand: they prove nothing of who gives a code."""


@pytest.fixture(scope="module")
def maker(root: Path) -> ModuleType:
    """docs/make_codes.py."""
    spec = importlib.util.spec_from_file_location("make_codes", root / "docs" / "make_codes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def produced(root: Path) -> set[str]:
    """Codes that the tests of rules, engine, readers and plugins, or the expectations of the sample packs, name."""
    files = [file for file in (root / "tests").rglob("*.py") if file.relative_to(root / "tests").parts[0] not in SHOW_ONLY]
    files += [*(root / "casefiles").rglob("*.yaml"), *(root / "policies").rglob("*.yaml")]
    words = {word for file in files for word in re.findall(r"[a-z]+(?:_[a-z]+)+", file.read_text(encoding="utf-8"))}
    return words & set(CODES)


def test_the_page_is_what_its_maker_writes(root: Path, maker: ModuleType) -> None:
    """Making docs/codes.md again gives the committed bytes; where it does not, run python docs/make_codes.py."""
    assert (root / "docs" / "codes.md").read_text(encoding="utf-8") == maker.page()


def test_every_code_has_an_anchor(root: Path) -> None:
    """Each code has exactly one place on the page that a link can name."""
    text = (root / "docs" / "codes.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r'<a id="(\w+)">', text)) == sorted(CODES)


def test_every_code_that_stops_a_run_says_what_to_do() -> None:
    """No review code falls back to the general action: a person always reads what to get or to settle."""
    for code in CODES:
        if code_class(code) == "review":
            said = next_steps(Result.REVIEW, [Reason(code=code, sentence=CODES[code])], ())[0]
            assert not said.startswith("Settle by hand"), code


def test_no_code_is_without_a_test(produced: set[str]) -> None:
    """Every code is named by a test of those who give codes, or by what a sample pack or a rule case must give."""
    assert sorted(set(CODES) - produced) == []
