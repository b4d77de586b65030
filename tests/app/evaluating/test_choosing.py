"""Choosing an answer: never with the reference, and never an answer whose check failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from conformed.app.evaluating.binding import Judges
from conformed.app.evaluating.choosing import Selection, choose
from conformed.evaluation.items import Item, Result, Versions
from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome

VERSIONS = Versions(extractor="e 1", normaliser="n 1", verifier="v 1")
SECRET = "the reference"


class Holds:
    """A verifier that says an answer is right when it is one of some, raises when told to, and keeps what it was asked."""

    def __init__(self, *right: str, raises: Sequence[str] = (), outcome: Outcome = Outcome.INCORRECT) -> None:
        self.right, self.raises, self.outcome = right, raises, outcome
        self.asked: list[AnswerCheck] = []

    def check(self, asks: AnswerCheck) -> AnswerVerdict:
        self.asked.append(asks)
        if asks.candidate in self.raises:
            raise RuntimeError("the verifier broke")
        right = asks.candidate in self.right
        return AnswerVerdict(outcome=Outcome.CORRECT if right else self.outcome, code="held")


def _judges(verifier: Any) -> Judges:
    return Judges({"numeric": ("numeric 1.0.0", verifier)}, "numeric")


def _item(**changes: Any) -> Item:
    found: dict[str, Any] = {
        "id": "a", "prompt": "1+1?", "reference": SECRET, "split": "test", "source": "f.jsonl", "source_revision": "0", "check": "1+1",
    }  # fmt: skip
    return Item(**(found | changes))


def _samples(*answers: str | None, outcome: Outcome = Outcome.INCORRECT) -> list[Result]:
    return [
        Result(
            item="a", sample=at, seed=1, response=answer or "", answer=answer, normalised=answer,
            outcome=outcome if answer else Outcome.REVIEW, code="c" if answer else "missing_final", latency_ms=5, prompt_tokens=2,
            response_tokens=3, versions=VERSIONS,
        )
        for at, answer in enumerate(answers)
    ]  # fmt: skip


@pytest.mark.parametrize("selection", ["first", "plurality", "verified"])
def test_the_reference_takes_no_part(selection: Selection) -> None:
    """However the samples were judged against the reference, the same one is chosen; and no check is shown the reference."""
    answers = ("2",) if selection == "first" else ("3", "2", "2", None)
    chosen = set()
    for outcome in Outcome:
        verifier = Holds("2")
        picked = choose(_item(), _samples(*answers, outcome=outcome), selection, 1, _judges(verifier))
        chosen.add(picked.sample)
        assert all(asks.reference == "1+1" and SECRET not in asks.model_dump_json() for asks in verifier.asked)
    assert chosen == {0 if selection == "first" else 1}


def test_hidden_facts_are_not_shown_to_the_check() -> None:
    """What the item may show is shown, what only the evaluation may know is not."""
    verifier = Holds("2")
    item = _item(public={"tests": "open"}, facts={"hidden": "closed"})
    choose(item, _samples("2"), "verified", 1, _judges(verifier))
    assert [dict(asks.facts) for asks in verifier.asked] == [{"tests": "open"}]


def test_a_verifier_that_raises_finds_nothing_right() -> None:
    """An answer whose check raises is not chosen; another that is shown right is; and with none there is no answer."""
    verifier = Holds("2", raises=("3",))
    picked = choose(_item(), _samples("3", "3", "2"), "verified", 1, _judges(verifier))
    assert (picked.sample, picked.votes, picked.valid, picked.total) == (2, 1, 3, 3)
    none = choose(_item(), _samples("3", "3", outcome=Outcome.CORRECT), "verified", 1, _judges(Holds("3", raises=("3",))))
    assert (none.sample, none.outcome, none.code) == (None, Outcome.REVIEW, "no_answer_verified")


@pytest.mark.parametrize("outcome", [Outcome.INCORRECT, Outcome.REVIEW, Outcome.ERROR])
def test_only_correct_is_right(outcome: Outcome) -> None:
    """A check that says incorrect, review or error chooses nothing, even where the answer would have been right."""
    picked = choose(_item(), _samples("2", outcome=Outcome.CORRECT), "verified", 1, _judges(Holds(outcome=outcome)))
    assert (picked.sample, picked.outcome) == (None, Outcome.REVIEW)


def test_without_anything_to_hold_it_against_nothing_is_chosen() -> None:
    """An item that brings no check of its own gives no verified answer, and its verifier is not asked."""
    verifier = Holds("2")
    picked = choose(_item(check=""), _samples("2", outcome=Outcome.CORRECT), "verified", 1, _judges(verifier))
    assert (picked.sample, picked.code, verifier.asked) == (None, "nothing_to_check", [])


def test_a_form_without_a_verifier_chooses_nothing() -> None:
    """An answer form that the contract has no verifier for is not right by default."""
    picked = choose(_item(form="code"), _samples("2"), "verified", 1, _judges(Holds("2")))
    assert picked.sample is None


def test_of_several_that_are_right_the_most_frequent_is_given() -> None:
    """Each distinct form is checked once; the one with most votes among those shown right is chosen, at its first sample."""
    verifier = Holds("2", "4")
    picked = choose(_item(), _samples("2", "4", "3", "3", "3", "4"), "verified", 1, _judges(verifier))
    assert (picked.sample, picked.votes) == (1, 2)
    assert [asks.candidate for asks in verifier.asked] == ["2", "4", "3"]


def test_a_plurality_needs_enough_answers_and_no_tie() -> None:
    """Too few that parse, or two equal halves, give no answer; what the samples cost is counted all the same."""
    few = choose(_item(), _samples("2", None, None), "plurality", 2, _judges(Holds()))
    tie = choose(_item(), _samples("2", "3"), "plurality", 1, _judges(Holds()))
    assert (few.sample, few.outcome, tie.sample, tie.outcome) == (None, Outcome.REVIEW, None, Outcome.REVIEW)
    assert (few.tokens, few.latency_ms, few.total) == (9, 15, 3)


def test_where_nothing_came_as_far_as_an_answer_it_is_an_error() -> None:
    """All generations failed: the item's choice is an error with its code. One that answered is chosen among them."""
    failed = [
        one.model_copy(update={"outcome": Outcome.ERROR, "code": "generate_exception:OSError"}) for one in _samples(None, None)
    ]
    picked = choose(_item(), failed, "plurality", 1, _judges(Holds()))
    assert (picked.sample, picked.outcome, picked.code) == (None, Outcome.ERROR, "generate_exception:OSError")
    mixed = [failed[0], *_samples("2")[:1]]
    assert choose(_item(), mixed, "plurality", 1, _judges(Holds())).sample == 1


def test_an_answer_that_could_not_be_judged_is_given_and_is_an_error() -> None:
    """Judging failed after the answer was chosen: it was given, and it counts as neither right nor wrong."""
    broken = [one.model_copy(update={"code": "verify_exception:OSError"}) for one in _samples("2", outcome=Outcome.ERROR)]
    picked = choose(_item(), broken, "first", 1, _judges(Holds()))
    assert (picked.sample, picked.outcome, picked.code) == (0, Outcome.ERROR, "verify_exception:OSError")
