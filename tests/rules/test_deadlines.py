"""Days on which certificates are due and rights to cure run out (PR-45, finding_late_delivery)."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from conformed.language.cure_limits import CureLimits
from conformed.language.delivery import Delivery
from conformed.model.dates import FiscalCalendar
from conformed.rules.beside.deadlines import Arrival, Due, after_days, cure_deadline, due_on, late_delivery

D = dt.date
YEAR = FiscalCalendar(end_month=12, end_day=31)
BOTH = (Delivery(period="quarter", days=45), Delivery(period="year", days=120))
DAYS = st.dates(D(2000, 1, 1), D(2090, 1, 1))


@given(DAYS, st.integers(1, 60))
def test_business_days_are_a_stretch_that_begins_without_holidays(day: dt.date, count: int) -> None:
    """The earliest day has exactly so many weekdays after the start; holidays can only move it later, and the stretch has room."""
    due = after_days(day, count, business=True)
    between = [day + dt.timedelta(days=n) for n in range(1, (due.earliest - day).days + 1)]
    assert sum(d.weekday() < 5 for d in between) == count
    assert due.earliest.weekday() < 5
    assert due.latest > due.earliest
    assert after_days(day, count, business=False) == Due(day + dt.timedelta(days=count), day + dt.timedelta(days=count))


def test_the_period_decides_which_duty_counts() -> None:
    """A year's end has the year's days, a quarter's the quarter's; without a calendar it may be either."""
    assert due_on(BOTH, D(2024, 9, 30), YEAR) == Due(D(2024, 11, 14), D(2024, 11, 14))
    assert due_on(BOTH, D(2024, 12, 31), YEAR) == Due(D(2025, 4, 30), D(2025, 4, 30))
    assert due_on(BOTH, D(2024, 12, 31), None) == Due(D(2025, 2, 14), D(2025, 4, 30))
    assert due_on(BOTH[:1], D(2024, 12, 31), YEAR) == Due(D(2025, 2, 14), D(2025, 2, 14))
    assert due_on((), D(2024, 9, 30), YEAR) is None


def test_a_duty_that_names_the_certificate_goes_first() -> None:
    """Accounts within 30 days and a certificate within 45: the certificate has 45."""
    duties = (Delivery(period="quarter", days=30), Delivery(period="quarter", days=45, certificate=True))
    assert due_on(duties, D(2024, 9, 30), YEAR) == Due(D(2024, 11, 14), D(2024, 11, 14))


def test_late_only_where_no_reading_makes_it_timely() -> None:
    """The last day is in time, the next is late; a year's end that may be a quarter's is late only after the longer time."""
    quarter = D(2024, 9, 30)
    assert late_delivery(BOTH, Arrival("c", D(2024, 11, 14)), quarter, YEAR) is None
    found = late_delivery(BOTH, Arrival("c", D(2024, 11, 15)), quarter, YEAR)
    assert found is not None
    assert (found.code, found.subject) == ("finding_late_delivery", "c")
    assert "2024-11-14" in found.sentence
    assert late_delivery(BOTH, Arrival("c", D(2025, 4, 1)), D(2024, 12, 31), None) is None
    assert late_delivery(BOTH, None, quarter, YEAR) is None
    assert late_delivery((), Arrival("c", D(2030, 1, 1)), quarter, YEAR) is None


def test_from_when_a_cure_runs() -> None:
    """From the day on which the certificate was due, came, or of the test; from anything else no day is worked out."""
    quarter, came = D(2024, 9, 30), D(2024, 11, 1)

    def until(runs_from: str, delivered: dt.date | None = came) -> Due | None:
        return cure_deadline(CureLimits(days=10, runs_from=runs_from), BOTH, quarter, YEAR, delivered)

    assert until("due") == Due(D(2024, 11, 24), D(2024, 11, 24))
    assert until("test") == Due(D(2024, 10, 10), D(2024, 10, 10))
    assert until("delivered") == Due(D(2024, 11, 11), D(2024, 11, 11))
    assert until("delivered", None) is None
    assert until("other") is None
    assert cure_deadline(CureLimits(days=10, runs_from="due"), (), quarter, YEAR, came) is None
    assert cure_deadline(CureLimits(), BOTH, quarter, YEAR, came) is None
