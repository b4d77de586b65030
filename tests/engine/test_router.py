"""The router: its rule, its strictness, and that every refusal goes to a person."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.engine.router import Route, RouteFeatures, choose_route, route_or_review
from conformed.errors import ConformedError

VECTORS = Path(__file__).parents[3] / "shared" / "vectors" / "router.json"
GOOD = {"consequence": "low", "deterministic_verifier": True, "input_complete": True, "estimated_difficulty": 0.5}


def test_vectors() -> None:
    """The published right answers and refusals; what is refused goes to a person when the caller must have a route."""
    if not VECTORS.is_file():
        pytest.skip("router.json does not lie beside the checkout")
    for row in json.loads(VECTORS.read_text(encoding="utf-8")):
        features = {name: row[name] for name in GOOD}
        if row.get("refused"):
            with pytest.raises((ValueError, TypeError)):
                choose_route(RouteFeatures(**features))
            assert route_or_review(features).route == "human_review"
        else:
            assert choose_route(RouteFeatures(**features)) == row["value"]
            assert route_or_review(features).route == row["value"]


@pytest.mark.parametrize(
    ("changed", "route"),
    [
        ({}, "sample_and_verify"),
        ({"consequence": "medium"}, "sample_and_verify"),
        ({"consequence": "high"}, "human_review"),
        ({"input_complete": False}, "human_review"),
        ({"deterministic_verifier": False}, "direct"),
        ({"estimated_difficulty": 0.35}, "sample_and_verify"),
        ({"estimated_difficulty": Fraction(7, 20)}, "sample_and_verify"),
        ({"estimated_difficulty": 0.349999}, "direct"),
        ({"estimated_difficulty": 0}, "direct"),
        ({"estimated_difficulty": 1}, "sample_and_verify"),
    ],
)
def test_rule(changed: dict[str, Any], route: str) -> None:
    """Each part of the rule by one change to the same question."""
    assert choose_route(RouteFeatures(**(GOOD | changed))) == route


def test_threshold_is_given() -> None:
    """A fitted threshold takes the place of the default, and is itself checked."""
    features = RouteFeatures("low", True, True, 0.5)
    assert choose_route(features, threshold=0.6) is Route.DIRECT
    assert choose_route(features, threshold=0.5) is Route.SAMPLE_AND_VERIFY
    assert choose_route(RouteFeatures("low", True, True, 0.35), threshold=Fraction(7, 20)) is Route.SAMPLE_AND_VERIFY
    for bad in (math.nan, -0.1, 1.1, True, "0.5", None):
        with pytest.raises((ValueError, TypeError)):
            choose_route(features, threshold=bad)
        assert route_or_review(features, threshold=bad).route is Route.HUMAN_REVIEW


@pytest.mark.parametrize(
    "changed",
    [
        {"consequence": "extreme"},
        {"consequence": "Low"},
        {"consequence": None},
        {"consequence": ["low"]},
        {"deterministic_verifier": 1},
        {"deterministic_verifier": None},
        {"deterministic_verifier": "true"},
        {"input_complete": 0},
        {"input_complete": 1},
        {"estimated_difficulty": math.nan},
        {"estimated_difficulty": math.inf},
        {"estimated_difficulty": -math.inf},
        {"estimated_difficulty": -1e-9},
        {"estimated_difficulty": 1.0000001},
        {"estimated_difficulty": True},
        {"estimated_difficulty": "0.5"},
        {"estimated_difficulty": None},
        {"estimated_difficulty": 10**400},
        {"estimated_difficulty": 0.5j},
    ],
)
def test_refusals(changed: dict[str, Any]) -> None:
    """Every field is strict also where another field would decide alone, and a refusal is routed to a person."""
    for other in ({}, {"consequence": "high"}, {"input_complete": False}):
        fields = GOOD | other | changed
        with pytest.raises((ValueError, TypeError)) as refusal:
            choose_route(RouteFeatures(**fields))
        assert isinstance(refusal.value, ConformedError)
        routed = route_or_review(fields)
        assert (routed.route, routed.code) == (Route.HUMAN_REVIEW, "router_refused")


def test_fields_that_are_not_there() -> None:
    """A missing field, a name that does not exist and no features at all go to a person."""
    for fields in ({}, GOOD | {"age": 41}, {1: 2}, None, "low", {name: GOOD[name] for name in list(GOOD)[:3]}):
        assert route_or_review(fields).code == "router_refused"  # type: ignore[arg-type]


@given(
    st.sampled_from(["low", "medium", "high", "extreme", "", 1, None]),
    st.sampled_from([True, False, 1, 0, None]),
    st.sampled_from([True, False, 1, 0, None]),
    st.one_of(st.floats(), st.booleans(), st.none(), st.integers()),
)
def test_never_direct_by_accident(consequence: Any, verifier: Any, complete: Any, difficulty: Any) -> None:
    """Whatever is given, a route comes back; and it leaves the person out only when every field is right and allows it."""
    routed = route_or_review(RouteFeatures(consequence, verifier, complete, difficulty))
    if routed.route is not Route.HUMAN_REVIEW:
        assert consequence in ("low", "medium")
        assert complete is True
        assert verifier in (True, False)
        assert isinstance(verifier, bool)
        assert not isinstance(difficulty, bool)
        assert 0 <= difficulty <= 1
    if routed.route is Route.SAMPLE_AND_VERIFY:
        assert verifier is True
        assert difficulty >= 0.35
