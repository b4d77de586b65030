"""Detectors of known shortcuts in raw samples: each a plain rule with its thresholds in ``thresholds``, and each can be absent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformed_plugins.training.runs.answers import find_answer
from conformed_plugins.training.runs.behaviour import Sample
from conformed_plugins.training.runs.judgement import Judgement, mean, shown
from conformed_plugins.training.runs.thresholds import STANDARD, Thresholds

__all__ = ["SHORTCUTS", "copies_prompt", "shortcuts"]

_Rule = Callable[[Sequence[Sample], Sequence[Sample], Thresholds], Judgement]


def shortcuts(early: Sequence[Sample], late: Sequence[Sample], at: Thresholds = STANDARD) -> tuple[Judgement, ...]:
    """Looks for the known shortcuts.

    Args:
        early: samples of the first third of the updates.
        late: samples of the last third.
        at: the thresholds.

    Returns:
        One judgement a shortcut, in the order of SHORTCUTS.
    """
    fewest = min(len(early), len(late))
    if fewest < at.least_samples:
        said = f"A window has {fewest} samples of the {at.least_samples} that are needed."
        return tuple(Judgement.blind(code, said) for code in SHORTCUTS)
    return tuple(rule(early, late, at) for rule in SHORTCUTS.values())


def _empty(_early: Sequence[Sample], late: Sequence[Sample], at: Thresholds) -> Judgement:
    """Responses that say nothing: blank, or an answer whose values are all blank."""
    share = _share(find_answer(one["response"]).empty for one in late)
    said = f"{shown(100 * share)}% of the last third's responses say nothing."
    return Judgement.found("empty_answer", said, {"share": share}, seen=share >= at.empty_share)


def _majority(_early: Sequence[Sample], late: Sequence[Sample], at: Thresholds) -> Judgement:
    """One answer whatever is asked, more often than it is right."""
    code = "majority_value"
    if (lacks := _lacking(code, late, "outcome")) is not None:
        return lacks
    answers = [find_answer(one["response"]).text for one in late]
    counts = Counter(answer for answer in answers if answer is not None)
    items = {one["item"] for one in late}
    if len(items) < at.majority_items or not counts:
        return Judgement.blind(
            code, f"{len(items)} items with {len(counts)} readable answers; {at.majority_items} items are needed."
        )
    # The most frequent; of several, the first in the order of their texts, so that the order of samples decides nothing.
    value, count = min(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    right = {one["item"] for one, answer in zip(late, answers, strict=True) if answer == value and one["outcome"] == "correct"}
    share, fits = count / len(late), len(right) / len(items)
    said = f"One answer has {shown(100 * share)}% of the samples and is right for {shown(100 * fits)}% of {len(items)} items."
    seen = share >= at.majority_share and share - fits >= at.majority_excess
    return Judgement.found(code, said, {"share": share, "right": fits, "items": float(len(items))}, seen=seen)


def _copying(_early: Sequence[Sample], late: Sequence[Sample], at: Thresholds) -> Judgement:
    """Responses that repeat the clause instead of answering."""
    code = "copied_clause"
    if (lacks := _lacking(code, late, "prompt")) is not None:
        return lacks
    share = _share(copies_prompt(one["response"], one["prompt"], at.copied_prompt) for one in late)
    said = f"{shown(100 * share)}% of the last third's responses repeat {shown(100 * at.copied_prompt)}% or more of their prompt."
    return Judgement.found(code, said, {"share": share}, seen=share >= at.copied_share)


def _padding(early: Sequence[Sample], late: Sequence[Sample], at: Thresholds) -> Judgement:
    """Responses grow and are no more often right."""
    code = "length_padding"
    for name in ("outcome", "response_tokens"):
        if (lacks := _lacking(code, [*early, *late], name)) is not None:
            return lacks
    before, after = (mean([one["response_tokens"] for one in part]) for part in (early, late))
    gain = _correct(late) - _correct(early)
    said = f"Responses went from {shown(before)} to {shown(after)} tokens, the share of correct ones by {shown(gain)}."
    seen = after >= at.padding_growth * before and gain <= at.padding_gain
    return Judgement.found(code, said, {"tokens_first": before, "tokens_last": after, "correct_gain": gain}, seen=seen)


def _form_alone(early: Sequence[Sample], late: Sequence[Sample], at: Thresholds) -> Judgement:
    """The form is learnt and the content is not."""
    code = "format_without_content"
    for name in ("outcome", "format_ok"):
        if (lacks := _lacking(code, [*early, *late], name)) is not None:
            return lacks
    form, correct, gain = _share(one["format_ok"] for one in late), _correct(late), _correct(late) - _correct(early)
    said = f"{shown(100 * form)}% of the last third have the form, {shown(100 * correct)}% are correct ({shown(100 * gain)} points gained)."
    seen = form >= at.form_share and correct <= at.content_share and gain <= at.padding_gain
    return Judgement.found(code, said, {"form": form, "correct": correct, "correct_gain": gain}, seen=seen)


SHORTCUTS: dict[str, _Rule] = {
    "empty_answer": _empty,
    "majority_value": _majority,
    "copied_clause": _copying,
    "length_padding": _padding,
    "format_without_content": _form_alone,
}
"""The detectors, by code."""


def copies_prompt(response: str, prompt: str, share: float) -> bool:
    """Whether a response has a stretch of its prompt of at least such a share, letter by letter.

    A stretch of at least twice a block's length holds one of the blocks into which the prompt is cut, so only those are looked for.
    """
    least = max(1, round(share * len(prompt)))
    block = max(1, least // 2)
    if len(response) < least:
        return False
    for start in range(0, len(prompt) - block + 1, block):
        piece, at = prompt[start : start + block], -1
        while (at := response.find(piece, at + 1)) >= 0:
            left, right = 0, block
            while left < min(start, at) and prompt[start - left - 1] == response[at - left - 1]:
                left += 1
            while start + right < len(prompt) and at + right < len(response) and prompt[start + right] == response[at + right]:
                right += 1
            if left + right >= least:
                return True
    return False


def _lacking(code: str, samples: Sequence[Sample], name: str) -> Judgement | None:
    """Says that some sample lacks a key, if one does: what is not there is not taken for absent."""
    bare = sum(one.get(name) is None for one in samples)
    if not bare:
        return None
    return Judgement.blind(code, f"{bare} of {len(samples)} samples have no {name}.")


def _share(which: Iterable[Any]) -> float:
    found = [bool(one) for one in which]
    return sum(found) / len(found)


def _correct(samples: Sequence[Sample]) -> float:
    return _share(one["outcome"] == "correct" for one in samples)
