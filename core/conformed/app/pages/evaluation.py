"""An evaluation as one HTML file: offline, without scripts; a table beside each plot, and every response a click away."""

from __future__ import annotations

import base64
import hashlib
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from conformed.app.evaluating.report import EvaluationReport, MethodReport
from conformed.app.pages import shown
from conformed.app.pages.evaluation_items import LONGEST, MOST_ITEMS, MOST_SAMPLES, anchors, items_of, visible
from conformed.app.pages.plots import MOST_ROWS, plots_of
from conformed.compute.selection import SelectionRow
from conformed.evaluation.slices import SliceRow
from conformed.model.answer import Outcome
from conformed.model.base import Missing

__all__ = ["render_evaluation"]

_TEMPLATES = Path(__file__).parents[1] / "templates"
_MARKS = {Outcome.CORRECT: "✓", Outcome.INCORRECT: "✕", Outcome.REVIEW: "?", Outcome.ERROR: "!"}
_WAYS = {
    "random": "random",
    "vote": "plurality vote",
    "deterministic": "first that its check shows right",
    "learned": "learned scorer",
    "oracle": "oracle",
}


def render_evaluation(report: EvaluationReport) -> str:
    """The report of an evaluation as one HTML document.

    The same report gives the same bytes: there is no clock in it. Without matplotlib it has its tables and says why there are no
    plots. Texts of the data set and of models are data: escaped, and what a page would obey is shown as its code point.

    Args:
        report: the evaluation.

    Returns:
        HTML with a content security policy that forbids scripts, frames, forms and everything from the network.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: shown.clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value,
    )
    environment.tests["missing"] = lambda value: isinstance(value, Missing)
    environment.filters["percent"] = lambda value: f"{value:.1%}"
    environment.filters["points"] = lambda value: f"{value * 100:+.1f}".replace("-", "−")
    environment.filters["visible"] = visible
    style = "".join((_TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.css", "evaluation.css"))
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    plots = plots_of(report)

    def svg(kind: str, key: str = "") -> str:
        """One plot. The page takes it as it is: it was written by us, and holds no text that was not escaped."""
        found = getattr(plots, kind, "")
        return found if isinstance(found, str) else str(found.get(key, ""))

    return environment.get_template("evaluation.html.j2").render(
        style=style,
        style_hash=digest,
        program=_version(),
        no_plots=plots.reason if isinstance(plots, Missing) else "",
        svg=svg,
        **_context(report),
    )


def _context(report: EvaluationReport) -> dict[str, Any]:
    first, _, rest = report.first_line.partition(". ")
    items = items_of(report)
    several = [one for one in report.methods if one.row.method.n > 1]
    return {
        "r": report,
        "show": shown,
        "first": f"{first}." if rest else first,
        "rest": rest,
        "marks": _MARKS,
        "ways": _WAYS,
        "number": _number,
        "a_item": lambda one: _number(Fraction(one.row.quality.tokens, one.row.quality.items), 1),
        "cheap": next(one for one in report.methods if one.name == report.cheap),
        "versions": sorted({one.versions for method in report.methods for one in method.results}, key=str),
        "beaten": dict(report.frontier.beaten),
        "lacking": dict(report.frontier.not_compared),
        "sizes": sorted({point.k for method in report.methods for point in method.pass_at}),
        "several": several,
        "best_of": _best_of,
        "dimensions": {name: _slices(report.methods, name) for name in sorted(report.plan.dimensions)},
        "rows_drawn": MOST_ROWS,
        "items": items,
        "anchors": anchors(items),
        "most_samples": MOST_SAMPLES,
        "most_items": MOST_ITEMS,
        "longest": LONGEST,
    }


def _best_of(method: MethodReport) -> tuple[list[tuple[str, list[SelectionRow]]], list[int]]:
    """The rows of best of N by way of choosing, and each N; a scorer that scored nothing is no row."""
    if isinstance(method.best_of, Missing):
        return [], []
    found: dict[str, list[SelectionRow]] = {}
    for row in method.best_of.rows:
        found.setdefault(row.method, []).append(row)
    kept = [
        (way, rows)
        for way, rows in found.items()
        if way != "learned" or any(not isinstance(row.mean_score, Missing) for row in rows)
    ]
    return kept, sorted({row.selection.at for row in method.best_of.rows})


def _slices(methods: tuple[MethodReport, ...], dimension: str) -> list[tuple[str, list[tuple[str, SliceRow]]]]:
    """The rows of one dimension, by part and then by method."""
    found: dict[str, list[tuple[str, SliceRow]]] = {}
    for method in methods:
        for row in method.slices:
            if row.dimension == dimension:
                found.setdefault(row.value, []).append((method.name, row))
    return list(found.items())


def _number(value: Fraction | int | Missing, places: int = 0) -> str:
    return "none" if isinstance(value, Missing) else shown.decimal(Fraction(value), places, separate=True)


def _version() -> str:
    try:
        return version("conformed")
    except PackageNotFoundError:
        return "not installed"
