"""Patterns over synthetic series: each is seen where it is, is not where it is not, and is not judged where figures lack."""

from __future__ import annotations

import pytest

from conformed_plugins.training.runs.diagnosis import Diagnosis, diagnose
from conformed_plugins.training.runs.judgement import Judgement, State, thirds
from conformed_plugins.training.runs.series import Series

UPDATES = 30
NOISE = (0.004, -0.003, 0.002, -0.004, 0.001)


def line(first: float, last: float, updates: int = UPDATES) -> list[float]:
    """A straight line with a little noise that repeats."""
    return [first + (last - first) * at / (updates - 1) + NOISE[at % 5] for at in range(updates)]


def made(**changed: list[float] | dict[int, float] | None) -> Series:
    """A healthy run: reward and accuracy rise, entropy falls gently, KL grows evenly, the check works."""
    series: dict[str, list[float] | dict[int, float] | None] = {
        "reward_mean": line(0.4, 0.7),
        "informative_group_rate": line(0.85, 0.6),
        "all_zero_group_rate": line(0.1, 0.05),
        "token_entropy": line(0.3, 0.22),
        "unique_answer_rate": line(0.6, 0.5),
        "sampled_kl": line(0.01, 0.06),
        "clip_fraction": line(0.02, 0.03),
        "review_rate": [abs(one) for one in line(0.0, 0.0)],
        "error_rate": [0.0] * UPDATES,
        "loss": line(0.05, 0.03),
        "gradient_norm": line(0.5, 0.3),
        "evaluation.unseen.accuracy": {0: 0.32, 10: 0.45, 20: 0.55, 30: 0.6},
        **changed,
    }
    numbers = {
        name: tuple(values.items() if isinstance(values, dict) else enumerate(values, start=1))
        for name, values in series.items()
        if values is not None
    }
    return Series(numbers)


def judged(code: str, series: Series) -> Judgement:
    """One judgement of a diagnosis."""
    return next(one for one in diagnose(series).judgements if one.code == code)


FLAT = {0: 0.32, 10: 0.33, 20: 0.31, 30: 0.33}
PRESENT: dict[str, list[dict[str, list[float] | dict[int, float] | None]]] = {
    "reward_up_accuracy_flat": [
        {"evaluation.unseen.accuracy": FLAT},
        {"evaluation.unseen.accuracy": {0: 0.4, 15: 0.3, 30: 0.2}},
        # One good evaluation in between is no gain.
        {"evaluation.unseen.accuracy": {0: 0.32, 10: 0.32, 15: 0.5, 20: 0.31, 25: 0.32, 30: 0.33}},
    ],
    "few_informative_groups": [{"informative_group_rate": line(0.5, 0.0)}, {"informative_group_rate": line(0.02, 0.03)}],
    "entropy_collapse": [{"token_entropy": line(0.3, 0.02), "unique_answer_rate": line(0.6, 0.15)}],
    "kl_runaway": [
        {"sampled_kl": [0.005 * 1.2**at for at in range(UPDATES)]},
        {"sampled_kl": line(1.2, 1.4)},
    ],
    "always_clipped": [{"clip_fraction": line(0.1, 0.5)}],
    "verifier_outage": [
        {"error_rate": [0.0] * 12 + [1.0] * 18},
        {"review_rate": [0.05] * 20 + [0.6, 0.55, 0.5] + [0.05] * 7},
        {"error_rate": [0.9] * UPDATES},
    ],
    "loss_near_zero": [{"loss": [1e-8, -3e-9, 2e-8] * 10}],
}
ABSENT: dict[str, list[dict[str, list[float] | dict[int, float] | None]]] = {
    "reward_up_accuracy_flat": [
        {},
        {"reward_mean": line(0.5, 0.5), "evaluation.unseen.accuracy": FLAT},
        # A rise within the noise is none.
        {"reward_mean": [0.2, 0.9, 0.1, 0.8, 0.5] * 5 + [0.2, 0.9, 0.9, 0.8, 0.5], "evaluation.unseen.accuracy": FLAT},
        # One split that gains is enough: the policy learns something.
        {"evaluation.known.accuracy": FLAT},
    ],
    "few_informative_groups": [
        {},
        {"informative_group_rate": [0.0] * 20 + [0.5] * 10},
        {"informative_group_rate": [0.5, 0.0, 0.3] * 10},
    ],
    "entropy_collapse": [
        {},
        {"token_entropy": line(0.3, 0.02)},
        {"unique_answer_rate": line(0.6, 0.15)},
    ],
    "kl_runaway": [
        {},
        # It comes back to where it was: no growth.
        {"sampled_kl": [0.25] * 10 + [0.1] * 10 + [0.25] * 10},
        {"sampled_kl": line(0.0, 0.3)},
        {"sampled_kl": [0.0001 * 1.2**at for at in range(UPDATES)]},
    ],
    "always_clipped": [{}, {"clip_fraction": [0.5, 0.6, 0.0] * 10}, {"clip_fraction": line(0.5, 0.1)}],
    "verifier_outage": [
        {},
        # A single bad update is a point, and no pattern.
        {"error_rate": [0.0] * 12 + [1.0] + [0.0] * 17},
        {"review_rate": line(0.4, 0.45)},
    ],
    "loss_near_zero": [{}, {"loss": [0.0] * 29 + [0.4]}],
}
CASES = [(code, at) for code, cases in PRESENT.items() for at in range(len(cases))]
HEALTHY = [(code, at) for code, cases in ABSENT.items() for at in range(len(cases))]


