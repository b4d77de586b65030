"""Capacity: both formulas, the stage in place of each verification, figures beside each other, and dated prices only."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.compute.capacity import Load, Measured, Price, Stages, capacity_table, cost_of, plan_of
from conformed.model.base import Missing


def test_by_hand() -> None:
    """Queue 10, samples 100+20, 300+5, 200+50, a 7: 10+675+7 in turn, 10+305+7 at once; a stage of 60 in place of each."""
    each = plan_of(Stages(queue=10, generation=(100, 300, 200), verification=(20, 5, 50), after=7))
    assert (each.sequential, each.parallel) == (692, 322)
    stage = plan_of(Stages(queue=10, generation=(100, 300, 200), verification_stage=60, after=7))
    assert (stage.sequential, stage.parallel) == (677, 377)
    none = plan_of(Stages(queue=0, generation=(5,), verification_stage=0, after=0))
    assert (none.sequential, none.parallel) == (5, 5)


times = st.integers(0, 10_000)


@given(times, st.lists(st.tuples(times, times), min_size=1, max_size=8), times)
def test_at_once_is_never_slower(queue: int, samples: list[tuple[int, int]], after: int) -> None:
    """L_par ≤ L_seq, equal for one sample; the slowest sum counts, not the slowest parts."""
    stages = Stages(queue=queue, generation=tuple(g for g, _ in samples), verification=tuple(v for _, v in samples), after=after)
    plan = plan_of(stages)
    assert plan.parallel <= plan.sequential
    assert plan.parallel == queue + max(g + v for g, v in samples) + after
    if len(samples) == 1:
        assert plan.parallel == plan.sequential


@pytest.mark.parametrize(
    "fields",
    [
        {"generation": ()},
        {"generation": (1, 2)},
        {"generation": (1,), "verification": (1,), "verification_stage": 1},
        {"generation": (1,), "verification": None},
        {"generation": (-1,)},
        {"generation": (True,)},
        {"generation": (1.5,)},
        {"queue": -1},
    ],
)
def test_stages_that_are_none(fields: dict[str, Any]) -> None:
    """No sample, unequal lists, both ways or neither of verifying, and times that are no whole milliseconds are refused."""
    with pytest.raises(ValueError):
        Stages(**({"queue": 0, "generation": (1,), "verification": (1,), "after": 0} | fields))


MEASURED = Measured(
    parallel=400,
    first_token=35,
    per_token="21/2",
    completions=(180, 350, 290),
    queue_delay=25,
    concurrency=8,
    generated_tokens=1000,
    cancelled_tokens=150,
)


def test_the_table() -> None:
    """Formulas stand beside measurements; what only one side can say has a reason on the other."""
    load = Load(questions_per_hour="1800", samples=4, verification_ms="500", verifiers=2)
    assert load.saturation == Fraction(1, 2)
    rows = capacity_table(Stages(queue=10, generation=(100, 300, 200), verification=(20, 5, 50), after=7), MEASURED, load)
    table = {row.figure: (row.planned, row.measured) for row in rows}
    assert table["latency, samples at once"] == (322, 400)
    assert table["first to last completion"] == (200, 170)
    assert table["queue delay at 8 questions at once"] == (10, 25)
    assert table["tokens cancelled after early stop"][1] == Fraction(3, 20)
    assert table["verifier saturation"][0] == Fraction(1, 2)
    planned, measured = table["latency, samples one after another"]
    assert planned == 692
    assert isinstance(measured, Missing)
    assert measured.code == "not_measured"
    assert isinstance(table["first token"][0], Missing)
    assert len(table) == 8


def test_no_tokens_no_waste() -> None:
    """Without tokens the waste is a reason; more cancelled than generated is refused."""
    idle = MEASURED.model_copy(update={"generated_tokens": 0, "cancelled_tokens": 0})
    load = Load(questions_per_hour="1", samples=1, verification_ms="1", verifiers=1)
    rows = capacity_table(Stages(queue=0, generation=(1,), verification_stage=1, after=0), idle, load)
    (waste,) = [row.measured for row in rows if row.figure.startswith("tokens cancelled")]
    assert isinstance(waste, Missing)
    with pytest.raises(ValueError):
        Measured(**(MEASURED.model_dump() | {"cancelled_tokens": 1001}))


def price(day: int, amount: str = "3/2", **changed: Any) -> Price:
    """A price of a million tokens from a day of January 2026."""
    fields = {"per": 1_000_000, "currency": "EUR", "entered_by": "owner", "dated": dt.date(2026, 1, day)}
    return Price(amount=amount, **(fields | changed))


def test_costs_are_dated_facts() -> None:
    """The newest price that held is used, exactly; none and a stale one give a reason, and no price is built in."""
    prices = [price(1), price(10, "2")]
    assert cost_of(500_000, prices, on=dt.date(2026, 1, 9), oldest_days=30) == Fraction(3, 4)
    assert cost_of(500_000, prices[::-1], on=dt.date(2026, 1, 10), oldest_days=30) == 1
    for on, code in ((dt.date(2025, 12, 31), "no_price"), (dt.date(2026, 2, 10), "price_stale")):
        missing = cost_of(1, prices, on=on, oldest_days=30)
        assert isinstance(missing, Missing)
        assert missing.code == code
    assert isinstance(cost_of(1, [], on=dt.date(2026, 1, 1), oldest_days=30), Missing)


def test_prices_that_are_none() -> None:
    """Two currencies, two of one day, a float, no owner and no date are refused."""
    for prices in ([price(1), price(2, currency="USD")], [price(1), price(1)]):
        with pytest.raises(ValueError):
            cost_of(1, prices, on=dt.date(2026, 1, 9), oldest_days=30)
    for changed in ({"amount": 1.5}, {"entered_by": ""}, {"dated": None}, {"per": 0}, {"currency": "euro"}):
        with pytest.raises(ValueError):
            Price(**(price(1).model_dump() | changed))
