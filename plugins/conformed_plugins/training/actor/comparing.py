"""Three readers on the same items: the rules, supervised training alone, and with rewards after it. What is wrong unsaid counts first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from conformed.evaluation.intervals import Proportion, proportion
from conformed.evaluation.paired import Comparison, compare
from conformed_plugins.training.actor.verdicts import Answered, Verdict
from conformed_plugins.training.items import Split

__all__ = ["GRPO", "RULES", "SFT", "Readers", "chosen", "paired", "pairs", "rows"]

RULES, SFT, GRPO = "rules", "sft", "sft+grpo"
"""Names of the readers."""
_ORDER = (RULES, SFT, GRPO)
_NOVEL = (Split.UNSEEN, Split.CHALLENGE)
"""Splits by which a user chooses: wordings that no training saw."""
_SURE = 0.05

Readers = Mapping[str, Mapping[Split, Sequence[Answered]]]
"""Answers by reader and split. Two readers answered the same items of a split that both have."""


def rows(readers: Readers) -> list[dict[str, Any]]:
    """Counts of each reader on each split, as plain JSON."""
    return [
        {
            "split": split.value,
            "reader": name,
            "items": len(answers),
            "determined_and_wrong": _share(counts[Verdict.WRONG], len(answers)),
            "right": _share(counts[Verdict.RIGHT], len(answers)),
            "silent": counts[Verdict.SILENT],
            "unreadable": counts[Verdict.UNREADABLE],
        }
        for split in _splits(readers)
        for name in _ORDER
        if split in readers.get(name, {})
        for answers in (readers[name][split],)
        for counts in (Counter(one.verdict for one in answers),)
    ]


def pairs(readers: Readers, *, seed: int) -> list[dict[str, Any]]:
    """Paired comparisons of each later reader with each earlier one, split by split, as plain JSON."""
    found = []
    for split in _splits(readers):
        for at, after in enumerate(_ORDER):
            for before in _ORDER[:at]:
                if split in readers.get(before, {}) and split in readers.get(after, {}):
                    compared = paired(readers[before][split], readers[after][split], seed=seed)
                    found.append({"split": split.value, "before": before, "after": after, **_plain(compared)})
    return found


def paired(before: Sequence[Answered], after: Sequence[Answered], *, seed: int) -> Comparison:
    """Two readers on the same items. The interval draws wordings whole: items of one wording are alike."""
    return compare(
        {one.item.id: one.checked.outcome for one in before},
        {one.item.id: one.checked.outcome for one in after},
        seed=seed,
        groups={one.item.id: one.item.template for one in before},
    )


def chosen(readers: Readers, *, seed: int) -> tuple[str, str]:
    """Which reader a user should choose, and the sentence that says so.

    The rules are left only for a policy that is right more often on unseen wordings (McNemar exact, p < 0.05) and determines no more
    wrongly than they on unseen wordings and the challenge set together; of two such the one with the higher accuracy.
    """
    wrong = {name: _count(readers, name, _NOVEL, Verdict.WRONG) for name in readers}
    right = {name: _count(readers, name, (Split.UNSEEN,), Verdict.RIGHT) for name in readers}
    best = RULES
    for name in (SFT, GRPO):
        if name not in readers or wrong[name] > wrong[RULES] or right[name] <= right[best]:
            continue
        if paired(readers[RULES][Split.UNSEEN], readers[name][Split.UNSEEN], seed=seed).p_value < _SURE:
            best = name
    unseen = len(readers[RULES][Split.UNSEEN])
    novel = sum(len(readers[RULES][split]) for split in _NOVEL)
    figures = "; ".join(
        f"{name} {wrong[name]} determined and wrong of {novel} on unseen wordings and challenge, {right[name]} right of {unseen} on unseen wordings"
        for name in _ORDER
        if name in readers
    )
    verb = "the rules win" if best == RULES else f"{best} is better than the rules"
    return best, f"Use {'the rules extractor' if best == RULES else best}: {verb} ({figures})."


def _splits(readers: Readers) -> list[Split]:
    return [split for split in Split if any(split in answers for answers in readers.values())]


def _count(readers: Readers, name: str, splits: Sequence[Split], verdict: Verdict) -> int:
    return sum(one.verdict is verdict for split in splits for one in readers[name][split])


def _share(successes: int, trials: int) -> dict[str, Any]:
    found = proportion(successes, trials)
    assert isinstance(found, Proportion)
    return {"count": successes, "share": round(found.value, 6), "interval": [round(end, 6) for end in found.interval]}


def _plain(compared: Comparison) -> dict[str, Any]:
    return {
        "improved": len(compared.improved),
        "regressed": len(compared.regressed),
        "difference": round(compared.difference, 6),
        "interval": [round(end, 6) for end in compared.interval],
        "wordings": compared.groups,
        "p_value": compared.p_value,
    }
