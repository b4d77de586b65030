"""The evaluation on a screen: the first line first, figures with intervals, lines that fit, slices when they are asked for."""

from __future__ import annotations

import re

from conformed.app.evaluating.report import EvaluationReport
from conformed.app.evaluating.told import WIDEST, lines_of
from conformed.evaluation.intervals import Proportion
from conformed.model.base import Missing


def test_the_first_line_comes_first(report: EvaluationReport) -> None:
    """Whether the cheap method is enough stands before any table, whole, folded to the width."""
    lines = lines_of(report)
    assert lines[0].startswith("The cheap method is not shown to be enough.")
    folded = " ".join(line.strip() for line in lines[:4])
    assert folded.startswith(report.first_line)


def test_every_method_has_its_row_with_intervals(report: EvaluationReport) -> None:
    """Accuracy with its interval, wrong answers with their count, and the comparison with the cheap one, a row a method."""
    lines = lines_of(report)
    for method in report.methods:
        rows = [line for line in lines if re.match(rf"  {re.escape(method.name)} ", line)]
        assert len(rows) == (1 if method.name == report.cheap else 2)
        accuracy, wrong = method.row.scores.accuracy, method.row.quality.false_accepts
        assert isinstance(accuracy, Proportion)
        low, high = accuracy.interval
        assert f"{accuracy.value:.1%} ({low * 100:.1f}–{high * 100:.1f})" in rows[0]
        if isinstance(wrong, Proportion):
            assert f"{wrong.successes}/{wrong.trials} " in rows[0]
        if not isinstance(method.against, Missing):
            assert f"{method.against.difference:+.1%}" in rows[1]


def test_no_share_stands_without_its_interval(report: EvaluationReport) -> None:
    """In the tables each percentage is followed by brackets, or stands inside them."""
    for line in lines_of(report, slices=True)[4:]:
        bare = re.sub(r"[+-]?\d+\.\d% \([^)]*\)", "", line)
        assert "%" not in bare.replace("95% intervals", "")


def test_lines_fit_and_columns_stand_under_each_other(report: EvaluationReport) -> None:
    """No line is wider than the bound, whatever a method or a slice is called; a table's lines end in one column."""
    long = "a-name-that-goes-on-and-on-and-on-and-on"
    methods = tuple(one.model_copy(update={"name": f"{long}-{at}"}) for at, one in enumerate(report.methods))
    renamed = report.model_copy(update={"methods": methods, "cheap": methods[0].name})
    for lines in (lines_of(report, slices=True), lines_of(renamed, slices=True)):
        assert max(map(len, lines)) <= WIDEST
    table = [line for line in lines_of(report) if line.startswith("  ")][2:]
    first = table[: len(report.methods) + 1]
    assert len({len(line) for line in first}) == 1


def test_slices_are_told_when_they_are_asked_for(report: EvaluationReport) -> None:
    """Without the wish there is none; with it every slice of every method is there, small ones marked."""
    assert not [line for line in lines_of(report) if "too small to read" in line]
    told = [line for line in lines_of(report, slices=True) if "too small to read" in line]
    assert len(told) == sum(len(method.slices) for method in report.methods)


def test_hostile_text_cannot_steer_the_terminal(report: EvaluationReport) -> None:
    """A title and a slice with escapes and ends of lines are told on one clean line."""
    evil = "x\x1b[2J\u202e\nforged line"
    row = report.methods[0].slices[0].model_copy(update={"value": evil})
    method = report.methods[0].model_copy(update={"slices": (row,)})
    lines = lines_of(report.model_copy(update={"title": evil, "methods": (method,), "cheap": method.name}), slices=True)
    assert not [line for line in lines if re.search("[\x00-\x1f\u202e]", line)]
    assert "forged line" not in [line.strip() for line in lines]
