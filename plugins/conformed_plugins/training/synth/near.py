"""How near the wordings of two groups are, and whether a prompt is in two splits: exact sets of word shingles, no sampling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from conformed_plugins.training.items import Split, TrainingItem

__all__ = ["NEAR", "WIDTH", "Pair", "nearness", "pairs_of", "shared_prompts", "shingles"]

WIDTH = 3
"""Words of a shingle."""
NEAR = Fraction(1, 2)
"""From this share of common shingles on, two wordings are near-duplicates."""
_WORD = re.compile(r"\{\w+\}|\w+")


def shingles(text: str) -> frozenset[str]:
    """Runs of three words of a wording, in lower case, every slot being the same word; the whole text where it is shorter."""
    words = ["*" if word[0] == "{" else word for word in _WORD.findall(text.lower())]
    return frozenset(" ".join(words[at : at + WIDTH]) for at in range(max(1, len(words) - WIDTH + 1)))


def nearness(one: frozenset[str], other: frozenset[str]) -> Fraction:
    """Share of the shingles of two texts that both have (Jaccard)."""
    return Fraction(len(one & other), len(one | other))


class Pair(NamedTuple):
    """Two groups of wordings."""

    first: str
    second: str
    shared: Fraction
    """Share of the second's shingles that the first has too."""
    nearest: Fraction
    """Nearness of the nearest two wordings."""
    near: int
    """Wordings of the second that are a near-duplicate of one of the first."""


def pairs_of(texts: Mapping[str, Iterable[str]]) -> list[Pair]:
    """Every pair of groups, compared wording by wording."""
    sets = {name: [shingles(text) for text in group] for name, group in texts.items()}
    found = []
    for first, second in combinations(sets, 2):
        known = frozenset().union(*sets[first])
        own = frozenset().union(*sets[second])
        best = [max(nearness(one, other) for one in sets[first]) for other in sets[second]]
        found.append(Pair(first, second, Fraction(len(known & own), len(own)), max(best), sum(one >= NEAR for one in best)))
    return found


def shared_prompts(by_split: Mapping[Split, tuple[TrainingItem, ...]]) -> int:
    """Prompts that are in a data set more than once."""
    prompts = [item.prompt for items in by_split.values() for item in items]
    return len(prompts) - len(set(prompts))
