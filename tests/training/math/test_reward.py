"""The reward: the whole truth table, and checks that fail in every way."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra ml")

from conformed.model.answer import Outcome  # noqa: E402 - after the check that torch is there
from conformed_plugins.training.advantage import ragged_advantages  # noqa: E402
from conformed_plugins.training.items import Checked, Split, Task, TrainingItem  # noqa: E402
from conformed_plugins.training.reward import combined_reward, judged  # noqa: E402

ITEM = TrainingItem(id="0" * 16, task=Task.FIELDS, split=Split.SFT, template="t", prompt="p", answer="a")


def test_the_vectors(vectors: Any) -> None:
    """The cases with right answers agree, refusals included."""
    for one in vectors("reward"):
        if one.get("refused"):
            with pytest.raises(ValueError):
                combined_reward(verifier_outcome=one["outcome"], format_ok=one["format_ok"])
        else:
            assert combined_reward(verifier_outcome=one["outcome"], format_ok=one["format_ok"]) == one["value"]


@pytest.mark.parametrize(
    ("outcome", "form", "reward"),
    [
        ("correct", True, 1.1),
        ("correct", False, 1.0),
        ("incorrect", True, 0.1),
        ("incorrect", False, 0.0),
        ("review", True, None),
        ("review", False, None),
        ("error", True, None),
        ("error", False, None),
    ],
)
def test_the_table(outcome: str, form: bool, reward: float | None) -> None:
    """Each of the eight, by word and by member."""
    assert combined_reward(verifier_outcome=outcome, format_ok=form) == reward
    assert combined_reward(verifier_outcome=Outcome(outcome), format_ok=form) == reward


@pytest.mark.parametrize("outcome", ["maybe", "Correct", "correct ", "", None, 1, True])
def test_other_outcomes_are_refused(outcome: Any) -> None:
    """No other word is read as one of the four."""
    with pytest.raises(ValueError):
        combined_reward(verifier_outcome=outcome, format_ok=True)


@pytest.mark.parametrize("form", [1, 0, None, "true"])
def test_form_is_true_or_false(form: Any) -> None:
    """What is neither is not taken for one of them."""
    with pytest.raises(TypeError):
        combined_reward(verifier_outcome="correct", format_ok=form)


def test_a_check_is_rewarded_by_the_table() -> None:
    """What the check found is kept whole, and its reward stands beside it."""
    found = Checked(Outcome.CORRECT, format_ok=False, code="right", parts={"date": True})
    got = judged(lambda item, text: found, ITEM, "x")
    assert (got.checked, got.reward) == (found, 1.0)


@pytest.mark.parametrize("problem", [ZeroDivisionError, TimeoutError, RecursionError, MemoryError])
def test_report_13_what_a_check_raises_is_an_error_and_no_zero(problem: type[Exception]) -> None:
    """A raising check gives an error with the exception's type and no reward, and its response is left out of the group."""

    def check(item: TrainingItem, text: str) -> Checked:
        if text == "bad":
            raise problem("inside the check")
        return Checked(Outcome.CORRECT if text == "good" else Outcome.INCORRECT, format_ok=True, code="told")

    group = [judged(check, ITEM, text) for text in ("good", "bad", "wrong")]
    assert group[1].checked.outcome is Outcome.ERROR
    assert group[1].checked.code == f"check_exception:{problem.__name__}"
    assert group[1].reward is None
    got = ragged_advantages([[one.reward for one in group]], reasons=[[one.checked.code for one in group]])
    right, wrong = (ragged_advantages([[1.1, 0.1]]).advantages[0] or ())[:2]
    assert got.advantages == ((right, 0.0, wrong),)
    assert got.excluded == {f"check_exception:{problem.__name__}": 1}
    assert got.kept == ((True, False, True),)


def test_an_interrupt_is_not_swallowed() -> None:
    """Whoever stops the run stops it."""

    def check(item: TrainingItem, text: str) -> Checked:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judged(check, ITEM, "x")


@pytest.mark.parametrize(
    "found",
    [
        None,
        True,
        "correct",
        ("correct", True),
        Checked("correct", format_ok=True, code="c"),  # type: ignore[arg-type]
        Checked(Outcome.CORRECT, format_ok=1, code="c"),  # type: ignore[arg-type]
        Checked(Outcome.CORRECT, format_ok=True, code=None),  # type: ignore[arg-type]
    ],
)
def test_a_malformed_finding_is_an_error(found: Any) -> None:
    """What a check gives is a finding with its own types, or an error."""
    got = judged(lambda item, text: found, ITEM, "x")
    assert got.reward is None
    assert got.checked.outcome is Outcome.ERROR
    assert got.checked.code == f"check_malformed:{type(found).__name__}"
