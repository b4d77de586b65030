"""Slices are declared before the run, carry their sizes, and say when they are too small to read."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from conformed.evaluation.items import Item, Result, Versions
from conformed.evaluation.slices import UNSTATED, SlicePlan, slice_table

VERSIONS = Versions(extractor="1", normaliser="1", verifier="1")


def item(name: str, **changed: Any) -> Item:
    """An item with changes."""
    fields = {"prompt": "?", "reference": "4", "split": "test", "source": "a.jsonl", "source_revision": "r", "subject": "sums"}
    return Item(id=name, **(fields | changed))


def result(name: str, sample: int = 0, **changed: Any) -> Result:
    """A result with changes."""
    fields: dict[str, Any] = {
        "seed": 0,
        "response": "<final>4</final>",
        "answer": "4",
        "normalised": "4",
        "outcome": "correct",
        "code": "equal",
        "latency_ms": 1,
        "prompt_tokens": 10,
        "response_tokens": 20,
        "versions": VERSIONS,
    }
    return Result(item=name, sample=sample, **(fields | changed))


def test_a_table_by_hand() -> None:
    """Two subjects, one with two items of three samples: sizes in items and results, the small one marked."""
    plan = SlicePlan(dimensions=("subject",), smallest=2)
    items = [item("a"), item("b"), item("c", subject="areas")]
    results = [result("a"), result("a", 1, outcome="incorrect"), result("b"), result("c", outcome="review")]
    rows = slice_table(plan, plan.digest(), items, results)
    assert [(one.value, one.items, one.results, one.too_small) for one in rows] == [("areas", 1, 1, True), ("sums", 2, 3, False)]
    assert (rows[1].scores.correct, rows[1].scores.n) == (2, 3)


def test_samples_do_not_make_a_slice_large() -> None:
    """A hundred samples of one item are one item: the slice stays too small."""
    plan = SlicePlan(dimensions=("subject",), smallest=2)
    (row,) = slice_table(plan, plan.digest(), [item("a")], [result("a", place) for place in range(100)])
    assert (row.items, row.results, row.too_small) == (1, 100, True)


def test_only_the_declared_plan() -> None:
    """A plan changed after the run, and a dimension that was not declared, are refused."""
    plan = SlicePlan(dimensions=("subject", "source"), smallest=5)
    assert plan.digest() == SlicePlan(dimensions=("source", "subject"), smallest=5).digest()
    later = SlicePlan(dimensions=("subject", "source"), smallest=1)
    with pytest.raises(ValueError, match="the run declared"):
        slice_table(later, plan.digest(), [item("a")], [result("a")])
    with pytest.raises(ValueError, match="not declared before the run: language"):
        slice_table(plan, plan.digest(), [item("a")], [result("a")], only=["subject", "language"])
    rows = slice_table(plan, plan.digest(), [item("a")], [result("a")], only=["source"])
    assert [one.dimension for one in rows] == ["source"]


def test_edges_cut_measures() -> None:
    """An edge belongs to the part that it begins, parts stand in their order, and what was not measured has its own."""
    plan = SlicePlan(
        dimensions=("difficulty", "prompt_length"),
        smallest=1,
        edges={"difficulty": ("1/3", "2/3"), "prompt_length": ("9", "100")},
    )
    items = [item(str(n), difficulty=d) for n, d in enumerate([None, Fraction(1, 3), Fraction(1), Fraction(0)])]
    results = [result(str(n), prompt_tokens=t) for n, t in enumerate([8, 9, 99, 100])]
    rows = slice_table(plan, plan.digest(), items, results)
    assert [(one.value, one.results) for one in rows if one.dimension == "difficulty"] == [
        (UNSTATED, 1),
        ("below 1/3", 1),
        ("from 1/3 below 2/3", 1),
        ("from 2/3", 1),
    ]
    assert [(one.value, one.results) for one in rows if one.dimension == "prompt_length"] == [
        ("below 9", 1),
        ("from 9 below 100", 2),
        ("from 100", 1),
    ]


def test_every_source_of_a_value() -> None:
    """Items, results, an item's own slices and what only the run knows each give their dimensions."""
    plan = SlicePlan(
        dimensions=("answer_form", "extraction_outcome", "language", "reason_code", "route", "source", "region"), smallest=1
    )
    items = [item("a", slices={"language": "de", "region": "north"})]
    results = [result("a", answer=None, normalised=None, outcome="review", code="stage_exception:ValueError")]
    rows = slice_table(plan, plan.digest(), items, results, marks={("a", 0): {"route": "direct"}})
    assert {one.dimension: one.value for one in rows} == {
        "answer_form": "numeric",
        "extraction_outcome": "not_extracted",
        "language": "de",
        "reason_code": "stage_exception",
        "region": "north",
        "route": "direct",
        "source": "a.jsonl",
    }


def test_a_result_of_no_item() -> None:
    """A result whose item is not there is refused, not dropped."""
    plan = SlicePlan(dimensions=("subject",), smallest=1)
    with pytest.raises(ValueError, match="1 results belong to no item: z"):
        slice_table(plan, plan.digest(), [item("a")], [result("z")])


@pytest.mark.parametrize(
    "fields",
    [
        {"dimensions": (), "smallest": 1},
        {"dimensions": ("subject", "subject"), "smallest": 1},
        {"dimensions": ("",), "smallest": 1},
        {"dimensions": ("subject",), "smallest": 0},
        {"dimensions": ("subject",), "smallest": True},
        {"dimensions": ("difficulty",), "smallest": 1},
        {"dimensions": ("subject",), "smallest": 1, "edges": {"difficulty": ("1/2",)}},
        {"dimensions": ("difficulty",), "smallest": 1, "edges": {"difficulty": ()}},
        {"dimensions": ("difficulty",), "smallest": 1, "edges": {"difficulty": ("1/2", "1/2")}},
        {"dimensions": ("difficulty",), "smallest": 1, "edges": {"difficulty": ("2/3", "1/3")}},
        {"dimensions": ("difficulty",), "smallest": 1, "edges": {"difficulty": (0.5,)}},
    ],
)
def test_plans_that_are_none(fields: dict[str, Any]) -> None:
    """No dimension, one twice, no size, edges without dimension or the reverse, edges that do not rise or are floats."""
    with pytest.raises(ValueError):
        SlicePlan(**fields)
