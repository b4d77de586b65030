"""Figures of rewards and entropy: right numbers by hand, nothing counted that has no reward, nothing from what is not scored."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs the extra ml")

from conformed.model.answer import Outcome  # noqa: E402 - after the check that torch is there
from conformed_plugins.training import telemetry  # noqa: E402
from conformed_plugins.training.items import Checked  # noqa: E402
from conformed_plugins.training.reward import Judged, combined_reward  # noqa: E402
from conformed_plugins.training.telemetry import batch_figures, mean_token_entropy, reward_batch_metrics  # noqa: E402


def _judged(outcome: Outcome, *, form: bool = True, code: str = "told", **parts: bool) -> Judged:
    return Judged(Checked(outcome, form, code, parts), combined_reward(outcome, form))


RIGHT, WRONG = _judged(Outcome.CORRECT, code="equal"), _judged(Outcome.INCORRECT, code="other_value")
REVIEW = _judged(Outcome.REVIEW, form=False, code="unreadable")
ERROR = _judged(Outcome.ERROR, form=False, code="check_exception:OSError")


def test_the_vectors_of_rewards(vectors: Any) -> None:
    """The cases with right answers agree, as tensors and as lists."""
    for one in vectors("reward_metrics"):
        wanted = {name: value for name, value in one.items() if name != "rewards"}
        for rewards in (one["rewards"], torch.tensor(one["rewards"])):
            assert reward_batch_metrics(rewards) == pytest.approx(wanted, abs=1e-6)


def test_rewards_by_hand() -> None:
    """Groups (1, 0), (0, 0), (1, 1): mean 1/2, spread 1/2, one of three informative, one of three all zero."""
    assert reward_batch_metrics([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]) == {
        "reward_mean": 0.5,
        "reward_std": 0.5,
        "informative_group_rate": pytest.approx(1 / 3),
        "all_zero_group_rate": pytest.approx(1 / 3),
    }


def test_equal_rewards_have_no_spread_and_inform_of_nothing() -> None:
    """0.1 three times over: the spread is exactly 0 and no group is informative, whatever the mean rounds to."""
    got = reward_batch_metrics([[0.1, 0.1, 0.1]])
    assert (got["reward_std"], got["informative_group_rate"], got["all_zero_group_rate"]) == (0.0, 0.0, 0.0)


def test_none_is_no_number_and_is_shown() -> None:
    """Means and rates are of what has a reward; what has none is counted, and so is the group that it leaves alone."""
    assert reward_batch_metrics([[1.0, None, 0.0], [None, 1.0]]) == {
        "reward_mean": pytest.approx(2 / 3),
        "reward_std": pytest.approx(math.sqrt(2) / 3),
        "informative_group_rate": 1.0,
        "all_zero_group_rate": 0.0,
        "unscored": 2,
        "unscored_rate": 0.4,
        "dropped_groups": 1,
    }


def test_an_outage_has_no_mean() -> None:
    """Without any reward there is no mean to show, and certainly no 0."""
    assert reward_batch_metrics([[None, None]]) == {"unscored": 2, "unscored_rate": 1.0, "dropped_groups": 1}


@pytest.mark.parametrize("rewards", [[], [[]], [1.0], [[math.nan, 1.0]], [[math.inf]], torch.zeros(3), "ab", None])
def test_rewards_refused(rewards: Any) -> None:
    """No response, no groups, or a reward that is not finite."""
    with pytest.raises((ValueError, TypeError)):
        reward_batch_metrics(rewards)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.sampled_from([0.0, 0.1, 1.0, 1.1]), min_size=2, max_size=5), min_size=1, max_size=5))
def test_unscored_responses_move_no_figure(groups: list[list[float]]) -> None:
    """A None put into every group leaves every figure of the batch as it was."""
    plain, holed = reward_batch_metrics(groups), reward_batch_metrics([[*group, None] for group in groups])
    assert {name: holed[name] for name in plain} == plain


def test_a_batch_by_hand() -> None:
    """Two prompts of four: (right, wrong, wrong, review) and (right, right, error, error), with their lengths."""
    groups = [[RIGHT, WRONG, WRONG, REVIEW], [RIGHT, RIGHT, ERROR, ERROR]]
    got = batch_figures(groups, [[10, 20, 20, 90], [10, 10, 1, 1]])
    assert got["responses"] == 8
    assert (got["unscored"], got["unscored_rate"], got["dropped_groups"]) == (3, 3 / 8, 0)
    assert got["reward_mean"] == pytest.approx(3.5 / 5)
    assert (got["reward_least"], got["reward_q50"], got["reward_most"]) == (0.1, 1.1, 1.1)
    assert (got["all_equal_group_rate"], got["informative_group_rate"]) == (0.5, 0.5)
    assert (got["group_with_correct_rate"], got["group_with_both_rate"]) == (1.0, 0.5)
    assert (got["correct_rate"], got["form_valid_rate"]) == (3 / 5, 5 / 8)
    assert (got["review_rate"], got["error_rate"]) == (1 / 8, 2 / 8)
    assert got["reward_length_correlation"] == pytest.approx(-1)  # among those with a reward, all long ones are wrong
    codes = {name: count for name, count in got.items() if name.startswith("code:")}
    assert codes == {"code:equal": 3, "code:other_value": 2, "code:unreadable": 1, "code:check_exception:OSError": 2}


def test_zero_errors_are_shown_as_zero() -> None:
    """A batch without review or error says so."""
    got = batch_figures([[RIGHT, WRONG]], [[3, 3]])
    assert [got[name] for name in ("unscored", "unscored_rate", "review_rate", "error_rate", "dropped_groups")] == [0] * 5
    assert "reward_length_correlation" not in got  # lengths do not vary


def test_a_batch_of_errors_has_rates_and_no_rewards() -> None:
    """Nothing about rewards is made up; error rate and codes are there."""
    got = batch_figures([[ERROR, ERROR]], [[1, 2]])
    assert got["error_rate"] == 1.0
    assert got["dropped_groups"] == 1
    assert not any(name.startswith(("reward", "informative", "all_", "group_", "correct")) for name in got)


def test_parts_are_shares_of_what_has_a_reward() -> None:
    """A part that was not read is not right, and one of a response without a reward is not counted."""
    groups = [
        [
            _judged(Outcome.CORRECT, date=True, ratio=True),
            _judged(Outcome.INCORRECT, date=False, ratio=True),
            _judged(Outcome.INCORRECT, form=False),
            _judged(Outcome.ERROR, date=True),
        ]
    ]
    got = batch_figures(groups, [[1, 2, 3, 4]])
    assert got["part:date"] == pytest.approx(1 / 3)
    assert got["part:ratio"] == pytest.approx(2 / 3)


def test_quantiles_by_hand() -> None:
    """Of the rewards 0, 0.1, 1, 1.1 the tenth of a hundred lies 3/10 of the way from the first to the second."""
    kinds = [(Outcome.INCORRECT, False), (Outcome.INCORRECT, True), (Outcome.CORRECT, False), (Outcome.CORRECT, True)]
    got = batch_figures([[_judged(one, form=form) for one, form in kinds]], [[1, 1, 1, 2]])
    assert [got[f"reward_q{percent}"] for percent in (10, 50, 90)] == pytest.approx([0.03, 0.55, 1.07])


def test_figures_are_plain_numbers() -> None:
    """They go into a file as they are."""
    got = batch_figures([[RIGHT, WRONG, ERROR]], [[3, 4, 5]])
    assert json.loads(json.dumps(got)) == got
    assert all(type(one) in (int, float) for one in got.values())


@pytest.mark.parametrize("lengths", [[[1]], [[1, 2], [1]], [[1, -2]], [[1, 2.0]]])
def test_lengths_refused(lengths: Any) -> None:
    """One whole number a response."""
    with pytest.raises((ValueError, TypeError)):
        batch_figures([[RIGHT, WRONG]], lengths)


def test_the_vectors_of_entropy(vectors: Any) -> None:
    """The cases with right answers agree."""
    for one in vectors("entropy"):
        got = mean_token_entropy(torch.tensor(one["logits"]), torch.tensor(one["mask"]))
        assert got.item() == pytest.approx(one["mean_entropy"], abs=1e-6)


def test_entropy_by_hand() -> None:
    """Four equal words have ln 4; probabilities 3/4 and 1/4 have ln 4 - 3/4 ln 3; the mean is over tokens, not rows."""
    two = math.log(4) - 0.75 * math.log(3)
    logits = torch.tensor([[[0.0] * 4, [0.0] * 4], [[math.log(3), 0.0, -1e9, -1e9], [5.0] * 4]])
    got = mean_token_entropy(logits, [[True, True], [True, False]])
    assert got.item() == pytest.approx((2 * math.log(4) + two) / 3, rel=1e-6)


def test_certainty_has_no_entropy() -> None:
    """Logits at both ends of their type give 0 and no NaN, and a gradient that is a number."""
    logits = torch.tensor([[[3e38, -3e38, -3e38]]], requires_grad=True)
    got = mean_token_entropy(logits, [[1]])
    got.backward()
    assert got.item() == 0.0
    assert bool(logits.grad.isfinite().all())


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_entropy_of_what_is_not_scored_is_harmless(odd: float) -> None:
    """Values outside the mask change no bit, forward or backward; the same at a scored position is refused."""
    torch.manual_seed(2)
    mask = torch.tensor([[True, True, False], [False, True, False]])
    clean = torch.randn(2, 3, 5)
    dirty = clean.clone()
    dirty[~mask] = odd
    clean.requires_grad_()
    dirty.requires_grad_()
    one, other = mean_token_entropy(clean, mask), mean_token_entropy(dirty, mask)
    one.backward()
    other.backward()
    assert torch.equal(one, other)
    assert torch.equal(clean.grad, dirty.grad)
    scored = torch.randn(2, 3, 5)
    scored[0, 1, 2] = odd
    with pytest.raises(ValueError, match="logit"):
        mean_token_entropy(scored, mask)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(-30, 30, width=32), min_size=2, max_size=9), st.floats(-20, 20, width=32))
def test_entropy_is_between_none_and_all(row: list[float], shift: float) -> None:
    """Entropy is at least 0 and at most the logarithm of the number of words, and a constant on all logits is no matter."""
    got = mean_token_entropy(torch.tensor([[row]], dtype=torch.float64), [[1]]).item()
    assert -1e-12 <= got <= math.log(len(row)) + 1e-12
    moved = mean_token_entropy(torch.tensor([[row]], dtype=torch.float64) + shift, [[1]]).item()
    assert moved == pytest.approx(got, abs=1e-9)


def test_pieces_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few positions are worked on at a time, the entropy is the same."""
    torch.manual_seed(3)
    logits, mask = torch.randn(4, 7, 13), torch.rand(4, 7) < 0.6
    whole = mean_token_entropy(logits, mask).item()
    monkeypatch.setattr(telemetry, "_CELLS", 26)
    assert mean_token_entropy(logits, mask).item() == pytest.approx(whole, rel=1e-6)


@pytest.mark.parametrize(
    ("logits", "mask"),
    [
        (torch.zeros(1, 2, 3), torch.zeros(1, 2, dtype=torch.bool)),
        (torch.zeros(1, 2, 3), torch.ones(1, 3, dtype=torch.bool)),
        (torch.zeros(2, 3), torch.ones(2, 3, dtype=torch.bool)),
        (torch.zeros(1, 2, 3), torch.full((1, 2), 2)),
        (torch.zeros(1, 1, 0), torch.ones(1, 1, dtype=torch.bool)),
    ],
)
def test_entropy_refused(logits: Any, mask: Any) -> None:
    """Nothing scored, and shapes that do not fit."""
    with pytest.raises(ValueError):
        mean_token_entropy(logits, mask)
