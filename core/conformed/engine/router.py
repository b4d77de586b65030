"""The router: whether a question is answered directly, sampled and verified, or goes to a person.

It looks at observable features only. Whatever it cannot read goes to a person: a refusal is never a direct answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from conformed.errors import ConformedError, GivenTypeError, GivenValueError
from conformed.policy.parts import Consequence

__all__ = ["DEFAULT_THRESHOLD", "Route", "RouteFeatures", "Routed", "choose_route", "route_or_review"]

DEFAULT_THRESHOLD = 0.35
"""Difficulty from which a question with a deterministic verifier is sampled, until it is estimated on held-out traffic."""
_CONSEQUENCES = frozenset(str(one) for one in Consequence)


class Route(StrEnum):
    """Where a question goes."""

    DIRECT = "direct"
    """One answer."""
    SAMPLE_AND_VERIFY = "sample_and_verify"
    """Several answers, each verified."""
    HUMAN_REVIEW = "human_review"
    """A person; the machine may prepare the file and concludes nothing."""


@dataclass(frozen=True, slots=True)
class RouteFeatures:
    """What is known of a question before it is answered. Checked by ``choose_route``, not here: a wrong one still routes to a person."""

    consequence: str
    """low, medium or high: what an error costs."""
    deterministic_verifier: bool
    """Whether a deterministic check of the answer exists."""
    input_complete: bool
    """Whether everything that the question needs is there."""
    estimated_difficulty: float | Fraction
    """From 0 (easy) to 1, from observable features only, never from a protected attribute."""


@dataclass(frozen=True, slots=True)
class Routed:
    """A route and why."""

    route: Route
    """Where the question goes."""
    code: str
    """incomplete_input, high_consequence, difficult_and_checkable, plain, or router_refused."""
    sentence: str
    """The same in words."""


def _share(name: str, value: Any) -> float | Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise GivenTypeError(f"{name} is {value!r}, not a number.", "Give a number from 0 to 1.")
    if not 0 <= value <= 1:  # also true of NaN, which compares with nothing
        raise GivenValueError(f"{name} is {value}.", "Give a number from 0 to 1.")
    return value


def _checked(features: RouteFeatures, threshold: float | Fraction) -> None:
    """Every field is checked, also where another would decide alone: a broken feature is a broken caller."""
    if not isinstance(features, RouteFeatures):
        raise GivenTypeError(f"The features are {type(features).__name__}.", "Give RouteFeatures.")
    for name in ("deterministic_verifier", "input_complete"):
        if not isinstance(getattr(features, name), bool):
            raise GivenTypeError(f"{name} is {getattr(features, name)!r}.", "Give True or False; 1 and 0 are neither.")
    if not isinstance(features.consequence, str):
        raise GivenTypeError(f"consequence is {features.consequence!r}.", "Give low, medium or high.")
    if features.consequence not in _CONSEQUENCES:
        raise GivenValueError(f"consequence is {features.consequence!r}.", "Give low, medium or high.")
    _share("estimated_difficulty", features.estimated_difficulty)
    _share("threshold", threshold)


def _reasoned(features: RouteFeatures, threshold: float | Fraction) -> Routed:
    _checked(features, threshold)
    if not features.input_complete:
        return Routed(Route.HUMAN_REVIEW, "incomplete_input", "The input is not complete.")
    if features.consequence == Consequence.HIGH:
        return Routed(Route.HUMAN_REVIEW, "high_consequence", "An error would cost much: a person concludes.")
    # As floats, so that 0.35 and 7/20 are the same difficulty.
    if features.deterministic_verifier and float(features.estimated_difficulty) >= float(threshold):
        return Routed(
            Route.SAMPLE_AND_VERIFY,
            "difficult_and_checkable",
            f"The difficulty of {features.estimated_difficulty} reaches {threshold}, and answers can be checked.",
        )
    return Routed(Route.DIRECT, "plain", "Easy, or without a deterministic check that sampling could use.")


def choose_route(features: RouteFeatures, threshold: float | Fraction = DEFAULT_THRESHOLD) -> Route:
    """Chooses the route: incomplete or high consequence to a person; difficult and checkable sampled; the rest direct.

    Args:
        features: what is known of the question.
        threshold: difficulty from 0 to 1 at which sampling begins (``conformed.compute.route_fit`` estimates it).

    Raises:
        GivenTypeError: for a field of another type, 1 for True included.
        GivenValueError: for NaN, a number outside 0 to 1, or an unknown consequence.
    """
    return _reasoned(features, threshold).route


def route_or_review(features: RouteFeatures | Mapping[str, Any], threshold: float | Fraction = DEFAULT_THRESHOLD) -> Routed:
    """Chooses the route for a caller that must have one: whatever is refused goes to a person, never to direct.

    Args:
        features: RouteFeatures, or their fields by name as they were measured.
        threshold: as for ``choose_route``.
    """
    try:
        if isinstance(features, Mapping):
            features = RouteFeatures(**features)
        return _reasoned(features, threshold)
    except (ConformedError, TypeError) as problem:  # a TypeError: a field is missing, or has a name that does not exist
        return Routed(Route.HUMAN_REVIEW, "router_refused", f"The features were refused. {problem}")
