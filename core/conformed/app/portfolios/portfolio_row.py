"""One line of a portfolio: what a run of one pack says, or why the pack could not be run."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from conformed.app.answer import SaidCode
from conformed.model.base import Exact, Frozen, Missing
from conformed.model.codes import code_class
from conformed.model.covenant import Comparator, Covenant, TimelineEntry, Unit
from conformed.model.decision import Decision

__all__ = ["NextStep", "PortfolioRow", "failed_row", "next_step_down", "row_of"]

_LEVEL = re.compile(r"(?P<sign>[≤<≥>]) (?:[A-Z]{3} )?(?P<value>\d+(?:\.\d+|/\d+)?)x?")


class NextStep(Frozen):
    """The next day from which the covenant is tighter than on the test date."""

    on: dt.date
    """First day of the tighter level."""
    level: str
    """That level as shown."""


class PortfolioRow(Frozen):
    """One pack of a portfolio. The run itself, with its evidence, is in the log; a row is a way to it and no record."""

    pack: str
    """Name of the folder or zip, which no other row has."""
    result: Literal["pass", "breach", "not_tested", "review", "error"]
    """What the run says; ``error`` where there was no run."""
    problem: str = ""
    """For ``error``: what happened and the mend."""
    borrower: str = ""
    """Borrower; empty where none is named."""
    test_date: dt.date | None = None
    """Legal date."""
    known_at: dt.date | None = None
    """Knowledge date."""
    overlay: str = "none"
    """none, waived or cured; stands beside the result."""
    covenant: str = ""
    """Name of the tested figure; empty where no covenant is determined."""
    section: str = ""
    """Its provision."""
    comparator: Comparator | None = None
    """What compliance needs."""
    level: Exact | None = None
    """Level, or amount in whole units of ``level_currency``."""
    level_currency: str = ""
    """Currency of an amount; empty for a ratio."""
    ratio: Exact | None = None
    """The tested figure, exact."""
    ratio_shown: str = ""
    """The tested figure as shown under the display rules: it never looks equal to a level that it is not equal to."""
    headroom_debt: Exact | None = None
    """By how much debt may rise, whole units of ``currency``; negative on a breach."""
    currency: str = ""
    """Currency of the figures."""
    headroom_ebitda: Exact | None = None
    """By which share EBITDA may fall; negative on a breach."""
    next_step_down: NextStep | None = None
    """The next tightening on the timeline; None where there is none, or where it cannot be told."""
    missing: tuple[SaidCode, ...] = ()
    """What stops the run, each code with its sentence."""


def failed_row(pack: str, problem: str) -> PortfolioRow:
    """The row of a pack that could not be run."""
    return PortfolioRow(pack=pack, result="error", problem=problem)


def row_of(pack: str, decision: Decision) -> PortfolioRow:
    """The row of a pack that was run.

    Args:
        pack: name of its folder or zip.
        decision: the record.
    """
    covenant = decision.covenant if isinstance(decision.covenant, Covenant) else None
    calculation = None if isinstance(decision.calculation, Missing) else decision.calculation
    comparison = None if calculation is None or isinstance(calculation.comparison, Missing) else calculation.comparison
    ratio = None if calculation is None or isinstance(calculation.ratio, Missing) else calculation.ratio
    limit = covenant.limit if covenant else None
    return PortfolioRow(
        pack=pack,
        result=decision.result.value,
        borrower=decision.borrower or "",
        test_date=decision.test_date,
        known_at=decision.known_at,
        overlay=decision.overlay.value,
        covenant=covenant.name if covenant else "",
        section=covenant.section if covenant else "",
        comparator=covenant.comparator if covenant else None,
        level=limit.value if limit else None,
        level_currency=(limit.currency or "XXX") if limit and limit.unit is Unit.AMOUNT else "",
        ratio=ratio,
        ratio_shown=comparison.shown_left if comparison else "",
        headroom_debt=calculation.headroom_debt if calculation else None,
        currency=(calculation.currency or "") if calculation else "",
        headroom_ebitda=calculation.headroom_ebitda if calculation else None,
        next_step_down=next_step_down(decision.timeline, decision.test_date),
        missing=tuple(
            SaidCode(code=reason.code, sentence=reason.sentence, subject=reason.subject)
            for reason in decision.reasons
            if code_class(reason.code) in {"review", "claim"}
        ),
    )


def next_step_down(timeline: Sequence[TimelineEntry], test_date: dt.date) -> NextStep | None:
    """The first later stretch whose level is tighter than the one of the test date.

    Where the test date has no level (not tested, open, before the first), the first later level counts. A level that is
    open or a comparator that changes is passed over: nothing is guessed.

    Args:
        timeline: levels over time.
        test_date: from when to look.
    """
    now = next((_read(entry.level) for entry in timeline if entry.window.holds(test_date)), None)
    for entry in sorted((e for e in timeline if e.window.start and e.window.start > test_date), key=_start):
        then = _read(entry.level)
        if then is None:
            continue
        upper = then[0] in "≤<"
        if now is None or (now[0] == then[0] and (then[1] < now[1] if upper else then[1] > now[1])):
            return NextStep(on=_start(entry), level=entry.level)
    return None


def _start(entry: TimelineEntry) -> dt.date:
    return entry.window.start or dt.date.min


def _read(level: str) -> tuple[str, Fraction] | None:
    """Sign and value of a level as the timeline shows it; None for ``open`` and ``not tested``."""
    found = _LEVEL.fullmatch(level)
    return (found["sign"], Fraction(found["value"])) if found else None
