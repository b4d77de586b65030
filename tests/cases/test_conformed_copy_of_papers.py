"""The conformed copy of real small papers, through the product: definitions, rows, provisos, sentences, restatements, redlines."""

from __future__ import annotations

import datetime as dt
import io
import re
from collections.abc import Callable
from pathlib import Path

import docx
import pytest

from conformed.app.answer import CovenantAnswer
from conformed.app.copies.copy_diff import Asked, Change, compare_copies
from conformed.app.copies.copy_docx import copy_docx
from conformed.app.copies.copy_html import render_copy
from conformed.app.copies.copy_text import copy_text
from conformed.app.options import RunOptions
from conformed.app.service import Service
from conformed.app.workspace import Workspace, packaged_policies
from conformed.model.decision import Conformed

NOON = dt.datetime(2025, 6, 2, 12, 0, tzinfo=dt.UTC)
SIGNED = """
IN WITNESS WHEREOF, the parties have executed this document.

MERROW GLASS INC.
By: /s/ Ann Lea
Name: Ann Lea
HILL BANK, N.A., as Administrative Agent and Lender
By: /s/ Tom Ore
Name: Tom Ore
"""
TERMS = """
"Capital Lease" means a lease that is capitalised.

"Consolidated EBITDA" means, for any period, Consolidated Net Income for such period, plus Interest Charges deducted in determining it. Losses on disposals may be added back.

"Consolidated Net Income" means, for any period, the net income of the Borrower, excluding Extraordinary Items.

"Consolidated Total Debt" means all Indebtedness of the Borrower.

"Consolidated Total Leverage Ratio" means, as of any date, the ratio of Consolidated Total Debt to Consolidated EBITDA for the four fiscal quarters then ended.

"Extraordinary Items" means gains and losses outside the ordinary course.

"Indebtedness" means all obligations for borrowed money.

"Interest Charges" means interest expense of the Borrower.

"Permitted Yacht" means a yacht.
"""
COVENANT = """
Section 7.11 Consolidated Total Leverage Ratio. The Borrower shall not permit the Consolidated Total Leverage Ratio as of the last day of any fiscal quarter set forth below to exceed the ratio set forth opposite such fiscal quarter:

Fiscal Quarter Ending | Maximum Consolidated Total Leverage Ratio
December 31, 2023 | 4.25 to 1.00
March 31, 2024 | 4.00 to 1.00
June 30, 2024 and each fiscal quarter thereafter | 3.75 to 1.00
"""


def agreement(
    dated: str = "January 14, 2022", title: str = "CREDIT AGREEMENT", terms: str = TERMS, covenant: str = COVENANT
) -> str:
    """A credit agreement of our own."""
    return (
        f"{title}\n\ndated as of {dated}\n\namong MERROW GLASS INC., as Borrower, the Lenders party hereto and HILL BANK, N.A., as "
        f"Administrative Agent\n\nARTICLE I\nDEFINITIONS\n\nSection 1.01 Defined Terms. The following terms have the meanings "
        f"given below:\n{terms}\nARTICLE VII\nFINANCIAL COVENANTS\n{covenant}{SIGNED}"
    )


def amendment(number: int, dated: str, *items: str) -> str:
    """An amendment of it."""
    listed = "\n\n".join(f"({chr(97 + i)}) {item}" for i, item in enumerate(items))
    return (
        f"AMENDMENT NO. {number} TO CREDIT AGREEMENT\n\nThis Amendment No. {number}, dated as of {dated}, is among MERROW GLASS INC., as "
        f"Borrower, the Required Lenders and HILL BANK, N.A., as Administrative Agent, and amends the Credit Agreement dated as of "
        f"January 14, 2022.\n\nSECTION 1. Amendments. The Credit Agreement is hereby amended as follows:\n\n{listed}\n{SIGNED}"
    )


MARCH, JUNE, SEPTEMBER = "March 3, 2023", "June 5, 2023", "September 4, 2023"
Asks = Callable[..., tuple[Conformed, ...]]


