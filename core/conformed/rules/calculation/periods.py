"""Twelve months from the periods that a certificate gives: CA-20 to CA-24, each way with its own checks.

Ways, tried in this order: a column of twelve months to the test date; the full year with the two stubs; four single
quarters, some of them deemed by the agreement; the multiple that the agreement writes for this quarter. There is no other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from conformed.language.definitions import DefinitionTerms
from conformed.language.labels import is_flow
from conformed.language.periods import Annualised, Deemed
from conformed.model.calculation import Figure
from conformed.rules.calculation.worksheet import Worksheet

__all__ = ["month_of", "twelve_months"]


def month_of(day: dt.date) -> int:
    """The month that a period end closes, as a running number: a year of 52 or 53 weeks may end some days into the next."""
    return day.year * 12 + day.month - (1 if day.day <= 10 else 0)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A figure of a period with its length and end, both known."""

    months: int
    end: dt.date
    figure: Figure


def twelve_months(sheet: Worksheet, terms: DefinitionTerms, day: dt.date, closing: dt.date | None = None) -> None:
    """Puts twelve months to the test date in the place of lines that are given by periods.

    Args:
        sheet: the calculation; its lines are rewritten.
        terms: what the definitions say of annualising and of deemed quarters.
        day: the test date.
        closing: the day of closing, where it is evidenced; quarters that are named by their place after it need it.
    """
    kept = [(part, f) for part, f in sheet.lines if f.months is None and f.as_of in (None, day)]
    other = [f for part, f in sheet.lines if f.months is None and f.as_of not in (None, day) and not is_flow(part)]
    pieces: dict[str, list[_Piece]] = {}
    for part, figure in sheet.lines:
        if figure.months is not None and is_flow(part):
            if figure.as_of is None:
                sheet.say(
                    "review_period_mismatch", f"The column of {figure.label!r} does not say when its period ends.", (figure,)
                )
            else:
                pieces.setdefault(part, []).append(_Piece(figure.months, figure.as_of, figure))
    deemed = _deemed_within(terms.deemed, day)
    if deemed and not pieces:
        quarters = ", ".join(d.end.isoformat() for d in deemed)
        said = f"The agreement fixes the earnings of the quarters ended {quarters}; the certificate does not show its quarters apart."
        sheet.say("review_input_missing", said, spans=deemed[0].spans)
    rule = next((r for r in terms.annualised if _for_this_date(r, day, closing)), None)
    if rule is not None and not pieces:
        said = f"The agreement annualises earnings for {day.isoformat()}; the certificate does not show its quarters apart."
        sheet.say("review_period_incomplete", said, spans=rule.spans)
    made = [
        (part, line) for part, found in pieces.items() if (line := _line(sheet, terms, part, found, day, closing)) is not None
    ]
    if deemed and pieces:
        made += _deemed_lines(deemed)
    if other and not any(part.startswith(("debt_", "total_debt")) for part, _ in kept):
        sheet.say("review_period_mismatch", "Balances of the certificate are of another day than the test date.", other)
    sheet.lines = [*kept, *made]


def _deemed_within(deemed: Iterable[Deemed], day: dt.date) -> tuple[Deemed, ...]:
    """Deemed quarters of the twelve months that end on the test date."""
    return tuple(sorted((d for d in deemed if 0 <= month_of(day) - month_of(d.end) <= 9 and d.end <= day), key=lambda d: d.end))


def _deemed_lines(deemed: tuple[Deemed, ...]) -> list[tuple[str, Figure]]:
    lines = []
    for one in deemed:
        name = f"proforma_deemed_{one.end:%Y%m%d}"
        label = f"earnings deemed for the quarter ended {one.end.isoformat()}"
        figure = Figure(
            name=name,
            label=label,
            value=one.amount.value,
            currency=one.amount.currency,
            raw=one.amount.raw,
            as_of=one.end,
            spans=one.spans,
        )
        lines.append((name, figure))
    return lines


def _line(
    sheet: Worksheet, terms: DefinitionTerms, part: str, found: list[_Piece], day: dt.date, closing: dt.date | None
) -> Figure | None:
    """One line over twelve months, or None with the reason said."""
    deemed = {month_of(d.end) for d in _deemed_within(terms.deemed, day)}
    whole = [p for p in found if p.months == 12 and p.end == day]
    if whole and not deemed:
        return _agreed(sheet, whole)
    stubs = _full_year_and_stubs(sheet, part, found, day) if not deemed else None
    if stubs is not None:
        return stubs
    quarters = {month_of(p.end): p for p in found if p.months == 3 and p.end <= day}
    wanted = [month_of(day) - 9, month_of(day) - 6, month_of(day) - 3, month_of(day)]
    used = [quarters[m] for m in wanted if m in quarters and m not in deemed]
    if all(m in quarters or m in deemed for m in wanted):
        if not used:
            return None  # every quarter is deemed
        return _same_basis(sheet, part, used, " + ".join(p.figure.name for p in used))
    rule = next((r for r in terms.annualised if _for_this_date(r, day, closing)), None)
    if rule is not None and not deemed:
        return _annualised(sheet, part, rule, found, day)
    if any(r.ordinal is not None and closing is None for r in terms.annualised):
        said = f"{_label(found)!r}: the agreement annualises by quarters after closing, and the day of closing is not evidenced."
        sheet.say("review_period_incomplete", said, [p.figure for p in found])
        return None
    given = ", ".join(f"{p.months} months to {p.end.isoformat()}" for p in sorted(found, key=lambda p: (p.end, p.months)))
    said = f"{_label(found)!r} is given for {given}: twelve months to {day.isoformat()} cannot be made of these by any rule of the agreement."
    if not any(reason.code == "review_period_mismatch" for reason in sheet.reasons):
        sheet.say("review_period_incomplete", said, [p.figure for p in found])
    return None


