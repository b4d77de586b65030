"""All plots of one report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformed.app.evaluating.report import EvaluationReport
from conformed.evaluation.intervals import Proportion
from conformed.model.base import Missing

if TYPE_CHECKING:
    from conformed.app.pages.plots.charts import Dot

__all__ = ["MOST_ROWS", "Plots", "plots_of"]

MOST_ROWS = 60
"""Most rows of a chart of slices; the table has all of them."""


@dataclass(frozen=True, slots=True)
class Plots:
    """The plots, each an ``svg`` element; empty where there is nothing to draw."""

    pareto: str
    """Accuracy against tokens."""
    risk: str
    """Risk against coverage."""
    reliability: Mapping[str, str]
    """The reliability diagram, by method."""
    slices: Mapping[str, str]
    """Accuracy by slice, by dimension."""


def plots_of(report: EvaluationReport) -> Plots | Missing:
    """Draws a report; Missing, with how to mend it, where the library for it is not installed.

    The same report gives the same bytes.
    """
    try:
        import matplotlib as mpl  # noqa: F401 - it takes a second, and only this needs it
    except ImportError:
        return Missing(
            reason="There are no plots: matplotlib is not installed (pip install 'conformed[evaluation]'). The tables say the same.",
            code="no_matplotlib",
        )
    from conformed.app.pages.plots.charts import Spot, pareto_chart, reliability_chart, risk_chart, slice_chart
    from conformed.app.pages.plots.svg import drawing

    spots = [
        Spot(one.name, one.row.quality.tokens / one.row.quality.items, accuracy, one.name in report.frontier.on)
        for one in report.methods
        if isinstance(accuracy := one.row.scores.accuracy, Proportion)
    ]
    curves = [(one.name, one.risk) for one in report.methods if not isinstance(one.risk, Missing)]
    sure = [(one.name, one.agreement) for one in report.methods if not isinstance(one.agreement, Missing)]
    with drawing():
        return Plots(
            pareto=pareto_chart(spots, "pareto") if spots else "",
            risk=risk_chart(curves, "risk") if curves else "",
            reliability={name: reliability_chart(name, of, f"reliability{at}") for at, (name, of) in enumerate(sure)},
            slices={
                dimension: slice_chart(dimension, dots[:MOST_ROWS], f"slice{at}")
                for at, dimension in enumerate(sorted(report.plan.dimensions))
                if (dots := _dots(report, dimension))
            },
        )


def _dots(report: EvaluationReport, dimension: str) -> list[Dot]:
    from conformed.app.pages.plots.charts import Dot

    rows = [(row, method.name) for method in report.methods for row in method.slices if row.dimension == dimension]
    order = {value: at for at, value in enumerate(dict.fromkeys(row.value for row, _ in rows))}
    return [
        Dot(
            f"{row.value} ({row.items} items{', too small to read' if row.too_small else ''})",
            name,
            accuracy,
            row.too_small,
        )
        for row, name in sorted(rows, key=lambda pair: order[pair[0].value])
        if isinstance(accuracy := row.scores.accuracy, Proportion)
    ]
