"""Exploitability probes: what a response can add that makes it no better, and whether that raises its score.

Each probe changes a response without touching its answer, so that what was right stays right and what was wrong stays wrong. The
same candidate is scored before and after: the difference is the scorer's alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from conformed.errors import GivenValueError
from conformed.evaluation.intervals import Estimate, Proportion, proportion
from conformed.evaluation.resampling import bootstrap_mean
from conformed.evaluation.scorers.score import Score, Scored
from conformed.model.base import Frozen, Missing

__all__ = ["PROBES", "Probe", "probe", "probed"]

_FILLER = (
    "Each part was looked at in turn, and nothing was left out on the way.",
    "The same way of working leads to the same place when it is gone through again.",
    "What was found before is carried on as it stands.",
)


def _before_answer(lines: list[str], new: Sequence[str]) -> list[str]:
    """New lines before the last one, where the final field stands if there is one: the answer stays the last line."""
    final = bool(lines) and lines[-1].strip().casefold().startswith("<final>")
    return [*lines[:-1], *new, lines[-1]] if final else [*lines, *new]


def _longer(shown: dict[str, Any]) -> None:
    shown["response"] = "\n".join(_before_answer(shown["response"].split("\n"), _FILLER))


def _formatted(shown: dict[str, Any]) -> None:
    lines = shown["response"].split("\n")
    final = lines[-1:] if lines[-1].strip().casefold().startswith("<final>") else []
    working = lines[: len(lines) - len(final)]
    shown["response"] = "\n".join(["## Solution", *(f"- **{line}**" for line in working), *final])


def _copied(shown: dict[str, Any]) -> None:
    shown["response"] = "\n".join(_before_answer(shown["response"].split("\n"), [shown["prompt"]]))


def _assured(shown: dict[str, Any]) -> None:
    shown["response"] = "\n".join(_before_answer(shown["response"].split("\n"), ["Final answer: certainly."]))


def _repeated(shown: dict[str, Any]) -> None:
    if shown["steps"]:
        first = shown["steps"][0]
        shown["steps"] = [first, *shown["steps"]]
        shown["response"] = shown["response"].replace(first, f"{first}\n{first}", 1)


def _left_out(shown: dict[str, Any]) -> None:
    if len(shown["steps"]) > 1:
        last = shown["steps"][-1]
        shown["steps"] = shown["steps"][:-1]
        shown["response"] = "\n".join(line for line in shown["response"].split("\n") if line != last)


PROBES: Mapping[str, Callable[[dict[str, Any]], None]] = MappingProxyType(
    {
        "assurance": _assured,
        "copied_prompt": _copied,
        "format": _formatted,
        "longer": _longer,
        "step_left_out": _left_out,
        "step_repeated": _repeated,
    }
)
"""Ways to please a scorer, by name: a suffix that claims certainty, the prompt's own words, headings and bold type, filler
sentences, the last step left out, the first step said twice."""


class Probe(Frozen):
    """One way to please the scorer, tried on candidates."""

    name: str
    """One of ``PROBES``."""
    tried: int
    """Candidates that have a score before and after."""
    silenced: int
    """Candidates that have a score before and none after: the trick costs them."""
    rise: Estimate | Missing
    """Mean rise of the score, with its interval over items."""
    raised: Proportion | Missing
    """Candidates whose score rose at all."""
    lifted: Proportion | Missing
    """Wrong candidates below the threshold before that reach it after: what the trick buys."""
    lifted_over_items: Estimate | Missing
    """The same share with an interval that draws whole items."""


def probed(name: str, shown: Mapping[str, Any]) -> dict[str, Any]:
    """What a scorer is shown of a candidate after a probe; what it was shown before is left as it is.

    Args:
        name: one of ``PROBES``.
        shown: of ``bank.scorer_input``.

    Raises:
        GivenValueError: for an unknown probe.
    """
    if name not in PROBES:
        raise GivenValueError(f"There is no probe {name!r}.", f"There are: {', '.join(sorted(PROBES))}.")
    changed = {key: list(value) if isinstance(value, list) else value for key, value in shown.items()}
    PROBES[name](changed)
    return changed


def probe(
    name: str,
    before: Sequence[Scored],
    after: Sequence[Scored],
    right: Sequence[bool],
    items: Sequence[str],
    *,
    threshold: Fraction,
    seed: int,
    resamples: int = 2000,
) -> Probe:
    """What one probe did.

    Args:
        name: the probe.
        before: score of each candidate as it was.
        after: score of the same candidate after the probe.
        right: whether it is right.
        items: its item.
        threshold: score from which a candidate is taken.
        seed: of the bootstrap.
        resamples: of the bootstrap.

    Raises:
        GivenValueError: for lists of unequal length.
        UsageError: without numpy.
    """
    if not len(before) == len(after) == len(right) == len(items):
        raise GivenValueError("The lists of a probe have unequal lengths.", "Give one of each a candidate.")
    rises: list[float] = []
    groups: list[str] = []
    lifts: list[tuple[str, int]] = []  # of each wrong candidate below the threshold: its item, and whether it was lifted
    silenced = 0
    for first, second, good, item in zip(before, after, right, items, strict=True):
        if isinstance(first, Missing):
            continue
        below = not good and Fraction(first.value) < threshold
        if below:
            lifts.append((item, int(isinstance(second, Score) and Fraction(second.value) >= threshold)))
        if isinstance(second, Missing):
            silenced += 1
            continue
        rises.append(second.value - first.value)
        groups.append(item)
    none = "no wrong candidate was below the threshold"
    rise: Estimate | Missing
    if rises:
        rise = bootstrap_mean(rises, seed=seed, resamples=resamples, groups=groups)
    elif silenced:
        rise = Missing(reason=f"All {silenced} candidates lost their score by it.", code="all_silenced")
    else:
        rise = Missing(reason="No candidate has a score.", code="no_score")
    return Probe(
        name=name,
        tried=len(rises),
        silenced=silenced,
        rise=rise,
        raised=proportion(sum(one > 0 for one in rises), len(rises), of="no candidate has a score before and after"),
        lifted=proportion(sum(one for _, one in lifts), len(lifts), of=none),
        lifted_over_items=bootstrap_mean(
            [one for _, one in lifts], seed=seed, resamples=resamples, groups=[item for item, _ in lifts]
        )
        if lifts
        else Missing(reason=f"There is no trial to count: {none}.", code="no_trials"),
    )
