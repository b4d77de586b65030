"""Random histories of a case: whatever people try, in whatever order, nothing is released without the people that it needs."""

from __future__ import annotations

import tempfile
from importlib import util
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformed.errors import DeniedError, UsageError
from conformed.policy.may import Action

_NAMES = ("ana", "bob", "cem", "dia", "root")
_SPEC = util.spec_from_file_location("desk_of_people", Path(__file__).with_name("conftest.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
MADE = util.module_from_spec(_SPEC)
import sys  # noqa: E402 - dataclasses of the module look themselves up

sys.modules["desk_of_people"] = MADE
_SPEC.loader.exec_module(MADE)
POLICY = (MADE.ROOT / "policies" / "covenant.yaml").read_text(encoding="utf-8")
ONE = POLICY.replace("two_people: true", "two_people: false").replace("different_roles: true", "different_roles: false") + (
    "second_approval: {when: [overridden, result_breach], roles: [credit_officer]}\n"
)

Act = tuple[str, str, str]
_RARE = ("run", "begin", "override", "su", "return", "withdraw", "look", "outage")
acts = st.lists(
    st.one_of(
        st.tuples(st.just("accept"), st.sampled_from(("bob", "cem", "dia")), st.just("")),
        st.tuples(st.just("accept"), st.sampled_from(_NAMES), st.just("")),
        st.tuples(st.sampled_from(_RARE), st.sampled_from(_NAMES), st.sampled_from(_NAMES)),
    ),
    min_size=1,
    max_size=12,
).map(lambda given: [("run", "ana", "ana"), *given])


class Told:
    """What an onlooker with a pencil notes: an oracle that shares no code with the product."""

    def __init__(self, *, two: bool) -> None:
        self.two, self.workers, self.run, self.result = two, set[str](), "", ""
        self.overridden, self.returned = False, False
        self.given: list[str] = []

    def worked(self, *who: str, run: str = "", result: str = "", overridden: bool = False) -> None:
        """Somebody worked on the case."""
        self.workers |= set(who)
        self.run, self.result, self.overridden, self.returned, self.given = run, result, overridden, False, []

    @property
    def needs(self) -> int:
        """How many people."""
        return 2 if self.two or self.overridden or self.result == "breach" else 1


def do(desk: Any, told: Told, act: Act, number: int) -> None:
    """One attempt. Whether it may be done is the product's to say; what must never be is checked here."""
    what, who, other = act
    run = f"r-{number}"
    result = "breach" if other in ("bob", "dia") else "pass"
    try:
        if what == "run":
            desk.run(who, run, result=result)
            told.worked(who, run=run, result=result)
        elif what == "begin":
            desk.run(who, run, end=False)
            told.worked(who)
        elif what == "override" and told.run:
            desk.run(who, run, action=Action.OVERRIDE, result=result, by=other)
            told.worked(who, other, run=run, result=result, overridden=True)
        elif what in ("accept", "su") and told.run:
            behind = other if what == "su" and other != who else ""
            standing = desk.accept(who, told.run, behind=behind)
            assert not {who, behind} & told.workers, "their own work"
            assert who not in told.given
            assert not told.returned
            told.given.append(who)
            assert standing.state in ("open", "approved", "released")
        elif what == "return" and told.run:
            desk.sit(who)
            desk.service.send_back(told.run, reason="other", note="again")
            told.returned, told.given = True, []
        elif what == "withdraw" and told.run:
            desk.sit(who)
            desk.service.withdraw(told.run)
            told.given.remove(who)
        elif what == "look" and told.run:
            desk.sit(who)
            desk.service.approvals(told.run)
        elif what == "outage":
            desk.outside.up = not desk.outside.up
    except (DeniedError, UsageError):
        return


@settings(max_examples=35, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=acts, two=st.booleans())
def test_no_release_without_the_people_that_it_needs(acts: list[Act], two: bool) -> None:
    """Every release has its number of different people, none of whom worked on the case; and verification agrees throughout."""
    with tempfile.TemporaryDirectory() as folder:
        desk = MADE.Desk(Path(folder) / "bank", POLICY if two else ONE)
        try:
            desk.give(bob="credit_analyst", cem="credit_officer", dia="credit_officer, credit_analyst", root="administrator")
            told, released = Told(two=two), 0
            for number, act in enumerate(acts):
                do(desk, told, act, number)
                count = sum(1 for _ in desk.log.records(kind="decision.released"))
                if count > released:
                    released = count
                    assert len(set(told.given)) == len(told.given) == told.needs
                    assert not set(told.given) & told.workers
                    assert not told.returned
                assert desk.holds()
        finally:
            desk.log.close()
