"""The experiment table: one row a method, with everything that made it what it is, and its figures with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated

from pydantic import Field

from conformed.compute.budget import Quality, Spent, quality_per_token
from conformed.compute.frontier import Frontier, Objective, pareto_frontier
from conformed.errors import GivenValueError
from conformed.evaluation.intervals import Proportion
from conformed.evaluation.metrics import Scores, scores
from conformed.model.base import Frozen, Missing

__all__ = ["OBJECTIVES", "ExperimentRow", "Method", "experiment_row", "frontier_of"]

Named = Annotated[str, Field(min_length=1)]
"""A text that is not empty."""


class Method(Frozen):
    """A method is the exact prompt, template, cap and decoding settings, not a family's name."""

    policy: Named
    """Name and version of the task contract, and how it answers: direct, vote ..."""
    model_revision: Named
    """Model by revision; ``none`` for a rule or a retrieval."""
    template_revision: Named
    """Prompt template and its mode by revision or hash."""
    decoding: Named
    """Decoding settings, the cap on tokens included."""
    n: Annotated[int, Field(ge=1, strict=True)]
    """Samples an item."""
    seeds: Annotated[tuple[int, ...], Field(min_length=1)]
    """Seeds, one a sample or one for all."""


class ExperimentRow(Frozen):
    """A method with its figures."""

    method: Method
    """What it is."""
    items: tuple[str, ...]
    """Ids of the items, sorted: rows compare only over the same."""
    scores: Scores
    """Accuracy, coverage, review rate and the rest, with intervals."""
    quality: Quality
    """False accepts, tokens, latency and cost."""


_NAMES: Mapping[str, bool] = MappingProxyType(
    {"accuracy": True, "false_accepts": False, "review_rate": False, "tokens": False, "median_latency_ms": False}
)
OBJECTIVES = tuple(Objective(name=name, more_is_better=better) for name, better in _NAMES.items())
"""What the frontier compares unless told; cost joins where every row has one."""


def experiment_row(method: Method, spent: Mapping[str, Spent]) -> ExperimentRow:
    """A row from what each item took and gave.

    Args:
        method: the exact method.
        spent: by item id.

    Raises:
        GivenValueError: without items.
    """
    if not spent:
        raise GivenValueError("The method answered no item.", "Run it first.")
    ids = tuple(sorted(spent))
    each = [spent[item] for item in ids]
    return ExperimentRow(method=method, items=ids, scores=scores(one.outcome for one in each), quality=quality_per_token(each))


def _share(value: Proportion | Missing) -> Fraction | Missing:
    return value if isinstance(value, Missing) else value.exact


def frontier_of(rows: Mapping[str, ExperimentRow], objectives: Sequence[Objective] = OBJECTIVES) -> Frontier:
    """The Pareto frontier of experiment rows.

    Args:
        rows: by name.
        objectives: any of accuracy, coverage, false_accepts, review_rate, tokens, median_latency_ms, cost.

    Raises:
        GivenValueError: for rows over different items, or an objective that rows do not have.
    """
    if len({row.items for row in rows.values()}) > 1:
        raise GivenValueError("The rows are over different items.", "Run every method on the same items.")
    figures: dict[str, dict[str, float | Fraction | Missing]] = {
        name: {
            "accuracy": _share(row.scores.accuracy),
            "coverage": _share(row.scores.coverage),
            "false_accepts": _share(row.quality.false_accepts),
            "review_rate": _share(row.quality.reviews),
            "tokens": row.quality.tokens,
            "median_latency_ms": row.quality.median_latency_ms,
            "cost": row.quality.cost,
        }
        for name, row in rows.items()
    }
    return pareto_frontier(figures, objectives)
