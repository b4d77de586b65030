"""The charts: reliability, risk against coverage, accuracy against tokens, slices. Each shows its intervals; none relies on colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformed.app.pages.plots.svg import svg_of, word
from conformed.evaluation.intervals import Proportion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from conformed.evaluation.calibration import Calibration
    from conformed.evaluation.risk import RiskCurve

__all__ = ["Dot", "Spot", "pareto_chart", "reliability_chart", "risk_chart", "slice_chart"]

_INK, _SOFT = "#1b2330", "#55606f"
_COLOURS = ("#3b6fb6", "#b0590a", "#3c7d43", "#8a3f8f", "#7a6a12", "#0f7a80")
_MARKERS = "osD^vPX*"
_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True, slots=True)
class Spot:
    """One method among others: what it took, and how right it was."""

    name: str
    """The method."""
    tokens: float
    """Generated tokens an item."""
    accuracy: Proportion
    """How right it was."""
    best: bool
    """Whether it is on the frontier."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One row of a chart of slices."""

    group: str
    """The slice, with its size."""
    name: str
    """The method."""
    accuracy: Proportion
    """How right it was there."""
    too_small: bool
    """Whether the slice is too small to read."""


def _figure(height: float, width: float = 7.2) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _ends(share: Proportion) -> list[list[float]]:
    low, high = share.interval
    return [[max(0.0, share.value - low)], [max(0.0, high - share.value)]]


def _percent(axis: object) -> None:
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0, decimals=0))  # type: ignore[attr-defined]


def reliability_chart(name: str, of: Calibration, prefix: str) -> str:
    """The reliability diagram of one method: observed against stated, with the diagonal of a score that means what it says."""
    figure, axes = _figure(4.4, 5.4)
    axes.plot([0, 1], [0, 1], color=_SOFT, linestyle="--", linewidth=1)
    axes.annotate("as stated", (0.06, 0.09), rotation=0, color=_SOFT, fontsize=9)
    for one in of.bins:
        if isinstance(one.observed, Proportion) and one.mean_score is not None:
            axes.errorbar(
                [one.mean_score], [one.observed.value], yerr=_ends(one.observed),
                fmt="o", color=_COLOURS[0], markersize=7, capsize=4, linewidth=1.5,
            )  # fmt: skip
            axes.annotate(
                f"n={one.count}", (one.mean_score, one.observed.interval.low), xytext=(0, -12), textcoords="offset points",
                ha="center", color=_INK, fontsize=9,
            )  # fmt: skip
    axes.set(xlim=(-0.02, 1.04), ylim=(-0.08, 1.04), xlabel="Share of samples that agree", ylabel="Answers that are right")
    _percent(axes.xaxis)
    _percent(axes.yaxis)
    axes.grid(visible=True, linewidth=0.6)
    axes.set_axisbelow(True)
    return svg_of(figure, prefix, f"Reliability diagram of {word(name)}; its figures stand in the table beside it.")


