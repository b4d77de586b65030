"""Keys and witnesses: whose signature counts for which checkpoint, and how many of them are needed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import audit_world
import pytest
from audit_world import KEY, NEW_KEY, ORIGIN, SECOND_WITNESS_KEY, WITNESS_KEY, WitnessHere, World

from conformed_audit import Actor, Kind, Trust, VerifyResult, verify
from conformed_audit.checkpoint import Checkpoint
from conformed_audit.errors import NoteError
from conformed_audit.keys import record_key
from conformed_audit.note import Note
from conformed_audit.publish import Publisher


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One published log for all tests."""
    return audit_world.make_world(tmp_path_factory.mktemp("world") / "w")


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    """A copy of it."""
    return made.copy(tmp_path / "w")


def said(result: VerifyResult) -> tuple[str | None, str | None]:
    """Check and class of a finding."""
    return (result.first_bad.check if result.first_bad else None, result.classification)


def test_a_retired_key_signs_no_more(world: World) -> None:
    """After key.retired a checkpoint needs the newer key, which the older one vouched for."""
    with world.open() as log:
        record_key(log, Kind.KEY_ADDED, NEW_KEY.key, Actor("log", "log"))
        world.publish(log, KEY)
        world.publish(log, KEY, NEW_KEY)
        record_key(log, Kind.KEY_RETIRED, KEY.key, Actor("log", "log"))
        world.publish(log, NEW_KEY)
        assert world.verify().ok
        world.publish(log, KEY)
    assert said(world.verify()) == ("signature", "tampered")


def test_a_key_that_nobody_vouched_for(world: World) -> None:
    """A new key counts only after a checkpoint that an older key signed covers its addition."""
    with world.open() as log:
        record_key(log, Kind.KEY_ADDED, NEW_KEY.key, Actor("log", "log"))
        world.publish(log, NEW_KEY)
    assert said(world.verify()) == ("signature", "tampered")


def test_two_of_two_witnesses(world: World) -> None:
    """K of n: one cosignature is not two, two are; the same witness twice is one."""
    two = Trust.of([KEY.key, WITNESS_KEY.key, SECOND_WITNESS_KEY.key])
    assert not verify(world.path, trust=two).ok
    assert verify(world.path, trust=Trust.of([KEY.key, WITNESS_KEY.key, SECOND_WITNESS_KEY.key], quorum=1)).ok
    with world.open() as log:
        second = world.witness(SECOND_WITNESS_KEY, "second")
        published = world.publish(log, sinks=[WitnessHere(world.witness()), WitnessHere(second, "second")])
    found = verify(world.path, trust=two)
    assert (found.ok, found.cosigned) == (True, published.checkpoint.size)


def test_a_forged_signature_and_a_note_of_another_log(world: World) -> None:
    """What is given from outside is held to the same keys and to the same log."""
    note = Note.parse(world.given[0])
    stranger = Note(note.text).signed(audit_world.SigningKey.make(ORIGIN, b"z" * 32))
    assert said(world.verify(given=[str(stranger)])) == ("signature", "tampered")
    other = Note(Checkpoint("other.example", 0, hashlib.sha256(b"").digest()).text).signed(KEY)
    assert said(world.verify(given=[str(other)])) == ("given.origin", "tampered")
    assert said(world.verify(given=["no note"])) == ("given", "unreadable")


def test_retries_are_counted_once(world: World) -> None:
    """A checkpoint that a sink has is not handed out to it again; one that it has not is."""
    with world.open() as log:
        broken = WitnessHere(world.witness())
        broken.put = lambda note, proof: (_ for _ in ()).throw(OSError("unreachable"))  # type: ignore[method-assign]
        folder = audit_world.FolderSink(world.folder / "outside")
        first = world.publish(log, sinks=[folder, broken])
        assert [a.ok for a in first.acknowledgements] == [True, False]
        again = Publisher(log, [KEY], world.memory, [folder, WitnessHere(world.witness())], witnesses=[WITNESS_KEY.key]).again()
    assert again is not None
    assert [a.ok for a in again.acknowledgements] == [True, True]
    assert again.checkpoint.size == first.checkpoint.size


def test_a_file_of_keys(world: World) -> None:
    """Keys are sorted by their kind; comments are passed over; what is no key, an empty file and too high a quorum are refused."""
    text = f"# the log\n{KEY.key}\n\n{WITNESS_KEY.key}\n"
    trust = Trust.parse(text, 1)
    assert (trust.keys, trust.witnesses, trust.needed) == ((KEY.key,), (WITNESS_KEY.key,), 1)
    assert world.verify(trust=trust).ok
    for bad, quorum in (("# nothing\n", 0), ("no key\n", 0), (text, 2), (text.replace("bank", "tank"), 0)):
        with pytest.raises(NoteError):
            Trust.parse(bad, quorum)
