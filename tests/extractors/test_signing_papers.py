"""Signatures and agents, from small papers of our own."""

from __future__ import annotations

import mill_packs as packs
import pytest
from unattested import ask, change, reviewed

from conformed.language.traced import live_view
from conformed.model.document import Document
from conformed.rules.instruments.instruments import read_instrument
from conformed_plugins.readers.text import TextReader

MARKS = "By: /s/ A. Weaver\nBy: /s/ C. Dyer"
RECORD = (
    "CERTIFICATE OF COMPLETION\n\nDocument: First Amendment to Credit Agreement\nStatus: {status}\n\n"
    "Borrower, A. Weaver, signed August 14, 2023\n{agent}\n"
)


def test_completed_record_of_signing() -> None:
    """P17: empty signature lines are filled by a completed record that covers every one of them, and by no lesser one."""
    lines = "BORROWER:\n\nBy: ____________\n\nADMINISTRATIVE AGENT:\n\nBy: ____________"
    bare = change(dated="August 1, 2023").replace(MARKS, lines)
    agent = "Administrative Agent, C. Dyer, signed August 15, 2023"
    found = ask(packs.agreement(), bare, RECORD.format(status="Completed", agent=agent), met=(None, None))
    assert (packs.shown(found), reviewed(found)) == ("4.5", set())
    before = ask(packs.agreement(), bare, RECORD.format(status="Completed", agent=agent), met=(None, None), known="2023-08-14")
    assert packs.shown(before) == "4"
    lesser = [
        RECORD.format(status="Completed", agent=""),
        RECORD.format(status="Sent", agent=agent),
        RECORD.format(status="Completed", agent="Administrative Agent, C. Dyer, pending"),
        RECORD.format(status="Completed", agent=agent).replace("First", "Third"),
    ]
    for record in lesser:
        assert "review_unsigned_instrument" in reviewed(ask(packs.agreement(), bare, record, met=(None, None)))


@pytest.mark.parametrize(
    ("words", "agents"),
    [
        ("among Weir Mills, Inc., as Borrower, the Lenders party hereto and Ford Bank, as Agent", ("ford bank",)),
        ("Weir Mills, Inc. and Moor Bank, N.A., as First Lien Administrative Agent", ("moor bank",)),
        ("Dale Trust plc (in this capacity, the Agent) acting as Facility Agent", ("dale trust",)),
        ("the Borrower may act as principal", ()),
    ],
)
def test_agents_of_an_instrument(words: str, agents: tuple[str, ...]) -> None:
    """The agents that an instrument names in its opening are read, without the form of their company."""
    document = TextReader().read("a.txt", f"FIRST AMENDMENT\n\ndated as of May 2, 2023\n\n{words}.\n".encode())
    assert isinstance(document, Document)
    assert read_instrument(live_view(document), "a.txt").parties == agents
