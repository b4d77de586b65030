"""Capacity: what N samples should take, one after another or at once, beside what was measured.

L_seq = q + Σ(g_i + v_i) + a and L_par = q + max(g_i + v_i) + a, with q the queue delay, g_i the generation and v_i the
verification of sample i, and a the time after the last of them. Where verification is one stage for all samples (batched, or
served one by one by a single verifier), its measured time stands once in place of the v_i. All times in milliseconds.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from pydantic import Field, model_validator

from conformed.errors import GivenValueError
from conformed.evaluation.given import whole
from conformed.evaluation.items import Whole
from conformed.model.base import Exact, Frozen, Missing

__all__ = ["Load", "Measured", "Plan", "PlanRow", "Price", "Stages", "capacity_table", "cost_of", "plan_of"]


class Stages(Frozen):
    """Times of the stages of one question, in milliseconds."""

    queue: Whole
    """q: waiting before the first sample."""
    generation: Annotated[tuple[Whole, ...], Field(min_length=1)]
    """g_i: one a sample."""
    verification: tuple[Whole, ...] | None = None
    """v_i: one a sample; None where verification is one stage."""
    verification_stage: Whole | None = None
    """Measured time of verifying all samples as one stage; None where each is verified for itself."""
    after: Whole
    """a: aggregation and answer."""

    @model_validator(mode="after")
    def _one_way(self) -> Stages:
        if (self.verification is None) == (self.verification_stage is None):
            raise ValueError("Give either a time a sample or the time of the stage for verification, not both and not neither.")
        if self.verification is not None and len(self.verification) != len(self.generation):
            raise ValueError(f"{len(self.generation)} samples have {len(self.verification)} verification times. Give one each.")
        return self


class Plan(Frozen):
    """Both latencies, in milliseconds."""

    sequential: int
    """L_seq: one sample after another."""
    parallel: int
    """L_par: all samples at once."""


class Measured(Frozen):
    """What was measured on the machine that is planned for."""

    sequential: Whole | None = None
    """Milliseconds from question to answer with samples one after another; None where not measured."""
    parallel: Whole | None = None
    """The same with all samples at once."""
    first_token: Whole
    """Milliseconds to the first token."""
    per_token: Exact
    """Milliseconds a further token."""
    completions: Annotated[tuple[Whole, ...], Field(min_length=1)]
    """When each sample was complete, in milliseconds from the start: their spread is what waiting for the last costs."""
    queue_delay: Whole
    """Milliseconds in the queue at the concurrency named."""
    concurrency: Annotated[int, Field(ge=1, strict=True)]
    """Questions at once for which the queue delay holds."""
    generated_tokens: Whole
    """Tokens generated, the wasted ones included."""
    cancelled_tokens: Whole
    """Tokens of samples that were cancelled after an early stop."""

    @model_validator(mode="after")
    def _possible(self) -> Measured:
        if self.cancelled_tokens > self.generated_tokens:
            raise ValueError("More tokens were cancelled than generated. Count the cancelled ones among the generated.")
        return self


class Load(Frozen):
    """What verification has to bear."""

    questions_per_hour: Exact
    """Arriving."""
    samples: Annotated[int, Field(ge=1, strict=True)]
    """Samples a question."""
    verification_ms: Exact
    """Mean milliseconds to verify a sample."""
    verifiers: Annotated[int, Field(ge=1, strict=True)]
    """Verifying at once."""

    @property
    def saturation(self) -> Fraction:
        """Work arriving over work that can be done; at 1 or above the queue grows without end."""
        return self.questions_per_hour * self.samples * self.verification_ms / (self.verifiers * 3_600_000)


class PlanRow(Frozen):
    """A line of the planner."""

    figure: str
    """What it is."""
    unit: str
    """Of both figures."""
    planned: Exact | Missing
    """By the formula."""
    measured: Exact | Missing
    """On the machine."""


class Price(Frozen):
    """A price that its owner entered. There is no built-in one."""

    amount: Exact
    """Price of ``per`` tokens."""
    per: Annotated[int, Field(ge=1, strict=True)]
    """Tokens that the amount buys."""
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    """ISO 4217 code."""
    entered_by: Annotated[str, Field(min_length=1)]
    """Who entered it."""
    dated: dt.date
    """Day on which it held."""


def plan_of(stages: Stages) -> Plan:
    """Both latencies by the formulas at the head of this module.

    Args:
        stages: times of the stages.
    """
    if stages.verification is None:
        stage = stages.verification_stage or 0
        work, longest = sum(stages.generation) + stage, max(stages.generation) + stage
    else:
        pairs = [g + v for g, v in zip(stages.generation, stages.verification, strict=True)]
        work, longest = sum(pairs), max(pairs)
    return Plan(sequential=stages.queue + work + stages.after, parallel=stages.queue + longest + stages.after)


def _maybe(value: int | None) -> Fraction | Missing:
    return Missing(reason="It was not measured.", code="not_measured") if value is None else Fraction(value)


def capacity_table(stages: Stages, measured: Measured, load: Load) -> tuple[PlanRow, ...]:
    """The planner: formulas and measurements side by side, in the order in which they are read.

    Args:
        stages: times for the formulas.
        measured: what the machine did.
        load: what verification has to bear.
    """
    plan = plan_of(stages)
    unplanned = Missing(reason="Only measuring tells.", code="not_planned")
    calculated = Missing(reason="It is calculated from measured times and the expected load.", code="not_measured")
    wasted: Fraction | Missing = Missing(reason="No token was generated.", code="no_tokens")
    if measured.generated_tokens:
        wasted = Fraction(measured.cancelled_tokens, measured.generated_tokens)
    spread = Fraction(max(measured.completions) - min(measured.completions))
    planned_spread = Fraction(max(stages.generation) - min(stages.generation))

    def row(figure: str, unit: str, planned: Fraction | Missing, found: Fraction | Missing) -> PlanRow:
        return PlanRow(figure=figure, unit=unit, planned=planned, measured=found)

    return (
        row("latency, samples one after another", "ms", Fraction(plan.sequential), _maybe(measured.sequential)),
        row("latency, samples at once", "ms", Fraction(plan.parallel), _maybe(measured.parallel)),
        row("first token", "ms", unplanned, Fraction(measured.first_token)),
        row("each further token", "ms", unplanned, measured.per_token),
        row("first to last completion", "ms", planned_spread, spread),
        row(
            f"queue delay at {measured.concurrency} questions at once",
            "ms",
            Fraction(stages.queue),
            Fraction(measured.queue_delay),
        ),
        row("tokens cancelled after early stop", "share of tokens", unplanned, wasted),
        row("verifier saturation", "share of capacity", load.saturation, calculated),
    )


def cost_of(tokens: int, prices: Sequence[Price], *, on: dt.date, oldest_days: int) -> Fraction | Missing:
    """What tokens cost by the newest price that held on a day.

    Args:
        tokens: generated tokens.
        prices: of one currency, as entered.
        on: the day asked for; given, never read from a clock.
        oldest_days: a price older than so many days is stale.

    Returns:
        The cost in the prices' currency, exact; Missing with code no_price or price_stale.

    Raises:
        GivenTypeError: when a count is no int.
        GivenValueError: for a negative count, prices in several currencies, or two of one day.
    """
    tokens, oldest_days = whole("tokens", tokens), whole("oldest_days", oldest_days)
    if len({one.currency for one in prices}) > 1:
        raise GivenValueError("The prices are in several currencies.", "Ask for one currency at a time.")
    if len({one.dated for one in prices}) != len(prices):
        raise GivenValueError("Two prices hold from one day.", "Keep one.")
    held = [one for one in prices if one.dated <= on]
    if not held:
        return Missing(reason=f"No price was entered that held on {on}.", code="no_price")
    price = max(held, key=lambda one: one.dated)
    if (age := (on - price.dated).days) > oldest_days:
        return Missing(reason=f"The newest price is of {price.dated}, {age} days old. Enter today's.", code="price_stale")
    return price.amount * tokens / price.per
