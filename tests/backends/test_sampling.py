"""Sampling: the nucleus, its refusals, and the draw."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed_plugins.backends import sampling
from conformed_plugins.backends.sampling import choose, draw, nucleus_probabilities, uniforms

VECTORS = Path(__file__).parents[3] / "shared" / "vectors"


def _vectors(name: str) -> list[dict]:
    path = VECTORS / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout")
    return json.loads(path.read_text(encoding="utf-8"))


def _plain(logits: list[float], temperature: float, top_p: float) -> list[float]:
    """The definition, in Python's own numbers."""
    scaled = [one / temperature for one in logits]
    masses = [math.exp(one - max(scaled)) for one in scaled]
    masses = [one / sum(masses) for one in masses]
    kept, reached = {}, 0.0
    for place in sorted(range(len(masses)), key=lambda one: (-masses[one], one)):
        if top_p < 1 and reached >= top_p - sampling.REACHED and kept:
            break
        kept[place] = masses[place]
        reached += masses[place]
    return [kept.get(place, 0.0) / sum(kept.values()) for place in range(len(masses))]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_it_agrees_with_the_vectors(dtype: torch.dtype) -> None:
    """Probabilities and the model's log-probabilities are those of the published vectors."""
    for one in _vectors("nucleus.json"):
        logits = torch.tensor([one["logits"]], dtype=dtype)
        found = nucleus_probabilities(logits, temperature=one["temperature"], top_p=one["top_p"])
        assert found[0].tolist() == pytest.approx(one["probabilities"], abs=1e-6)
        assert [float(value) > 0 for value in found[0]] == [value > 0 for value in one["probabilities"]]
        for token, logprob in enumerate(one["model_logprobs"]):
            only = torch.zeros(1, logits.shape[1], dtype=torch.bool)
            only[0, token] = True
            assert float(choose(logits, None, temperature=None, allowed=only).model_logprobs) == pytest.approx(logprob, abs=1e-6)


def test_it_refuses_what_the_vectors_refuse() -> None:
    """Every setting of the published refusals is a ValueError."""
    for one in _vectors("nucleus_refused.json"):
        with pytest.raises(ValueError, match=r"temperature|top_p"):
            nucleus_probabilities(torch.zeros(1, 3), temperature=float(one["temperature"]), top_p=float(one["top_p"]))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(-60, 60).map(lambda one: one / 8), min_size=1, max_size=12),
    st.sampled_from([0.25, 0.7, 1.0, 1.5, 4.0]),
    st.sampled_from([1e-9, 0.1, 0.5, 0.9, 0.999, 1.0]),
)
def test_it_is_the_definition(logits: list[float], temperature: float, top_p: float) -> None:
    """For any logits, ties among them, the result is that of the definition written out in Python."""
    found = nucleus_probabilities(torch.tensor([logits], dtype=torch.float64), temperature, top_p)
    assert found[0].tolist() == pytest.approx(_plain(logits, temperature, top_p), abs=1e-9)


@pytest.mark.parametrize(("top_p", "kept"), [(0.79, 2), (0.8, 2), (0.8 + 5e-8, 2), (0.81, 3), (0.9, 3), (1.0, 4)])
def test_a_mass_that_equals_top_p_has_reached_it(top_p: float, kept: int) -> None:
    """0.5 + 0.3 reach 0.8 however they were rounded; above it the next token, the lower id of two equal ones, is kept, too."""
    logits = torch.tensor([[0.1, 0.5, 0.3, 0.1]]).log()
    found = nucleus_probabilities(logits, top_p=top_p)[0]
    assert [place for place, one in enumerate(found) if one > 0] == {2: [1, 2], 3: [0, 1, 2], 4: [0, 1, 2, 3]}[kept]


