"""Many packs at once: one row each whatever happens, the same table in any order, and cells that lie about nothing."""

from __future__ import annotations

import csv
import datetime as dt
import importlib
import io
import os
import time
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from conformed.app.answer import SaidCode
from conformed.app.options import RunOptions
from conformed.app.portfolios.portfolio import PackTask, packs_in, run_portfolio, run_task
from conformed.app.portfolios.portfolio_row import PortfolioRow, failed_row, next_step_down, row_of
from conformed.app.portfolios.portfolio_table import COLUMNS, portfolio_csv, portfolio_text, portfolio_xlsx
from conformed.app.workspace import packaged_policies
from conformed.errors import UsageError
from conformed.model.base import Missing
from conformed.model.covenant import Comparator, TimelineEntry
from conformed.model.dates import Window
from conformed.model.decision import Decision, Reason, Result

DAY = dt.date(2026, 9, 30)


@pytest.fixture
def behave(monkeypatch: pytest.MonkeyPatch) -> Callable[[PackTask], PortfolioRow]:
    """Work that goes wrong as its task's name says, importable in a new process."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "support"))
    work: Callable[[PackTask], PortfolioRow] = importlib.import_module("portfolio_works").behave
    return work


def tasks(*names: str, folder: Path = Path("nowhere")) -> list[PackTask]:
    """Tasks by name."""
    return [PackTask(name=name, path=str(folder / name), root="r", policies="p") for name in names]


def alive(process: int) -> bool:
    """Whether a process still runs; one that ended and was not yet fetched does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_every_pack_has_its_row_whatever_happens(behave: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """A pack that dies, raises, or answers for another is a row that says so, in its place; the good ones are unharmed."""
    seen: list[tuple[str, int, int]] = []
    found = run_portfolio(
        tasks("late-a", "die-b", "raise-c", "other-d", "loud-e", "good-f"),
        jobs=2,
        timeout=60,
        work=behave,
        progress=lambda step, done=0, total=0: seen.append((step, done, total)),
    )
    assert [(row.pack, row.result) for row in found] == [
        ("late-a", "pass"), ("die-b", "error"), ("raise-c", "error"), ("other-d", "error"), ("loud-e", "pass"), ("good-f", "pass"),
    ]  # fmt: skip
    assert "exit code 7" in found[1].problem
    assert [done for _, done, _ in seen] == [1, 2, 3, 4, 5, 6]
    assert {total for _, _, total in seen} == {6}
    assert "noise" not in capfd.readouterr().out


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the processes of Linux")
def test_a_pack_that_hangs_is_given_up_with_all_that_it_started(behave: Any, tmp_path: Path) -> None:
    """Its time over, the process and its own child are gone, the row says so, and the next pack still runs."""
    began = time.monotonic()
    found = run_portfolio(tasks("hang-a", "good-b", folder=tmp_path), jobs=1, timeout=8, work=behave)
    assert time.monotonic() - began < 30
    assert [row.result for row in found] == ["error", "pass"]
    assert "did not end within 8 seconds" in found[0].problem
    started = [int(word) for word in (tmp_path / "hang-a").read_text(encoding="utf-8").split()]
    assert len(started) == 2
    deadline = time.monotonic() + 10
    while any(alive(one) for one in started) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(one) for one in started)


def test_the_order_of_completion_does_not_matter(behave: Any) -> None:
    """The first pack ends last with three processes and first with one: the tables have the same bytes."""
    names = ("late-a", "good-b", "good-c")
    many, one = (run_portfolio(tasks(*names), jobs=jobs, timeout=60, work=behave) for jobs in (3, 1))
    assert portfolio_csv(many) == portfolio_csv(one)
    assert portfolio_xlsx(many) == portfolio_xlsx(one)
    assert portfolio_text(many) == portfolio_text(one)


def test_a_stop_from_the_keyboard_ends_the_processes(behave: Any, tmp_path: Path) -> None:
    """What is raised while packs run leaves no process behind."""

    def stop(step: str, done: int = 0, total: int = 0) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_portfolio(tasks("hang-a", "good-b", folder=tmp_path), jobs=2, timeout=60, work=behave, progress=stop)
    began = tmp_path / "hang-a"
    started = [int(word) for word in began.read_text(encoding="utf-8").split()] if began.exists() else []
    deadline = time.monotonic() + 10
    while any(alive(one) for one in started) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(one) for one in started)


