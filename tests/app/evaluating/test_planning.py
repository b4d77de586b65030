"""Planning: a threshold by the owner's values, drift of routed traffic, and times planned beside times measured."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from conformed.app.evaluating.planning import (
    CapacityPlan,
    capacity,
    capacity_lines,
    drift_of,
    fit_lines,
    fitted,
    read_report,
)
from conformed.cli.entry import run_command_line
from conformed.errors import ConformedError, UsageError
from conformed.model.base import Missing
from conformed.policy.comparison import Comparison
from conformed.policy.load import load_model

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "casefiles" / "short-answers"
PLAN = """
stages: {queue: 20, generation: [900, 1100], verification: [30, 40], after: 5}
measured: {sequential: 2200, first_token: 80, per_token: 21/2, completions: [950, 1180], queue_delay: 60, concurrency: 4, \
generated_tokens: 400, cancelled_tokens: 90}
load: {questions_per_hour: 600, samples: 2, verification_ms: 35, verifiers: 1}
prices:
  - {amount: 1/50, per: 1000, currency: EUR, entered_by: the owner, dated: 2026-11-01}
"""


def planned(tmp_path: Path, text: str = PLAN) -> CapacityPlan:
    """A plan from its file."""
    (tmp_path / "plan.yaml").write_text(text)
    return load_model(tmp_path / "plan.yaml", CapacityPlan).value


def test_planned_times_stand_beside_measured_ones(tmp_path: Path) -> None:
    """20 + (900 + 30) + (1100 + 40) + 5 one after another, 20 + 1140 + 5 at once; what was not measured is said so."""
    rows = {row.figure: row for row in capacity(planned(tmp_path), today=dt.date(2026, 11, 30)).rows}
    one, many = rows["latency, samples one after another"], rows["latency, samples at once"]
    assert (one.planned, one.measured, many.planned) == (2095, 2200, 1165)
    assert isinstance(many.measured, Missing)
    assert rows["tokens cancelled after early stop"].measured == Fraction(9, 40)


def test_a_price_is_dated_and_goes_stale(tmp_path: Path) -> None:
    """The owner's price of the day; none where it is too old, or none was entered."""
    plan = planned(tmp_path)
    assert capacity(plan, today=dt.date(2026, 11, 30)).cost == Fraction(1, 125)
    for changed, day in ((plan, dt.date(2027, 6, 1)), (plan.model_copy(update={"prices": ()}), dt.date(2026, 11, 30))):
        found = capacity(changed, today=day)
        assert isinstance(found.cost, Missing)
        assert found.cost.reason in "\n".join(capacity_lines(found))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the demonstration."""
    folder = tmp_path_factory.mktemp("evaluation")
    words = ["baselines", str(DEMO / "comparison.yaml"), str(DEMO / "items.jsonl"), "-o", str(folder), "--workspace", str(ROOT)]
    assert run_command_line(words) == 0
    return folder / "report.json"


def test_the_threshold_is_fitted_by_the_owners_values(report: Path) -> None:
    """Where sampling gains at every difficulty it begins at the lowest; where tokens cost a fortune it never pays."""
    comparison = load_model(DEMO / "comparison.yaml", Comparison).value
    found = fitted(read_report(report), comparison, "direct-greedy", "verified", seed=1)
    assert found.threshold == Fraction(1, 4)
    assert "difficulty_threshold: 1/4" in fit_lines(found)
    dear = comparison.model_copy(update={"values": comparison.values.model_copy(update={"thousand_tokens": Fraction(1000)})})
    never = fitted(read_report(report), dear, "direct-greedy", "verified", seed=1)
    assert isinstance(never.threshold, Missing)
    assert "Answer directly" in fit_lines(never)[0]
    with pytest.raises(UsageError, match="no method 'best'"):
        fitted(read_report(report), comparison, "direct-greedy", "best", seed=1)


def write(path: Path, plain: Any) -> Path:
    """A JSON file."""
    path.write_text(json.dumps(plain))
    return path


def test_drift_is_told_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Shares whose intervals do not meet moved, and the command ends with 1; the same traffic ends with 0."""
    before = write(tmp_path / "before.json", {"direct": 900, "human_review": 100})
    now = write(tmp_path / "now.json", {"direct": 500, "sample_and_verify": 500})
    assert drift_of(before, now).drifted
    assert run_command_line(["route", "drift", str(before), str(now)]) == 1
    assert "DRIFTED" in capsys.readouterr().out
    assert run_command_line(["route", "drift", str(before), str(before)]) == 0


@pytest.mark.parametrize("plain", [[], {}, {"direct": -1}, {"direct": True}, {"elsewhere": 3}, {"direct": "3"}])
def test_counts_that_are_none_are_refused(tmp_path: Path, plain: Any) -> None:
    """No traffic, negative or untyped counts and unknown routes are each one sentence."""
    with pytest.raises(ConformedError):
        drift_of(write(tmp_path / "a.json", plain), write(tmp_path / "b.json", {"direct": 1}))


def test_a_file_that_is_none_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An absent or broken plan, report or counts end with 1 or 2 and a sentence, never a traceback."""
    other = write(tmp_path / "other.json", {"a": 1})
    for words in (
        ["capacity", str(tmp_path / "absent.yaml")],
        ["capacity", str(other)],
        ["route", "fit", str(other), str(DEMO / "comparison.yaml"), "--direct", "a", "--sampled", "b"],
        ["route", "drift", str(other), str(tmp_path / "absent.json")],
    ):
        assert run_command_line(words) in (1, 2)
        said = capsys.readouterr().err
        assert said.startswith("conformed: ")
        assert "Traceback" not in said
