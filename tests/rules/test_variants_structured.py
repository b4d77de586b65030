"""Variants of patterns as structured facts: the code follows from the one difference (P11, P24, P42, P43)."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest
import support_figures as figures
from support import Act, Paper, base, codes, day, decided, level_of, stated
from support_packs import TERMS, defined

from conformed.language.agreement import FrozenBasis
from conformed.language.conversion import Conversion
from conformed.model.decision import Effective
from conformed.model.operation import Op
from conformed.model.pack import InstrumentKind
from conformed.rules.calculation.agreement_terms import AgreementTerms

OLD = [("23/4", "2024-03-31", "2024-03-31"), ("11/2", "2024-06-30", "2024-06-30")]
NEW = [("29/5", "2024-06-30", "2024-06-30"), ("27/5", "2024-12-31", "2024-12-31")]
UNNAMED = {"metric": "unnamed", "name": "Section 7.11"}
NET = stated(rows=OLD, metric="net_leverage")
SENIOR = stated(rows=[("4", a, b) for _, a, b in OLD], metric="senior_leverage")


def replaced(*acts: Act, test: str = "2024-06-30", **asked: Any) -> Effective:
    """An agreement after an amendment that puts in a table without naming its figure."""
    table = stated(rows=NEW, metric="net_leverage", op=Op.REPLACE_TABLE, terms=UNNAMED)
    papers = [
        base("base.txt", "2022-01-14", *acts),
        Paper("a1.txt", InstrumentKind.AMENDMENT, day("2023-03-15"), [table], number=1),
    ]
    return decided(papers, test, **asked)


def test_a_provision_with_two_tables() -> None:
    """A new table for a provision that holds two is for neither of them until a person says which (P24, PR-22)."""
    two = replaced(NET, SENIOR, covenant="Net Leverage Ratio")
    assert (two.result, "review_target_ambiguous" in codes(two)) == ("review", True)
    one = replaced(NET)
    assert (one.result, "review_target_ambiguous" in codes(one)) == ("determined", False)


def test_a_date_that_only_the_old_table_had() -> None:
    """The old rows do not live on: a quarter end between two new rows has none (P24)."""
    assert "review_schedule_gap" in codes(replaced(NET, test="2024-09-30"))
    assert "review_schedule_gap" not in codes(replaced(NET, test="2024-12-31"))


EURO = AgreementTerms(
    conversions=(
        Conversion(
            kind="fixed",
            rate=Fraction("1.95583"),
            quote="BGN",
            base="EUR",
            since=dt.date(2024, 1, 1),
            raw="1.95583 lev for one euro",
        ),
    )
)


@pytest.mark.parametrize(("first", "open_"), [("BGN", True), ("EUR", False)])
def test_quarters_in_the_old_currency(first: str, open_: bool) -> None:
    """Twelve months that hold a quarter in the old currency are not added up, and the conversion is asked for (P42)."""
    quarters = [
        figures.period(value, 3, end, currency=currency)
        for value, end, currency in (
            (41, dt.date(2023, 12, 31), first),
            (44, dt.date(2024, 3, 31), "EUR"),
            (48, dt.date(2024, 6, 30), "EUR"),
            (57, figures.DAY, "EUR"),
        )
    ]
    done = figures.run(figures.covenant(), figures.figure("total_debt", 500, currency="EUR"), *quarters, agreement=EURO)
    assert ("review_fx_basis_missing" in figures.codes(done)) is open_
    assert done.result == ("review" if open_ else "pass")


@pytest.mark.parametrize(("reconciled", "frozen", "open_"), [(False, True, True), (True, True, False), (False, False, False)])
def test_an_accounting_change_without_reconciliation(reconciled: bool, frozen: bool, open_: bool) -> None:
    """Where the agreement keeps the old accounting a change needs its reconciliation; where it moves with the standards it needs none (P43)."""
    lines = [figures.figure("total_debt", 318), figures.figure("net_income", 106)]
    if reconciled:
        lines += [figures.figure("recon_debt", -18, "IFRS 16: debt"), figures.figure("recon_earnings", -6, "IFRS 16: EBITDA")]
    agreement = AgreementTerms(
        frozen=FrozenBasis(raw="computed on the Accounting Principles used in the Original Financial Statements")
    )
    done = figures.run(
        figures.covenant(), *lines, paper={"accounting": "changed"}, agreement=agreement if frozen else AgreementTerms()
    )
    assert ("review_accounting_change_unreconciled" in figures.codes(done)) is open_


@pytest.mark.parametrize("attested", [False, True])
def test_a_letter_in_the_number(attested: bool) -> None:
    """A level with a letter in it is asked about; as a fact that a person attests it is the level that the agreement states (P11)."""
    fault = ({"code": "review_numeric_token_malformed", "sentence": "A letter stands in the number."},)
    found = decided(
        [base("base.txt", "2022-01-14", stated("7.11", "7/2", terms={} if attested else {"doubts": fault}))], "2024-06-30"
    )
    assert found.result == ("determined" if attested else "review")
    assert level_of(found) == (Fraction(7, 2) if attested else None)
    assert ("accept_base_statement" in codes(found), "review_numeric_token_malformed" in codes(found)) == (attested, not attested)


@pytest.mark.parametrize("moves", [True, False])
def test_an_agreement_that_moves_with_the_standards(moves: bool) -> None:
    """Accounting that moves with the standards is another version of the definition, and that version is told (P43)."""
    act = defined("profit with interest added back, by the accounting standards in force from time to time")
    papers = [base("base.txt", "2022-01-14", stated("7.11", "4"), definitions=TERMS)]
    papers += [Paper("a1.txt", InstrumentKind.AMENDMENT, day("2023-03-15"), [act], number=1)] if moves else []
    found = decided(papers, "2024-06-30")
    assert found.result == "determined"
    assert ("accept_definition_version" in codes(found)) is moves
