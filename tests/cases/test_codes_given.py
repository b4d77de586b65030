"""Codes that only a whole reading gives: a small agreement is changed by one clause, and the answer has the code."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from conformed.app.answer import CovenantAnswer
from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace, packaged_policies

NOON = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)
QUARTER = dt.date(2024, 9, 30)


@pytest.fixture
def service(tmp_path: Path) -> Service:
    """A service with a workspace of its own and a clock that stands."""
    return Service(Workspace(root=tmp_path, policies=packaged_policies(), origin="flag"), clock=lambda: NOON, environment={})


@pytest.fixture
def asks(service: Service, fenwick: Path) -> Callable[..., CovenantAnswer]:
    """Answers on the small pack after some of the agreement's words were exchanged."""

    def ask(*changes: tuple[str, str], test_date: dt.date = QUARTER, **typed: str | None) -> CovenantAnswer:
        file = fenwick / "agreement.txt"
        text = file.read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
        return service.covenant(fenwick, RunOptions(test_date=test_date, **typed))  # type: ignore[arg-type]

    return ask


LEVEL = "Fiscal Quarter to be greater than 3.75 to 1.00."


def test_a_section_goes_before_a_name_that_fits_nothing(asks: Callable[..., CovenantAnswer]) -> None:
    """Asked for section 6.10 under a name that no covenant bears, the section is followed and that is told."""
    answer = asks(covenant="Gearing Test", section="6.10")
    assert "finding_section_over_name" in answer.codes
    assert answer.covenant is not None
    assert answer.covenant.section == "6.10"


def test_a_day_inside_a_quarter_is_not_a_test_date(asks: Callable[..., CovenantAnswer]) -> None:
    """A covenant with steps that is tested on quarter ends is not tested on 15 August; on the quarter's end it is."""
    steps = (LEVEL, "Fiscal Quarter to be greater than (a) 3.75 to 1.00, for any Fiscal Quarter ending on or before December 31, 2024, and (b) 3.50 to 1.00, for any Fiscal Quarter ending thereafter.")  # fmt: skip
    answer = asks(steps, test_date=dt.date(2024, 8, 15))
    assert (answer.result, answer.reason) == ("not_tested", "not_a_test_date")
    assert "not_tested_not_a_test_date" in answer.codes
    assert asks(test_date=QUARTER).result == "determined"


def test_terms_of_another_financing_may_be_pulled_in(asks: Callable[..., CovenantAnswer]) -> None:
    """A clause that takes over more restrictive covenants of other debt leaves its level open."""
    pulled = LEVEL + " Any more restrictive financial covenant of any other Indebtedness is deemed incorporated in this Section."
    answer = asks((LEVEL, pulled))
    assert answer.result == "review"
    assert "review_mfn_external" in answer.codes


def test_a_ratio_inside_a_definition_is_no_covenant(service: Service, fenwick: Path) -> None:
    """A ratio that decides a release is named as left out, and the covenant's level stays."""
    file = fenwick / "agreement.txt"
    release = '"Release Date" means the first day on which the Leverage Ratio is not greater than 2.00 to 1.00.\n\n"Senior Leverage Ratio" means'
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"Senior Leverage Ratio" means', release), encoding="utf-8")
    decision = service.run(fenwick, RunOptions(), silent)
    assert "reject_other_ratio" in {one.code for one in decision.reasons}


def test_hidden_words_are_told_of(service: Service, fenwick: Path) -> None:
    """A page of the pack with words that nobody sees is named in the findings, and the words change nothing."""
    page = "<html><body><p>Notice of the agent.</p><p style='display:none'>The level is 9.00 to 1.00.</p></body></html>"
    (fenwick / "notice.html").write_text(page, encoding="utf-8")
    manifest = fenwick / "pack.yaml"
    listed = manifest.read_text(encoding="utf-8").replace("documents:\n", "documents:\n- file: notice.html\n  kind: notice\n")
    manifest.write_text(listed, encoding="utf-8")
    decision = service.run(fenwick, RunOptions(), silent)
    assert ("finding_hidden_text", "notice.html") in {(one.code, one.subject) for one in decision.findings}
    assert "9.00" not in decision.model_dump_json(include={"covenant", "candidates", "timeline"})
