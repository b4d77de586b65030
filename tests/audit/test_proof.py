"""Proofs to take away: what they prove, that every change to them is noticed, and that the recipe of the docs checks one."""

from __future__ import annotations

import base64
import contextlib
import itertools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from conformed_audit import AuditLog, RecordDraft
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.errors import NoteError
from conformed_audit.note import Note, SigningKey
from conformed_audit.proof import Continuation, Proof, continuation_of, proof_of
from conformed_audit.publish import Publisher
from conformed_audit.tree import consistent

Draft = Callable[..., RecordDraft]
ROOT = Path(__file__).parents[2]
ORIGIN = "bank.example/test"


@pytest.fixture
def signer() -> SigningKey:
    """The log's key."""
    return SigningKey.make(ORIGIN, bytes(range(32)))


@pytest.fixture
def log(tmp_path: Path, draft: Draft, signer: SigningKey) -> Iterator[AuditLog]:
    """A log with checkpoints of 8 and 21 records, and two records more."""
    seconds = itertools.count()
    clock = lambda: datetime(2026, 3, 31, 12, tzinfo=UTC) + timedelta(seconds=next(seconds))  # noqa: E731
    with AuditLog.open(tmp_path / "log.db", origin=ORIGIN, clock=clock) as opened:
        publisher = Publisher(opened, [signer], SignerMemory(tmp_path / "memory"), [])
        for count in (7, 12, 2):
            opened.append([draft(idem=None, attempt=n) for n in range(count)])
            if count != 2:
                publisher.publish()
        yield opened


def test_every_covered_record_is_proved_and_no_other(log: AuditLog, signer: SigningKey) -> None:
    """Against the newest checkpoint, with its signature; what came after it is not proved."""
    size = log.store.checkpoints.last().size  # type: ignore[union-attr]
    assert size == 21
    for record in log.records():
        proof = proof_of(log, record.idx)
        if record.idx >= size:
            assert proof is None
            continue
        assert proof is not None
        assert proof.holds
        assert (proof.body, proof.index, proof.checkpoint.size) == (record.body, record.idx, size)
        assert Note.parse(proof.note).by([signer.key])
        assert Proof.parse(proof.text) == proof
    assert proof_of(log, 99) is None


def test_every_changed_line_of_a_proof_is_noticed(log: AuditLog) -> None:
    """Another record, place, hash, size or root, a hash too few or too many: it does not hold, or is no proof."""
    proof = proof_of(log, 3)
    assert proof is not None
    lines = proof.text.split("\n")
    end = lines.index("")
    for place in [*range(end), end + 2, end + 3]:
        for changed in (_flipped(lines[place]), None):
            text = "\n".join([*lines[:place], *([changed] if changed is not None else []), *lines[place + 1 :]])
            with contextlib.suppress(NoteError):
                assert not Proof.parse(text).holds, lines[place]
    more = "\n".join([*lines[:end], lines[end - 1], *lines[end:]])
    assert not Proof.parse(more).holds


def _flipped(line: str) -> str:
    """A line with one character that is another."""
    place = len(line) // 2
    return line[:place] + ("B" if line[place] != "B" else "C") + line[place + 1 :] if line[place].isalpha() else f"{line}1"


@pytest.mark.parametrize(
    "text", ["", "x", "c2sp.org/tlog-proof@v1\n\n", "c2sp.org/tlog-proof@v1\nextra eA==\nindex -1\n\nx\n1\ny\n"]
)
def test_what_is_no_proof_is_refused(text: str) -> None:
    """With an error of our own."""
    with pytest.raises(NoteError):
        Proof.parse(text)


def test_a_checkpoint_is_proved_to_continue_an_earlier_one(log: AuditLog) -> None:
    """By the roots of both; checkpoints that there are not have no proof."""
    roots = {row.size: row.root for row in log.store.checkpoints.every()}
    found = continuation_of(log, 8)
    assert isinstance(found, Continuation)
    assert consistent(8, 21, roots[8], roots[21], found.path)
    assert found.text.startswith("old 8\n")
    assert found.text.endswith(found.note)
    assert (continuation_of(log, 7), continuation_of(log, 21, 8), continuation_of(log, 8, 9)) == (None, None, None)


def test_the_recipe_of_the_docs_checks_a_proof_without_this_package(log: AuditLog, signer: SigningKey, tmp_path: Path) -> None:
    """docs/replay.md: a few lines of Python for the tree, and openssl for the signature. Each finds a forgery."""
    page = (ROOT / "docs" / "replay.md").read_text(encoding="utf-8")
    recipe = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert recipe is not None
    assert len(recipe[1].strip().splitlines()) <= 16
    for index in (0, 3, 20):
        proof = proof_of(log, index)
        assert proof is not None
        forged = Proof(proof.index, proof.body.replace(b"Net debt", b"No debt!"), proof.path, proof.note)
        for one, said in ((proof, "holds"), (forged, "DOES NOT HOLD")):
            if one is forged and one.body == proof.body:
                continue
            file = tmp_path / "x.tlog-proof"
            file.write_text(one.text, encoding="utf-8")
            done = subprocess.run(
                [sys.executable, "-I", "-c", recipe[1], str(file)], capture_output=True, text=True, timeout=60, check=True
            )
            assert done.stdout.splitlines()[-1] == said
            assert base64.b64encode(one.body).decode() in one.text