class Desk:
    """A pack in the making and the product that reads it."""

    def __init__(self, folder: Path) -> None:
        self.pack = folder / "merrow"
        self.pack.mkdir()
        self.service = Service(
            Workspace(root=folder, policies=packaged_policies(), origin="flag"), clock=lambda: NOON, environment={}
        )
        self.listed: list[str] = []

    def put(self, name: str, text: str, effective: str = "") -> None:
        """Adds a paper, attested as executed."""
        (self.pack / name).write_text(text, encoding="utf-8")
        more = f", effective_on: {effective}" if effective else ""
        self.listed.append(f"- {{file: {name}, execution: executed{more}}}")
        lines = "\n".join(self.listed)
        (self.pack / "pack.yaml").write_text(
            f"pack: merrow\nfiscal_year_end: 12-31\nno_election: true\ndocuments:\n{lines}\n", encoding="utf-8"
        )

    def options(self, test: str, known: str = "2025-06-02") -> RunOptions:
        return RunOptions(test_date=dt.date.fromisoformat(test), known_at=dt.date.fromisoformat(known))

    def copy(self, test: str = "2024-03-31", known: str = "2025-06-02") -> dict[str, Conformed]:
        """The copy by provision or term."""
        return {c.section: c for c in self.service.copy(self.pack, self.options(test, known))}

    def covenant(self, test: str = "2024-03-31", known: str = "2025-06-02") -> CovenantAnswer:
        """The answer."""
        return self.service.covenant(self.pack, self.options(test, known))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk with the agreement on it."""
    made = Desk(tmp_path)
    made.put("agreement.txt", agreement(), "2022-01-14")
    return made


def words(part: Conformed) -> str:
    """Words in force, white space folded."""
    return " ".join("".join(r.text for r in part.runs).split())


def gone(part: Conformed) -> str:
    """Words that no longer count."""
    return " ".join(" ".join(r.text for r in part.superseded).split())


def traced(desk: Desk, part: Conformed) -> None:
    """Each run stands word for word at its spans in its own instrument, and new words name their operation."""
    for run in (*part.runs, *part.superseded):
        text = (desk.pack / run.document).read_text(encoding="utf-8")
        assert {s.document for s in run.spans} <= {run.document}
        assert " ".join(" ".join(text[s.start : s.end] for s in run.spans).split()) == " ".join(run.text.split())
        if run.document.startswith("a") and run.document[1].isdigit():
            assert run.operation.startswith(run.document)


def test_the_covenant_and_every_definition_that_it_uses(desk: Desk) -> None:
    """Definitions are followed to the end, unused ones are left out, and the words of execution are no part of the covenant."""
    copy = desk.copy()
    assert set(copy) == {
        "7.11", "Consolidated Total Leverage Ratio", "Consolidated Total Debt", "Consolidated EBITDA", "Consolidated Net Income",
        "Indebtedness", "Interest Charges", "Extraordinary Items",
    }  # fmt: skip
    assert words(copy["7.11"]).endswith("June 30, 2024 and each fiscal quarter thereafter | 3.75 to 1.00")
    for part in copy.values():
        traced(desk, part)


EDITS = [
    ('The definition of "Extraordinary Items" in Section 1.01 is amended by inserting before the final period: " and items that do not recur".',
     "gains and losses outside the ordinary course and items that do not recur.", ""),
    ('The definition of "Extraordinary Items" is amended by adding at the end thereof the following proviso: "; provided that taxes are excluded".',
     "gains and losses outside the ordinary course; provided that taxes are excluded.", ""),
    ('The definition of "Extraordinary Items" is amended by inserting "or write-offs" immediately after the words "gains and losses".',
     "gains and losses or write-offs outside the ordinary course.", ""),
    ('The definition of "Extraordinary Items" is amended by inserting immediately before the word "losses" the following: "material ".',
     "gains and material losses outside the ordinary course.", ""),
    ('The definition of "Extraordinary Items" is amended by deleting the words "gains and".', "means losses outside the ordinary course.", "gains and"),
    ('The definition of "Extraordinary Items" is amended by deleting the words "gains and losses" and substituting "results" in lieu thereof.',
     "means results outside the ordinary course.", "gains and losses"),
    ('The definition of "Extraordinary Items" is amended and restated in its entirety to read as follows: "Extraordinary Items" means nothing.',
     '"Extraordinary Items" means nothing.', "gains and losses outside the ordinary course."),
]  # fmt: skip


@pytest.mark.parametrize(("item", "now", "struck"), EDITS, ids=[e[0][30:80] for e in EDITS])
def test_a_definition_used_only_through_others_is_amended(desk: Desk, item: str, now: str, struck: str) -> None:
    """Each usual way to change a definition is carried out, its words are the amendment's, the old ones are struck, and it is told."""
    desk.put("a1.txt", amendment(1, MARCH, item))
    before, after = desk.copy("2022-12-31")["Extraordinary Items"], desk.copy()["Extraordinary Items"]
    assert now in words(after)
    assert words(before) == '"Extraordinary Items" means gains and losses outside the ordinary course.'
    assert struck in gone(after)
    assert bool(gone(after)) == bool(struck)
    traced(desk, after)
    answer = desk.covenant()
    assert answer.result == "determined"
    assert {"finding_definition_changed", "accept_definition_version"} <= set(answer.codes)
    assert "finding_definition_changed" not in desk.covenant("2022-12-31").codes


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ('The definition of "Extraordinary Items" is amended by inserting "x" after the words "profits".', "review_anchor_not_unique"),
        ('The definition of "Extraordinary Items" is amended by deleting the last sentence thereof.', "review_anchor_not_unique"),
        ('The definition of "Extraordinary Items" is amended by inserting "x" in the place that the parties know.', "review_definition_version_unclear"),
        ('The definition of "Extraordinary Items" is amended by inserting "x" after "gains" and by deleting the words "ordinary".', "review_definition_version_unclear"),
        ('The definition of "Extraordinary Items" is deleted in its entirety.', "review_definition_version_unclear"),
    ],
)  # fmt: skip
def test_an_edit_that_is_not_plainly_one_place_is_left_and_told(desk: Desk, item: str, code: str) -> None:
    """Where the place is none, or several, or more is done than was read, the old words stay and a person is asked."""
    desk.put("a1.txt", amendment(1, MARCH, item))
    assert (
        words(desk.copy()["Extraordinary Items"]) == '"Extraordinary Items" means gains and losses outside the ordinary course.'
    )
    codes = set(desk.covenant().codes)
    assert code in codes
    assert "accept_definition_version" not in codes