def _label(found: list[_Piece]) -> str:
    return found[0].figure.label


def _agreed(sheet: Worksheet, whole: list[_Piece]) -> Figure:
    """The column of twelve months; repeats of it must agree."""
    if len({p.figure.value for p in whole}) > 1:
        sheet.say(
            "review_input_conflict",
            f"The certificate gives different values for {whole[0].figure.label!r}.",
            [p.figure for p in whole],
        )
    return whole[0].figure


def _full_year_and_stubs(sheet: Worksheet, part: str, found: list[_Piece], day: dt.date) -> Figure | None:
    """CA-20: full year + current year to date - prior year to date, with every check; None where it is not what is given."""
    year = [p for p in found if p.months == 12 and p.end < day]
    current = [p for p in found if p.end == day and p.months < 12]
    prior = [
        p for p in found if p.months < 12 and 12 * 30 <= (day - p.end).days <= 372 and p.figure not in [c.figure for c in current]
    ]
    if not year or not current or not prior:
        return None
    full, now = max(year, key=lambda p: p.end), max(current, key=lambda p: p.months)
    same = [p for p in prior if p.months == now.months]
    then = same[0] if same else max(prior, key=lambda p: p.months)
    label, figures = full.figure.label, (full.figure, now.figure, then.figure)
    if then.months != now.months:
        said = f"{label!r}: the stubs cover {now.months} and {then.months} months."
        sheet.say("review_period_mismatch", said, figures)
        return None
    if month_of(full.end) + now.months != month_of(day) or month_of(then.end) + 12 != month_of(day):
        said = f"{label!r}: the full year to {full.end.isoformat()} does not end where {now.months} months to {day.isoformat()} begin."
        sheet.say("review_period_mismatch", said, figures)
        return None
    if then.figure.basis != full.figure.basis and "restated" in (then.figure.basis, full.figure.basis):
        said = f"{label!r}: the prior-year comparative is restated and the full year is on the earlier basis."
        sheet.say("review_comparatives_restated", said, figures)
        return None
    name = full.figure.name, now.figure.name, then.figure.name
    return _same_basis(sheet, part, [full, now, then], f"{name[0]} + {name[1]} - {name[2]}")


def _same_basis(sheet: Worksheet, part: str, used: list[_Piece], expression: str) -> Figure | None:
    """Writes the sum once currency and basis are those of one series."""
    figures = [p.figure for p in used]
    if len({f.currency for f in figures if f.value}) > 1:
        said = f"{figures[0].label!r} is in different currencies for different periods."
        sheet.say("review_period_mismatch", said, figures)
        sheet.say("review_fx_basis_missing", f"{said} The certificate does not show those periods converted.", figures)
        return None
    if len({f.basis for f in figures}) > 1:
        sheet.say(
            "review_comparatives_restated",
            f"{figures[0].label!r} is restated for some of its periods and not for others.",
            figures,
        )
        return None
    return sheet.derive(f"{part}_12m", expression, figures)


def _for_this_date(rule: Annualised, day: dt.date, closing: dt.date | None) -> bool:
    if rule.end is not None:
        return rule.end == day
    if closing is None or rule.ordinal is None:
        return False
    # The first full quarter after closing ends at the first quarter end at least three months on.
    done = (month_of(day) - month_of(closing) if closing.day <= 10 else month_of(day) - (closing.year * 12 + closing.month)) // 3
    return done == rule.ordinal


def _annualised(sheet: Worksheet, part: str, rule: Annualised, found: list[_Piece], day: dt.date) -> Figure | None:
    """CA-23: the sum of the quarters that the words count, times their factor."""
    figures = [p.figure for p in found]
    single = {month_of(p.end): p for p in found if p.months == 3 and p.end <= day}
    count = rule.quarters or rule.ordinal or len(single)
    wanted = [month_of(day) - 3 * (count - 1 - i) for i in range(count)]
    stub = next((p for p in found if p.end == day and p.months == 3 * count), None)
    if all(m in single for m in wanted):
        used, total = [single[m] for m in wanted], " + ".join(single[m].figure.name for m in wanted)
    elif stub is not None:
        used, total = [stub], stub.figure.name
    else:
        said = f"{_label(found)!r}: the agreement annualises {count} quarters to {day.isoformat()} and they are not all given."
        sheet.say("review_period_incomplete", said, figures)
        return None
    name = "annualisation_factor"
    sheet.use(
        Figure(name=name, label="factor by which the agreement annualises", value=rule.factor, raw=rule.raw, spans=rule.spans)
    )
    return _same_basis(sheet, part, used, f"({total}) * {name}")
