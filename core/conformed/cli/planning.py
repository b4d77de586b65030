"""The commands that plan: the router's threshold and its drift, and the capacity of a machine."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli.printed import block, out
from conformed.cli.words import AsJson

__all__ = ["capacity", "drift", "fit"]


def fit(
    report: Annotated[Path, typer.Argument(metavar="REPORT", help="report.json of an evaluation on held-out items.")],
    comparison: Annotated[Path, typer.Argument(metavar="COMPARISON", help="The YAML file with the owner's values.")],
    direct: Annotated[str, typer.Option("--direct", metavar="METHOD", help="The method that answers directly.")],
    sampled: Annotated[str, typer.Option("--sampled", metavar="METHOD", help="The method that samples and verifies.")],
    as_json: AsJson = False,
) -> None:
    """Fit the difficulty from which sampling pays, with its interval, on the items of an evaluation."""
    from conformed.app.evaluating.planning import fit_lines, fitted, read_report
    from conformed.policy.comparison import Comparison
    from conformed.policy.load import load_model

    declared = load_model(comparison, Comparison).value
    found = fitted(read_report(report), declared, direct, sampled, seed=declared.seed)
    out(found.model_dump_json(indent=2) if as_json else block(fit_lines(found)))


def drift(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="Counts by route when the threshold was fitted, as JSON.")],
    now: Annotated[Path, typer.Argument(metavar="NOW", help="Counts by route today.")],
    as_json: AsJson = False,
) -> None:
    """Say whether the shares of routed traffic moved: exit code 1 when they did."""
    from conformed.app.evaluating.planning import drift_lines, drift_of

    found = drift_of(before, now)
    out(found.model_dump_json(indent=2) if as_json else block(drift_lines(found)))
    raise typer.Exit(1 if found.drifted else 0)


def capacity(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A YAML file: stages, measured, load, prices.")],
    as_json: AsJson = False,
) -> None:
    """Print what N samples should take beside what was measured, and what the tokens cost at the owner's dated price."""
    from conformed.app.evaluating.planning import CapacityPlan, capacity_lines
    from conformed.app.evaluating.planning import capacity as planned_of
    from conformed.policy.load import load_model

    found = planned_of(load_model(plan, CapacityPlan).value, today=dt.datetime.now(dt.UTC).date())
    out(found.model_dump_json(indent=2) if as_json else block(capacity_lines(found)))
