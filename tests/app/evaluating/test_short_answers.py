"""The regression slice of the shipped contract of short answers: it holds in the repository, and fails when it is made worse."""

from __future__ import annotations

import json
import runpy
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conformed.app.evaluating.golden import testing
from conformed.app.evaluating.golden.judged import Class
from conformed.app.workspace import Workspace

ROOT = Path(__file__).parents[3]
ITEMS = Path("casefiles") / "short-answers" / "items.jsonl"


@pytest.fixture
def house(bank: Path) -> Path:
    """A workspace with the shipped policies and baselines, and a part of the slice: four items of each kind."""
    items = [json.loads(line) for line in (ROOT / ITEMS).read_text(encoding="utf-8").splitlines()]
    few = [one for one in items if int(one["id"][-2:]) < 4]
    (bank / ITEMS).parent.mkdir(parents=True)
    (bank / ITEMS).write_text("".join(json.dumps(one) + "\n" for one in few), encoding="utf-8")
    baseline = bank / "policies" / "baselines" / "short-answers.json"
    plain = json.loads(baseline.read_text(encoding="utf-8"))
    kept = {one["id"] for one in few}
    plain["slices"]["short-answers"] = {case: said for case, said in plain["slices"]["short-answers"].items() if case in kept}
    baseline.write_text(json.dumps(plain), encoding="utf-8")
    return bank


def today(house: Path) -> testing.Tested:
    """The slice as it comes out today."""
    place = Workspace(root=house, policies=house / "policies", origin="flag")
    return testing.slices_of(house / "policies" / "short-answers.yaml", place, environment={})


def worsen(house: Path, old: str, new: str) -> None:
    """Edits the contract."""
    path = house / "policies" / "short-answers.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def counts(found: testing.Tested) -> dict[Class, int]:
    """How the cases came out."""
    return Counter(one.outcome for one in found.slices["short-answers"])


def test_the_baseline_is_of_the_shipped_contract_and_items() -> None:
    """Every item has a line, and no other; the contract is the one shipped; what rules can work out is right, the rest review."""
    baseline = json.loads((ROOT / "policies" / "baselines" / "short-answers.json").read_text(encoding="utf-8"))
    items = [json.loads(line) for line in (ROOT / ITEMS).read_text(encoding="utf-8").splitlines()]
    said = baseline["slices"]["short-answers"]
    assert baseline["contract"] == "short-answers 1.0.0"
    assert sorted(said) == sorted(one["id"] for one in items)
    assert {one["id"] for one in items if said[one["id"]]["outcome"] == "right"} == {
        one["id"] for one in items if one["subject"] == "arithmetic"
    }
    assert {said[one["id"]]["outcome"] for one in items if one["subject"] != "arithmetic"} == {"review"}


def test_the_slice_holds(house: Path) -> None:
    """As it is shipped: nothing is worse, nothing is wrong, and nothing came out otherwise than recorded."""
    found = today(house)
    assert (found.worse, found.changes) == (False, ())
    assert counts(found) == {Class.RIGHT: 4, Class.REVIEW: 8}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{plugin: arithmetic, version: 1.0.0}", "{plugin: scripted, version: 1.0.0}"),
        ("consequence: low", "consequence: high"),
        ("wall_seconds: 1000", "wall_seconds: 1000\n"),
    ],
    ids=["a backend that says nothing", "everything to a person", "nothing"],
)
def test_a_contract_that_answers_less_is_worse(house: Path, old: str, new: str) -> None:
    """A backend that says nothing, or a rule that sends all to a person, fails the test of the slice; a blank line does not."""
    worsen(house, old, new)
    found = today(house)
    assert found.worse is (old != "wall_seconds: 1000")
    assert {change.case for change in found.changes} == ({f"sum-{n:02d}" for n in range(4)} if found.worse else set())


def test_a_wrong_answer_fails_whatever_was_recorded(house: Path, tmp_path: Path) -> None:
    """An answer that nothing checks is given as it is; a wrong one fails though its case was review before."""
    items = [json.loads(line) for line in (house / ITEMS).read_text(encoding="utf-8").splitlines()]
    for one in items:
        one.pop("check")
    (house / ITEMS).write_text("".join(json.dumps(one) + "\n" for one in items), encoding="utf-8")
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"when": "facility", "say": ["<final>999999</final>"]}]), encoding="utf-8")
    options: dict[str, Any] = {"script": str(script)}
    worsen(house, "{plugin: arithmetic, version: 1.0.0}", f"{{plugin: scripted, version: 1.0.0, options: {json.dumps(options)}}}")
    found = today(house)
    assert (counts(found)[Class.WRONG], found.worse) == (4, True)


def test_the_item_file_is_the_one_that_is_made(tmp_path: Path) -> None:
    """casefiles/short-answers/make.py writes the very files of the repository."""
    shutil.copy(ROOT / ITEMS.parent / "make.py", tmp_path / "make.py")
    runpy.run_path(str(tmp_path / "make.py"), run_name="__main__")
    for name in ("items.jsonl", "script.json"):
        assert (tmp_path / name).read_bytes() == (ROOT / ITEMS.parent / name).read_bytes(), name
