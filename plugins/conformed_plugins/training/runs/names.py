"""Names of the series: what a run records at each update, in one table, with unit and meaning. The docs page is checked against it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["FAMILIES", "GROUPS", "NAMES", "Name", "about", "unknown"]

GROUPS = ("reward signal", "policy movement", "optimisation", "behaviour", "evaluation")
"""The groups, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Name:
    """One series."""

    name: str
    """As it is recorded. Of a family: what it begins with, up to and with the colon or point."""
    group: str
    """One of GROUPS."""
    unit: str
    """share (0 to 1), count, tokens, nats, seconds, bytes, reward, number."""
    meaning: str
    """What it is of."""


def _table(group: str, *rows: tuple[str, str, str]) -> tuple[Name, ...]:
    return tuple(Name(name, group, unit, meaning) for name, unit, meaning in rows)


NAMES: tuple[Name, ...] = (
    *_table(
        "reward signal",
        ("reward_mean", "reward", "mean over the samples that have a reward"),
        ("reward_std", "reward", "spread over the samples that have a reward"),
        ("reward_least", "reward", "least"),
        ("reward_q10", "reward", "10% quantile"),
        ("reward_q50", "reward", "median"),
        ("reward_q90", "reward", "90% quantile"),
        ("reward_most", "reward", "most"),
        ("correct_rate", "share", "correct among the samples that have a reward"),
        ("all_equal_group_rate", "share", "groups whose rewards are all equal"),
        ("informative_group_rate", "share", "groups whose rewards differ: only they move the policy"),
        ("all_zero_group_rate", "share", "groups whose rewards are all zero"),
        ("group_with_correct_rate", "share", "groups with at least one correct sample"),
        ("group_with_both_rate", "share", "groups with correct and incorrect samples"),
        ("review_rate", "share", "samples that the check sent to a person: no reward"),
        ("error_rate", "share", "samples whose check failed: no reward"),
        ("form_valid_rate", "share", "samples of the asked form"),
        ("reward_length_correlation", "number", "Pearson's r of reward and response tokens"),
        ("responses", "count", "samples of the update"),
        ("unscored", "count", "samples without a reward, left out of their group"),
        ("unscored_rate", "share", "their share"),
        ("dropped_groups", "count", "groups left with fewer than two rewards"),
    ),
    *_table(
        "policy movement",
        ("token_entropy", "nats", "mean over scored tokens"),
        ("sampled_kl", "nats", "k3 estimate of the KL to the reference, a token"),
        ("clip_fraction", "share", "scored tokens whose ratio was clipped"),
        ("ratio_mean", "number", "mean ratio of new to old probability"),
        ("ratio_max", "number", "largest ratio"),
        ("replay_difference", "nats", "largest difference of replayed and sampled log-probabilities"),
    ),
    *_table(
        "optimisation",
        ("loss", "number", "the displayed loss; on-policy its value says nothing"),
        ("policy_objective", "number", "the part of it without KL"),
        ("normalised_advantage_std", "number", "spread of the advantages"),
        ("gradient_norm", "number", "before clipping"),
        ("gradient_clipped", "number", "1 where it was clipped, else 0"),
        ("learning_rate", "number", "of the optimiser"),
        ("rollout_seconds", "seconds", "time to sample"),
        ("update_seconds", "seconds", "time of loss, gradient and step"),
        ("peak_memory_bytes", "bytes", "highest memory so far"),
        ("nonfinite_count", "count", "values that were not finite"),
        ("skipped_steps", "count", "steps not taken"),
    ),
    *_table(
        "behaviour",
        ("prompt_tokens_mean", "tokens", "length of a prompt"),
        ("mean_response_tokens", "tokens", "length of a response"),
        ("response_tokens_p90", "tokens", "90% quantile of it"),
        ("answer_end_mean", "share", "where the answer ends, in characters of its response"),
        ("invalid_answer_rate", "share", "responses without one readable answer"),
        ("multiple_answer_rate", "share", "responses with two answers or more"),
        ("repeated_phrase_rate", "share", "responses in which a phrase stands again and again"),
        ("language_switch_rate", "share", "responses with letters of a script that the prompt has not"),
        ("unique_answer_rate", "share", "different answers among the samples of an item, over the items"),
        ("tool_calls_mean", "count", "tool calls a response"),
        ("citations_per_claim", "number", "citations a claim"),
    ),
)
"""Series with a name of their own."""

FAMILIES: tuple[Name, ...] = (
    *_table(
        "reward signal",
        ("part:", "share", "samples with a reward whose check found this part right"),
        ("code:", "count", "samples with this reason code"),
        ("slice.", "number", "a figure of one slice: slice.DIMENSION.VALUE.NAME"),
    ),
    *_table(
        "behaviour",
        ("stop:", "share", "responses that stopped for this reason"),
        ("violation:", "count", "violations with this code"),
    ),
    *_table("evaluation", ("evaluation.", "number", "of one split: evaluation.SPLIT.accuracy, coverage, invalid_rate and so on")),
)
"""Series whose names end in a code, a slice or a split."""

_KNOWN = {one.name: one for one in NAMES}


def about(name: str) -> Name | None:
    """What the table says of a series; None where it does not know it."""
    return _KNOWN.get(name) or next((one for one in FAMILIES if name.startswith(one.name) and name != one.name), None)


def unknown(names: Iterable[str]) -> tuple[str, ...]:
    """Names that the table does not know, sorted. They are kept and shown, and no diagnosis looks at them."""
    return tuple(sorted(name for name in set(names) if about(name) is None))
