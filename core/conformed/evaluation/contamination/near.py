"""Near-duplicates: MinHash finds pairs that may be alike, and their exact Jaccard similarity decides.

A. Z. Broder, "On the resemblance and containment of documents" (1997); banding as in J. Leskovec, A. Rajaraman and J. Ullman,
"Mining of Massive Datasets", section 3.4. A pair that is reported is alike for certain; a pair at the threshold escapes the
banding with a probability that is stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from conformed.errors import GivenValueError
from conformed.evaluation.given import needed, whole

__all__ = ["Banding", "Near", "banding", "jaccard", "near_pairs", "shingles"]

_ESCAPE = 1e-3
"""The chance of escaping that a pair at the threshold may have at most."""


class Banding(NamedTuple):
    """How signatures are cut."""

    bands: int
    """Bands; a pair that agrees on one is compared exactly."""
    rows: int
    """Hash values a band."""
    escape: float
    """Chance that a pair at the threshold agrees on no band."""


class Near(NamedTuple):
    """Two pieces that are alike."""

    left: int
    """Place in the first list."""
    right: int
    """Place in the second list."""
    similarity: Fraction
    """Jaccard similarity of their shingles, exact."""


def shingles(tokens: Sequence[str], width: int) -> frozenset[str]:
    """All runs of so many tokens; one run of all where there are fewer.

    Args:
        tokens: at least one.
        width: tokens a run.
    """
    last = max(1, len(tokens) - width + 1)
    return frozenset("\x1f".join(tokens[first : first + width]) for first in range(last))


def jaccard(left: frozenset[str], right: frozenset[str]) -> Fraction:
    """Shared shingles over all shingles; at least one of the sets is not empty."""
    return Fraction(len(left & right), len(left | right))


def banding(threshold: Fraction, permutations: int) -> Banding:
    """The narrowest net that a pair at the threshold escapes once in a thousand at most.

    Args:
        threshold: Jaccard similarity, above 0 and up to 1.
        permutations: hash values a signature, at least 1.

    Raises:
        GivenTypeError: when the number of permutations is no int.
        GivenValueError: when no banding of so many hash values is fine enough, or the threshold is outside (0, 1].
    """
    permutations = whole("permutations", permutations, least=1)
    if not 0 < threshold <= 1:
        raise GivenValueError(f"The threshold is {threshold}.", "Give a similarity above 0 and up to 1.")
    for rows in range(permutations, 0, -1):
        bands = permutations // rows
        escape = float((1 - threshold**rows) ** bands)
        if escape <= _ESCAPE:
            return Banding(bands, rows, escape)
    raise GivenValueError(
        f"With {permutations} permutations a pair at {threshold} would escape more than once in a thousand.",
        "Take more permutations or a higher threshold.",
    )


def near_pairs(
    left: Sequence[frozenset[str]],
    right: Sequence[frozenset[str]],
    *,
    threshold: Fraction,
    seed: int,
    permutations: int = 128,
) -> tuple[Near, ...]:
    """Pairs across two lists whose similarity reaches the threshold, sorted by place.

    Args:
        left: shingles of the first list's pieces; no set empty.
        right: of the second's.
        threshold: Jaccard similarity from which a pair is reported.
        seed: of the permutations, 0 or more. It decides only which pairs escape, never which are reported wrongly.
        permutations: hash values a signature.

    Raises:
        GivenTypeError: when seed or permutations is no int.
        GivenValueError: as ``banding``.
        UsageError: without datasketch.
    """
    seed = whole("seed", seed, most=2**32 - 1)
    net = banding(threshold, permutations)
    datasketch = needed("datasketch")

    # The scheme is named, not left to the library's default, so that the same seed gives the same signatures in any version.
    def signature(piece: frozenset[str]) -> object:
        made = datasketch.MinHash(num_perm=permutations, seed=seed, scheme="affine32")
        made.update_batch([one.encode("utf-8", "surrogatepass") for one in sorted(piece)])
        return made

    index = datasketch.MinHashLSH(num_perm=permutations, params=(net.bands, net.rows))
    for place, piece in enumerate(right):
        index.insert(place, signature(piece))
    found = []
    for place, piece in enumerate(left):
        for other in sorted(index.query(signature(piece))):
            similarity = jaccard(piece, right[other])
            if similarity >= threshold:
                found.append(Near(place, other, similarity))
    return tuple(found)
