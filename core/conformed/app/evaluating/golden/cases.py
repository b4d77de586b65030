"""Golden cases as they lie in folders: packs with expected.yaml, packs with dated questions, and items with short answers."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from conformed.app.options import RunOptions
from conformed.errors import UsageError
from conformed.evaluation.dataset import read_items
from conformed.evaluation.items import Item
from conformed.model.base import Exact, Frozen
from conformed.policy.plain import load_plain

__all__ = ["Dated", "Expected", "ExpectedTerms", "GoldenCase", "golden_cases"]

EXPECTED, QUESTIONS, ITEMS = "expected.yaml", "checks.json", "items.jsonl"


class ExpectedTerms(Frozen):
    """Terms of a covenant that are right."""

    section: str
    """Provision in normal form."""
    metric: str
    """Normal name."""
    comparator: Literal["le", "lt", "ge", "gt"]
    """What compliance needs."""
    level: Exact
    """Exact level."""
    level_as_written: str
    """The words of the document."""
    document: str
    """Document whose words set it."""


class Expected(Frozen):
    """What a run of a pack must give: expected.yaml."""

    result: Literal["pass", "breach", "not_tested", "review"]
    """The result."""
    overlay: Literal["none", "waived", "cured"]
    """What stands beside it."""
    reason: str = ""
    """For a covenant that is not tested: why."""
    covenant: ExpectedTerms | None
    """The governing covenant; null where none is determined."""
    ratio: Exact | None
    """The exact ratio; null where there is none."""
    headroom_debt: Exact | None
    """Room for debt, whole units of the currency; null where there is none."""
    currency: str
    """ISO 4217 code of the pack."""
    codes: tuple[str, ...]
    """Codes that must be there."""
    must_not_codes: tuple[str, ...]
    """Codes that must not be there."""
    rejected_ratios: tuple[str, ...]
    """Ratios that are no maintenance covenant, by the code that says so."""
    candidates: tuple[ExpectedTerms, ...]
    """Open readings on review."""
    findings: tuple[str, ...]
    """Findings that must be there."""


class Dated(Frozen):
    """One dated question about a pack with what may be answered: a row of checks.json."""

    id: str
    """Name of the question."""
    pack: str
    """Folder of the pack, beside the file."""
    test_date: dt.date
    """Legal date."""
    known_at: dt.date | None = None
    """Knowledge date."""
    covenant: str | None = None
    """Name of the covenant."""
    section: str | None = None
    """Its section."""
    facts: dict[str, str] = Field(default_factory=dict)
    """Facts that the person gives."""
    claimed_election: str | None = None
    """An election that somebody claims was made."""
    attest_no_election: bool = False
    """Attested that none was made."""
    expect: Literal["level", "amount", "level_or_review", "review", "waived", "suspended", "not_in_force", "not_tested_or_review"]
    """What is right."""
    level: Exact | None = None
    """Right level."""
    amount: Exact | None = None
    """Right amount, whole units."""
    currency: str = ""
    """Its currency."""
    comparator: Literal["le", "lt", "ge", "gt", ""] = ""
    """Its direction."""
    document: str = ""
    """How the name of the deciding document begins, where that is asked."""

    @property
    def options(self) -> RunOptions:
        """The question as the product is asked it."""
        claimed = (self.claimed_election,) if self.claimed_election else ()
        return RunOptions(
            test_date=self.test_date, known_at=self.known_at, covenant=self.covenant, section=self.section, facts=self.facts,
            claimed_elections=claimed, no_election=self.attest_no_election,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """One case."""

    id: str
    """Unique in its slice: the folder's name, the question's, the item's."""
    folder: Path
    """The pack, or the folder of the items."""
    right: Expected | Dated | Item
    """What is right."""


def golden_cases(folder: Path) -> tuple[GoldenCase, ...]:
    """The cases of a folder, sorted by id: the folder itself, or the folders in it.

    Raises:
        UsageError: when there is none, or one cannot be read.
    """
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} with golden cases.", "Mend regression_slices, or name the workspace.")
    found = _of(folder)
    if not found:
        found = [case for inner in sorted(folder.iterdir()) if inner.is_dir() for case in _of(inner)]
    if not found:
        raise UsageError(f"{folder} holds no golden case.", f"Put {EXPECTED}, {QUESTIONS} or {ITEMS} into it.")
    return tuple(sorted(found, key=lambda case: case.id))


def _of(folder: Path) -> list[GoldenCase]:
    found = []
    if (folder / EXPECTED).is_file():
        found.append(GoldenCase(folder.name, folder, _expected(folder / EXPECTED)))
    if (folder / QUESTIONS).is_file():
        found += [GoldenCase(one.id, folder / one.pack, one) for one in _questions(folder / QUESTIONS)]
    if (folder / ITEMS).is_file():
        found += [GoldenCase(item.id, folder, item) for item in read_items(folder / ITEMS).items]
    return found


def _expected(path: Path) -> Expected:
    """What is expected of a pack. Its nulls are meant: nothing is determined there, or nothing calculated."""
    try:
        return Expected.model_validate(load_plain(path))
    except ValidationError as problem:
        raise UsageError(f"{path}: {_first(problem)}.", "Mend what is expected.") from problem


def _first(problem: ValidationError) -> str:
    first = problem.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg']}"


def _questions(path: Path) -> list[Dated]:
    try:
        rows: Any = json.loads(path.read_bytes())
        return [Dated.model_validate(row) for row in rows]
    except ValidationError as problem:
        raise UsageError(f"{path}: {_first(problem)}.", "Mend the question.") from problem
    except (OSError, ValueError, TypeError, RecursionError) as problem:
        raise UsageError(f"{path} is no list of questions.", "Write a JSON list.") from problem
