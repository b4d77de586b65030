"""A name is moved by two people, over gates, verified weights and one use of the final set; everything else is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest
from weights_house import ALIAS, GATES, WeightsHouse, counts

from conformed.app.weights.told import final_lines, listed_lines, promoted_lines, proposed_lines, shown_lines
from conformed.errors import DeniedError, MirrorError, UsageError
from conformed_audit import Kind, verify

OTHER = "e" * 64


def test_two_people_move_a_name(house: WeightsHouse) -> None:
    """One proposes and another confirms: the name stands for the manifest, is published, and the log holds."""
    proposal = house.propose()
    assert (proposal.present, proposal.already) == ("", False)
    assert house.desk("dora").show(ALIAS).manifest == ""
    moved = house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights())
    assert (moved.manifest, moved.before, moved.publication) == (house.manifest(), "", "published")
    assert (moved.proposed_by, moved.confirmed_by) == ("anna", "bruno")
    assert {one.passed for one in moved.judged} == {True}
    assert [one.manifest for one in house.desk("dora").aliases()] == [house.manifest()]
    found = house.desk("anna").log_verify(None)
    assert found.ok, found.sentence


def test_what_was_looked_at_is_in_the_records(house: WeightsHouse) -> None:
    """The proposal names report, gates and what was found by their hashes, the move names the proposal, and the case's state is the hash."""
    proposal = house.propose()
    house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights())
    with house.desk("anna")._log(create=False) as log:
        asked, moved = log.records(f"weights:{ALIAS}")
        kept = {item.name: log.get_blob(item.commit) for item in asked.sources}
        state = next(row.state for row in log.cases() if row.case == f"weights:{ALIAS}")
    assert kept["report"] == (house.folder / "first-final.json").read_bytes()
    assert kept["gates"] == house.gates.read_bytes()
    assert b'"passed":true' in kept["judged"]
    assert (asked.kind, moved.kind) == (Kind.APPROVAL_REQUESTED, Kind.STATE_CHANGED)
    assert moved.approval is not None
    assert (moved.approval["proposal"], moved.approval["proposed_by"], moved.approval["role"]) == (
        asked.leaf, asked.actor.id, "model_officer",
    )  # fmt: skip
    assert state == moved.step == house.manifest()
    assert [entry.kind for entry in house.desk("anna").log_show(proposal.proposal)] == ["approval.requested", "state.changed"]


def test_proposing_again_is_the_same_proposal(house: WeightsHouse) -> None:
    """Nothing is written a second time, whoever asks; the answer says who proposed it first."""
    first = house.propose()
    before = house.records()
    again = house.desk("clara").propose(ALIAS, house.weights(), house.folder / "first-final.json", GATES)
    assert (again.proposal, again.already, again.who, house.records()) == (first.proposal, True, "anna", before)


def test_nobody_reviews_their_own_proposal(house: WeightsHouse) -> None:
    """Whoever proposed is denied, the denial is recorded, and the name stands for nothing."""
    proposal = house.propose(user="clara")
    with pytest.raises(DeniedError, match="Nobody reviews their own proposal") as denied:
        house.desk("anna").promote(ALIAS, proposal.proposal, house.weights())
    assert denied.value.reasons == ("own_proposal",)
    assert house.desk("anna").show(ALIAS).manifest == ""
    with house.desk("anna")._log(create=False) as log:
        assert [one.authz.rule for one in log.records("_access", kind=Kind.ACCESS_DENIED) if one.authz] == ["separation"]


def test_nobody_confirms_weights_for_which_they_used_the_final_set(house: WeightsHouse) -> None:
    """Who evaluated on the final set worked on these weights, also where another one proposed them."""
    use = house.use(who="clara")
    proposal = house.desk("anna").propose(ALIAS, house.weights(), house.report(use=use), GATES)
    with pytest.raises(DeniedError, match="used the final set for it"):
        house.desk("clara").promote(ALIAS, proposal.proposal, house.weights())
    assert house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights()).manifest == house.manifest()


def test_another_pseudonym_of_one_account_is_the_same_person(house: WeightsHouse) -> None:
    """An entry of the same account under a new pseudonym does not make a second person."""
    proposal = house.propose()
    people = house.workspace.people
    people.write_text(people.read_text(encoding="utf-8").replace("p-000000000000", "p-0000000000ff"), encoding="utf-8")
    with pytest.raises(DeniedError, match="proposed it"):
        house.desk("anna").promote(ALIAS, proposal.proposal, house.weights())


