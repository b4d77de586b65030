"""The Pareto frontier and the experiment table it is drawn from."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.compute.budget import Spent
from conformed.compute.experiment import Method, experiment_row, frontier_of
from conformed.compute.frontier import Objective, dominates, pareto_frontier
from conformed.model.base import Missing

GOOD, CHEAP = Objective(name="accuracy", more_is_better=True), Objective(name="cost", more_is_better=False)
UNKNOWN = Missing(reason="No price was entered.", code="no_price")


def test_by_hand() -> None:
    """Better and dearer stays, worse and as dear goes and names who beats it, equal ones both stay, unknown stands apart."""
    found = pareto_frontier(
        {
            "direct": {"accuracy": 0.6, "cost": 1},
            "vote": {"accuracy": 0.8, "cost": 4},
            "twin": {"accuracy": 0.8, "cost": 4},
            "poor": {"accuracy": 0.7, "cost": 4},
            "worst": {"accuracy": 0.5, "cost": 5},
            "unpriced": {"accuracy": 0.99, "cost": UNKNOWN},
        },
        [GOOD, CHEAP],
    )
    assert found.on == ("direct", "twin", "vote")
    assert found.beaten == (("poor", ("twin", "vote")), ("worst", ("direct", "twin", "vote")))
    assert found.not_compared == (("unpriced", ("cost",)),)


figures = st.dictionaries(
    st.sampled_from("abcdefgh"), st.fixed_dictionaries({"accuracy": st.integers(0, 4), "cost": st.integers(0, 4)}), min_size=1
)


@given(figures)
def test_properties(methods: dict[str, Any]) -> None:
    """Nothing on the frontier is beaten by anything, everything else is beaten by something on it, and none is lost."""
    found = pareto_frontier(methods, [GOOD, CHEAP])
    turned = {name: (one["accuracy"], -one["cost"]) for name, one in methods.items()}
    assert found.on
    assert sorted([*found.on, *(name for name, _ in found.beaten)]) == sorted(methods)
    assert not any(dominates(other, turned[name]) for name in found.on for other in turned.values())
    for name, by in found.beaten:
        assert by
        assert all(dominates(turned[best], turned[name]) for best in by)
    assert pareto_frontier(dict(reversed(methods.items())), [GOOD, CHEAP]) == found


@pytest.mark.parametrize(
    ("methods", "objectives"),
    [
        ({"a": {"accuracy": 1}}, []),
        ({"a": {"accuracy": 1}}, [GOOD, GOOD]),
        ({"a": {"accuracy": 1}}, [GOOD, CHEAP]),
        ({"a": {"accuracy": math.nan}}, [GOOD]),
        ({"a": {"accuracy": math.inf}}, [GOOD]),
        ({"a": {"accuracy": True}}, [GOOD]),
        ({"a": {"accuracy": "0.9"}}, [GOOD]),
    ],
)
def test_refusals(methods: Any, objectives: Any) -> None:
    """No objective, one twice, a method without a figure, and figures that are no finite numbers are refused."""
    with pytest.raises((ValueError, TypeError)):
        pareto_frontier(methods, objectives)


METHOD = Method(
    policy="short-answer 1.0 direct",
    model_revision="m@1",
    template_revision="t@1",
    decoding="greedy, cap 64",
    n=1,
    seeds=(0,),
)


def spent(outcome: str, tokens: int, *, accepted: bool = True) -> Spent:
    """What an item took."""
    return Spent(accepted=accepted, outcome=outcome, tokens=tokens, latency_ms=tokens, cost=UNKNOWN)


def test_rows_and_their_frontier() -> None:
    """Four times the tokens for one more correct answer: both methods are on the frontier; without gain the dear one goes."""
    direct = experiment_row(METHOD, {"b": spent("incorrect", 10), "a": spent("correct", 10)})
    vote = experiment_row(METHOD, {"a": spent("correct", 40), "b": spent("correct", 40)})
    waste = experiment_row(METHOD, {"a": spent("correct", 40), "b": spent("incorrect", 40)})
    assert direct.items == ("a", "b")
    assert direct.quality.per_token == Fraction(1, 20)
    found = frontier_of({"direct": direct, "vote": vote, "waste": waste})
    assert found.on == ("direct", "vote")
    assert found.beaten == (("waste", ("direct", "vote")),)
    priced = frontier_of({"direct": direct, "vote": vote}, [GOOD, CHEAP])
    assert [name for name, _ in priced.not_compared] == ["direct", "vote"]


def test_rows_over_other_items_do_not_compare() -> None:
    """Methods run on different items have no frontier; a method that answered nothing has no row."""
    one, other = experiment_row(METHOD, {"a": spent("correct", 1)}), experiment_row(METHOD, {"b": spent("correct", 1)})
    with pytest.raises(ValueError, match="same items"):
        frontier_of({"one": one, "other": other})
    with pytest.raises(ValueError, match="no item"):
        experiment_row(METHOD, {})
    with pytest.raises(ValueError, match="has no beauty"):
        frontier_of({"one": one}, [Objective(name="beauty", more_is_better=True)])


@pytest.mark.parametrize("name", ["policy", "model_revision", "template_revision", "decoding"])
def test_a_method_is_exact(name: str) -> None:
    """A method without its revision, template or settings is refused."""
    with pytest.raises(ValueError):
        Method(**(METHOD.model_dump() | {name: ""}))