def test_two_amendments_of_one_definition_in_turn(desk: Desk) -> None:
    """The second edit works on the words of the first; each run names its own instrument, at every date."""
    desk.put("a1.txt", amendment(1, MARCH, EDITS[0][0]))
    item = 'The definition of "Extraordinary Items" is amended by deleting the words "gains and losses" and substituting "results" in lieu thereof.'
    desk.put("a2.txt", amendment(2, JUNE, item))
    third = 'The definition of "Extraordinary Items" is amended by deleting the words "that do not recur" and substituting "that recur rarely" in lieu thereof.'
    desk.put("a3.txt", amendment(3, SEPTEMBER, third))
    part = desk.copy()["Extraordinary Items"]
    assert words(part) == '"Extraordinary Items" means results outside the ordinary course and items that recur rarely.'
    by = {" ".join(r.text.split()): r.document for r in part.runs}
    assert (by["results"], by["that recur rarely"]) == ("a2.txt", "a3.txt")
    assert gone(part) == "gains and losses that do not recur"
    traced(desk, part)
    assert words(desk.copy("2023-03-31")["Extraordinary Items"]).endswith("course and items that do not recur.")
    assert words(desk.copy("2024-03-31", known="2023-07-01")["Extraordinary Items"]).endswith(
        "course and items that do not recur."
    )


ROW = 'The row of the table in Section 7.11 for "March 31, 2024" is restated to read "March 31, 2024 | 4.60 to 1.00". All other rows are unchanged.'


def test_one_row_is_replaced_in_place(desk: Desk) -> None:
    """The new row stands where the old one stood, the other rows stay in force, and each date has its own level (P25)."""
    desk.put("a1.txt", amendment(1, MARCH, ROW))
    part = desk.copy()["7.11"]
    assert "| 4.25 to 1.00 March 31, 2024 | 4.60 to 1.00 June 30, 2024" in words(part)
    assert gone(part) == "March 31, 2024 | 4.00 to 1.00"
    traced(desk, part)
    levels = {day: desk.covenant(day).covenant for day in ("2023-12-31", "2024-03-31", "2024-06-30")}
    assert {day: c.level for day, c in levels.items() if c is not None} == {
        "2023-12-31": "17/4",
        "2024-03-31": "23/5",
        "2024-06-30": "15/4",
    }


