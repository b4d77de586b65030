"""Runs with overrides: what is read, what stays open, what the log keeps, and what is refused before anything is written."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from override_packs import AMENDMENT, SECOND, WHOLE, Desk, amend, conditional, level, seen

from conformed.app.options import RunOptions, silent
from conformed.app.overrides import overriding
from conformed.app.pages.report import render_report
from conformed.app.pages.screen import screen
from conformed.errors import UsageError
from conformed.model.decision import Decision, Result


@pytest.fixture
def desk(fenwick: Path, bank: Path) -> Desk:
    """The timber company's pack and a workspace."""
    return Desk(fenwick, bank)


def test_nothing_is_read_again(desk: Desk) -> None:
    """The run is done again from its record: with the pack gone, the answer is the same."""
    earlier = conditional(desk)
    given = seen(desk)
    for file in desk.pack.iterdir():
        file.unlink()
    assert level(desk.override(earlier, given)) == Fraction(17, 4)


def test_an_override_that_changes_nothing_is_told(desk: Desk) -> None:
    """A figure that no line of the calculation uses is taken, and said to change nothing."""
    desk.change(
        "certificate.txt", "Leverage Ratio      ", "Number of mills                                       7\nLeverage Ratio      "
    )
    earlier = desk.run()
    given = {
        "code": "override_input_corrected", "answers": "calculation", "figure": "Number of mills", "old": "7000", "new": "9000",
        "file": str(desk.beside("count.txt", "There are 9 mills.\n")), "words": "There are 9 mills", "reason": "Two were bought.",
    }  # fmt: skip
    decision = desk.override(earlier, given)
    assert decision.overridden is not None
    (told,) = decision.overridden.told
    assert (told.taken, told.changed) == (True, False)
    assert "changes nothing" in decision.next_steps[0]
    assert decision.calculation == earlier.calculation


def test_an_override_removes_no_review_that_it_does_not_answer(desk: Desk) -> None:
    """With two things open, settling one leaves the other; settling it in a further run gives the answer, whatever the order."""
    desk.add("first.txt", amend(AMENDMENT), "kind: amendment", "dated: 2024-05-10")
    renamed = WHOLE.replace("4.25", "4.00").replace("as of its date", "as of July 1, 2024")
    desk.add(
        "second.txt", amend(renamed, name="SECOND", dated="July 1, 2024", signed=False), "kind: amendment", "dated: 2024-07-01"
    )
    earlier = desk.run()
    assert {"review_cp_evidence_missing", "review_unsigned_instrument"} <= desk.codes(earlier)
    one, two = seen(desk), {
        "code": "override_execution_seen", "answers": "review_unsigned_instrument", "subject": "second.txt",
        "signed_on": "2024-07-01", "file": str(desk.beside("signed.txt", amend(renamed, name="SECOND", dated="July 1, 2024"))),
        "reason": "From the deal bible.",
    }  # fmt: skip
    first = desk.override(earlier, one)
    assert first.result is Result.REVIEW
    assert "review_unsigned_instrument" in desk.codes(first)
    then, swapped, together = desk.override(first, two), desk.override(earlier, two, one), desk.override(earlier, one, two)
    assert {level(then), level(swapped), level(together)} == {Fraction(4)}
    assert {r.code for r in then.reasons} == {r.code for r in swapped.reasons} == {r.code for r in together.reasons}
    assert then.overridden is not None
    assert (then.overridden.earlier, len(then.overridden.told)) == (first.run, 2)
    assert desk.service.log_verify(None).ok


def test_another_covenant_is_left_alone(desk: Desk) -> None:
    """A change of another section that is open, too, neither helps nor hinders."""
    desk.add("second.txt", amend(SECOND, name="SECOND", dated="May 11, 2024"), "kind: amendment", "dated: 2024-05-11")
    desk.add("first.txt", amend(AMENDMENT), "kind: amendment", "dated: 2024-05-10")
    decision = desk.override(desk.run(), seen(desk))
    assert level(decision) == Fraction(17, 4)


def test_evidence_that_makes_a_change_of_its_own_counts_as_what_it_is(desk: Desk) -> None:
    """A paper added as evidence and found to be an amendment is an instrument of the case: its level is asked about, not passed over."""
    earlier = conditional(desk)
    hidden = amend(WHOLE.replace("4.25", "5.00") + "\nThe fee was paid on May 14, 2024.\n", name="SECOND", dated="May 14, 2024")
    decision = desk.override(earlier, seen(desk, hidden, "The fee was paid on", name="letter.txt"))
    assert decision.result is Result.REVIEW
    assert Fraction(5) in {c.limit.value for c in decision.candidates}


