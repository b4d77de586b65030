"""The Merkle tree hash of RFC 6962."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed_audit.merkle import EMPTY_ROOT, frontier_root, grow, leaf_hash, node_hash, root

INPUTS = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [  # published with RFC 6962's reference implementation, for the first 1 to 8 inputs
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


@pytest.mark.parametrize("size", range(1, 9))
def test_known_answers(size: int) -> None:
    """The roots over the reference inputs are the published ones."""
    assert root(map(leaf_hash, INPUTS[:size])).hex() == ROOTS[size - 1]


def test_empty_tree() -> None:
    """The root of nothing is the hash of nothing."""
    assert root([]) == EMPTY_ROOT == sha256(b"").digest()


def by_definition(leaves: list[bytes]) -> bytes:
    """RFC 6962 section 2.1, word for word: split at the largest power of two below the size."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return node_hash(by_definition(leaves[:split]), by_definition(leaves[split:]))


@given(st.integers(1, 300))
def test_root_in_one_pass_equals_the_definition(size: int) -> None:
    """The frontier gives the recursive definition's root at every size, and never holds more than its one bits."""
    leaves = [leaf_hash(number.to_bytes(4, "big")) for number in range(size)]
    frontier: list[bytes] = []
    for at, leaf in enumerate(leaves):
        grow(frontier, at, leaf)
    assert frontier_root(frontier) == root(leaves) == by_definition(leaves)
    assert len(frontier) == size.bit_count()
    assert frontier_root(frontier) == frontier_root(list(frontier)), "reading a root changes nothing"


def test_a_node_is_never_a_leaf() -> None:
    """Prefixes differ, so a record made of two hashes does not stand for the node over them."""
    left, right = leaf_hash(b"a"), leaf_hash(b"b")
    assert leaf_hash(left + right) != node_hash(left, right)
