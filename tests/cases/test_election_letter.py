"""An election by letter, through the whole product: taken only where clause, definition and letter together show every condition (P38)."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_pack import PLAIN, change, decide

from conformed.model.covenant import Covenant
from conformed.model.decision import Decision

RIGHT = (
    " At the Borrower's election by written notice to the Administrative Agent within 30 days after a Qualified Acquisition, the maximum ratio otherwise in "
    "force shall be increased by 0.50 for the fiscal quarter in which it closes and the next three fiscal quarters, but never above 4.00 to 1.00, and no "
    "second election may take effect until two full fiscal quarters have passed at the level without increase."
)
DEFINED = '"Qualified Acquisition" means any acquisition permitted by this Agreement for aggregate consideration of at least $50,000,000.'
LETTER = """NOTICE OF ELECTION

August 20, 2024

To: Oakridge Bank, as Administrative Agent

Re: Credit Agreement dated as of March 1, 2023

1. The Borrower hereby elects the increase in the maximum Leverage Ratio under Section 6.10 of the Credit Agreement.

2. The acquisition of Alder Mills closed on August 1, 2024 and is a Qualified Acquisition. The Borrower certifies that the aggregate consideration for it was $62,000,000.

3. This is the first election under Section 6.10.

FENWICK TIMBER COMPANY

