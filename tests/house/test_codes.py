"""Every code has its page entry, the page is what its maker writes, and the list of codes without a test only shrinks."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from ruamel.yaml import YAML

from conformed.engine.next_steps import next_steps
from conformed.model.codes import CODES, code_class
from conformed.model.decision import Reason, Result

LIST = Path(__file__).with_name("codes_without_test.yaml")
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
def without() -> dict[str, str]:
    """Codes that no test produces yet, with the reason."""
    found: dict[str, str] = YAML(typ="safe").load(LIST.read_text(encoding="utf-8")) or {}
    return found


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


def test_no_code_loses_its_test(produced: set[str], without: dict[str, str]) -> None:
    """A code that no test produces is on the list; the list is not a place for new ones."""
    assert sorted(set(CODES) - produced - set(without)) == []


def test_the_list_only_shrinks(produced: set[str], without: dict[str, str]) -> None:
    """A code on the list that a test now produces, or that is gone, must be taken off; each has a reason. The bound is never raised."""
    most = 20
    assert sorted(code for code in without if code in produced or code not in CODES) == []
    assert all(reason.endswith(".") and len(reason) >= 20 for reason in without.values())
    assert len(without) <= most