def test_a_proposer_who_was_forgotten_could_be_anybody(house: WeightsHouse) -> None:
    """Once the proposer is no longer in the directory nobody can confirm, as in acceptance."""
    proposal = house.propose()
    people = house.workspace.people
    people.write_text(people.read_text(encoding="utf-8").replace('  account: "os:anna"\n  name: "anna"\n', ""), encoding="utf-8")
    with pytest.raises(DeniedError, match="no longer in the directory"):
        house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights())


@pytest.mark.parametrize("step", ["final", "propose", "promote"])
def test_a_role_is_needed_for_each(house: WeightsHouse, step: str) -> None:
    """Without the role of model officer nobody uses the final set, proposes or confirms."""
    use = house.use() if step != "final" else ""
    proposal = (
        house.desk("anna").propose(ALIAS, house.weights(), house.report(use=use), GATES).proposal if step == "promote" else ""
    )
    desk, before = house.desk("dora"), house.records()
    steps: dict[str, Callable[[], object]] = {
        "final": lambda: desk.final(house.weights(), house.report(), GATES),
        "propose": lambda: desk.propose(ALIAS, house.weights(), house.report(use=use), GATES),
        "promote": lambda: desk.promote(ALIAS, proposal, house.weights()),
    }
    with pytest.raises(DeniedError, match="model officer"):
        steps[step]()
    assert house.records() == before


@pytest.mark.parametrize("when", ["propose", "promote"])
@pytest.mark.parametrize(("file", "data"), [("model.safetensors", b"other"), ("extra.json", b"{}"), ("config.json", None)])
def test_altered_weights_are_refused_by_the_name_of_the_file(
    house: WeightsHouse, when: str, file: str, data: bytes | None
) -> None:
    """A file that was changed, added or taken away is named, before a proposal and again before a move; nothing is written."""
    use = house.use()
    report = house.report(use=use)
    proposal = house.desk("anna").propose(ALIAS, house.weights(), report, GATES).proposal if when == "promote" else ""
    path = house.weights() / file
    path.write_bytes(data) if data is not None else path.unlink()
    before = house.records()
    steps: dict[str, Callable[[], object]] = {
        "propose": lambda: house.desk("anna").propose(ALIAS, house.weights(), report, GATES),
        "promote": lambda: house.desk("bruno").promote(ALIAS, proposal, house.weights()),
    }
    with pytest.raises(MirrorError, match=file):
        steps[when]()
    assert house.records() == before


def test_other_weights_are_refused_by_their_manifest(house: WeightsHouse) -> None:
    """Whole weights that are not those of the proposal are refused by the hash of their manifest."""
    proposal = house.propose()
    with pytest.raises(MirrorError, match="not the weights that are spoken of"):
        house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights("second"))


def test_gates_that_were_changed_meanwhile_stop_the_move(house: WeightsHouse) -> None:
    """Gates are declared before: a report under other ones is refused, and so is a proposal whose gates changed since."""
    proposal = house.propose()
    house.gates.write_text(house.gates.read_text(encoding="utf-8").replace('"9/10"', '"95/100"'), encoding="utf-8")
    with pytest.raises(UsageError, match="were changed since the proposal"):
        house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights())
    with pytest.raises(UsageError, match="evaluated under the gates"):
        house.desk("anna").propose(ALIAS, house.weights(), house.folder / "first-final.json", GATES)


def test_a_move_makes_what_was_proposed_before_it_stale(house: WeightsHouse) -> None:
    """Of two proposals on one state one is confirmed; the other names what it would have replaced, and must be made again."""
    first, second = house.propose(), house.propose("second", data=OTHER)
    house.desk("bruno").promote(ALIAS, second.proposal, house.weights("second"))
    with pytest.raises(UsageError, match="was moved after the proposal"):
        house.desk("bruno").promote(ALIAS, first.proposal, house.weights())
    again = house.desk("anna").propose(ALIAS, house.weights(), house.folder / "first-final.json", GATES)
    assert (again.already, again.present) == (False, house.manifest("second"))
    assert house.desk("bruno").promote(ALIAS, again.proposal, house.weights()).before == house.manifest("second")


