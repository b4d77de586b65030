"""Names for weights as the log alone tells them: who is another person, and records of any shape are judged, never raised for."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed_audit import Actor, Authz, Item, Kind, Record, aliases
from conformed_audit.aliases import ALIAS_CASE, FINAL_CASE, PROPOSED, REPORTED, USED, Aliases, apart

ANNA = Actor("p-a", "person", ("model_officer",), "os:1:9")
BRUNO = Actor("p-b", "person", ("model_officer",), "os:2:9")
ALLOWED = Authz("allow", "may.propose_weights", "0" * 64)
HASHES = [f"{n:x}" * 64 for n in range(10, 16)]


def record(number: int, **other: Any) -> Record:
    """A record of the alias x."""
    plain: dict[str, Any] = {
        "case": f"{ALIAS_CASE}x", "kind": Kind.STATE_CHANGED, "actor": BRUNO, "idx": number, "log": "l", "cseq": number, "prev": "0" * 64,
        "ts": "2026-03-02T12:00:00.000000Z", "leaf": f"{number:064x}", "body": b"", "authz": ALLOWED, "run": "w-1",
    }  # fmt: skip
    return Record(**{**plain, **other})


def asked(number: int, to: str, *, after: str = "", back: str = "", use: str = "") -> Record:
    """A proposal by Anna."""
    item = Item(PROPOSED, "sha256:0", 1, "application/json", {"manifest": to, "after": after, "back": back, "use": use})
    return record(number, kind=Kind.APPROVAL_REQUESTED, actor=ANNA, step=PROPOSED, output=(item,))


def moved(number: int, proposal: Record, to: str) -> Record:
    """Bruno confirms."""
    approval = {"proposal": proposal.leaf, "role": "model_officer", "session": BRUNO.session}
    return record(number, step=to, approval=approval)


def of_final(number: int, step: str, **inline: str) -> Record:
    """A record of the uses of a family's final set."""
    item = Item(step, "sha256:0", 1, "application/json", inline)
    return record(number, case=f"{FINAL_CASE}f", step=step, output=(item,), actor=ANNA)


FIRST = asked(0, HASHES[0])
MOVE = moved(1, FIRST, HASHES[0])
FORGED: dict[str, tuple[tuple[Record, ...], str]] = {
    "a proposal by a machine": ((dataclasses.replace(FIRST, actor=Actor("engine", "engine")),), "alias.actor"),
    "a proposal that nobody allowed": ((dataclasses.replace(FIRST, authz=None),), "alias.authz"),
    "a proposal of no hash": ((asked(0, "weights"),), "alias.proposal"),
    "a proposal on a use that is nowhere": ((asked(0, HASHES[0], use="f" * 64),), "alias.final"),
    "a move to what nobody proposed": ((FIRST, moved(1, FIRST, HASHES[1])), "alias.proposed"),
    "a second move after none": ((FIRST, MOVE, stale := asked(2, HASHES[1]), moved(3, stale, HASHES[1])), "alias.after"),
    "back to where it never was": (
        (FIRST, MOVE, back := asked(2, HASHES[1], after=MOVE.leaf, back=MOVE.leaf), moved(3, back, HASHES[1])),
        "alias.back",
    ),
    "a move by whoever proposed": (
        (FIRST, dataclasses.replace(MOVE, actor=ANNA, approval={**(MOVE.approval or {}), "session": ANNA.session})),
        "alias.separation",
    ),
    "a move in a role that one has not": (
        (FIRST, dataclasses.replace(MOVE, approval={**(MOVE.approval or {}), "role": "auditor"})),
        "alias.role",
    ),
    "a second use": ((of_final(0, USED, data="d", manifest="m"), of_final(1, USED, data="d", manifest="n")), "final.once"),
    "a report of no use": ((of_final(0, REPORTED, use="f" * 64, counts="c"),), "final.reported"),
    "neither use nor report": ((of_final(0, "final_set.opened"),), "final.step"),
}


