"""The diagnosis of a run: all patterns over its series, and the known shortcuts in its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformed.model.base import Frozen
from conformed_plugins.training.runs.behaviour import Sample
from conformed_plugins.training.runs.judgement import Judgement, State, thirds
from conformed_plugins.training.runs.patterns import PATTERNS
from conformed_plugins.training.runs.series import Series
from conformed_plugins.training.runs.shortcuts import shortcuts
from conformed_plugins.training.runs.thresholds import STANDARD, Thresholds

__all__ = ["Diagnosis", "diagnose"]


class Diagnosis(Frozen):
    """Every pattern with what was found of it."""

    judgements: tuple[Judgement, ...]
    """Patterns over series first, then shortcuts."""

    def of(self, state: State) -> tuple[Judgement, ...]:
        """Those in one state."""
        return tuple(one for one in self.judgements if one.state is state)

    @property
    def harm(self) -> tuple[Judgement, ...]:
        """Those that are seen and speak against the run."""
        return tuple(one for one in self.of(State.SEEN) if one.harm)

    def words(self) -> tuple[str, ...]:
        """The diagnosis in lines for people: what is seen with its figures, what is not, what could not be judged."""
        seen = self.of(State.SEEN)
        told = [f"{one.code}: {one.sentence}" for one in seen] or ["No pattern is seen."]
        absent, blind = self.of(State.ABSENT), self.of(State.NOT_JUDGED)
        if absent:
            told.append(f"Looked for and not there: {', '.join(one.code for one in absent)}.")
        told += [f"{one.code}, not judged: {one.sentence}" for one in blind]
        return tuple(told)


def diagnose(series: Series, rollouts: Mapping[int, Sequence[Sample]] | None = None, at: Thresholds = STANDARD) -> Diagnosis:
    """Diagnoses a run.

    Args:
        series: its series.
        rollouts: its raw samples by update; None where none were kept.
        at: the thresholds.
    """
    updates = sorted(rollouts or {})
    first, _, last = thirds(updates) if len(updates) > 1 else ((), (), ())
    early, late = ([sample for update in part for sample in (rollouts or {})[int(update)]] for part in (first, last))
    return Diagnosis(judgements=(*(pattern(series, at) for pattern in PATTERNS), *shortcuts(early, late, at)))
