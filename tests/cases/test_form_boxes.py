"""A form whose covenants are chosen by boxes, through the whole product: what was not ticked is not tested."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_pack import PLAIN, decide

from conformed.model.decision import Decision

WORDS = (
    "The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter to be greater than 3.75 to 1.00."
)
OTHER = "(b) Net Worth. The Borrower shall maintain Net Worth of not less than $5,000,000 at all times."


def run(fenwick: Path, bank: Path, clause: str) -> Decision:
    """A run of the pack with another clause."""
    agreement = fenwick / "agreement.txt"
    text = agreement.read_text(encoding="utf-8")
    assert PLAIN in text
    agreement.write_text(text.replace(PLAIN, clause), encoding="utf-8")
    return decide(fenwick, bank)


def choice(first: str, second: str, lead: str = "The covenants checked below apply (check one):") -> str:
    """A section that offers two covenants."""
    return f"Section 6.10 Financial Covenants. {lead}\n\n{first} (a) Leverage Ratio. {WORDS}\n\n{second} {OTHER}"


@pytest.mark.parametrize(("ticked", "empty"), [("[X]", "[ ]"), ("[x]", "[_]"), ("☒", "☐"), ("☑", "☐"), ("■", "□"), ("þ", "¨")])
def test_a_choice_of_two(fenwick: Path, bank: Path, ticked: str, empty: str) -> None:
    """The one that is ticked is tested; the other is not, by its own code, and that is not a pass."""
    left = run(fenwick, bank, choice(empty, ticked))
    assert (left.result.value, [r.code for r in left.reasons if r.code.startswith(("not_tested", "review"))]) == (
        "not_tested",
        ["not_tested_not_selected"],
    )


@pytest.mark.parametrize(("ticked", "empty"), [("[X]", "[ ]"), ("☒", "☐"), ("☑", "☐")])
def test_the_one_that_is_ticked(fenwick: Path, bank: Path, ticked: str, empty: str) -> None:
    """A tick makes it a covenant like any other."""
    found = run(fenwick, bank, choice(ticked, empty))
    assert found.result.value == "pass"
    assert "not_tested_not_selected" not in {r.code for r in found.reasons}


@pytest.mark.parametrize(
    "clause",
    [
        f"☐ {PLAIN}",
        PLAIN.replace("6.10 ", "6.10 ☐ "),
        PLAIN.replace("Ratio. The", "Ratio. ☐ The"),
        PLAIN.replace("Ratio. The", "Ratio. ☐ If selected, the"),
        PLAIN.replace("Ratio.", "Ratio (applies only if checked here: [ ]).", 1),
        f"☐ Section 6.10 Financial Covenants.\n\n(a) Leverage Ratio. {WORDS}",
    ],
)
@pytest.mark.parametrize("ticked", [True, False])
def test_where_the_box_may_stand(fenwick: Path, bank: Path, clause: str, ticked: bool) -> None:
    """Before the number, behind it, in the heading, before the words, or at the section around it; never is it overlooked."""
    marked = clause.replace("☐", "☒").replace("[ ]", "[X]") if ticked else clause
    found = run(fenwick, bank, marked)
    assert found.result.value == ("pass" if ticked else "not_tested")
    assert ("not_tested_not_selected" in {r.code for r in found.reasons}) is not ticked


@pytest.mark.parametrize(
    "clause",
    [
        choice("☒", "☒"),
        choice("☐", "☐"),
        choice("", "☒"),
        PLAIN.replace("Ratio. The", "Ratio. ☐ Applicable ☒ Not applicable. The"),
        PLAIN.replace("Ratio. The", "Ratio. ☒ Not applicable. The"),
        PLAIN.replace("3.75 to 1.00", "☐ 3.75 to 1.00 ☒ 4.25 to 1.00"),
        PLAIN.replace("Ratio. The", "Ratio. If selected, the"),
        f"☐ Section 6.10 Financial Covenants.\n\n☒ (a) Leverage Ratio. {WORDS}",
    ],
)
def test_boxes_that_do_not_say_one_thing(fenwick: Path, bank: Path, clause: str) -> None:
    """Two ticks where one is asked, none, yes and no, a level by box, a choice without a box: a person reads it."""
    found = run(fenwick, bank, clause)
    assert found.result.value == "review"
    assert {r.code for r in found.reasons if r.code.startswith("review")}


def test_a_form_in_html(fenwick: Path, bank: Path) -> None:
    """The same form as a web page."""
    text = (fenwick / "agreement.txt").read_text(encoding="utf-8").replace(PLAIN, choice("☐", "☒"))
    page = "".join(f"<p>{part}</p>\n" for part in text.split("\n\n"))
    (fenwick / "agreement.html").write_text(
        f"<html><head><meta charset='utf-8'></head><body>{page}</body></html>", encoding="utf-8"
    )
    manifest = fenwick / "pack.yaml"
    manifest.write_text(manifest.read_text().replace("agreement.txt", "agreement.html"))
    (fenwick / "agreement.txt").unlink()
    found = decide(fenwick, bank)
    assert (found.result.value, {r.code for r in found.reasons} & {"not_tested_not_selected"}) == (
        "not_tested",
        {"not_tested_not_selected"},
    )