@pytest.mark.parametrize(("code", "at"), CASES)
def test_a_pattern_that_is_there_is_seen_alone(code: str, at: int) -> None:
    """The pattern is named with its figures; no other pattern is seen in the same series."""
    diagnosis = diagnose(made(**PRESENT[code][at]))
    seen = diagnosis.of(State.SEEN)
    assert [one.code for one in seen] == [code]
    assert seen[0].figures
    assert any(line.startswith(f"{code}: ") for line in diagnosis.words())


@pytest.mark.parametrize(("code", "at"), HEALTHY)
def test_a_pattern_that_is_not_there_is_not_seen(code: str, at: int) -> None:
    """Near misses: half of the pattern, noise, a single point, or what has passed."""
    assert judged(code, made(**ABSENT[code][at])).state is State.ABSENT


def test_a_healthy_run_has_no_pattern() -> None:
    """Nothing is seen in a run that learns, and every pattern was looked for."""
    diagnosis = diagnose(made())
    assert not diagnosis.of(State.SEEN)
    assert {one.code for one in diagnosis.of(State.ABSENT)} == set(PRESENT)
    assert diagnosis.words()[0] == "No pattern is seen."


NEEDS = {
    "reward_up_accuracy_flat": "reward_mean",
    "few_informative_groups": "informative_group_rate",
    "entropy_collapse": "unique_answer_rate",
    "kl_runaway": "sampled_kl",
    "always_clipped": "clip_fraction",
    "verifier_outage": "error_rate",
    "loss_near_zero": "loss",
}


@pytest.mark.parametrize(("code", "name"), sorted(NEEDS.items()))
@pytest.mark.parametrize("short", [True, False])
def test_a_pattern_without_its_figures_is_not_judged(code: str, name: str, short: bool) -> None:
    """Where a series lacks or has too few updates, the pattern is neither seen nor absent, and its reason names the series."""
    one = judged(code, made(**{name: [0.0] * 5 if short else None}))
    assert one.state is State.NOT_JUDGED
    assert name in one.sentence


def test_a_reward_without_evaluation_is_not_judged() -> None:
    """A rising reward alone proves nothing: without held-out items the pattern is not judged."""
    for accuracy in (None, {30: 0.6}):
        one = judged("reward_up_accuracy_flat", made(**{"evaluation.unseen.accuracy": accuracy}))
        assert one.state is State.NOT_JUDGED
        assert "held-out" in one.sentence


def test_a_loss_of_zero_is_explained_and_is_no_harm() -> None:
    """Where groups are informative the sentence says that 0 is right on-policy, with the figures that do tell; it is no fault."""
    diagnosis = diagnose(made(loss=[0.0] * UPDATES))
    one = diagnosis.of(State.SEEN)[0]
    assert not one.harm
    assert not diagnosis.harm
    assert "no sign of trouble" in one.sentence
    for told in ("informative groups 0.", "gradient norm 0.", "reward 0.", "accuracy on unseen 0.32 to 0.6"):
        assert told in one.sentence


def test_a_loss_of_zero_with_nothing_learnt_is_harm() -> None:
    """With no informative group at all the same loss is reported as what it is: nothing is learnt."""
    diagnosis = diagnose(made(loss=[0.0] * UPDATES, informative_group_rate=[0.0] * UPDATES, gradient_norm=[0.0] * UPDATES))
    assert [one.code for one in diagnosis.harm] == ["few_informative_groups", "loss_near_zero"]
    assert "nothing is learnt" in diagnosis.harm[1].sentence


def test_a_supervised_loss_of_zero_is_not_explained_away() -> None:
    """Without rewards a loss near zero is a fitted model, and the on-policy sentence would be wrong."""
    assert judged("loss_near_zero", made(loss=[0.0] * UPDATES, reward_mean=None)).state is State.NOT_JUDGED


def test_the_curriculum_says_on_which_side_the_items_are() -> None:
    """Tied groups without any reward are too hard, tied groups with reward too easy."""
    hard = judged("few_informative_groups", made(informative_group_rate=[0.0] * UPDATES, all_zero_group_rate=[1.0] * UPDATES))
    easy = judged("few_informative_groups", made(informative_group_rate=[0.0] * UPDATES, all_zero_group_rate=[0.0] * UPDATES))
    assert "too hard" in hard.sentence
    assert "too easy" in easy.sentence


def test_an_outage_is_told_with_its_updates() -> None:
    """From which update it lasted, to which, and at what rate against before."""
    one = judged("verifier_outage", made(review_rate=[0.05] * 20 + [0.6, 0.5] + [0.05] * 8))
    assert "From update 21 until update 23 review and error were 55%, against 5% before" in one.sentence
    assert one.figures == pytest.approx({"from_update": 21, "rate_before": 0.05, "rate_during": 0.55})


def test_thirds_share_nothing() -> None:
    """The windows are disjoint, in order, of one size at both ends, and never empty at the ends."""
    for count in range(2, 20):
        first, middle, last = thirds(list(map(float, range(count))))
        assert [*first, *middle, *last] == list(map(float, range(count)))
        assert len(first) == len(last) > 0


def test_a_diagnosis_of_nothing_judges_nothing() -> None:
    """A run without a single figure has no pattern seen and none ruled out."""
    assert {one.state for one in diagnose(Series({})).judgements} == {State.NOT_JUDGED}
    assert isinstance(diagnose(Series({})), Diagnosis)
