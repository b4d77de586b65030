"""Scorers in words, for a screen. Nothing is said of a share without its number and interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformed.app.scoring.reporting import Listed, Replay, ScorerReport
from conformed.evaluation.intervals import Proportion
from conformed.evaluation.scorers.discrimination import Auroc
from conformed.evaluation.scorers.drift import Drift, DriftPart, ScorerSide
from conformed.model.base import Missing

__all__ = ["area", "drift_lines", "list_lines", "number", "replay_lines", "report_lines", "share"]


def list_lines(rows: Iterable[Listed]) -> Iterator[str]:
    """The registry, a line a plugin and a block a card."""
    for row in rows:
        yield " · ".join(filter(None, (f"{row.name} {row.version}".strip(), row.summary, row.note)))
        for card in row.cards:
            calibration = card.calibration
            said = (
                "never calibrated: no confidence"
                if calibration is None
                else f"calibrated {calibration.date} on {calibration.data}"
            )
            yield f"  {card.name} ({card.family}) · about {card.target_event} · {said} · owner {card.owner}"
            for word, slices in (("fit for", card.supported_slices), ("fails on", card.failure_slices)):
                for one in slices:
                    yield f"    {word} {one.name}: {one.why}"


def replay_lines(replay: Replay) -> Iterator[str]:
    """What was selected."""
    missing = sum(isinstance(row.score, Missing) for row in replay.rows)
    yield f"{replay.scorer} on {replay.bank} ({replay.bank_sha256[:12]}): {len(replay.selected)} items, {len(replay.rows)} candidates"
    yield f"  right among selected {share(replay.selection.accuracy)} · for a person {share(replay.selection.review_rate)}"
    yield f"  candidates without a score {missing} · items with a tie {sum(one.tied > 1 for one in replay.selected)}"


def drift_lines(found: Drift) -> Iterator[str]:
    """First the bounds, then what changed, then both scorers."""
    if found.passed_bounds:
        yield f"{len(found.passed_bounds)} declared bounds passed: a person must look before {found.new.scorer} is used."
        yield from (f"  {one}" for one in found.passed_bounds)
    else:
        yield f"No declared bound is passed by {found.new.scorer} in the place of {found.old.scorer}."
    yield f"Bank {found.bank} ({found.bank_sha256[:12]})"
    yield from (_part(one) for one in found.parts)
    yield f"Pairs of candidates ordered differently {share(found.disagreement)}"
    for side in (found.old, found.new):
        yield from _side(side)


def _part(one: DriftPart) -> str:
    name = "all" if one.dimension == "all" else f"{one.dimension} {one.value}"
    mark = " · too small to read" if one.too_small else ""
    return (
        f"  {name}: {share(one.changed)} of the selections changed, {one.improved} improved, {one.regressed} regressed,"
        f" McNemar p {one.p_value:.3g}{mark}"
    )


def _side(side: ScorerSide) -> Iterator[str]:
    yield f"  {side.scorer}: right {share(side.selection.accuracy)} · accepted {share(side.accepted)}"
    spread = ", ".join(f"{one:.3g}" for one in side.distribution.quantiles)
    yield f"    scores {spread or 'none'} ({side.distribution.missing} missing)"
    yield f"    against outcomes {area(side.against_outcomes)} · against the check {area(side.against_check)}"
    yield f"    with length {number(side.length_correlation)} · with a readable answer {number(side.format_correlation)}"


def report_lines(report: ScorerReport) -> Iterator[str]:
    """First whether the scorer may be used; then each gate and each figure."""
    yield report.first_line
    yield f"Bank {report.bank} ({report.bank_sha256[:12]}) · gates {report.gates_name} ({report.gates_sha256[:12]})"
    for gate in report.gates:
        yield f"  {'passed' if gate.passed else 'FAILED'} {gate.gate}: {gate.found}"
    yield "Discrimination (right against wrong candidates):"
    for row in report.figures.slices:
        name = "all" if row.dimension == "all" else f"{row.dimension} {row.value}"
        mark = " · too small to read" if row.too_small else ""
        yield f"  {row.split}, {name}: {area(row.discrimination)}{mark}"
    for word, found in (
        ("test", report.figures.calibration),
        ("shift", report.figures.calibration_shift),
        ("test, through the map", report.figures.calibration_mapped),
    ):
        if isinstance(found, Missing):
            yield f"Calibration ({word}): {found.reason}"
        else:
            yield f"Calibration ({word}): expected error {found.expected_error:.3f}, Brier {found.brier.score:.3f}, {found.n} candidates"
    yield f"Score with length among wrong candidates: {number(report.figures.length_correlation)}"
    yield from _selection(report)


def _selection(report: ScorerReport) -> Iterator[str]:
    yield "Selection on the test split (N, way, right, mean score of the chosen):"
    for one in report.selection.rows:
        if one.method in ("random", "learned", "oracle"):
            way = {"learned": "this scorer", "oracle": "oracle, not deployable"}.get(one.method, one.method)
            yield f"  {one.selection.at} {way}: {share(one.selection.chosen_correct)} · {number(one.mean_score)}"
    for shift in report.selection.shifts:
        if shift.exploited:
            yield (
                f"  From N {shift.smaller} to {shift.larger} the chosen score rises ({number(shift.score_change)}) and accuracy does"
                f" not ({shift.accuracy_change:+.1%}; random candidates {shift.random_accuracy_change:+.1%})."
            )


def share(value: Proportion | Missing) -> str:
    """A share with its count and interval."""
    return "none" if isinstance(value, Missing) else value.words()


def area(value: Auroc | Missing) -> str:
    """An area, or why there is none."""
    return f"none ({value.reason})" if isinstance(value, Missing) else value.words()


def number(value: float | Missing) -> str:
    """A figure, or none."""
    return "none" if isinstance(value, Missing) else f"{value:+.3f}"
