"""Drift: the selected candidates of an old and a new scorer are compared, by the bounds of the old one's card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformed.evaluation.scorers.bank import Bank, bank_of
from conformed.evaluation.scorers.drift import Drift, drift
from conformed.evaluation.scorers.score import taken
from conformed.model.base import Missing

MakeBank = Callable[..., Bank]
STRICT = {"most_changed": "0", "most_regressed": "0", "worse_p": "1", "most_review_change": "0", "most_length_correlation": "0"}


def _scores(bank: Bank, values: list[Any]) -> dict[tuple[str, int], Any]:
    return dict(zip([one.key for one in bank.candidates], taken(values, len(bank.candidates)), strict=True))


@pytest.fixture
def compared(make_card: Any) -> Callable[..., Drift]:
    """Compares two lists of scores on a bank."""

    def compare(bank: Bank, old: list[Any], new: list[Any], *, bounds: Any = None, threshold: str | None = None) -> Drift:
        changed: dict[str, Any] = {"thresholds": {"accept": threshold}} if threshold else {}
        first = make_card(revision="1.0.0", **changed, **({"drift": bounds} if bounds else {}))
        return drift(bank, (first, _scores(bank, old)), (make_card(revision="2.0.0", **changed), _scores(bank, new)))

    return compare


def test_other_scores_with_the_same_selections_are_no_drift(make_bank: MakeBank, compared: Callable[..., Drift]) -> None:
    """Every score another, every selection the same: nothing changed, and the strictest bounds hold."""
    bank = make_bank({"a": ["correct", "incorrect"], "b": ["incorrect", "correct"]})
    found = compared(bank, [0.9, 0.1, 0.2, 0.8], [0.51, 0.5, 0.01, 0.02], bounds=STRICT)
    assert found.changes == ()
    assert found.passed_bounds == ()
    assert found.old.distribution.quantiles != found.new.distribution.quantiles


def test_close_scores_with_other_selections_are_drift(make_bank: MakeBank, compared: Callable[..., Drift]) -> None:
    """Scores a hair apart that select otherwise are named, item by item, as improved, regressed or neither."""
    bank = make_bank({
        "a": ["correct", "incorrect"], "b": ["incorrect", "correct"], "c": ["correct", "correct"], "d": ["incorrect", "incorrect"],
        "e": ["correct", "incorrect"],
    })  # fmt: skip
    old, new = [0.5, 0.49] * 5, [0.5, 0.51] * 4 + [0.5, 0.49]
    found = compared(bank, old, new, bounds=STRICT)
    assert [(one.item, one.before, one.after, one.kind) for one in found.changes] == [
        ("a", 0, 1, "regressed"), ("b", 0, 1, "improved"), ("c", 0, 1, "both_right"), ("d", 0, 1, "both_wrong"),
    ]  # fmt: skip
    whole = found.parts[0]
    assert (whole.improved, whole.regressed, whole.p_value, whole.items) == (1, 1, 1.0, 5)
    assert not isinstance(found.disagreement, Missing)
    assert (found.disagreement.successes, found.disagreement.trials) == (4, 5)
    assert [one.split(";")[0] for one in found.passed_bounds] == ["4 of 5 selections changed", "1 of 5 items regressed"]


def test_regressions_are_weighed_by_mcnemar(make_bank: MakeBank, compared: Callable[..., Drift]) -> None:
    """Six items regressed and none improved have the exact p of 2/64, which passes a bound of 1/20 and not one of 1/100."""
    bank = make_bank({f"i{n}": ["correct", "incorrect"] for n in range(8)})
    old, new = [1.0, 0.0] * 8, [0.0, 1.0] * 6 + [1.0, 0.0] * 2
    loose = {**STRICT, "most_changed": "1", "most_regressed": "1", "most_length_correlation": "1"}
    found = compared(bank, old, new, bounds={**loose, "worse_p": "1/20"})
    assert found.parts[0].p_value == pytest.approx(2 / 64)
    assert len(found.passed_bounds) == 1
    assert "0.031" in found.passed_bounds[0]
    assert compared(bank, old, new, bounds={**loose, "worse_p": "1/100"}).passed_bounds == ()


def test_the_bounds_are_the_old_cards(make_bank: MakeBank, compared: Callable[..., Drift]) -> None:
    """Whoever proposes a scorer does not choose its bounds: the new card's are loose here, and the old one's hold."""
    bank = make_bank({"a": ["correct", "incorrect"]})
    assert compared(bank, [1, 0], [0, 1], bounds=STRICT).passed_bounds
    assert not compared(bank, [1, 0], [0, 1]).passed_bounds


def test_review_rates(make_bank: MakeBank, compared: Callable[..., Drift]) -> None:
    """A scorer that falls below the threshold sends items to a person; the change passes its bound, up or down."""
    bank = make_bank({f"i{n}": ["correct"] for n in range(4)})
    bounds = {**STRICT, "most_changed": "1", "most_regressed": "1", "worse_p": "0", "most_length_correlation": "1"}
    down = compared(bank, [0.9] * 4, [0.9, 0.9, 0.1, 0.1], bounds=bounds, threshold="1/2")
    up = compared(bank, [0.9, 0.9, 0.1, 0.1], [0.9] * 4, bounds=bounds, threshold="1/2")
    assert [one.passed_bounds[0].split(";")[0] for one in (down, up)] == [
        "+2 of 4 items are for a person", "-2 of 4 items are for a person",
    ]  # fmt: skip
    assert down.new.selection.review == 2
    assert [one.kind for one in down.changes] == ["regressed", "regressed"]


def test_by_generator_and_slice(make_line: Any, compared: Callable[..., Drift]) -> None:
    """A change shows for the generators of both selected candidates, and in the item's slices; small parts are marked."""
    import json

    lines = [
        make_line("a", 0, "correct", generator="g 1", slices={"size": "small"}),
        make_line("a", 1, "incorrect", generator="h 1", slices={"size": "small"}),
        make_line("b", 0, "correct", generator="k 1", slices={"size": "large"}),
    ]
    bank = bank_of("\n".join(map(json.dumps, lines)).encode(), name="b")
    found = compared(bank, [1, 0, 1], [0, 1, 1])
    shown = [(one.dimension, one.value, one.items, one.regressed, one.too_small) for one in found.parts]
    assert shown == [
        ("all", "all", 2, 1, True),
        ("generator", "g 1", 1, 1, True),
        ("generator", "h 1", 1, 1, True),
        ("generator", "k 1", 1, 0, True),
        ("size", "large", 1, 0, True),
        ("size", "small", 1, 1, True),
    ]


