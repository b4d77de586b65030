"""Settings: what is refused, and the formulae in them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from small_run import settings_of

from conformed_plugins.training.grpo.order import drawn
from conformed_plugins.training.grpo.settings import OPERATIONAL, GrpoSettings


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"temperature": 0.6}, "both 1"),  # bug report 3: the trainer's log-probabilities would be at another temperature
        ({"top_p": 0.9}, "both 1"),  # bug report 4: the sampler's would be renormalised over the nucleus, the trainer's not
        ({"group": 1}, "greater than or equal to 2"),
        ({"loss": "gpro"}, "There is no loss"),
        ({"clip_epsilon": 1.0}, "less than 1"),
        ({"stop_rules": ("it gets worse",)}, "is not of the form"),
        ({"stop_rules": ("hapiness below 3",)}, "no series"),
        ({"stop_rules": ("sampled_kl above 0.5",)}, "nothing measures it"),
        ({"keep_checkpoints": 1}, "greater than or equal to 2"),
        ({"learning_rat": 1.0}, "Extra inputs"),
    ],
)
def test_bugs_3_and_4_what_means_nothing_is_refused(changed: dict[str, Any], said: str) -> None:
    """Bug reports 3 and 4, and the rest: a temperature other than 1, a nucleus, a group of one, an unknown loss or series are refused."""
    with pytest.raises(ValidationError, match=said):
        GrpoSettings(**changed)


def test_the_learning_rate_rises_stays_and_falls() -> None:
    """By hand: four updates of warm-up, then constant; or eight of decay, then nothing."""
    constant = settings_of(learning_rate=0.4, warmup_updates=4)
    assert [constant.rate(update) for update in (1, 2, 4, 5, 100)] == pytest.approx([0.1, 0.2, 0.4, 0.4, 0.4])
    falling = settings_of(learning_rate=0.4, warmup_updates=4, decay_updates=8)
    assert [falling.rate(update) for update in (4, 5, 9, 12, 13, 20)] == pytest.approx([0.4, 0.4, 0.2, 0.05, 0.0, 0.0])


def test_the_digest_is_of_what_is_learnt_and_not_of_how_long() -> None:
    """Another cap or more threads are the same run; another seed, rate or stop rule is not."""
    digest = settings_of().digest
    assert settings_of(updates=99, update_threads=2, save_every=3).digest == digest
    others = [settings_of(seed=1), settings_of(learning_rate=0.5), settings_of(stop_rules=("token_entropy below 0.01",))]
    assert len({digest, *(one.digest for one in others)}) == 4
    assert set(GrpoSettings.model_fields) >= OPERATIONAL


@given(seed=st.integers(), count=st.integers(1, 40), cuts=st.lists(st.integers(1, 30), min_size=1, max_size=5))
def test_the_order_of_prompts(seed: int, count: int, cuts: list[int]) -> None:
    """Every epoch holds every item once, epochs differ, and the order read in pieces is the order read at once."""
    total = sum(cuts)
    whole = list(drawn(seed, count, 0, total))
    place, pieces = 0, []
    for cut in cuts:
        pieces += list(drawn(seed, count, place, cut))
        place += cut
    assert pieces == whole
    for start in range(0, total - count + 1, count):
        assert sorted(whole[start : start + count]) == list(range(count))


def test_epochs_and_seeds_differ() -> None:
    """Two epochs, or two seeds, put twenty items in different orders."""
    first, second = list(drawn(1, 20, 0, 20)), list(drawn(1, 20, 20, 20))
    assert first != second
    assert first != list(drawn(2, 20, 0, 20))
