"""One row of the table of figures: what was measured, what was wanted, and whether it was reached."""

from typing import NamedTuple

__all__ = ["Row"]


class Row(NamedTuple):
    """One measured figure beside its goal.

    Attributes:
        row: The name of the row in the design's table, such as `G5`.
        metric: What was measured, with its unit and its floor in words.
        measured: The figure of this run, with its unit.
        goal: The figure wanted, with its unit.
        reached: Whether this run reached the goal.
    """

    row: str
    metric: str
    measured: str
    goal: str
    reached: bool