@pytest.mark.parametrize("how", sorted(FORGED))
def test_without_its_rule_a_forgery_is_not_named(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last record of each forgery is named by its rule, those before it hold, and when the rule says nothing it is not named."""
    records, check = FORGED[how]
    fold = Aliases(whole=True)
    *before, bad = [fold.take(one) for one in records]
    assert before == [None] * (len(records) - 1)
    assert bad is not None
    assert bad.check == check
    named = aliases._bad
    monkeypatch.setattr(aliases, "_bad", lambda name, *rest: None if name == check else named(name, *rest))
    fold = Aliases(whole=True)
    without = [fold.take(one) for one in records][-1]
    assert without is None or without.check != check


@given(st.lists(st.sampled_from(HASHES), min_size=1, max_size=6))
def test_the_alias_is_the_last_of_its_moves(hashes: list[str]) -> None:
    """Whatever is proposed and confirmed in turn, the name stands for the last, and every move follows the one before it."""
    fold, number, last = Aliases(whole=True), 0, ""
    for to in hashes:
        proposal = asked(number, to, after=last)
        move = moved(number + 1, proposal, to)
        assert (fold.take(proposal), fold.take(move)) == (None, None)
        number, last = number + 2, move.leaf
    assert [one.to for one in fold.aliases["x"].moves] == hashes
    assert fold.aliases["x"].stands_for == hashes[-1]


def test_a_later_epoch_alone_goes_on_from_what_it_does_not_have() -> None:
    """Its first move may follow, and go back to, what stands in an earlier epoch; in the first epoch nothing may, and no second one."""
    proposal = asked(0, HASHES[0], after="e" * 64, back="d" * 64)
    first = moved(1, proposal, HASHES[0])
    for whole, check in ((False, None), (True, "alias.after")):
        fold = Aliases(whole=whole)
        assert fold.take(proposal) is None
        bad = fold.take(first)
        assert (None if bad is None else bad.check) == check
    later = Aliases(whole=False)
    for one in (proposal, first, other := asked(2, HASHES[1], after="c" * 64)):
        assert later.take(one) is None
    bad = later.take(moved(3, other, HASHES[1]))
    assert bad is not None
    assert bad.check == "alias.after"


@pytest.mark.parametrize(
    ("one", "other", "different"),
    [
        (ANNA, BRUNO, True), (ANNA, ANNA, False), (ANNA, dataclasses.replace(BRUNO, on_behalf_of="p-c p-a"), False),
        (dataclasses.replace(ANNA, on_behalf_of="p-b"), BRUNO, False), (ANNA, dataclasses.replace(BRUNO, session="os:1:7"), False),
        (dataclasses.replace(ANNA, session=None), dataclasses.replace(BRUNO, session=None), True),
    ],
)  # fmt: skip
def test_who_is_another_person(one: Actor, other: Actor, *, different: bool) -> None:
    """Neither the same pseudonym, nor one behind the other, nor the same account under two; unknown accounts are not one."""
    assert apart(one, other) is apart(other, one) is different


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(HASHES),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["manifest", "after", "use", "data", "role"]), inner)
    ),
    max_leaves=6,
)


@given(
    st.sampled_from([ALIAS_CASE, FINAL_CASE]), st.sampled_from([Kind.STATE_CHANGED, Kind.APPROVAL_REQUESTED, Kind.PAYLOAD_ERASED]),
    st.sampled_from([PROPOSED, USED, REPORTED, HASHES[0], "erase", None]), JSON, JSON,
)  # fmt: skip
def test_no_record_raises(case: str, kind: str, step: str | None, inline: Any, said: Any) -> None:
    """Whatever a writer puts into a record of these cases, it is taken or named as bad, in either way of reading."""
    approval = said if isinstance(said, dict) else {"proposal": said, "role": said, "session": said}
    item = Item(step or "", "sha256:0", 1, "application/json", inline)
    for whole in (True, False):
        fold = Aliases(whole=whole)
        for number in range(2):
            bad = fold.take(record(number, case=f"{case}x", kind=kind, step=step, output=(item,), approval=approval))
            assert bad is None or bad.check.startswith(("alias.", "final."))
        assert not any(alias.moves for alias in fold.aliases.values())