def test_a_name_goes_back_by_two_people_too(house: WeightsHouse) -> None:
    """Back to weights for which it stood: proposed with a reason, confirmed by another, recorded as a move; nothing is judged anew."""
    house.promote()
    house.promote("second", data=OTHER)
    back = house.desk("anna").propose_back(ALIAS, house.weights(), house.manifest()[:12], reason="More reviews than before.")
    with pytest.raises(DeniedError, match="own proposal"):
        house.desk("anna").promote(ALIAS, back.proposal, house.weights())
    moved = house.desk("clara").promote(ALIAS, back.proposal, house.weights())
    assert (moved.manifest, moved.before, moved.judged) == (house.manifest(), house.manifest("second"), ())
    shown = house.desk("anna").show(ALIAS)
    assert [one.manifest for one in shown.moves] == [house.manifest(), house.manifest("second"), house.manifest()]
    assert (shown.moves[0].proposal.reason, shown.moves[0].proposal.back) == ("More reviews than before.", True)
    assert house.desk("anna").log_verify(None).ok


def test_a_name_goes_back_to_nothing_else(house: WeightsHouse) -> None:
    """Weights for which it never stood, the ones for which it stands, no reason: each is refused in a sentence."""
    house.promote()
    desk = house.desk("anna")
    with pytest.raises(UsageError, match=f"It stood for: {house.manifest()[:12]}"):
        desk.propose_back(ALIAS, house.weights("second"), house.manifest("second"), reason="x")
    with pytest.raises(UsageError, match="stands for the weights"):
        desk.propose_back(ALIAS, house.weights(), house.manifest(), reason="x")
    house.promote("second", data=OTHER)
    with pytest.raises(UsageError, match="No reason"):
        desk.propose_back(ALIAS, house.weights(), house.manifest(), reason=" ")


def test_the_lines_for_a_person_say_what_to_do_next(house: WeightsHouse) -> None:
    """Each answer names the hash, the people and the next command; the list and the history are whole."""
    used = house.desk("anna").final(house.weights(), house.report(), GATES)
    assert used.use.use in next(final_lines(used))
    proposal = house.desk("anna").propose(ALIAS, house.weights(), house.report(use=used.use.use), GATES, reason="Fewer reviews.")
    assert f"conformed weights promote {ALIAS} {proposal.proposal} FOLDER" in list(proposed_lines(proposal))[-1]
    assert "1 waiting to be confirmed" in next(listed_lines(house.desk("anna").aliases()))
    waiting = "\n".join(shown_lines(house.desk("anna").show(ALIAS)))
    assert "passed accuracy on unseen (greedy, by interval): 990/1000" in waiting
    assert waiting.startswith(f"{ALIAS} stands for nothing yet\nWaiting   {proposal.proposal}: {house.manifest()}")
    moved = house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights())
    assert f"Weights   {house.manifest()}    (name this hash in a contract)" in list(promoted_lines(moved))
    lines = "\n".join(shown_lines(house.desk("anna").show(ALIAS)))
    assert f"In a contract: manifest: {house.manifest()}" in lines
    assert "confirmed by bruno as model officer" in lines
    assert "proposed by anna" in lines
    assert ": Fewer reviews." in lines
    assert "gates: 72 of 72 passed" in lines
    assert "final set used by anna" in lines
    assert list(listed_lines(())) == ["There is no name for weights yet."]


def test_the_alias_is_what_the_log_says(house: WeightsHouse) -> None:
    """Another workspace with nothing but a copy of the log says the same; and the log alone verifies."""
    house.promote()
    shown = house.desk("anna").show(ALIAS)
    copy = WeightsHouse(house.folder.with_name("copy"))
    shutil.copy(house.workspace.log, copy.workspace.log)
    assert copy.desk("anna").show(ALIAS) == shown
    assert verify(copy.workspace.log).ok


def test_a_report_of_a_split_that_is_missing_is_not_passed(house: WeightsHouse) -> None:
    """A split that the gates name and the report has not is a failed gate, by its name."""
    with pytest.raises(UsageError, match=r"least_items on challenge \(greedy, by present\): 0 items; at least 400"):
        house.desk("anna").final(house.weights(), house.report(without="challenge"), GATES)
    small = counts("final", items=100, right=99, judged=100, tokens=1000, tokens_squared=10_000)
    report = house.report(use=house.use(), also=(small,))
    with pytest.raises(UsageError, match="least_items on final"):
        house.desk("anna").propose(ALIAS, house.weights(), report, GATES)