def risk_chart(curves: Sequence[tuple[str, RiskCurve]], prefix: str) -> str:
    """Risk against coverage of every method that has a score."""
    figure, axes = _figure(4.2)
    for at, (name, curve) in enumerate(curves):
        points = [
            (one.coverage.value, one.risk)
            for one in curve.points
            if isinstance(one.coverage, Proportion) and isinstance(one.risk, Proportion)
        ]
        colour = _COLOURS[at % len(_COLOURS)]
        for x, risk in points:
            axes.errorbar([x], [risk.value], yerr=_ends(risk), fmt="none", color=colour, capsize=2, linewidth=0.7)
        axes.plot(
            [x for x, _ in points], [risk.value for _, risk in points],
            color=colour, marker=_MARKERS[at % len(_MARKERS)], linestyle=_DASHES[at % len(_DASHES)], label=word(name),
        )  # fmt: skip
    axes.set(xlim=(0, 1.03), xlabel="Coverage: answers given among those with a score", ylabel="Risk: wrong among those given")
    axes.set_ylim(bottom=-0.01)
    _percent(axes.xaxis)
    _percent(axes.yaxis)
    axes.grid(visible=True, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    return svg_of(figure, prefix, "Risk against coverage, one line a method; its figures stand in the table below it.")


def pareto_chart(spots: Sequence[Spot], prefix: str) -> str:
    """Accuracy against tokens: filled marks are on the frontier, hollow ones are not."""
    figure, axes = _figure(4.4)
    taken: list[tuple[float, float, float]] = []
    widest = max((one.tokens for one in spots), default=1) or 1
    for at, one in sorted(enumerate(spots), key=lambda pair: (-pair[1].accuracy.exact, pair[1].tokens, pair[1].name)):
        colour = _COLOURS[at % len(_COLOURS)]
        axes.errorbar(
            [one.tokens], [one.accuracy.value], yerr=_ends(one.accuracy), fmt=_MARKERS[at % len(_MARKERS)], color=colour,
            markerfacecolor=colour if one.best else "none", markersize=8, capsize=4, linewidth=1.3,
        )  # fmt: skip
        left, right, y = _place(one, spots, taken, widest)
        taken.append((left, right, y))
        axes.annotate(
            word(one.name), (one.tokens, y), xytext=(9 if right > one.tokens else -9, 3), textcoords="offset points",
            ha="left" if right > one.tokens else "right", color=colour, fontsize=9.5,
        )  # fmt: skip
    axes.set(ylim=(-0.03, 1.05), xlabel="Generated tokens an item", ylabel="Accuracy")
    axes.set_xlim(-0.04 * widest, 1.28 * widest)
    _percent(axes.yaxis)
    axes.grid(visible=True, linewidth=0.6)
    axes.set_axisbelow(True)
    return svg_of(
        figure, prefix, "Accuracy against generated tokens; filled marks are on the frontier. Figures in the table below."
    )


def _place(
    one: Spot, spots: Sequence[Spot], taken: Sequence[tuple[float, float, float]], widest: float
) -> tuple[float, float, float]:
    """Where the name of a spot stands: to its left where another spot is in the way, and lower where another name is."""
    wide, y = widest * (0.05 + 0.017 * len(word(one.name))), one.accuracy.value
    crowded = any(
        one.tokens + 0.01 * widest < other.tokens < one.tokens + wide and abs(y - other.accuracy.value) < 0.06 for other in spots
    )
    left, right = (one.tokens - wide, one.tokens) if crowded and one.tokens > wide else (one.tokens, one.tokens + wide)
    while any(left < end and begin < right and abs(y - other) < 0.05 for begin, end, other in taken):
        y -= 0.05
    return left, right, y


def slice_chart(dimension: str, dots: Sequence[Dot], prefix: str) -> str:
    """Accuracy by slice, a row a method; hollow marks with dotted lines are of slices too small to read."""
    groups = list(dict.fromkeys(one.group for one in dots))
    figure, axes = _figure(0.9 + 0.21 * len(dots) + 0.3 * len(groups))
    names = list(dict.fromkeys(one.name for one in dots))
    row, ticks, labels = 0.0, [], []
    for group in groups:
        axes.text(-0.01, row, word(group, 60), ha="left", va="center", fontsize=10, color=_INK, fontweight="bold")
        row -= 1
        for one in (dot for dot in dots if dot.group == group):
            at = names.index(one.name)
            colour = _COLOURS[at % len(_COLOURS)]
            low, high = one.accuracy.interval
            axes.plot([low, high], [row, row], color=colour, linewidth=1.5, linestyle=":" if one.too_small else "-")
            axes.plot(
                [one.accuracy.value], [row], color=colour, marker=_MARKERS[at % len(_MARKERS)],
                markerfacecolor="none" if one.too_small else colour, markersize=6, linestyle="none",
            )  # fmt: skip
            ticks.append(row)
            labels.append(word(one.name))
            row -= 1
        row -= 0.4
    axes.set_yticks(ticks, labels)
    axes.tick_params(axis="y", length=0)
    axes.set(xlim=(-0.02, 1.02), ylim=(row, 1), xlabel="Accuracy")
    _percent(axes.xaxis)
    axes.grid(visible=True, axis="x", linewidth=0.6)
    axes.set_axisbelow(True)
    return svg_of(figure, prefix, f"Accuracy by {word(dimension)}, with intervals; its figures stand in the table below it.")
