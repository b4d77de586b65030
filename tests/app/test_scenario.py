"""Scenarios: other figures that still tie, the same rules as a run, and nothing written down."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from conformed.app import scenario
from conformed.app.options import RunOptions, silent
from conformed.app.scenario import Scenarios, read_changes, scenario_text
from conformed.app.scenario_figures import change_figures
from conformed.app.workspace import Workspace, packaged_policies
from conformed.errors import UsageError
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Figure

SAMPLE = Path(__file__).parents[2] / "casefiles" / "marlow-pass"


def certificate(**values: int) -> Certificate:
    """A certificate with figures in whole dollars and a ratio that it states."""
    figures = tuple(
        Figure(name=name, label=name.replace("_", " ").title(), value=value, currency="USD") for name, value in values.items()
    )
    return Certificate(document="certificate.pdf", figures=figures, states_ratio=Fraction(4))


def values(one: Certificate) -> dict[str, Fraction]:
    """Figures by name."""
    return {figure.name: figure.value for figure in one.figures}


def test_changes_as_typed() -> None:
    """Plain and grouped numbers, signed shares; labels may have blanks."""
    assert read_changes(["ebitda=-10%", "Total Debt = 520,000,000"]) == {"ebitda": "-10%", "Total Debt": "520,000,000"}


@pytest.mark.parametrize(
    "wrong", ["ebitda", "=5", "ebitda=", "ebitda=10%", "ebitda=1,00", "ebitda=1e9", "ebitda=nan", "ebitda=5x"]
)
def test_a_change_that_cannot_be_read(wrong: str) -> None:
    """A share without a sign, wrong grouping, an exponent or a word is refused, never guessed."""
    with pytest.raises(UsageError):
        read_changes([wrong])


def test_a_figure_given_twice() -> None:
    """Two values of one name are refused."""
    with pytest.raises(UsageError, match="twice"):
        read_changes(["a=1", "a=2"])


def test_a_share_is_exact_and_the_stated_ratio_goes() -> None:
    """A tenth less is exactly a tenth less; the certificate's own ratio no longer counts."""
    found, (said,) = change_figures(certificate(total_debt=333, cash=7), {"Total debt": "-10%"})
    assert values(found) == {"total_debt": Fraction(2997, 10), "cash": 7}
    assert (said.was, said.now, found.states_ratio) == (333, Fraction(2997, 10), None)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"total_debt": "90"}, {"total_debt": 90, "net_income": 20, "addback_fees": 5, "ebitda": 25}),
        ({"debt_loan": "50"}, {"debt_loan": 50, "debt_notes": 40, "net_income": 20, "addback_fees": 5, "ebitda": 25}),
        ({"ebitda": "35"}, {"total_debt": 100, "debt_loan": 60, "debt_notes": 40, "net_income": 30, "addback_fees": 5, "ebitda": 35}),
        ({"addback_fees": "0"}, {"total_debt": 100, "debt_loan": 60, "debt_notes": 40, "net_income": 20, "addback_fees": 0}),
        ({"debt_loan": "50", "total_debt": "90"}, {"total_debt": 90, "debt_loan": 50, "net_income": 20, "addback_fees": 5, "ebitda": 25}),
    ],
)  # fmt: skip
def test_totals_and_parts_tie(change: dict[str, str], wanted: dict[str, int]) -> None:
    """A total stands for its parts, a part unseats its total, and each such step is told."""
    whole = certificate(total_debt=100, debt_loan=60, debt_notes=40, net_income=20, addback_fees=5, ebitda=25)
    found, said = change_figures(whole, change)
    assert values(found) == wanted
    assert any(one.note for one in said)


@pytest.mark.parametrize("name", ["absent", "Loan"])
def test_a_figure_that_is_not_there_once(name: str) -> None:
    """A name that the certificate does not have, or has twice, is refused with the names that it has."""
    twice = certificate(loan=1).model_copy(
        update={"figures": tuple(Figure(name=n, label="Loan", value=1) for n in ("loan_a", "loan_b"))}
    )
    with pytest.raises(UsageError, match="loan_a, loan_b"):
        change_figures(twice, {name: "5"})


@pytest.fixture
def desk(tmp_path: Path) -> Scenarios:
    """Scenarios in a workspace of the test's own, with a clock that stands."""
    place = Workspace(root=tmp_path, policies=packaged_policies(), origin="flag")
    return Scenarios(place, clock=lambda: dt.datetime(2026, 1, 5, tzinfo=dt.UTC))


def calculation(found: Any) -> Calculation:
    """The calculation, which there must be."""
    assert not isinstance(found.calculation, Missing), found.calculation.reason
    assert isinstance(found.calculation, Calculation)
    return found.calculation


def test_a_scenario_on_a_pack_leaves_no_record(desk: Scenarios, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first line says what it is, there is no log, the pack is read once, and earnings are exactly what was supposed."""
    first = calculation(desk.work(SAMPLE, RunOptions(), {}))

    def never(*_: object, **__: object) -> None:
        raise AssertionError("the pack was read again")

    monkeypatch.setattr(scenario, "case_of_files", never)
    found = desk.work(SAMPLE, RunOptions(), {"ebitda": "-30%"})
    said = scenario_text(found)
    assert said.startswith("SCENARIO, not a decision")
    assert not (tmp_path / ".conformed" / "log.sqlite").exists()
    (changed,) = found.figures
    tested = {step.name: step.value for step in calculation(found).steps}["ebitda_tested"]
    assert tested == changed.now == changed.was * Fraction(7, 10)
    assert calculation(found).ratio == first.ratio * Fraction(10, 7)  # type: ignore[operator]
    assert "review_input_conflict" not in {one.code for one in found.codes}


def test_figures_carried_to_a_later_date(desk: Scenarios) -> None:
    """Without a certificate for the date there is no ratio; carried, the last one's figures are used and named."""
    later = RunOptions(test_date=dt.date(2025, 12, 31))
    assert isinstance(desk.work(SAMPLE, later, {}).calculation, Missing)
    found = desk.work(SAMPLE, later, {}, carry=True)
    assert found.carried_from == dt.date(2024, 9, 30)
    assert calculation(found).ratio == calculation(desk.work(SAMPLE, RunOptions(), {})).ratio
    with pytest.raises(UsageError, match="before the test date"):
        desk.work(SAMPLE, RunOptions(test_date=dt.date(2023, 12, 31)), {}, carry=True)
    with pytest.raises(UsageError, match="--carry"):
        desk.work(SAMPLE, later, {"ebitda": "-10%"})


def test_a_scenario_with_nothing_supposed_is_the_run(desk: Scenarios) -> None:
    """Without a change it says what a run says: the same result, calculation and covenant."""
    found = desk.work(SAMPLE, RunOptions(), {})
    decision = desk.run(SAMPLE, RunOptions(), silent)
    assert found.result == decision.result
    assert found.calculation == decision.calculation
    assert {one.code for one in found.codes} == {one.code for one in (*decision.reasons, *decision.findings)}
