"""Packs drawn at random that reach every kind of state: rows, tables, temporary levels, holidays, definitions, restatements, reach-back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from fractions import Fraction

from hypothesis import strategies as st
from support import Act, Paper, base, set_level, stated, substituted, suspended, temporary, waived

from conformed.model.operation import EffectiveMode, Op, Target
from conformed.model.pack import Execution, InstrumentKind

__all__ = ["DAYS", "FIRST", "LEVELS", "changes", "packs"]

K, M, X = InstrumentKind, EffectiveMode, Execution
FIRST = dt.date(2022, 1, 14)
DAYS = st.dates(dt.date(2022, 6, 1), dt.date(2025, 3, 31))
MADE = st.dates(dt.date(2022, 6, 1), dt.date(2024, 3, 31))
LEVELS = st.sampled_from(["7/2", "15/4", "4", "17/4", "5"])
TERMS = {
    "Total Leverage Ratio": "the ratio of Total Debt to Adjusted Earnings",
    "Total Debt": "all borrowings",
    "Adjusted Earnings": "profit with interest added back",
}
ROWS = [("4", "2022-01-01", "2023-06-30"), ("15/4", "2023-07-01", "2024-06-30"), ("7/2", "2024-07-01", None)]
CONDITIONAL = [M.ON_CP, M.ON_EVENT, M.LATER_OF, M.AS_OF_ON_CP]
COVER = stated("7.12", "3", metric="interest_cover", comparator="ge")


def defined(words: str, op: Op = Op.REPLACE_DEFINITION) -> Act:
    """The definition of earnings put in anew."""
    sentence = f'"Adjusted Earnings" means {words}.'
    return Act(
        sentence,
        lambda q: {"op": op, "target": Target(term="Adjusted Earnings"), "payload": q(sentence), "instruction": q(sentence)},
    )


def moved(by: str) -> Act:
    """A level increased by something."""
    words = f"The ratio in Section 7.11 goes up by {by}."
    return Act(
        words,
        lambda q: {"op": Op.SET_LEVEL, "target": Target(section="7.11"), "delta": Fraction(by), "instruction": q(words)},
    )


def deleted() -> Act:
    """The covenant taken out."""
    words = "Section 7.11 is no longer part of the text."
    return Act(words, lambda q: {"op": Op.DELETE_PROVISION, "target": Target(section="7.11"), "instruction": q(words)})


@st.composite
def acts(draw: st.DrawFn, *, whole: bool = True) -> Act:
    """One operation on the covenant, on its definitions, or beside it; without ``whole`` none that restates the provision."""
    level, start = draw(LEVELS), draw(MADE)
    days = (start.isoformat(), (start + dt.timedelta(days=draw(st.integers(0, 900)))).isoformat())
    row = draw(st.sampled_from(ROWS))
    makers: list[Callable[[], Act]] = [
        lambda: set_level("7.11", level),
        lambda: set_level("7.11", level, from_period=start),
        lambda: stated("7.11", level, op=Op.REPLACE_PROVISION),
        lambda: stated("7.11", level, rows=ROWS, op=Op.REPLACE_PROVISION),
        lambda: stated("7.11", level, op=Op.REPLACE_TABLE, rows=[(level, days[0], None)], from_period=start),
        lambda: stated("7.11", level, op=Op.REPLACE_TABLE),
        lambda: stated("7.11", level, op=Op.REPLACE_ROW, rows=[(level, row[1], row[2])]),
        lambda: substituted("7.11", "4.00 to 1.00", "4.25 to 1.00"),
        lambda: substituted("7.11", "shall not", "must not"),
        lambda: substituted("1.01", "interest", "tax", term="Adjusted Earnings", op=Op.AMEND_DEFINITION),
        lambda: defined(f"profit as of {days[0]}"),
        lambda: moved("0.25"),
        deleted,
        lambda: suspended("7.11", (FIRST.isoformat(), "2025-12-31")),
        lambda: temporary("7.11", level, (FIRST.isoformat(), "2025-12-31")),
        lambda: suspended("7.11", days),
        lambda: temporary("7.11", level, days),
        lambda: waived("7.11", days),
        lambda: set_level("7.12", level),
    ]
    made = st.sampled_from(makers).map(lambda make: make())
    return draw(made if whole else made.filter(lambda act: act.label != "7.11"))


@st.composite
def changes(draw: st.DrawFn, number: int, *, whole: bool = True) -> Paper:
    """An instrument with one or two operations, evidence of its effect or not, and recitals of those before it."""
    dated = draw(MADE)
    mode = draw(st.sampled_from([*[M.ON_SIGNING] * 5, M.FIXED, M.AS_OF, M.AS_OF, *CONDITIONAL]))
    dates = {M.FIXED, M.AS_OF, M.LATER_OF, M.AS_OF_ON_CP}
    effect = {"date": draw(DAYS), "waives_default": draw(st.booleans())} if mode in dates else {}
    shown = dated + dt.timedelta(days=draw(st.integers(0, 120))) if mode in CONDITIONAL and draw(st.booleans()) else None
    return Paper(
        f"{draw(st.sampled_from('abcxyz'))}{number}", K.AMENDMENT, dated, draw(st.lists(acts(whole=whole), min_size=1, max_size=2, unique_by=lambda act: act.words)), mode, effect,
        draw(st.sampled_from([*[X.EXECUTED] * 8, X.UNSIGNED, X.PARTIAL, X.DRAFT])), effective_on=shown, number=number,
        recites=[(n, None) for n in range(1, number) if draw(st.booleans())],
    )  # fmt: skip


@st.composite
def packs(draw: st.DrawFn, most: int = 3, *, least: int = 0, whole: bool = True) -> list[Paper]:
    """A base, flat or with rows, up to three amendments, sometimes a restatement; without ``whole`` nothing restates the provision."""
    flat = draw(st.booleans())
    first = base("base", FIRST.isoformat(), stated("7.11", "4") if flat else stated("7.11", rows=ROWS), COVER, definitions=TERMS)
    papers = [first, *(draw(changes(n, whole=whole)) for n in range(1, draw(st.integers(least, most)) + 1))]
    if whole and draw(st.integers(0, 2)) == 0:
        dated, shown = draw(MADE), draw(st.none() | st.integers(0, 60))
        effective = dated + dt.timedelta(days=shown) if shown is not None else None
        again = [stated("7.11", draw(LEVELS)), COVER]
        papers.append(
            Paper("restated", K.RESTATEMENT, dated, again, M.ON_CP, amends=FIRST, effective_on=effective, definitions=TERMS)
        )
    return papers
