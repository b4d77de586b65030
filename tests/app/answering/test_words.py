"""The record of a short answer on the screen: what the machine has, on what it rests, and what stands open."""

from __future__ import annotations

from typing import Any

import pytest

from conformed.app.answering.words import lines_of
from conformed.app.keeping.published import PublicationNote
from conformed.app.people.standing import Standing
from conformed.model.answered import AnswerRecord, Basis, Route
from conformed.model.base import Missing


def record(**changes: Any) -> AnswerRecord:
    """An answer that was verified, changed."""
    fields: dict[str, Any] = {
        "run": "r-1", "task": "sum", "contract": "short 1", "contract_digest": "a" * 64, "result": "answered",
        "route": Route.SAMPLE_AND_VERIFY, "answer": "42", "basis": Basis.VERIFIED, "votes": 3, "valid": 4, "total": 8,
        "codes": (), "sentences": (),
    }  # fmt: skip
    return AnswerRecord(**{**fields, **changes})


OPEN = {"result": "review", "answer": Missing(reason="No answer passed.", code="x"), "basis": Missing(reason="No.", code="x")}


@pytest.mark.parametrize(("basis", "said"), [(Basis.VERIFIED, "a deterministic check"), (Basis.SINGLE, "nothing could check")])
def test_an_answer_says_on_what_it_rests(basis: Basis, said: str) -> None:
    """First the answer; then the run, the route, the counts and the contract by its digest."""
    lines = lines_of(record(basis=basis), None, None)
    assert lines[0].startswith("ANSWERED  42 ")
    assert said in lines[0]
    assert lines[1:] == (
        "Task      sum   run r-1",
        "Route     sample and verify",
        "Samples   8, of which 4 can be read and 3 gave this answer",
        "Contract  short 1 @ aaaaaaaaaaaa",
    )


def test_a_review_shows_no_answer_and_every_sentence() -> None:
    """Whatever stands open is told; a route that was not reached is told by its reason."""
    lines = lines_of(record(**OPEN, route=Missing(reason="Nothing ran.", code="x"), sentences=("One.", "Two.")), None, None)
    assert lines[0] == "REVIEW    a person answers"
    assert "Route     Nothing ran." in lines
    assert lines[-2:] == ("Open      One.", "Open      Two.")


def test_people_and_publication_stand_at_the_end() -> None:
    """An answer is not an approval: that nobody accepted it, and what is missing, is said before the log's line."""
    standing = Standing(
        run="r-1", case="c", record="", state="open", publication="pending", approvals=(), missing=("A person must.",), worked=()
    )
    note = PublicationNote(state="pending", checkpoint_size=0, reason="no sink")
    people, log = lines_of(record(), note, standing)[-2:]
    assert people == "People    Not accepted. A person must."
    assert log.startswith("Log       PENDING: nobody outside holds the log yet (no sink).")
