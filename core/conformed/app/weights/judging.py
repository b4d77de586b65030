"""A report of weights held against declared gates: on point values, and on counts with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conformed.app.weights.gates import DeclaredGates
from conformed.errors import UsageError
from conformed.evaluation.weight_gates import Counted, TokensCounted, WeightCounts, interval_gates, point_gates, summary_of
from conformed.model.base import Frozen
from conformed.model.weights_report import Decoding, SplitCounts, WeightsReport
from conformed.policy.load import Loaded

__all__ = ["Judgement", "judge", "others", "refuse_failed"]


class Judgement(Frozen):
    """One gate on one split, and what was found."""

    gate: str
    """Its name."""
    split: str
    """The split."""
    decoding: Decoding
    """How responses were drawn."""
    by: str
    """``point``, ``interval``, or ``present`` for what must be there at all."""
    passed: bool
    """Whether it was passed."""
    found: str
    """What was found against what was asked, in a sentence."""

    @property
    def words(self) -> str:
        """The whole on one line."""
        return f"{self.gate} on {self.split} ({self.decoding}, by {self.by}): {self.found}"


def judge(report: WeightsReport, gates: Loaded[DeclaredGates], *, final: bool) -> tuple[Judgement, ...]:
    """Holds a report against gates. A split that is absent or too small is not passed.

    Args:
        report: the report.
        gates: declared before.
        final: whether the final split is judged too.

    Raises:
        UsageError: when the report is of an evaluation under other gates.
    """
    declared = gates.value
    if report.gates != gates.digest:
        raise UsageError(
            f"The weights were evaluated under the gates {report.gates[:12]}, and {gates.path} has {gates.digest[:12]}.",
            "Gates are declared before an evaluation: bring those back, or evaluate again.",
        )
    splits = (*declared.judged_on, *((declared.final_on,) if final else ()))
    found = [
        one for decoding in sorted(declared.decodings) for split in splits for one in _split(report, declared, split, decoding)
    ]
    return tuple(dict.fromkeys(found))  # the retention split is looked at beside each of the others, and told once


def refuse_failed(judged: Sequence[Judgement], what: str) -> None:
    """Returns where every gate was passed.

    Args:
        judged: what was judged.
        what: what is refused otherwise, such as ``The weights may not be promoted``.

    Raises:
        UsageError: naming each gate that was not.
    """
    failed = [one for one in judged if not one.passed]
    if failed:
        said = " ".join(one.words for one in failed)
        raise UsageError(
            f"{what}: {len(failed)} of {len(judged)} gates were not passed. {said}",
            "Train on, or leave the present weights in use.",
        )


def _split(report: WeightsReport, declared: DeclaredGates, split: str, decoding: Decoding) -> Iterator[Judgement]:
    counts, kept = report.counts(split, decoding), report.counts(declared.retained_on, decoding)
    for name, there in ((split, counts), (declared.retained_on, kept)):
        items = 0 if there is None else there.items
        yield Judgement(
            gate="least_items", split=name, decoding=decoding, by="present", passed=items >= declared.least_items,
            found=f"{items} items; at least {declared.least_items}.",
        )  # fmt: skip
    if counts is None or kept is None:
        return
    whole, gates = _counts(counts, kept), declared.on(split)
    for by, results in (("point", point_gates(summary_of(whole), gates)), ("interval", interval_gates(whole, gates))):
        for one in results:
            about = declared.retained_on if one.gate == "retention_accuracy" else split
            yield Judgement(gate=one.gate, split=about, decoding=decoding, by=by, passed=one.passed, found=one.found)


def _counts(counts: SplitCounts, kept: SplitCounts) -> WeightCounts:
    def of(successes: int) -> Counted:
        return Counted(successes=successes, trials=counts.items)

    return WeightCounts(
        accuracy=of(counts.right), coverage=of(counts.judged), false_accepts=of(counts.false_accepts), invalid=of(counts.invalid),
        retention=Counted(successes=kept.right, trials=kept.items),
        tokens=TokensCounted(responses=counts.items, total=counts.tokens, squares=counts.tokens_squared),
    )  # fmt: skip


def others(report: WeightsReport, final: str) -> Iterable[SplitCounts]:
    """Counts of every split but the final one."""
    return (one for one in report.splits if one.split != final)