def test_the_person_stands_in_no_record(desk: Desk) -> None:
    """The record of an override names its code, what it answers and the earlier run, and the person by a pseudonym."""
    earlier = conditional(desk)
    decision = desk.override(earlier, seen(desk), by="Ida Marsh")
    entries = desk.service.log_show(decision.run)
    (entry,) = [one for one in entries if one.step == "overridden"]
    assert entry.note == f"override_cp_evidence_seen of run {earlier.run}, against review_cp_evidence_missing."
    assert b"Marsh" not in b"".join(one.model_dump_json().encode() for one in entries)


def test_a_run_that_was_cut_off_is_not_resumed_without_its_overrides(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Resuming the pack says which run to override again; it never goes on as if nobody had overridden it."""
    earlier = conditional(desk)

    def cut(*_: object) -> Decision:
        raise KeyboardInterrupt

    given = seen(desk)
    with monkeypatch.context() as cutting:
        cutting.setattr(overriding, "_noted", cut)
        with pytest.raises(KeyboardInterrupt):
            desk.override(earlier, given)
    with pytest.raises(UsageError, match=f"does run {earlier.run} again with overrides"):
        desk.service.run(desk.pack, RunOptions(resume=True), silent)
    with pytest.raises(UsageError, match="has no decision"):
        desk.override("r-0002", seen(desk))
    assert level(desk.override(earlier, seen(desk))) == Fraction(17, 4)


def test_the_record_is_written_with_the_run_or_not_at_all(desk: Desk) -> None:
    """An override that cannot be taken leaves nothing: no record, no run."""
    earlier = conditional(desk)
    records = desk.service.log_verify(None).records
    for wrong, said in (
        ({"file": "nowhere.txt"}, "There is no paper nowhere.txt"),
        ({"words": "nobody said this"}, "stand nowhere in"),
        ({"subject": "certificate.txt"}, "is not about certificate.txt"),
        ({"subject": "absent.txt"}, "is no document of run"),
        ({"met_on": "14 May 2024"}, "is not a date"),
        ({"met_on": "2024-02-30"}, "is not a day of the calendar"),
        ({"result": "pass"}, "never gives a level, a comparator or a result"),
        ({"comparator": "lt"}, "never gives a level, a comparator or a result"),
        ({"mood": "good"}, "has no field 'mood'"),
    ):
        with pytest.raises(UsageError, match=said):
            desk.override(earlier, {**seen(desk), **wrong})
    with pytest.raises(UsageError, match="no run 'r-77'"):
        desk.override("r-77", seen(desk))
    with pytest.raises(UsageError, match="not known who"):
        desk.override(earlier, seen(desk), by=" ")
    assert desk.service.log_verify(None).records == records


def test_the_screen_and_the_report_show_the_words_and_obey_none(desk: Desk) -> None:
    """Words of a person are shown beside what became of the override, escaped."""
    earlier = conditional(desk)
    decision = desk.override(earlier, {**seen(desk), "reason": "<b>Seen</b> \x1b[31mred"})
    text, page = screen(decision), render_report(decision)
    assert f"Overrides of run {earlier.run}, which stays as it was" in text
    assert f"Overrides of run {earlier.run}, which stays as it was" in page
    assert "Ida Marsh" in text
    assert "\x1b" not in text + page
    assert "&lt;b&gt;Seen&lt;/b&gt;" in page
    assert "<b>Seen" not in page


def test_the_same_override_gives_the_same_bytes(desk: Desk, tmp_path: Path) -> None:
    """With clock and ids injected, two workspaces write the same decision, to the byte."""
    earlier = conditional(desk)
    other = tmp_path / "other"
    (other / "policies").mkdir(parents=True)
    (other / "policies" / "covenant.yaml").write_bytes((desk.bank / "policies" / "covenant.yaml").read_bytes())
    twin = Desk(desk.pack, other)
    given = seen(desk)
    assert twin.run() == earlier
    assert desk.override(earlier, given).model_dump_json() == twin.override(earlier, given).model_dump_json()