def test_a_row_that_is_not_there_is_asked_about(desk: Desk) -> None:
    """No row bears the label: review, and the table stays as it was (P25)."""
    desk.put("a1.txt", amendment(1, MARCH, ROW.replace("March 31, 2024", "March 31, 2025")))
    answer = desk.covenant("2024-06-30")
    assert (answer.result, "review_target_not_found" in answer.codes) == ("review", True)


@pytest.mark.parametrize(
    "item",
    [
        'The rows of the table in Section 7.11 for "March 31, 2024" and "June 30, 2024" are restated to read "March 31, 2024 | 4.60 to 1.00".',
        'The row of the table in Section 7.11 for "March 31, 2024" is deleted.',
        'The table in Section 7.11 is amended by adding a row in the table reading "March 31, 2023 | 4.60 to 1.00".',
    ],
)
def test_other_changes_of_rows_are_left_to_a_person(desk: Desk, item: str) -> None:
    """Several rows, a deleted row and an added row are never taken for the one thing that is understood."""
    desk.put("a1.txt", amendment(1, MARCH, item))
    assert desk.covenant().result == "review"


def test_a_level_set_and_then_words_beside_it_changed(desk: Desk) -> None:
    """The level in force survives a later change of other words of the provision; the text shows it."""
    (desk.pack / "agreement.txt").write_text(
        agreement(covenant="\nSection 7.11 Consolidated Total Leverage Ratio. The Borrower shall not permit the Consolidated Total Leverage Ratio as of the last day of any fiscal quarter to exceed 4.00 to 1.00.\n"),
        encoding="utf-8",
    )  # fmt: skip
    desk.put("a1.txt", amendment(1, MARCH, "The ratio in Section 7.11 is changed to 4.25 to 1.00."))
    desk.put(
        "a2.txt",
        amendment(
            2,
            JUNE,
            'Section 7.11 is amended by deleting the words "shall not permit" and substituting "will not permit" in lieu thereof.',
        ),
    )
    answer = desk.covenant()
    assert (answer.result, answer.covenant.level if answer.covenant else None) == ("determined", "17/4")
    assert (
        "will not permit the Consolidated Total Leverage Ratio as of the last day of any fiscal quarter to exceed 4.25 to 1.00."
        in words(desk.copy()["7.11"])
    )


def test_a_restatement_cuts_the_chain(desk: Desk) -> None:
    """From its date a restated agreement's own words stand alone, definitions included; earlier dates keep the older words."""
    desk.put("a1.txt", amendment(1, MARCH, EDITS[0][0]))
    newer = TERMS.replace("gains and losses outside", "only gains outside")
    text = agreement("October 2, 2023", "AMENDED AND RESTATED CREDIT AGREEMENT", newer, COVENANT.replace("4.00 to", "3.90 to"))
    desk.put("restated.txt", text, "2023-10-02")
    after, before = desk.copy("2024-03-31"), desk.copy("2023-06-30")
    assert {r.document for part in after.values() for r in part.runs} == {"restated.txt"}
    assert "only gains outside" in words(after["Extraordinary Items"])
    assert {r.document for r in before["Extraordinary Items"].runs} == {"agreement.txt", "a1.txt"}


