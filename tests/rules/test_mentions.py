"""Whether an instrument speaks of changing a provision."""

from __future__ import annotations

import pytest

from conformed.model.operation import EffectiveMode, Effectiveness, Op, Operation, Target
from conformed.rules.precedence.mentions import mention, speaks_of


@pytest.mark.parametrize(
    ("text", "section", "found"),
    [
        ("Section 7.11 is hereby amended as follows.", "7.11", True),
        ("Section 7.11(a) is hereby amended as follows.", "7.11", True),
        ("Section 7.11(a)(ii) is replaced.", "7.11(a)", True),
        ("Section 7.11 is replaced in full.", "7.11(a)", True),
        ("Section 7.11(b) is replaced in full.", "7.11(a)", False),
        ("Section 7.111 is replaced in full.", "7.11", False),
        ("Section 7.11A is replaced in full.", "7.11", False),
        ("clauses 21.3, 22.2 and 22.4 are deleted.", "22.2", True),
        ("Section 7.11 of this Amendment restates the fees.", "7.11", False),
        ("Section 7.11 is not amended.", "7.11", False),
        ("Nothing here amends Section 7.11.", "7.11", False),
        ("Section 7.11 stays as it is.", "7.11", False),
        ("The Lenders waive compliance with Section 7.11 for June.", "7.11", True),
        ("The failure of Section 7.11 is waived.", "7.11", True),
        ("Section 7.11 shall not apply in 2024.", "7.11", True),
        ("Section 7.11 is amended.", "seven", False),
    ],
)
def test_mention(text: str, section: str, found: bool) -> None:
    """A change of the provision, of what encloses it or of words inside it is seen; neighbours and denials are not."""
    place = mention(text, section)
    assert (place is not None) is found
    if place is not None:
        assert text[place[0] : place[1]]


@pytest.mark.parametrize(
    ("op", "target", "told"),
    [
        (Op.WAIVE_TEST, "7.11", True),
        (Op.SUSPEND_TESTING, "7.11(a)", True),
        (Op.WAIVE_TEST, "7.12", False),
        (Op.WAIVE_TEST, "", False),
        (Op.SET_LEVEL, "7.11", False),
    ],
)
def test_speaks_of(op: Op, target: str, told: bool) -> None:
    """A waiver or relief of the provision was understood; of another, or of none, it was not."""
    operation = Operation(
        id="x", op=op, document="d", target=Target(section=target), effective=Effectiveness(mode=EffectiveMode.ON_SIGNING)
    )
    assert speaks_of(operation, "7.11#total_leverage") is told