def test_a_real_pack_beside_a_broken_one(tmp_path: Path) -> None:
    """The product's own work, in this process: papers without a covenant are a review, an empty folder is an error."""
    (tmp_path / "packs" / "letter").mkdir(parents=True)
    (tmp_path / "packs" / "letter" / "letter.txt").write_text("Dear Sirs, we thank you for lunch.", encoding="utf-8")
    (tmp_path / "packs" / "empty").mkdir()
    options = RunOptions(test_date=DAY, known_at=DAY)
    found = {}
    for path in packs_in(tmp_path / "packs"):
        task = PackTask(name=path.name, path=str(path), root=str(tmp_path), policies=str(packaged_policies()), options=options)
        found[path.name] = run_task(task)
    assert found["letter"].result == "review"
    assert "review_no_covenant_found" in {one.code for one in found["letter"].missing}
    assert found["empty"].result == "error"
    assert found["empty"].problem


def test_what_counts_as_a_pack(tmp_path: Path) -> None:
    """Folders and zips by name; loose papers, hidden names, names with _ and folders of data alone are none."""
    for name in ("b", "a", ".hidden", "_parts", "cases", "attested"):
        (tmp_path / name).mkdir()
    (tmp_path / "b" / "deed.doc").write_bytes(b"x")
    (tmp_path / "cases" / "patterns.yaml").write_bytes(b"x: 1")
    (tmp_path / "attested" / "pack.yaml").write_bytes(b"pack: x")
    for name in ("c.ZIP", "README.md"):
        (tmp_path / name).write_bytes(b"")
    assert [path.name for path in packs_in(tmp_path)] == ["a", "attested", "b", "c.ZIP"]
    for folder in (tmp_path / "a", tmp_path / "README.md"):
        with pytest.raises(UsageError):
            packs_in(folder)


def test_the_row_of_a_decision(decision: Decision) -> None:
    """Result, level, exact ratio and headroom come from the record unchanged."""
    row = row_of("northwind", decision)
    assert (row.result, row.covenant, row.comparator, row.level) == (
        "breach",
        "Total Leverage Ratio",
        Comparator.LE,
        Fraction(7, 2),
    )
    calculation = decision.calculation
    assert not isinstance(calculation, Missing)
    assert (row.ratio, row.headroom_debt, row.headroom_ebitda) == (
        calculation.ratio, calculation.headroom_debt, calculation.headroom_ebitda,
    )  # fmt: skip
    assert row.missing == ()


def test_the_row_of_a_review_names_what_is_missing(decision: Decision) -> None:
    """Only codes that stop the run are missing evidence, each with its sentence; no level is shown where none governs."""
    reasons = (
        Reason(code="review_input_missing", sentence="No figure.", subject="calculation"),
        Reason(code="accept_schedule_row", sentence="Read."),
        Reason(code="finding_headroom_low", sentence="Low."),
    )
    open_one = decision.model_copy(update={"result": Result.REVIEW, "reasons": reasons, "covenant": Missing(reason="Open.")})
    row = row_of("p", open_one)
    assert row.missing == (SaidCode(code="review_input_missing", sentence="No figure.", subject="calculation"),)
    assert (row.level, row.comparator, row.covenant) == (None, None, "")


def entry(start: str, level: str, end: str | None = None) -> TimelineEntry:
    """A stretch of the timeline."""
    window = Window(start=dt.date.fromisoformat(start), end=dt.date.fromisoformat(end) if end else None)
    return TimelineEntry(window=window, level=level, document="d")


@pytest.mark.parametrize(
    ("levels", "wanted"),
    [
        (["≤ 4.00x", "≤ 3.75x", "≤ 3.50x"], "≤ 3.75x"),
        (["≤ 4.00x", "≤ 4.50x", "≤ 3.50x"], "≤ 3.50x"),  # a loosening is no step-down
        (["≥ 3.00x", "≥ 2.50x", "≥ 3.25x"], "≥ 3.25x"),  # a floor tightens upward
        (["≤ 4.00x", "open: ≤ 3.75x or ≤ 3.50x", "≤ 4.00x"], None),
        (["not tested", "≤ 5.00x", "≤ 4.00x"], "≤ 5.00x"),
        (["≤ 4.00x", "≥ 3.00x", "not tested"], None),
        (["≤ 10/3x", "≤ 13/4x", "open"], "≤ 13/4x"),
        (["≥ USD 10000000x", "≥ USD 12000000", "open"], "≥ USD 12000000"),
    ],
)
def test_the_next_step_down(levels: list[str], wanted: str | None) -> None:
    """The first later level that is tighter in the covenant's own direction; what is open is passed over."""
    days = [("2026-01-01", "2026-12-31"), ("2027-01-01", "2027-12-31"), ("2028-01-01", None)]
    found = next_step_down([entry(start, level, end) for (start, end), level in zip(days, levels, strict=True)], DAY)
    assert (found.level if found else None) == wanted


