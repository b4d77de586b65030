"""Rollouts: judged, keyed, kept."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from small_run import END, LETTERS, Letters, check, items_of, model_of, settings_of
from transformers import GPT2Config, GPT2LMHeadModel

from conformed.errors import GivenValueError
from conformed.model.answer import Outcome
from conformed_plugins.training.grpo.rollout import TRUNCATED, InProcess, Sampler, roll
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.grpo.update import learn
from conformed_plugins.training.grpo.window import Window
from conformed_plugins.training.items import Check, Checked, Split, Task, TrainingItem
from conformed_plugins.training.state.windows import window_files, window_of


def rolled(
    model: Any, settings: GrpoSettings | None = None, *, sampler: Sampler | None = None, judge: Check = check, generation: int = 0,
    place: int = 0, reference: Any = None,
) -> Window:  # fmt: skip
    """A generation."""
    return roll(
        sampler or InProcess(model), reference, items_of(), judge, Letters(), settings or settings_of(), generation=generation,
        place=place, update=0, old="digest",
    )  # fmt: skip


def tokens(window: Window) -> dict[str, list[tuple[int, ...]]]:
    """What was said to each item."""
    return {asked.item: [one.tokens for one in asked.responses] for asked in window.asked}


def test_bug_17_groups_hold_what_was_said_how_it_ended_and_how_it_was_judged() -> None:
    """Bug report 17, on this side: a response that ends has its stop token as its last, scored, one, and the stop reason eos."""
    window = rolled(model_of(), settings_of(steps_per_generation=3))
    assert [asked.place for asked in window.asked] == list(range(6))
    assert len({asked.item for asked in window.asked}) == 6
    for asked in window.asked:
        assert len(asked.responses) == 4
        for one in asked.responses:
            text = "".join(LETTERS[token] for token in one.tokens if token != END)
            assert len(one.old) == len(one.tokens)
            assert (one.stop == "eos") == (one.tokens[-1] == END)
            assert one.judged.checked.outcome is (Outcome.CORRECT if "a" in text else Outcome.INCORRECT)
            assert (
                one.judged.reward
                == {(True, True): 1.1, (True, False): 1.0, (False, True): 0.1, (False, False): 0.0}["a" in text, len(text) < 5]
            )
    assert {one.stop for asked in window.asked for one in asked.responses} == {"eos", "length"}


def test_generations_draw_anew() -> None:
    """Another generation says other things to the same item; the same one says the same to the bit."""
    model = model_of()
    window = rolled(model, settings_of(steps_per_generation=3))
    assert tokens(rolled(model, settings_of(steps_per_generation=3), generation=1)) != tokens(window)
    assert rolled(model, settings_of(steps_per_generation=3)) == window


def test_an_item_that_comes_twice_in_a_generation_is_answered_twice() -> None:
    """In the second epoch of one generation an item's samples are other ones."""
    window = rolled(model_of(), settings_of(steps_per_generation=6))
    first, second = window.asked[:6], window.asked[6:]
    said = {asked.item: asked.responses for asked in first}
    assert all(said[asked.item] != asked.responses for asked in second)


def test_bug_13_a_check_that_raises_is_an_error_with_its_name() -> None:
    """Bug report 13: ZeroDivisionError in the check: the response is an error, has no reward, is left out and counted."""

    def broken(item: TrainingItem, text: str) -> Checked:
        return check(item, text) if "a" in text else check(item, text[: 1 // 0])

    window = rolled(model_of(), settings_of(steps_per_generation=3), judge=broken)
    found = [one.judged for asked in window.asked for one in asked.responses]
    failed = [one for one in found if one.checked.outcome is Outcome.ERROR]
    assert 0 < len(failed) < len(found)
    assert all(one.reward is None and "ZeroDivisionError" in one.checked.code for one in failed)
    figures = learn(model_of(), window.asked, settings_of(), first=True).figures
    assert figures["unscored"] == len(failed)


@pytest.mark.parametrize("verdict", [1.0, None, Checked("right", True, "x"), Checked(Outcome.REVIEW, True, "unsure")])  # type: ignore[arg-type]
def test_what_is_no_verdict_is_no_reward(verdict: Any) -> None:
    """A number, nothing, a word instead of an outcome, a review: none of them is a reward."""
    window = rolled(model_of(), judge=lambda item, text: verdict)
    assert {one.judged.reward for asked in window.asked for one in asked.responses} == {None}
    assert learn(model_of(), window.asked, settings_of(), first=True).gradients is None


def test_cut_responses_are_left_out_where_the_run_says_so() -> None:
    """With ``truncated: excluded`` a response that the cap cut has no reward and says why; one that ended has its own."""
    scored, excluded = rolled(model_of()), rolled(model_of(), settings_of(truncated="excluded"))
    cut = 0
    for asked, other in zip(scored.asked, excluded.asked, strict=True):
        for one, its in zip(asked.responses, other.responses, strict=True):
            assert one.tokens == its.tokens
            assert one.judged.reward is not None
            assert (its.judged.reward is None) == (one.stop == "length")
            cut += its.judged.checked.code == TRUNCATED
    assert cut > 0


def test_a_prompt_that_fills_the_context_is_refused_by_name() -> None:
    """No empty response is ever scored."""
    long = TrainingItem("long", Task.FIELDS, Split.GRPO, "t", "b" * 64, "a")
    with pytest.raises(GivenValueError, match="The prompt of long fills"):
        roll(InProcess(model_of()), None, [long], check, Letters(), settings_of(), generation=0, place=0, update=0, old="")


def test_a_window_is_kept_to_the_bit() -> None:
    """Written and read back it is equal in every token, log-probability and verdict, with a reference and without."""
    model = model_of()
    for reference in (None, model):
        window = rolled(model, reference=reference)
        assert window_of(window_files(window)) == window
    assert window_of(window_files(None)) is None


def test_bug_23_dropout_of_an_unknown_architecture() -> None:
    """Bug report 23: a model with dropout .1 that is run by its own forward pass, handed over in training mode: ratio 1."""
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=24, n_embd=16, n_layer=2, n_head=2, n_positions=64, bos_token_id=0, eos_token_id=END, resid_pdrop=0.1,
        embd_pdrop=0.1, attn_pdrop=0.1,
    )  # fmt: skip
    model = GPT2LMHeadModel(config).eval()
    window = rolled(model, reference=model)
    figures = learn(model, window.asked, settings_of(kl_beta=0.1), first=True).figures
    assert figures["replay_difference"] <= 1e-5
    assert figures["sampled_kl"] == 0.0
