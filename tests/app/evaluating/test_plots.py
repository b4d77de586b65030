"""Plots: SVG that a strict page can hold, the same bytes each time, with text of data sets as text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib as mpl
import pytest

from conformed.app.evaluating.report import EvaluationReport
from conformed.app.pages.plots import MOST_ROWS, Plots, plots_of
from conformed.app.pages.plots.charts import Dot, Spot, pareto_chart, slice_chart
from conformed.app.pages.plots.svg import drawing, word
from conformed.evaluation.intervals import Proportion, proportion
from conformed.model.base import Missing

CSS = Path(__file__).parents[3] / "core" / "conformed" / "app" / "templates"


@pytest.fixture(scope="module")
def plots(report: EvaluationReport) -> Plots:
    """The plots of the small comparison."""
    drawn = plots_of(report)
    assert isinstance(drawn, Plots)
    return drawn


def _all(plots: Plots) -> list[str]:
    return [plots.pareto, plots.risk, *plots.reliability.values(), *plots.slices.values()]


def _share(right: int, of: int) -> Proportion:
    found = proportion(right, of)
    assert isinstance(found, Proportion)
    return found


def _texts(svg: str) -> list[str]:
    return [one.text or "" for one in ET.fromstring(svg).iter("text")]


def test_each_is_drawn_from_the_report(plots: Plots, report: EvaluationReport) -> None:
    """Every method has its name on the frontier, every slice on its plot, every bin its count on its diagram."""
    assert {one.name for one in report.methods} <= set(_texts(plots.pareto))
    assert set(plots.slices) == {"difficulty", "subject"}
    for dimension, svg in plots.slices.items():
        values = {row.value for method in report.methods for row in method.slices if row.dimension == dimension}
        assert {f"{value} (4 items, too small to read)" for value in values} <= set(_texts(svg))
    assert set(plots.reliability) == {"plurality", "verified", "verified-calculator"}
    for method in report.methods:
        if not isinstance(method.agreement, Missing):
            counts = sorted(f"n={one.count}" for one in method.agreement.bins if one.count)
            assert sorted(text for text in _texts(plots.reliability[method.name]) if text.startswith("n=")) == counts
            assert method.name in _texts(plots.risk)


def test_nothing_in_them_needs_a_style_or_an_address(plots: Plots) -> None:
    """No style element or attribute, no metadata, no address, no font: the page's own sheet says how they look."""
    for svg in _all(plots):
        tree = ET.fromstring(svg)
        assert {one.tag for one in tree.iter()} <= {"svg", "g", "path", "text", "defs", "use", "clipPath", "rect"}
        assert not [one for one in tree.iter() if {"style", "font-family", "onload"} & set(one.attrib)]
        assert "http" not in svg
        links = {one.get("href", "#")[1:] for one in tree.iter("use")} | set(re.findall(r"url\(#([^)]+)\)", svg))
        assert links <= {one.get("id") for one in tree.iter()}


def test_ids_of_two_plots_never_meet(plots: Plots) -> None:
    """All plots together hold each id once: a page can hold them side by side."""
    ids = [one.get("id") for svg in _all(plots) for one in ET.fromstring(svg).iter() if one.get("id")]
    assert len(ids) == len(set(ids))


def test_every_colour_has_its_place_in_light_and_dark(plots: Plots) -> None:
    """Each colour that is drawn is replaced by one of the page's own, which the dark scheme changes."""
    sheet = (CSS / "evaluation.css").read_text(encoding="utf-8")
    used = {pair for svg in _all(plots) for pair in re.findall(r'(fill|stroke)="(#[0-9a-f]{6})"', svg)}
    assert len(used) > 8
    assert {pair for pair in used if f'[{pair[0]}="{pair[1]}"]{{{pair[0]}:var(--' not in sheet} == set()


def test_the_users_settings_change_nothing(plots: Plots, report: EvaluationReport) -> None:
    """The same bytes again, under other settings of the library, which are as they were afterwards."""
    with mpl.rc_context({"font.size": 30, "xtick.major.size": 20, "axes.xmargin": 0.4, "svg.hashsalt": None}):
        assert plots_of(report) == plots
        assert mpl.rcParams["font.size"] == 30


def test_text_of_a_data_set_is_text(report: EvaluationReport) -> None:
    """Tags are escaped, dollar signs are no formula, control characters are gone, and what is long is cut."""
    evil = "</svg><script>alert(1)</script> $\\frac{1}$ \x00\x1b\u202e\ufffe " + "x" * 90
    with drawing():
        svg = slice_chart(evil, [Dot(evil, evil, _share(1, 2), too_small=True)], "p")
        svg += pareto_chart([Spot("$a^{$", 1.0, _share(1, 2), best=True)], "q")
    assert "<script" not in svg
    assert "&lt;/svg&gt;" in svg
    assert not re.search("[\x00-\x08\x1b\u202e\ufffe]", svg)
    assert "$a^{$" in svg
    assert len(word(evil)) <= 28
    assert word("\u202e") == "(none)"


def test_signs_that_no_font_here_has_are_drawn_all_the_same() -> None:
    """A name in another script gives no warning and stands in the plot as text for the reader's font."""
    with drawing():
        assert "税率" in pareto_chart([Spot("税率", 1.0, _share(1, 2), best=False)], "p")


def test_marks_do_not_rest_on_colour(report: EvaluationReport) -> None:
    """A slice too small to read is hollow and dotted, one that may be read filled and solid."""
    with drawing():
        small = slice_chart("d", [Dot("g", "m", _share(1, 2), too_small=True)], "p")
        large = slice_chart("d", [Dot("g", "m", _share(1, 2), too_small=False)], "p")
    assert small.count("stroke-dasharray") == 1
    assert "stroke-dasharray" not in large


def test_a_great_many_slices_are_not_all_drawn(report: EvaluationReport) -> None:
    """The plot stops at its bound; the table has the rest."""
    method = next(one for one in report.methods if one.slices)
    row = next(one for one in method.slices if one.dimension == "subject")
    many = tuple(row.model_copy(update={"value": f"v{at:03}"}) for at in range(MOST_ROWS + 20))
    large = report.model_copy(update={"methods": (method.model_copy(update={"slices": many}),)})
    drawn = plots_of(large)
    assert isinstance(drawn, Plots)
    said = [text for text in _texts(drawn.slices["subject"]) if text.startswith("v0")]
    assert len(said) == MOST_ROWS