def sheet_cells(data: bytes) -> list[tuple[str, str]]:
    """Type and stored value of every cell after the heads, by reading the workbook's XML."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
        tree = etree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        assert not tree.findall(".//m:f", space)
        assert not tree.findall(".//m:hyperlink", space)
        strings = ["".join(one.itertext()) for one in etree.fromstring(archive.read("xl/sharedStrings.xml"))]
        cells = []
        for cell in tree.findall(".//m:row[@r='2']/m:c", space):
            value = cell.findtext("m:v", "", space)
            cells.append(("text", strings[int(value)]) if cell.get("t") == "s" else ("number", value))
        return cells


@given(st.fractions(min_value=-(10**18), max_value=10**18, max_denominator=10**9))
def test_a_number_of_the_workbook_is_exactly_the_number(value: Fraction) -> None:
    """Whatever stands in a number cell is the exact value in binary and in digits; any other value is exact text."""
    row = PortfolioRow(pack="p", result="pass", ratio=value, headroom_debt=value)
    found = [cell for cell in sheet_cells(portfolio_xlsx([row])) if cell[1] not in ("p", "pass", "none")]
    assert len(found) == 2
    for kind, stored in found:
        assert Fraction(stored) == value
        if kind == "number":
            assert Fraction(float(stored)) == value


@pytest.mark.parametrize("evil", ['=HYPERLINK("http://x","y")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "%0A=1", "https://x.test/"])
def test_no_text_becomes_a_formula_or_a_link(evil: str) -> None:
    """A borrower's name that is a formula stays text in the workbook, and in the CSV is led by an apostrophe."""
    row = PortfolioRow(pack="p", result="review", borrower=evil)
    stored = [text for kind, text in sheet_cells(portfolio_xlsx([row])) if kind == "text"]
    assert evil.strip() in stored
    line = list(csv.reader(io.StringIO(portfolio_csv([row]))))[1]
    cell = line[COLUMNS.index("borrower")]
    assert cell == ("https://x.test/" if evil.startswith("https") else f"'{evil.strip()}")


def test_numbers_in_the_csv_stay_numbers() -> None:
    """A negative headroom is a number, not a guarded text; a ratio without an end is a fraction."""
    row = PortfolioRow(
        pack="p",
        result="breach",
        ratio=Fraction(10, 3),
        headroom_debt=Fraction(-31_100_000),
        headroom_ebitda=Fraction(-7, 99),
        currency="USD",
    )
    line = dict(zip(COLUMNS, list(csv.reader(io.StringIO(portfolio_csv([row]))))[1], strict=True))
    assert (line["headroom_debt"], line["ratio_exact"], line["headroom_ebitda"]) == ("-31100000", "10/3", "-7.1%")


def test_the_workbook_has_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made in another year it has the same bytes; dates are dates."""
    rows = [PortfolioRow(pack="p", result="pass", test_date=DAY), failed_row("q", "No papers.")]
    first = portfolio_xlsx(rows)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    monkeypatch.setattr("time.localtime", lambda *_: (2033, 5, 18, 3, 33, 20, 2, 138, 0))
    assert portfolio_xlsx(rows) == first
    assert ("number", "46295") in sheet_cells(first)  # days since 30 December 1899


def test_the_screen_says_what_is_missing_and_what_broke() -> None:
    """Each review code with its sentence and each problem stand under their pack; the count is on top."""
    missing = (SaidCode(code="review_input_missing", sentence="A figure has no source.", subject="calculation"),)
    rows = [PortfolioRow(pack="a", result="review", missing=missing), failed_row("b", "The zip is damaged.\x1b[31m")]
    said = portfolio_text(rows)
    assert said.startswith("2 packs: 1 error, 1 review\n")
    assert "review_input_missing [calculation]  A figure has no source." in said
    assert "Not run: The zip is damaged." in said
    assert "\x1b" not in said
    assert os.linesep == "\n" or "\r" not in said
