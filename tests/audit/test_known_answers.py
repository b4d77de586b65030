"""Published answers of others: the signed note of the Go checksum database, the cosigned example of C2SP, roots of RFC 6962."""

from __future__ import annotations

import importlib
import importlib.util
import warnings

import pytest

from conformed_audit.errors import NoteError
from conformed_audit.merkle import leaf_hash, root
from conformed_audit.note import ED25519, Note, SigningKey, VerifyKey
from conformed_audit.tree import consistency_path, consistent, included, inclusion_path

NEUMANN = VerifyKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
NOTE = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
LEAVES = [bytes.fromhex(x) for x in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""Roots over the first 1 to 8 leaves, as the test data of Certificate Transparency has them."""


def test_the_signed_note_of_the_go_checksum_database() -> None:
    """It reads back byte for byte, its signature verifies, and does not after one letter is changed."""
    note = Note.parse(NOTE)
    assert str(note) == NOTE
    assert [key.name for key, _ in note.by([NEUMANN])] == ["PeterNeumann"]
    assert NEUMANN.kind == ED25519
    with pytest.raises(NoteError, match="does not match"):
        Note.parse(NOTE.replace("answer", "answar")).by([NEUMANN])
    assert not note.by([SigningKey.make("PeterNeumann", b"x" * 32).key])


def test_roots_of_certificate_transparency() -> None:
    """The first eight trees have the roots that Certificate Transparency's own tests have."""
    hashes = [leaf_hash(leaf) for leaf in LEAVES]
    assert [root(hashes[: size + 1]).hex() for size in range(8)] == ROOTS


def test_proofs_of_certificate_transparency() -> None:
    """Audit paths and consistency proofs of those trees verify between the published roots, and of no other."""
    hashes = [leaf_hash(leaf) for leaf in LEAVES]

    def nodes(level: int, index: int) -> bytes:
        return root(hashes[index << level : (index + 1) << level])

    for size in range(1, 9):
        whole = bytes.fromhex(ROOTS[size - 1])
        for index in range(size):
            assert included(hashes[index], index, size, inclusion_path(nodes, index, size), whole)
            assert not included(hashes[index], index, size, inclusion_path(nodes, index, size), bytes(32))
        for first in range(1, size + 1):
            path = consistency_path(nodes, first, size)
            assert consistent(first, size, bytes.fromhex(ROOTS[first - 1]), whole, path)
            assert not consistent(first, size, bytes(32), whole, path)


def test_roots_and_proofs_are_pymerkles() -> None:
    """An implementation by others, under a licence that keeps it out of the product, gives the same roots and paths."""
    if importlib.util.find_spec("pymerkle") is None:
        pytest.skip("pymerkle is not installed: it is a test oracle only, under the GPL, and in no extra of the product")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pymerkle = importlib.import_module("pymerkle")
        tree = pymerkle.InmemoryTree(algorithm="sha256")
        hashes = []
        for number in range(70):
            data = str(number).encode()
            tree.append_entry(data)
            hashes.append(leaf_hash(data))
            assert tree.get_state() == root(hashes)