def test_struck_words_of_a_redlined_annex_are_not_in_force(desk: Desk) -> None:
    """An annex that shows its changes gives the words that stay; the struck ones stand nowhere among the words in force."""
    terms = TERMS.replace("gains and losses outside", "<strike>gains and losses</strike> <u>results</u> outside")
    body = agreement(
        "January 14, 2022", terms=terms, covenant=COVENANT.replace("4.00 to 1.00", "<s>4.00</s> <u>4.10</u> to 1.00")
    )
    page = "".join(f"<p>{line}</p>\n" for line in body.splitlines() if line.strip())
    (desk.pack / "agreement.html").write_text(f"<html><body>{page}</body></html>", encoding="utf-8")
    desk.listed = []
    (desk.pack / "agreement.txt").unlink()
    desk.put("agreement.html", f"<html><body>{page}</body></html>", "2022-01-14")
    copy = desk.copy()
    assert words(copy["Extraordinary Items"]) == '"Extraordinary Items" means results outside the ordinary course.'
    assert "4.00" not in words(copy["7.11"])
    assert desk.covenant().covenant is None or desk.covenant().covenant.level == "41/10"  # type: ignore[union-attr]


def test_every_export_says_the_same(desk: Desk) -> None:
    """Text, HTML and DOCX hold the words in force, the struck words, the operation of each run, and the difference asked for."""
    desk.put("a1.txt", amendment(1, MARCH, EDITS[0][0], ROW))
    early, late = desk.options("2022-12-31"), desk.options("2024-03-31")
    before, after = (desk.service.copy(desk.pack, o) for o in (early, late))
    answer = desk.service.covenant(desk.pack, late)
    asked = [Asked(test_date=o.test_date, known_at=o.known_at) for o in (early, late) if o.test_date and o.known_at]
    diff = compare_copies(before, after, dates=(asked[0], asked[1]))
    assert {p.section for p in diff.changed} == {"7.11", "Extraordinary Items"}
    assert {piece.document for p in diff.changed for piece in p.pieces if piece.change is Change.ADDED} == {"a1.txt"}
    paper = docx.Document(io.BytesIO(copy_docx(after, answer, diff)))
    pages = {
        "text": copy_text(after, width=100),
        "html": re.sub(r"<sup>.*?</sup>|<[^>]+>", "", render_copy(after, answer, diff)),
        "docx": "\n".join(p.text for p in paper.paragraphs),
    }
    for page in pages.values():
        flat = " ".join(page.split())
        assert "and items that do not recur" in flat
        assert "4.60 to 1.00" in flat
        assert "March 31, 2024 | 4.00 to 1.00" in flat
        assert "operation a1.txt" in flat
    struck = "".join(run.text for p in paper.paragraphs for run in p.runs if run.font.strike)
    underlined = "".join(run.text for p in paper.paragraphs for run in p.runs if run.font.underline)
    assert "4.00" in struck
    assert "4.60" in underlined


def test_a_diff_between_two_knowledge_dates(desk: Desk) -> None:
    """The same test date as known before and after an amendment was made differs by that amendment's words alone."""
    desk.put("a1.txt", amendment(1, MARCH, EDITS[0][0]))
    known = [desk.options("2024-03-31", day) for day in ("2023-03-01", "2023-04-01")]
    copies = [desk.service.copy(desk.pack, o) for o in known]
    asked = [Asked(test_date=o.test_date, known_at=o.known_at) for o in known if o.test_date and o.known_at]
    diff = compare_copies(*copies, dates=(asked[0], asked[1]))
    assert [p.section for p in diff.changed] == ["Extraordinary Items"]
    assert diff.instruments == ("a1.txt",)


@pytest.mark.parametrize(
    ("limit", "unclear"),
    [
        ("for fiscal quarters ending after October 15, 2023, ", True),
        ("for Test Periods ending after October 15, 2023, ", False),
        ("", False),
    ],
)
def test_a_definition_limited_to_later_quarters(desk: Desk, limit: str, unclear: bool) -> None:
    """A change for later quarters leaves the version open while the twelve months straddle it, and not before or after (PR-34)."""
    item = f'{limit.capitalize() if not limit else limit[0].upper() + limit[1:]}{"t" if limit else "T"}he definition of "Extraordinary Items" is amended by deleting the words "gains and losses" and substituting "results" in lieu thereof.'
    desk.put("a1.txt", amendment(1, "October 10, 2023", item))
    assert ("review_definition_version_unclear" in desk.covenant("2024-03-31").codes) is unclear
    assert desk.covenant("2024-03-31").result == "determined"
    assert "review_definition_version_unclear" not in desk.covenant("2023-09-30").codes
    assert "review_definition_version_unclear" not in desk.covenant("2024-12-31").codes
