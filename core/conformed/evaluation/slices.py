"""Slices: the same metrics for declared parts of a run, with sizes, and a mark where a part is too small to read.

Slices are declared before the run, so that nobody goes looking for a part that flatters or damns: a table is made for a plan
whose digest the run recorded when it began, and only for dimensions that the plan names.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, model_validator

from conformed.errors import GivenValueError
from conformed.evaluation.items import Item, Result
from conformed.evaluation.metrics import Scores, scores
from conformed.model.base import Exact, Frozen

__all__ = ["DIMENSIONS", "UNSTATED", "SlicePlan", "SliceRow", "slice_table"]

DIMENSIONS = (
    "answer_form",
    "budget",
    "difficulty",
    "document_type",
    "extraction_outcome",
    "language",
    "prompt_length",
    "reason_code",
    "response_length",
    "route",
    "source",
    "subject",
    "template",
    "tool_use",
)
"""The dimensions that every evaluation knows; a data set may declare others, found among the slices of its items."""
_MEASURED = ("difficulty", "prompt_length", "response_length")
"""Dimensions that are numbers (lengths in tokens) and are cut at the plan's edges."""
UNSTATED = "(unstated)"
"""Value of a slice for items that say nothing about its dimension."""

Marks = Mapping[tuple[str, int], Mapping[str, str]]
"""What only the run knows of a result, by item and sample: route, budget, tool_use ..."""


class SlicePlan(Frozen):
    """Which slices will be read. Declared before the run."""

    dimensions: Annotated[tuple[str, ...], Field(min_length=1)]
    """Names; each once."""
    smallest: Annotated[int, Field(ge=1, strict=True)]
    """Fewest items with which a slice may be read."""
    edges: Mapping[str, tuple[Exact, ...]] = Field(default_factory=lambda: MappingProxyType({}))
    """For each declared measured dimension (difficulty, prompt_length, response_length) where to cut it, rising."""

    @model_validator(mode="after")
    def _sound(self) -> SlicePlan:
        if len(set(self.dimensions)) != len(self.dimensions) or not all(self.dimensions):
            raise ValueError("A dimension is named twice or has no name. Name each once.")
        measured = {one for one in self.dimensions if one in _MEASURED}
        if measured != set(self.edges):
            raise ValueError(
                f"Edges are given for {sorted(self.edges)}, and the plan cuts {sorted(measured)}. Give both the same."
            )
        for name, edges in self.edges.items():
            if not edges or list(edges) != sorted(set(edges)):
                raise ValueError(f"The edges of {name} are not rising. Give at least one, each greater than the one before.")
        return self

    def digest(self) -> str:
        """SHA-256 of the plan, for the record that a run writes before it begins. The order of dimensions does not matter."""
        plan = {
            "dimensions": sorted(self.dimensions),
            "edges": {name: [str(edge) for edge in self.edges[name]] for name in sorted(self.edges)},
            "smallest": self.smallest,
        }
        return hashlib.sha256(json.dumps(plan, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class SliceRow(Frozen):
    """One slice."""

    dimension: str
    """What was cut."""
    value: str
    """Which part of it."""
    items: int
    """Different items in it."""
    results: int
    """Judged answers in it: several an item where it was sampled several times."""
    too_small: bool
    """Fewer items than the plan asks for: shown, and not to be read."""
    scores: Scores
    """Its metrics."""


def _piece(edges: tuple[Fraction, ...], measure: Fraction | int | None) -> tuple[int, str]:
    """Place and name of the part that holds a measure; an edge belongs to the part that it begins."""
    if measure is None:
        return -1, UNSTATED
    place = bisect_right(edges, measure)
    low = f"from {edges[place - 1]}" if place else ""
    high = f"below {edges[place]}" if place < len(edges) else ""
    return place, " ".join(filter(None, (low, high)))


def _value(plan: SlicePlan, dimension: str, item: Item, result: Result, marks: Mapping[str, str]) -> tuple[int, str]:
    """Place (0 where the values have no order of their own) and name of the part that a result belongs to."""
    if dimension in _MEASURED:
        measures = {
            "difficulty": item.difficulty,
            "prompt_length": result.prompt_tokens,
            "response_length": result.response_tokens,
        }
        return _piece(tuple(plan.edges[dimension]), measures[dimension])
    known = {
        "answer_form": item.form,
        "extraction_outcome": "not_extracted" if result.answer is None else "extracted",
        "reason_code": result.code.partition(":")[0],  # after the colon stand details, which would make every code its own slice
        "source": item.source,
        "subject": item.subject,
    }
    return 0, known.get(dimension) or marks.get(dimension) or item.slices.get(dimension) or UNSTATED


def slice_table(
    plan: SlicePlan,
    declared: str,
    items: Sequence[Item],
    results: Sequence[Result],
    *,
    only: Sequence[str] | None = None,
    marks: Marks = MappingProxyType({}),
    level: float = 0.95,
) -> tuple[SliceRow, ...]:
    """The table of slices, sorted by dimension and part.

    Args:
        plan: what was declared.
        declared: digest of the plan that the run recorded before it began.
        items: the run's items.
        results: its results.
        only: dimensions wanted; all declared ones where None.
        marks: what only the run knows of a result.
        level: coverage of the intervals.

    Raises:
        GivenValueError: for a plan that is not the declared one, a dimension that was not declared, or a result of no item.
    """
    if plan.digest() != declared:
        raise GivenValueError(
            f"The plan of slices is {plan.digest()[:12]}, and the run declared {declared[:12]}.",
            "Use the plan of the run; a new plan needs a new run.",
        )
    wanted = plan.dimensions if only is None else only
    if undeclared := sorted(set(wanted) - set(plan.dimensions)):
        raise GivenValueError(f"Slices were not declared before the run: {', '.join(undeclared)}.", "Declare them and run again.")
    by_id = {item.id: item for item in items}
    if strangers := sorted({result.item for result in results} - by_id.keys()):
        raise GivenValueError(f"{len(strangers)} results belong to no item: {', '.join(strangers[:5])}.", "Give the run's items.")
    rows = []
    for dimension in sorted(set(wanted)):
        parts: dict[tuple[int, str], list[Result]] = {}
        for result in results:
            known = marks.get((result.item, result.sample), {})
            parts.setdefault(_value(plan, dimension, by_id[result.item], result, known), []).append(result)
        for (_, value), members in sorted(parts.items()):
            count = len({result.item for result in members})
            rows.append(
                SliceRow(
                    dimension=dimension,
                    value=value,
                    items=count,
                    results=len(members),
                    too_small=count < plan.smallest,
                    scores=scores((result.outcome for result in members), level=level),
                )
            )
    return tuple(rows)
