"""Dates of the law and of knowledge, windows and the fiscal calendar."""

from __future__ import annotations

import datetime

from conformed.model.base import Frozen

__all__ = ["FiscalCalendar", "Window", "month_end"]


def month_end(year: int, month: int) -> datetime.date:
    """The last day of a month."""
    first_of_next = datetime.date(year + month // 12, month % 12 + 1, 1)
    return first_of_next - datetime.timedelta(days=1)


class Window(Frozen):
    """Days from one to another, both inside; open ends are None.

    ``start_unclear`` and ``end_unclear`` mark an edge whose words do not say whether the day itself is inside.
    """

    start: datetime.date | None = None
    """First day inside; None for no beginning."""
    end: datetime.date | None = None
    """Last day inside; None for no end."""
    start_unclear: bool = False
    """The words leave open whether the first day is inside."""
    end_unclear: bool = False
    """The words leave open whether the last day is inside."""

    def holds(self, day: datetime.date) -> bool:
        """Whether the day is inside, an unclear edge counting as inside."""
        return (self.start is None or self.start <= day) and (self.end is None or day <= self.end)

    def edge_unclear(self, day: datetime.date) -> bool:
        """Whether the day stands on an edge whose words do not say which side it is on."""
        return (self.start_unclear and day == self.start) or (self.end_unclear and day == self.end)


class FiscalCalendar(Frozen):
    """A fiscal year that ends on one day of the calendar (not a 52/53-week year)."""

    end_month: int
    """Month in which the fiscal year ends, 1 to 12."""
    end_day: int
    """Day on which it ends; the month's last day where the month is shorter."""

    def year_end(self, year: int) -> datetime.date:
        """The last day of fiscal year ``year``, named by the calendar year in which it ends."""
        last = month_end(year, self.end_month)
        whole_month = self.end_day >= last.day or (self.end_month == 2 and self.end_day >= 28)
        return last if whole_month else last.replace(day=self.end_day)

    def quarter_end(self, year: int, quarter: int) -> datetime.date:
        """The last day of a fiscal quarter (1 to 4) of fiscal year ``year``."""
        back = 3 * (4 - quarter)
        index = year * 12 + (self.end_month - 1) - back
        end = month_end(index // 12, index % 12 + 1)
        whole_month = self.year_end(year) == month_end(year, self.end_month)
        return end if whole_month or self.end_day >= end.day else end.replace(day=self.end_day)

    def is_quarter_end(self, day: datetime.date) -> bool:
        """Whether the day is the last of some fiscal quarter."""
        return any(self.quarter_end(y, q) == day for y in (day.year, day.year + 1) for q in (1, 2, 3, 4))
