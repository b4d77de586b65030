"""Plots of a run's series as SVG files: one a group of series, each series in its own frame. The same run gives the same bytes."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from conformed.evaluation.intervals import wilson_interval
from conformed.model.base import Missing
from conformed_plugins.training.runs.names import GROUPS, about
from conformed_plugins.training.runs.reading import Evaluation
from conformed_plugins.training.runs.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plots_of"]

_LINES = ("#3b6fb6", "#b0590a", "#3c7d43", "#8a3f8f", "#7a6a12", "#0f7a80")
_MARKS = "osD^vPX*"
_RC: dict[str, object] = {
    "svg.hashsalt": "conformed",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#55606f",
    "grid.color": "#d5dae1",
    "figure.facecolor": "white",
}


def plots_of(series: Series, evaluations: Sequence[Evaluation] = ()) -> dict[str, bytes] | Missing:
    """Draws a run.

    Args:
        series: its series.
        evaluations: its judged items, for accuracy with intervals.

    Returns:
        SVG files by name; Missing, with the mend, where matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        return Missing(
            reason="There are no plots: matplotlib is not installed (pip install 'conformed[evaluation]'). The tables say the same.",
            code="no_matplotlib",
        )
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()  # never the settings of the user's machine
        mpl.rcParams.update(_RC)  # type: ignore[arg-type]
        found: dict[str, bytes] = {}
        for group in GROUPS:
            names = [name for name, points in series.numbers.items() if len(points) > 1 and _in(name, group)]
            if names:
                found[f"{group.replace(' ', '-')}.svg"] = _svg(_frames(names, series))
        if evaluations:
            found["accuracy.svg"] = _svg(_accuracy(evaluations))
    return found


def _in(name: str, group: str) -> bool:
    """Whether a series is drawn with a group: accuracy has a plot of its own, with intervals."""
    one = about(name)
    return one is not None and one.group == group and not (name.startswith("evaluation.") and name.endswith(".accuracy"))


def _frames(names: Sequence[str], series: Series) -> Figure:
    from matplotlib.figure import Figure

    rows = -(-len(names) // 2)
    figure = Figure(figsize=(8.0, 1.9 * rows), layout="constrained")
    frames = figure.subplots(rows, 2, squeeze=False)
    for place, name in enumerate(names):
        axes: Axes = frames[place // 2][place % 2]
        points = series.of(name)
        axes.plot(
            [update for update, _ in points],
            [value for _, value in points],
            color=_LINES[0],
            linewidth=1.2,
            marker=".",
            markersize=3,
        )
        one = about(name)
        axes.set_title(f"{name} ({one.unit})" if one else name, fontsize=9, loc="left")
        axes.grid(visible=True, linewidth=0.5)
    if len(names) % 2:
        frames[-1][1].set_visible(False)
    for axes in frames[-1]:
        axes.set_xlabel("update")
    return figure


def _accuracy(evaluations: Sequence[Evaluation]) -> Figure:
    """Accuracy of every split with Wilson's intervals; lines differ by mark and not only by colour."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for place, split in enumerate(sorted({one.split for one in evaluations})):
        chosen = [one for one in evaluations if one.split == split and one.rows]
        counts = [(one.update, sum(row["outcome"] == "correct" for row in one.rows), len(one.rows)) for one in chosen]
        shares = [right / of for _, right, of in counts]
        ends = [wilson_interval(right, of) for _, right, of in counts]
        below = [max(0.0, share - end.low) for share, end in zip(shares, ends, strict=True)]
        above = [max(0.0, end.high - share) for share, end in zip(shares, ends, strict=True)]
        axes.errorbar(
            [update for update, _, _ in counts], shares, yerr=[below, above], label=f"{split} (n = {counts[-1][2]})",
            color=_LINES[place % len(_LINES)], marker=_MARKS[place % len(_MARKS)], capsize=3, linewidth=1.2, markersize=5,
        )  # fmt: skip
    axes.set(xlabel="update", ylabel="accuracy, 95% intervals", ylim=(-0.02, 1.02))
    axes.grid(visible=True, linewidth=0.5)
    axes.legend(frameon=False)
    return figure


def _svg(figure: Figure) -> bytes:
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    to = io.BytesIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    FigureCanvasSVG(figure).print_svg(to, metadata=nothing)  # type: ignore[no-untyped-call]
    return to.getvalue()
