"""The evaluation of a policy as ``conformed weights`` takes it: counts by split and decoding, sealed, for gates that were declared before."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformed.errors import UsageError
from conformed.model.answer import Outcome
from conformed.model.weights_report import Decoding, SplitCounts, WeightsReport
from conformed_plugins.training.actor.verdicts import Answered, Verdict
from conformed_plugins.training.items import Split

__all__ = ["GATED", "counts_of", "gates_digest", "weights_report"]

GATED = (Split.UNSEEN, Split.CHALLENGE, Split.RETENTION)
"""Splits that gates are declared on, but for the final one."""


def gates_digest(file: Path) -> str:
    """SHA-256 of a file of gates, as it is before anything is trained.

    Raises:
        UsageError: when it cannot be read.
    """
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror}.", "Name a file of policies/weight-gates.") from problem


def counts_of(split: Split, decoding: Decoding, answers: Sequence[Answered]) -> SplitCounts:
    """Counts of one split.

    Args:
        split: which.
        decoding: how the answers were drawn.
        answers: one an item, with their tokens.
    """
    tokens = [one.tokens for one in answers]
    return SplitCounts(
        split=split.value,
        decoding=decoding,
        items=len(answers),
        right=sum(one.verdict is Verdict.RIGHT for one in answers),
        judged=sum(one.checked.outcome in (Outcome.CORRECT, Outcome.INCORRECT) for one in answers),
        false_accepts=sum(one.verdict is Verdict.WRONG for one in answers),
        invalid=sum(not one.checked.format_ok for one in answers),
        tokens=sum(tokens),
        tokens_squared=sum(each * each for each in tokens),
    )


def weights_report(
    *, family: str, run: str, manifest: str, data: str, gates: str, answers: Mapping[tuple[Split, Decoding], Sequence[Answered]]
) -> WeightsReport:
    """The sealed report. The final set was not used.

    Args:
        family: name that all candidates share among which somebody chooses.
        run: the training run.
        manifest: SHA-256 of the weights' manifest.
        data: SHA-256 of the data set.
        gates: SHA-256 of the file of gates.
        answers: by split and decoding.
    """
    splits = [counts_of(split, decoding, some) for (split, decoding), some in answers.items()]
    return WeightsReport.sealed(family=family, run=run, manifest=manifest, dataset=data, gates=gates, splits=splits)