def test_a_likely_few_give_what_a_sort_of_all_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a wide vocabulary, where a nucleus is found without sorting, it is to the bit the one of the sort; also with ties at its edge."""
    logits = torch.randn(6, 2000, generator=torch.Generator().manual_seed(0)) * 4
    logits[1, 5:400] = 12.0
    logits[2] = 0.0
    quick = nucleus_probabilities(logits, top_p=0.9)
    monkeypatch.setattr(sampling, "_LIKELY", 1 << 20)
    assert torch.equal(quick, nucleus_probabilities(logits, top_p=0.9))


@pytest.mark.parametrize(
    "logits",
    [
        torch.zeros(0, 4),
        torch.zeros(2, 0),
        torch.zeros(4),
        torch.tensor([[0.0, math.nan]]),
        torch.tensor([[0.0, math.inf]]),
        torch.tensor([[0.0, -math.inf]]),
        torch.tensor([[1e38, 0.0]]),
        torch.zeros(1, 4, dtype=torch.int64),
    ],
    ids=["no row", "no token", "no batch", "nan", "inf", "minus inf", "inf after scaling", "whole numbers"],
)
def test_logits_that_mean_nothing_are_refused(logits: torch.Tensor) -> None:
    """An empty batch and a logit that is not finite, before or after scaling, are ValueErrors."""
    with pytest.raises(ValueError, match="logit"):
        nucleus_probabilities(logits, temperature=1e-3)


def test_large_finite_logits_are_no_error() -> None:
    """A sum that overflows where no single logit does refuses nothing."""
    assert nucleus_probabilities(torch.full((2, 4), 3e38))[0].tolist() == [0.25] * 4


def test_the_two_log_probabilities_are_kept_apart() -> None:
    """Tempered and truncated they differ, at temperature 1 and top-p 1 they agree, and greedy was certain of its choice."""
    logits = torch.tensor([[2.0, 1.0, 0.0, -1.0]])
    plain = logits.log_softmax(-1)
    uniform = torch.tensor([0.1])
    tempered = choose(logits, uniform, temperature=0.5, top_p=0.9)
    assert float(tempered.behaviour_logprobs) == pytest.approx(math.log(_plain([2.0, 1.0, 0.0, -1.0], 0.5, 0.9)[0]), abs=1e-6)
    assert float(tempered.model_logprobs) == pytest.approx(float(plain[0, 0]), abs=1e-6)
    same = choose(logits, uniform, temperature=1.0)
    assert float(same.behaviour_logprobs) == float(same.model_logprobs) == pytest.approx(float(plain[0, 0]), abs=1e-6)
    greedy = choose(logits, None, temperature=None)
    assert (int(greedy.tokens), float(greedy.behaviour_logprobs)) == (0, 0.0)
    assert float(greedy.model_logprobs) == pytest.approx(float(plain[0, 0]), abs=1e-6)


def test_a_grammar_bounds_the_draw_and_not_the_model() -> None:
    """A token that is not allowed is never chosen; the model's log-probability is as if there were no grammar."""
    logits = torch.tensor([[5.0, 0.0, 1.0]])
    allowed = torch.tensor([[False, True, True]])
    greedy = choose(logits, None, temperature=None, allowed=allowed)
    drawn = choose(logits, torch.tensor([0.0]), temperature=1.0, allowed=allowed)
    assert (int(greedy.tokens), int(drawn.tokens)) == (2, 1)
    assert float(drawn.model_logprobs) == pytest.approx(float(logits.log_softmax(-1)[0, 1]), abs=1e-6)
    assert float(drawn.behaviour_logprobs) == pytest.approx(math.log(1 / (1 + math.e)), abs=1e-6)
    with pytest.raises(ValueError, match="without a token"):
        choose(logits, None, temperature=None, allowed=torch.zeros(1, 3, dtype=torch.bool))


@pytest.mark.parametrize("size", [3, 64, 300])
def test_a_draw_is_the_inverse_of_the_running_sum(size: int) -> None:
    """Over an even grid of numbers each token comes as often as its probability says, and one without mass never."""
    probabilities = nucleus_probabilities(torch.randn(1, size, generator=torch.Generator().manual_seed(2)) * 2, top_p=0.8)
    grid = torch.arange(1 << 14) / (1 << 14)
    found = torch.bincount(draw(probabilities.expand(len(grid), -1), grid), minlength=size) / len(grid)
    assert float((found - probabilities[0]).abs().max()) < 2 / (1 << 14)
    assert not found[probabilities[0] == 0].any()
    assert draw(probabilities.expand(len(grid), -1), grid).diff().min() >= 0


def test_the_ends_of_the_draw_have_mass() -> None:
    """The least and the greatest number draw the first and the last token with mass, not those without beside them."""
    probabilities = torch.zeros(2, 200)
    probabilities[:, [70, 90, 130]] = torch.tensor([0.3, 0.3, 0.4])
    assert draw(probabilities, torch.tensor([0.0, 1 - 2**-24])).tolist() == [70, 130]


def test_a_number_is_a_function_of_its_place() -> None:
    """The same seed, key, sample and position give the same number whatever else is asked for; another of them gives another."""
    alone = uniforms(7, [("clause 4", 1)], 5)[0].tolist()
    assert uniforms(7, [("other", 0), ("clause 4", 1)], 50)[1, :5].tolist() == alone
    others = [uniforms(8, [("clause 4", 1)], 5)[0], uniforms(7, [("clause 4", 2)], 5)[0], uniforms(7, [("clause 5", 1)], 5)[0]]
    assert not any(set(other.tolist()) & set(alone) for other in others)
    assert all(0 <= one < 1 for one in alone)


def test_the_numbers_are_even() -> None:
    """Their mean, spread and tenths are those of an even distribution, along a row and across rows."""
    for numbers in (uniforms(1, [("a", 0)], 20_000)[0], uniforms(1, [(str(row), 0) for row in range(2_000)], 1)[:, 0]):
        assert abs(numbers.mean() - 0.5) < 4 * 12**-0.5 * len(numbers) ** -0.5
        tenths = torch.bincount(torch.from_numpy(numbers * 10).long(), minlength=10)
        assert (
            float(((tenths - len(numbers) / 10) ** 2 / (len(numbers) / 10)).sum()) < 28
        )  # chi-square of 9 degrees, p about .001
