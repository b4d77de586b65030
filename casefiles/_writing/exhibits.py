"""Schedules and exhibits that every agreement has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .blocks import Block, para, paras, signature, table
from .texts import words

__all__ = ["exhibit"]


def exhibit(
    key: str,
    terms: Mapping[str, str],
    lenders: Sequence[tuple[str, int, int]],
    subsidiaries: Sequence[tuple[str, str, str]],
    sign: str,
    fill: Callable[[str], str],
) -> list[Block]:
    """The blocks of one schedule or exhibit."""
    if key == "commitments":
        rows = [("Lender", "Term Commitment", "Revolving Commitment")]
        rows += [(name, f"{sign}{term:,}", f"{sign}{revolving:,}") for name, term, revolving in lenders]
        rows.append(("Total", f"{sign}{sum(item[1] for item in lenders):,}", f"{sign}{sum(item[2] for item in lenders):,}"))
        return [table(rows, (3, 2, 2))]
    if key == "guarantors":
        rows = [("Name", "Place of organisation", "Owned by", "Guarantor")]
        rows += [
            (name, place, owner, "Yes" if index < len(subsidiaries) - 2 else "No")
            for index, (name, place, owner) in enumerate(subsidiaries)
        ]
        return [table(rows, (4, 3, 4, 2))]
    if key == "addresses":
        blocks = [para(f"{terms['BORROWERNAME']}, {terms['ADDRESS']}. Attention: Chief Financial Officer.")]
        blocks.append(para(f"{terms['AGENT']}, {terms['AGENTADDRESS']}. Attention: Agency Services."))
        return [*blocks, para("Each Lender: as stated in its administrative questionnaire.")]
    blocks = paras(fill(words(f"exhibits/{key}")))
    if key in {"borrowing", "note", "accession", "assignment"}:
        blocks.append(
            signature(
                "____________________", "By: ____________________", "Name: ____________________", "Title: ____________________"
            )
        )
    return blocks