def test_correlations_with_outcome_check_length_and_format(make_line: Any, compared: Callable[..., Drift]) -> None:
    """A scorer that measures length shows it, beside what it says of outcomes, and passes the bound of length."""
    import json

    lines = [
        make_line(f"i{n}", k, "correct" if k == 0 else "incorrect", response="x" * (n + 5 * k + 1), check="correct" if k == 0 else "incorrect",
                  answer=None if n == 3 else "1")
        for n in range(4) for k in range(2)
    ]  # fmt: skip
    bank = bank_of("\n".join(map(json.dumps, lines)).encode(), name="b")
    right = [float(one.outcome == "correct") for one in bank.candidates]
    length = [float(len(one.response)) for one in bank.candidates]
    found = compared(
        bank,
        right,
        length,
        bounds={**STRICT, "most_changed": "1", "most_regressed": "1", "worse_p": "0", "most_review_change": "1"},
    )
    assert found.new.length_correlation == pytest.approx(1)
    assert not isinstance(found.old.against_outcomes, Missing)
    assert found.old.against_outcomes.value == 1
    assert not isinstance(found.new.against_check, Missing)
    assert found.new.against_check.value == 0
    assert not isinstance(found.new.format_correlation, Missing)
    assert found.new.format_correlation < 0
    assert [one.split(" by")[0] for one in found.passed_bounds] == ["Score and length correlate"]


def test_two_events_are_not_compared(make_bank: MakeBank, make_card: Any) -> None:
    """A scorer of one event is no replacement of a scorer of another."""
    bank = make_bank({"a": ["correct"]})
    scores = _scores(bank, [1])
    with pytest.raises(ValueError, match="one event"):
        drift(bank, (make_card(), scores), (make_card(target_event="tests_pass"), scores))
