"""What must hold of packs of real small papers: strangers change nothing, names and order do not matter, later papers rewrite nothing."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from variant_papers import GROSS, Desk, amendment, certificate

from conformed.model.base import Missing
from conformed.model.decision import Decision

COVENANT = "Section 7.11 Leverage. The Borrower shall not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed 4.00 to 1.00."
SWAP = 'Section 7.11 is amended by deleting the ratio "4.00 to 1.00" and inserting the ratio "4.25 to 1.00" in lieu thereof.'
LINES = (
    "Consolidated Total Debt           300,000",
    "Net income                        70,000",
    "plus interest expense             20,000",
    "plus income taxes                 10,000",
    "Consolidated EBITDA              100,000",
)
OTHER_AGREEMENT = """CREDIT AGREEMENT

dated as of May 2, 2021

among OLD MILL BREWERY LLC, as Borrower, the Lenders party hereto and SOUTH TRUST COMPANY, as Administrative Agent

ARTICLE VII
COVENANTS

Section 7.11 Leverage. The Borrower shall not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed 2.75 to 1.00.

IN WITNESS WHEREOF, the parties have executed this Agreement.

OLD MILL BREWERY LLC
By: /s/ Una Fox
SOUTH TRUST COMPANY, as Administrative Agent and Lender
By: /s/ Lee Orr
"""
STRANGERS = {
    "another borrower's agreement": OTHER_AGREEMENT,
    "a letter": "May 3, 2024\n\nDear Ann,\n\nThank you for the visit to the rope works. We would like to see 5.00 to 1.00 in Section 7.11 one day.\n\nYours, Tom\n",
    "a pricing notice": "PRICING NOTICE\n\nMay 3, 2024\n\nThe Leverage Ratio is at least 2.00 to 1.00 but less than 3.00 to 1.00, so that Level II applies and the Applicable Margin is 1.75%.\n",
    "an e-mail": "From: Tom Ore\nTo: Ann Lea\nDate: May 3, 2024\nSubject: leverage\n\nHi Ann, agreed on the phone: 4.75 to 1.00 from June on. Papers to follow.\n",
    "a press release": "FOR IMMEDIATE RELEASE\n\nMay 3, 2024\n\nPELL ROPE INC. reports that its leverage ratio fell to 3.0 times, well within its covenant of 4.50 to 1.00.\n",
}


def pack(folder: Path) -> Desk:
    """An agreement, an amendment that sets 4.25, and a certificate."""
    desk = Desk(folder).agreement(COVENANT, GROSS).put("a1.txt", amendment(1, "March 3, 2023", SWAP))
    return desk.put("certificate.txt", certificate("June 30, 2024", *LINES))


def said(decision: Decision) -> tuple[Any, ...]:
    """Result, overlay, covenant, ratio and text."""
    ratio = None if isinstance(decision.calculation, Missing) else decision.calculation.ratio
    return decision.result, decision.overlay, decision.covenant, ratio, decision.conformed


def test_the_pack_is_what_it_seems(tmp_path: Path) -> None:
    """The amendment's level governs and the ratio passes it."""
    found = pack(tmp_path).run()
    assert not isinstance(found.covenant, Missing)
    assert (found.result.value, str(found.covenant.limit.value), found.covenant.limit.spans[0].document) == (
        "pass",
        "17/4",
        "a1.txt",
    )


@pytest.mark.parametrize("name", sorted(STRANGERS))
def test_a_paper_that_is_none_of_it_changes_nothing(tmp_path: Path, name: str) -> None:
    """Papers that cannot change the covenant move neither result, level, ratio nor text, whatever ratios they speak of."""
    plain = said(pack(tmp_path / "plain").run())
    more = pack(tmp_path / "more")
    (more.pack / "more.txt").write_text(STRANGERS[name], encoding="utf-8")
    more.listed.append("- {file: more.txt}")
    assert said(more.run()) == plain


def test_the_order_in_the_manifest_does_not_matter(tmp_path: Path) -> None:
    """Listed the other way round, the papers give the same decision, save for the digest of the list itself."""
    forth, back = pack(tmp_path / "forth"), pack(tmp_path / "back")
    back.listed.reverse()
    one, other = forth.run(), back.run()
    bytes_of = [d.model_dump_json().replace(d.run, "run").replace(d.pack_digest, "digest") for d in (one, other)]
    assert bytes_of[0] == bytes_of[1]


def test_a_paper_made_later_rewrites_no_earlier_answer(tmp_path: Path) -> None:
    """An amendment and a restatement made after the knowledge date leave the answer at that date as it was, to the byte."""
    early, late = pack(tmp_path / "early"), pack(tmp_path / "late")
    late.put(
        "a2.txt",
        amendment(
            2,
            "August 5, 2024",
            SWAP.replace("4.00", "4.25").replace('ratio "4.25 to 1.00" in lieu', 'ratio "6.00 to 1.00" in lieu'),
        ),
    )
    shutil.copy(late.pack / "agreement.txt", late.pack / "restated.txt")
    text = (late.pack / "agreement.txt").read_text(encoding="utf-8")
    late.put(
        "restated.txt",
        text.replace("CREDIT AGREEMENT\n", "AMENDED AND RESTATED CREDIT AGREEMENT\n", 1)
        .replace("January 14, 2022", "September 1, 2024")
        .replace("4.00 to", "9.00 to"),
        "2024-09-01",
    )
    one, other = (desk.run("2024-06-30", known="2024-07-31") for desk in (early, late))
    assert [v.model_dump_json() if hasattr(v, "model_dump_json") else v for v in said(one)] == [
        v.model_dump_json() if hasattr(v, "model_dump_json") else v for v in said(other)
    ]
    assert said(late.run("2024-12-31")) != said(early.run("2024-12-31"))


@pytest.mark.parametrize("gone", ["signature", "amendment", "certificate"])
def test_less_evidence_never_settles(tmp_path: Path, gone: str) -> None:
    """Without the signature, the recited amendment or the certificate the pass becomes a review, and no other level."""
    desk = pack(tmp_path)
    desk.put(
        "a2.txt",
        amendment(
            2,
            "April 4, 2023",
            'Section 9.01 is amended by deleting "x" and inserting "y" in lieu thereof.',
            recital=" (as amended by Amendment No. 1, dated as of March 3, 2023)",
        ),
    )
    assert desk.run().result.value == "pass"
    if gone == "signature":
        text = (desk.pack / "a1.txt").read_text(encoding="utf-8")
        (desk.pack / "a1.txt").write_text(text.replace("/s/ Ann Lea", "").replace("/s/ Tom Ore", ""), encoding="utf-8")
        desk.listed = [line.replace(", execution: executed", "") if "a1.txt" in line else line for line in desk.listed]
    else:
        name = "a1.txt" if gone == "amendment" else "certificate.txt"
        (desk.pack / name).unlink()
        desk.listed = [line for line in desk.listed if name not in line]
    found = desk.run()
    assert found.result.value == "review"
    assert isinstance(found.covenant, Missing) or str(found.covenant.limit.value) == "17/4"
