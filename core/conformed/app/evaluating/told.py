"""An evaluation in words, for a screen: first what must be known first, then a table of methods, then what stands against the cheap one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from conformed.app.evaluating.report import EvaluationReport, MethodReport
from conformed.app.pages.shown import clean, decimal, quote
from conformed.evaluation.intervals import Proportion
from conformed.evaluation.slices import SliceRow
from conformed.model.base import Missing

__all__ = ["WIDEST", "lines_of"]

WIDEST = 110
"""Most columns of a line of a table."""
_NAME = 20


def lines_of(report: EvaluationReport, *, slices: bool = False) -> tuple[str, ...]:
    """The report, line by line; nothing is said of a share without its number and interval.

    Args:
        report: the evaluation.
        slices: whether to tell the slices too.
    """
    return tuple(_lines(report, slices=slices))


def _lines(report: EvaluationReport, *, slices: bool) -> Iterator[str]:
    yield from _folded(report.first_line)
    yield f"{quote(report.title, 60)} · {len(report.items)} items · data {report.data_digest[:12]} · contract {report.contract}"
    yield ""
    yield from _methods(report)
    yield f"Shares of {len(report.items)} items unless a count stands there; in brackets 95% intervals; tokens an item."
    if len(report.methods) > 1:
        yield ""
        yield from _against(report)
        yield f"Pareto frontier: {', '.join(report.frontier.on) or 'none'}"
    if isinstance(report.lineage, Missing):
        yield from _folded(f"Lineage: {report.lineage.reason}")
    if not isinstance(report.contamination, Missing):
        yield f"Contamination: {len(report.contamination.pairs)} same or near-same pieces across splits"
    if slices:
        for dimension in sorted(report.plan.dimensions):
            yield ""
            yield from _slices(report, dimension)


def _methods(report: EvaluationReport) -> Iterator[str]:
    valued = next((one.utility.currency for one in report.methods if not isinstance(one.utility, Missing)), "")
    heads = ["method", "accuracy", "wrong among given", "for a person", "tokens", *([f"utility {valued}"] if valued else [])]
    yield from _table(heads, [_row(one, valued=bool(valued)) for one in report.methods], left=1)


def _row(one: MethodReport, *, valued: bool) -> list[str]:
    scores, quality = one.row.scores, one.row.quality
    row = [
        quote(one.name, _NAME),
        _share(scores.accuracy),
        _share(quality.false_accepts, count=True),
        _share(quality.reviews),
        decimal(Fraction(quality.tokens, quality.items), 1),
    ]
    if valued:
        row.append("none" if isinstance(one.utility, Missing) else decimal(one.utility.value, 4))
    return row


def _against(report: EvaluationReport) -> Iterator[str]:
    rows = []
    for one in report.methods:
        if not isinstance(one.against, Missing):
            low, high = one.against.interval
            said = f"{one.against.difference:+.1%} ({low:+.1%} to {high:+.1%})"
            changed = str(len(one.against.improved)), str(len(one.against.regressed))
            rows.append([quote(one.name, _NAME), *changed, said, f"{one.against.p_value:.2g}"])
    heads = [f"against {quote(report.cheap, _NAME)}", "improved", "regressed", "difference of accuracy", "McNemar p"]
    yield from _table(heads, rows, left=1)


def _slices(report: EvaluationReport, dimension: str) -> Iterator[str]:
    found = [(row, one.name) for one in report.methods for row in one.slices if row.dimension == dimension]
    parts = list(dict.fromkeys(row.value for row, _name in found))
    rows = [
        [quote(row.value, 28), quote(name, _NAME), _share(row.scores.accuracy, count=True), _mark(row)]
        for row, name in sorted(found, key=lambda pair: parts.index(pair[0].value))
    ]
    yield from _table([quote(dimension, 28), "method", "accuracy", ""], rows, left=4)


def _mark(row: SliceRow) -> str:
    return "too small to read" if row.too_small else ""


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: int) -> Iterator[str]:
    """Lines of equal columns; the first ``left`` of them begin at their left, the others end at their right."""
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    for row in (heads, *rows):
        cells = [
            cell.ljust(wide) if at < left else cell.rjust(wide) for at, (cell, wide) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()


def _folded(text: str) -> Iterator[str]:
    import textwrap

    yield from textwrap.wrap(clean(text), WIDEST, subsequent_indent="  ")


def _share(value: Proportion | Missing, *, count: bool = False) -> str:
    if isinstance(value, Missing):
        return "none"
    low, high = value.interval
    said = f"{value.value:.1%} ({100 * low:.1f}–{100 * high:.1f})"
    return f"{value.successes}/{value.trials} {said}" if count else said
