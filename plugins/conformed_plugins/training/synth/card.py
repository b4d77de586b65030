"""The data card: what a data set is, what it is not, how far its splits are apart. Plain JSON without floats, and the same as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.challenge import challenge_wordings
from conformed_plugins.training.synth.clause import clause_wordings
from conformed_plugins.training.synth.near import NEAR, WIDTH, pairs_of, shared_prompts
from conformed_plugins.training.synth.retention import retention_wordings
from conformed_plugins.training.synth.sources import source_wordings
from conformed_plugins.training.synth.trace import trace_wordings
from conformed_plugins.training.synth.values import OUTSIDE, TRAINING, Ranges
from conformed_plugins.training.synth.wording import BANKS, wordings

__all__ = ["card_of", "grammar", "sentences"]

_LIMITS = (
    "Every text was composed by a program from parts written for it; no sentence comes from a real agreement.",
    "Names of figures, parties and labels are shared by all groups; openings, cores, sentences beside them and tails are not.",
    "The words of comparison of held-out wordings are known ones in two items of three; the other third shares its words with grpo, unseen and final.",
    "Few wordings are as long or as tangled as a clause of a real agreement: a figure on this set says nothing of one.",
)


@cache
def grammar() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """By group of wordings: template id and text with its slots, all tasks."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for bank in BANKS:
        rows = [(one.name, one.text) for one in wordings(bank)]
        rows += [(one.name, " ".join((one.opening, *one.texts))) for one in clause_wordings(bank)]
        rows += [(one.name, " ".join((one.opening, *(text for _, text in one.sentences)))) for one in trace_wordings(bank)]
        for source in source_wordings(bank):
            texts = [text for _, text in source.shown] + [source.claimed[kind] for kind, _ in source.shown]
            rows.append((source.name, " ".join((source.opening, *texts))))
        found[bank] = tuple(rows)
    found["challenge"] = tuple((one.name, one.text) for one in challenge_wordings())
    found["retention"] = tuple((one.name, one.text) for one in retention_wordings())
    return found


@cache
def _contamination() -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "groups": [pair.first, pair.second],
            "near_duplicate_wordings": pair.near,
            "nearest": _percent(pair.nearest),
            "shared_shingles": _percent(pair.shared),
        }
        for pair in pairs_of({name: [text for _, text in rows] for name, rows in grammar().items()})
    )


def _percent(share: Fraction) -> str:
    tenths = round(share * 1000)
    return f"{tenths // 10}.{tenths % 10}%"


def _ranges(ranges: Ranges) -> dict[str, Any]:
    return {
        "amounts_in_millions": list(ranges.amounts),
        "levels_in_hundredths": [list(part) for part in ranges.levels],
        "years": list(ranges.years),
    }


def card_of(
    seed: int,
    tasks: Sequence[Task],
    by_split: Mapping[Split, tuple[TrainingItem, ...]],
    removed: Mapping[str, int],
    digest: str,
) -> dict[str, Any]:
    """The card of a data set."""
    return {
        "contamination": {
            "between_groups": list(_contamination()),
            "near_from": str(NEAR),
            "prompts_there_twice": shared_prompts(by_split),
            "shingle_words": WIDTH,
        },
        "counts": {split.value: _counted(item.task.value for item in items) for split, items in by_split.items()},
        "digest": digest,
        "licence": "Apache-2.0; the text is invented",
        "limits": list(_LIMITS),
        "name": "Conformed synthetic covenant clauses",
        "ranges": {"training": _ranges(TRAINING), "values": _ranges(OUTSIDE)},
        "removed": dict(sorted(removed.items())),
        "seed": seed,
        "tags": {split.value: _counted(tag for item in items for tag in item.tags) for split, items in by_split.items()},
        "tasks": [task.value for task in tasks],
        "wordings": {name: _counted(template.split("/")[0] for template, _ in rows) for name, rows in grammar().items()},
        "wordings_used": {split.value: len({item.template for item in items}) for split, items in by_split.items()},
    }


def _counted(names: Iterator[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def sentences(card: Mapping[str, Any]) -> Iterator[str]:
    """The card for a reader."""
    yield f"{card['name']}, seed {card['seed']}. Licence: {card['licence']}."
    for split, counts in card["counts"].items():
        tasks = ", ".join(f"{count} {task}" for task, count in counts.items())
        yield f"  {split}: {sum(counts.values())} items of {card['wordings_used'][split]} wordings ({tasks})."
    total = sum(sum(counts.values()) for counts in card["wordings"].values())
    groups = ", ".join(f"{name} {sum(counts.values())}" for name, counts in card["wordings"].items())
    yield f"The grammar has {total} wordings: {groups}."
    removed = card["removed"]
    yield f"Drawn again: {removed['exact']} items whose prompt was there, {removed['near']} with the same answer to the same wording."
    yield f"Prompts that are there twice: {card['contamination']['prompts_there_twice']}."
    yield f"Wordings of two groups, in shingles of {card['contamination']['shingle_words']} words, slots taken as one word:"
    for pair in card["contamination"]["between_groups"]:
        first, second = pair["groups"]
        yield (
            f"  {first} and {second}: {pair['shared_shingles']} of the second's shingles are in the first; the nearest two wordings "
            f"share {pair['nearest']}; {pair['near_duplicate_wordings']} near-duplicates."
        )
    for split, ranges in card["ranges"].items():
        levels = " and ".join(f"{low / 100:.2f} to {high / 100:.2f}" for low, high in ranges["levels_in_hundredths"])
        yield f"Values of {split}: levels {levels}, years {ranges['years'][0]} to {ranges['years'][1]}."
    yield from card["limits"]
    yield f"Digest: {card['digest']}"
