"""Process supervision: rewards at the ends of steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from pydantic import ValidationError
from small_run import END, LETTERS, Letters, check, items_of, model_of, plan_of, settings_of

from conformed.errors import GivenValueError
from conformed_plugins.training.grpo.rollout import InProcess, roll
from conformed_plugins.training.grpo.steps import JudgedStep, step_rewards
from conformed_plugins.training.grpo.trainer import GrpoTrainer
from conformed_plugins.training.grpo.update import advantages_of, learn
from conformed_plugins.training.items import TrainingItem
from conformed_plugins.training.process import StepReward
from conformed_plugins.training.state.windows import window_files, window_of

ITEM = items_of(1)[0]


def by_letter(item: TrainingItem, text: str) -> list[JudgedStep]:
    """Every two characters are a step, which is sound when it has the prize."""
    return [JudgedStep(at + 2, item.answer in text[at : at + 2]) for at in range(0, max(len(text), 1), 2)]


class Pairs(Letters):
    """Two characters a token."""

    def text(self, tokens: Sequence[int]) -> str:
        """Text of tokens."""
        return "".join(LETTERS[one] * 2 for one in tokens if one != END)


def test_a_step_ends_with_the_token_that_reaches_its_end() -> None:
    """Three steps of two characters: at one character a token they end at 1, 3 and 4; the last takes the token that ends, too."""
    tokens = [1, 0, 3, 3, 2, END]
    assert step_rewards(by_letter, ITEM, tokens, Letters()) == (
        (StepReward(1, 1.0), StepReward(3, 0.0), StepReward(5, 0.0)),
        "",
    )
    assert step_rewards(by_letter, ITEM, [1, 0, END], Pairs())[0] == (StepReward(0, 0.0), StepReward(2, 1.0))


def test_steps_that_cannot_be_judged_are_no_wrong_steps() -> None:
    """No steps, an unknown verdict, two steps within one token, a check that fails: no rewards, and each says why."""

    def fails(item: TrainingItem, text: str) -> list[JudgedStep]:
        raise RecursionError

    found = [
        step_rewards(lambda item, text: None, ITEM, [1, 2], Letters()),
        step_rewards(lambda item, text: [JudgedStep(1, None)], ITEM, [1, 2], Letters()),
        step_rewards(lambda item, text: [JudgedStep(1, True), JudgedStep(2, True)], ITEM, [1, 2], Pairs()),
        step_rewards(fails, ITEM, [1, 2], Letters()),
    ]
    assert [rewards for rewards, _ in found] == [None] * 4
    assert [code for _, code in found] == [
        "step_not_judged", "step_not_judged", "steps_within_one_token", "step_check_exception:RecursionError",
    ]  # fmt: skip


def test_one_step_a_response_is_outcome_supervision() -> None:
    """Where the whole response is one step and its reward is the response's, the gradient is that of outcome supervision to the bit."""
    model = model_of()

    def whole(item: TrainingItem, text: str) -> list[JudgedStep]:
        return [JudgedStep(len(text), item.answer in text)]

    settings = settings_of(supervision="process", steps_per_generation=3)
    window = roll(
        InProcess(model), None, items_of(), lambda item, text: check(item, text + "....."), Letters(), settings, generation=0,
        place=0, update=0, old="", steps=whole,
    )  # fmt: skip
    assert {one.judged.reward for asked in window.asked for one in asked.responses} == {0.0, 1.0}
    process = learn(model, window.asked, settings, first=True).gradients
    outcome = learn(model, window.asked, settings_of(), first=True).gradients
    assert process is not None
    assert outcome is not None
    assert all(torch.equal(one, other) for one, other in zip(process, outcome, strict=True))


def test_tokens_of_a_response_have_the_advantage_of_their_step_and_later_ones(tmp_path: Path) -> None:
    """Advantages differ within a response, the window keeps the steps, and a run under process supervision learns and resumes."""
    model, settings = model_of(), settings_of(supervision="process", updates=3)
    window = roll(
        InProcess(model), None, items_of(), check, Letters(), settings_of(steps_per_generation=3), generation=0, place=0,
        update=0, old="", steps=by_letter,
    )  # fmt: skip
    assert window_of(window_files(window)) == window
    rows = advantages_of(window.asked, settings).taking_part
    assert any(len(set(row)) > 1 for row in rows)
    assert all(row[0] == row[1] for row in rows if len(row) > 2)
    whole = GrpoTrainer(settings).train(plan_of(tmp_path / "whole", steps=by_letter))
    GrpoTrainer(settings_of(supervision="process", updates=1)).train(plan_of(tmp_path / "cut", steps=by_letter))
    assert GrpoTrainer(settings).resume(plan_of(tmp_path / "cut", steps=by_letter))["last"] == whole["last"]
    assert whole["last"]["weights"] != GrpoTrainer(settings_of(updates=3)).train(plan_of(tmp_path / "outcome"))["last"]["weights"]


def test_it_is_named_or_not_there(tmp_path: Path) -> None:
    """A check of steps without the setting, the setting without the check, and a loss that does not scale: refused."""
    with pytest.raises(GivenValueError, match="Supervision is outcome"):
        GrpoTrainer(settings_of()).train(plan_of(tmp_path / "run", steps=by_letter))
    with pytest.raises(GivenValueError, match="Supervision is process"):
        GrpoTrainer(settings_of(supervision="process")).train(plan_of(tmp_path / "run"))
    with pytest.raises(ValidationError, match="choose one"):
        settings_of(supervision="process", loss="dr-grpo")