By: /s/ Anna Thorne
Name: Anna Thorne
Title: Treasurer
"""
MISSING, FAILED, GOOD = "review_election_evidence_missing", "reject_election_condition_failed", "accept_elected_increase"


def run(fenwick: Path, bank: Path, letter: str = LETTER, right: str = RIGHT, defined: str = DEFINED, **more: str) -> Decision:
    """A run of the pack with a right in the clause, its event defined, and a letter."""
    change(
        fenwick / "agreement.txt",
        (PLAIN, PLAIN + right),
        ('"Senior Leverage Ratio" means', f'{defined}\n\n"Senior Leverage Ratio" means'),
    )
    manifest = fenwick / "pack.yaml"
    if letter:
        (fenwick / "notice.txt").write_text(letter, encoding="utf-8")
        change(manifest, ("- file: certificate.txt", "- file: notice.txt\n  kind: notice\n- file: certificate.txt"))
    for name, text in more.items():
        (fenwick / f"{name}.txt").write_text(text, encoding="utf-8")
        change(manifest, ("- file: certificate.txt", f"- file: {name}.txt\n  kind: notice\n- file: certificate.txt"))
    return decide(fenwick, bank)


def codes(decision: Decision) -> set[str]:
    """Codes of the election."""
    return {r.code for r in decision.reasons} & {MISSING, FAILED, GOOD}


def test_every_condition_shown(fenwick: Path, bank: Path) -> None:
    """3.75 and 0.50 are 4.25, and the clause holds it at 4.00; the letter governs, and each fact is cited."""
    decision = run(fenwick, bank)
    assert (decision.result.value, codes(decision)) == ("pass", {GOOD})
    assert isinstance(decision.covenant, Covenant)
    assert (decision.covenant.limit.value, decision.covenant.document) == (4, "notice.txt")
    cited = " ".join(s.text for r in decision.reasons if r.code == GOOD for s in r.spans)
    for words in ("hereby elects", "closed on August 1, 2024", "$62,000,000", "the first election"):
        assert words in cited


def test_timeline_shows_the_increase(fenwick: Path, bank: Path) -> None:
    """Four quarter ends, the first being that of the quarter in which the acquisition closed."""
    shown = [(str(t.window.start), str(t.window.end), t.level) for t in run(fenwick, bank).timeline if t.document == "notice.txt"]
    assert shown == [("2024-09-30", "2025-06-30", "≤ 4.00x")]


def test_no_letter(fenwick: Path, bank: Path) -> None:
    """A right that may have been used, and no notice in the pack: a person must say."""
    decision = run(fenwick, bank, letter="")
    assert (decision.result.value, codes(decision)) == ("review", {MISSING})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("August 20, 2024", "September 3, 2024"),
        ("$62,000,000", "$49,999,999"),
        (
            "3. This is the first election under Section 6.10.",
            "3. This is the second election. The last increase ended on March 31, 2024.",
        ),
    ],
)
def test_a_condition_shown_to_fail(fenwick: Path, bank: Path, old: str, new: str) -> None:
    """A late notice, too small an acquisition, one quarter between two increases: the level without increase governs."""
    decision = run(fenwick, bank, LETTER.replace(old, new))
    assert codes(decision) == {FAILED}
    assert isinstance(decision.covenant, Covenant)
    assert (str(decision.covenant.limit.value), decision.covenant.document) == ("15/4", "agreement.txt")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hereby elects", "may elect"),
        ("hereby elects", "intends to elect"),
        ("hereby elects the increase", "hereby asks about the increase"),
        ("closed on August 1, 2024", "is expected to close on August 1, 2024"),
        ("closed on August 1, 2024", "closed in August"),
        (" and is a Qualified Acquisition", ""),
        ("The Borrower certifies that the", "The"),
        ("$62,000,000", "EUR 62,000,000"),
        ("3. This is the first election under Section 6.10.", ""),
        ("3. This is the first election under Section 6.10.", "3. This is the second election under Section 6.10."),
        ("3. This", "3. This election is subject to the consent of the Agent. This"),
        ("By: /s/ Anna Thorne", "By: ______________"),
        ("dated as of March 1, 2023", "dated as of March 1, 2019"),
    ],
)
def test_what_is_not_shown_is_asked(fenwick: Path, bank: Path, old: str, new: str) -> None:
    """One fact less, or words that make the election doubtful, and a person reads it; never is a level taken on less."""
    assert old in LETTER
    decision = run(fenwick, bank, LETTER.replace(old, new))
    assert (decision.result.value, codes(decision)) == ("review", {MISSING})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("without increase.", "without increase, provided that no Default has occurred."),
        ("within 30 days after", "promptly after"),
        ("the next three fiscal quarters", "such further fiscal quarters as the Agent may agree"),
        ("the maximum ratio otherwise", "the maximum Senior Leverage Ratio otherwise"),
    ],
)
def test_a_right_that_was_not_read_whole(fenwick: Path, bank: Path, old: str, new: str) -> None:
    """A condition of the clause that is not understood keeps every election open."""
    assert old in RIGHT
    decision = run(fenwick, bank, right=RIGHT.replace(old, new))
    assert decision.result.value == "review"
    assert GOOD not in codes(decision)


@pytest.mark.parametrize(
    "defined",
    [
        '"Qualified Acquisition" means any acquisition permitted by this Agreement.',
        '"Qualified Acquisition" means any acquisition for aggregate consideration of at least $50,000,000 that the Agent has designated as such.',
        '"Qualified Acquisition" means any acquisition for aggregate consideration of at least $50,000,000 or, with the Agent\'s consent, $40,000,000.',
        '"Large Purchase" means any acquisition for aggregate consideration of at least $50,000,000.',
    ],
)
def test_a_size_that_no_definition_shows(fenwick: Path, bank: Path, defined: str) -> None:
    """Without one plain size in one definition, nothing shows that the acquisition was large enough."""
    decision = run(fenwick, bank, defined=defined)
    assert (decision.result.value, codes(decision)) == ("review", {MISSING})


def test_more_than_is_not_at_least(fenwick: Path, bank: Path) -> None:
    """Exactly the amount is not in excess of it."""
    decision = run(
        fenwick, bank, LETTER.replace("$62,000,000", "$50,000,000"), defined=DEFINED.replace("of at least", "in excess of")
    )
    assert codes(decision) == {FAILED}


def test_another_notice_that_takes_it_back(fenwick: Path, bank: Path) -> None:
    """A second notice about the election that was not read as one keeps it open."""
    taken_back = LETTER.replace("hereby elects the increase", "hereby revokes its election of the increase").replace(
        "August 20", "August 28"
    )
    decision = run(fenwick, bank, second=taken_back)
    assert (decision.result.value, codes(decision)) == ("review", {MISSING})


def test_without_a_fiscal_calendar(fenwick: Path, bank: Path) -> None:
    """Which quarter the acquisition closed in is told by the fiscal calendar alone."""
    change(fenwick / "pack.yaml", ("fiscal_year_end: 12-31\n", ""))
    decision = run(fenwick, bank)
    assert (decision.result.value, codes(decision)) == ("review", {MISSING})


@pytest.mark.parametrize(("attested", "result"), [(False, "review"), (True, "pass")])
def test_when_the_increase_is_over(fenwick: Path, bank: Path, attested: bool, result: str) -> None:
    """After its last quarter the old level is back; whether there was another election since is for a person to attest."""
    change(
        fenwick / "pack.yaml",
        ("test_date: 2024-09-30", "test_date: 2025-09-30"),
        ("known_at: 2024-11-30", "known_at: 2025-11-30"),
    )
    change(fenwick / "certificate.txt", ("September 30, 2024", "September 30, 2025"))
    if attested:
        change(fenwick / "pack.yaml", ("chain_complete: true", "chain_complete: true\nno_election: true"))
    decision = run(fenwick, bank)
    assert decision.result.value == result
    assert "reject_expired" in {r.code for r in decision.reasons}
