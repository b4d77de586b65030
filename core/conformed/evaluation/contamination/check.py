"""The check of all splits against each other, and its report: what was compared, what was found, what cannot be known."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType

from conformed.errors import GivenValueError
from conformed.evaluation.contamination.entries import NORMALISER, Entry, Kind, tokens
from conformed.evaluation.contamination.near import banding, near_pairs, shingles
from conformed.evaluation.given import whole
from conformed.model.base import Exact, Frozen, exact

__all__ = ["Checked", "Contamination", "Pair", "contamination"]

THRESHOLDS: Mapping[Kind, Fraction] = MappingProxyType(
    {Kind.TEXT: Fraction(7, 10), Kind.FORMULA: Fraction(8, 10), Kind.CODE: Fraction(7, 10)}
)
"""Jaccard similarity from which a pair is near, unless told."""
_WIDTH = {Kind.TEXT: 3, Kind.FORMULA: 3, Kind.CODE: 5}
"""Tokens a shingle."""
_FEWEST = {Kind.TEXT: 4, Kind.FORMULA: 8, Kind.CODE: 12}
"""Fewest tokens that are compared: `x + y` in two items says nothing."""


class Pair(Frozen):
    """Two pieces in different splits that are the same or nearly so."""

    kind: Kind
    """Text, formula or code."""
    left_split: str
    """Split of the first; before the second in the alphabet."""
    left: str
    """Item of the first."""
    right_split: str
    """Split of the second."""
    right: str
    """Item of the second."""
    match: str
    """``same_bytes``, ``same_tokens`` or ``near``."""
    similarity: Exact
    """Jaccard similarity of their shingles; 1 for the same."""


class Checked(Frozen):
    """What was compared of one kind between two splits, so that no silence is taken for a result."""

    kind: Kind
    """Text, formula or code."""
    left_split: str
    """First split."""
    right_split: str
    """Second split."""
    left: int
    """Pieces compared of the first."""
    right: int
    """Pieces compared of the second."""
    too_short: int
    """Pieces of both left out for having too few tokens."""
    threshold: Exact
    """Similarity from which a pair is near."""
    escape: str
    """Chance that a pair at the threshold was missed, as written by Python's float."""


class Contamination(Frozen):
    """The report."""

    pairs: tuple[Pair, ...]
    """What was found, sorted."""
    checked: tuple[Checked, ...]
    """What was compared, sorted."""
    method: str
    """Normaliser, permutations and seed."""
    not_known: tuple[str, ...]
    """What this check cannot tell."""

    def touched(self, split: str) -> tuple[str, ...]:
        """Ids of a split's items that stand in another split too, sorted."""
        left = {one.left for one in self.pairs if one.left_split == split}
        return tuple(sorted(left | {one.right for one in self.pairs if one.right_split == split}))


_NOT_KNOWN = (
    "Paraphrases, translations and the same question with other names or numbers share too few words to be found.",
    "Whether a model saw an item in data that is not among these splits.",
    "Pictures, tables as pictures, and anything that is not in the text of the items.",
)


class _Piece(Frozen):
    """An entry, ready to be compared."""

    item: str
    raw: str
    normal: str
    parts: frozenset[str]


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _pieces(entries: Sequence[Entry], kind: Kind) -> tuple[list[_Piece], int]:
    """Pieces of one kind, sorted, and how many were too short."""
    made, short = [], 0
    for entry in sorted((one for one in entries if one.kind is kind), key=lambda one: (one.item, one.content)):
        parts = tokens(kind, entry.content)
        if len(parts) < _FEWEST[kind]:
            short += 1
            continue
        made.append(
            _Piece(item=entry.item, raw=_sha(entry.content), normal=_sha("\x1f".join(parts)), parts=shingles(parts, _WIDTH[kind]))
        )
    return made, short


def contamination(
    splits: Mapping[str, Sequence[Entry]],
    *,
    seed: int,
    thresholds: Mapping[Kind, Fraction] = THRESHOLDS,
    permutations: int = 128,
) -> Contamination:
    """Compares every two splits, kind by kind.

    Args:
        splits: entries by split; at least two splits.
        seed: of the permutations, 0 or more.
        thresholds: similarity from which a pair is near, for every kind.
        permutations: hash values a signature.

    Raises:
        GivenTypeError: when seed or permutations is no int.
        GivenValueError: for fewer than two splits, a kind without threshold, or a threshold outside (0, 1].
        UsageError: without datasketch, where there is anything to compare.
    """
    if len(splits) < 2:
        raise GivenValueError(f"There are {len(splits)} splits.", "Give at least two.")
    if bare := sorted(set(Kind) - set(thresholds)):
        raise GivenValueError(f"No threshold is given for {', '.join(bare)}.", "Give one a kind.")
    seed = whole("seed", seed)
    ready = {(split, kind): _pieces(entries, kind) for split, entries in splits.items() for kind in Kind}
    found: dict[tuple[str, str, str, str, str], Pair] = {}
    checked = []
    for left_split, right_split in combinations(sorted(splits), 2):
        for kind in sorted(Kind):
            (left, left_short), (right, right_short) = ready[left_split, kind], ready[right_split, kind]
            threshold = exact(thresholds[kind])
            checked.append(
                Checked(
                    kind=kind,
                    left_split=left_split,
                    right_split=right_split,
                    left=len(left),
                    right=len(right),
                    too_short=left_short + right_short,
                    threshold=threshold,
                    escape=repr(banding(threshold, permutations).escape),
                )
            )
            if not (left and right):
                continue
            same: dict[str, list[int]] = {}
            for place, piece in enumerate(right):
                same.setdefault(piece.normal, []).append(place)
            alike = {(one, other): Fraction(1) for one, piece in enumerate(left) for other in same.get(piece.normal, ())}
            near = near_pairs(
                [one.parts for one in left],
                [one.parts for one in right],
                threshold=threshold,
                seed=seed,
                permutations=permutations,
            )
            for one in near:
                alike.setdefault((one.left, one.right), one.similarity)
            for (one_place, other_place), similarity in alike.items():
                pair = _pair(kind, (left_split, left[one_place]), (right_split, right[other_place]), similarity)
                key = (kind, left_split, pair.left, right_split, pair.right)
                if key not in found or found[key].similarity < pair.similarity:
                    found[key] = pair
    return Contamination(
        pairs=tuple(found[key] for key in sorted(found)),
        checked=tuple(checked),
        method=f"{NORMALISER}, MinHash of {permutations} permutations, seed {seed}, exact Jaccard similarity",
        not_known=_NOT_KNOWN,
    )


def _pair(kind: Kind, left: tuple[str, _Piece], right: tuple[str, _Piece], similarity: Fraction) -> Pair:
    (left_split, one), (right_split, other) = left, right
    match = "same_bytes" if one.raw == other.raw else "same_tokens" if one.normal == other.normal else "near"
    return Pair(
        kind=kind,
        left_split=left_split,
        left=one.item,
        right_split=right_split,
        right=other.item,
        match=match,
        similarity=similarity,
    )
