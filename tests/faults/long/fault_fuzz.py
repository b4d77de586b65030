"""Every parser of what comes from outside: it raises its own error or nothing, and takes only what it would write itself."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fault_clerk import ENGINE, KEY, ORIGIN, Clerk, holds, open_log
from fault_told import Told

from conformed_audit import Kind, NotCanonicalError, RecordDraft, encode
from conformed_audit.body import make_record, parse_record
from conformed_audit.checkpoint import Checkpoint
from conformed_audit.errors import NoteError
from conformed_audit.note import COSIGNATURE, Note, Signature, SigningKey, VerifyKey
from conformed_audit.proof import Proof, proof_of
from conformed_audit.witness import Witness

__all__ = ["Parser", "anything", "mutated", "parsers", "weigh"]

_PIECES = (
    b"\n", b"\n\n", b" ", b"=", b"==", b"+", b"0", b"-", b".", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\x00", b"\r\n",
    b"\xff", "\u2014 ".encode(), "\u2028".encode(), "e\u0301".encode(), b"\\u0000", b"\\ud800", b"1e9", b"NaN", b"9" * 30,
    b"null", b"true", b'"a":1,', b"[" * 200,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parser:
    """A parser under test."""

    sample: bytes
    """What it takes."""
    takes: Callable[[bytes], bool]
    """Whether it takes some bytes, None of its own errors passing out; False where it refuses in its own way."""
    again: Callable[[bytes], bytes]
    """What would be written for bytes that were taken."""


def parsers(folder: Path) -> Mapping[str, Parser]:
    """All of them, each with a sample.

    Args:
        folder: an empty folder.
    """
    Clerk(folder, "fuzz", lambda line: None).work()
    with open_log(folder) as log:
        proof = proof_of(log, 2)
    assert proof is not None
    draft = RecordDraft(
        case="case-a", kind=Kind.EVIDENCE_EXPORTED, actor=ENGINE, approval={"ratio": "3.50", "n": [1, None, True]}, note="§ 7.1\n"
    )
    record = make_record(draft, idx=0, log=ORIGIN, cseq=0, prev=bytes(32), ts="2026-03-31T12:00:00.000000Z")
    note = Note(Checkpoint(ORIGIN, 9, bytes(range(32))).text).signed(KEY)
    bundle = (folder / "bundles" / "fuzz.zip").read_bytes()
    return {
        "record": Parser(record.body, _takes_record, lambda data: encode(json.loads(data))),
        "checkpoint": Parser(note.text.encode(), *_text(Checkpoint.parse, lambda found: found.text)),
        "note": Parser(str(note).encode(), *_text(Note.parse, str)),
        "signature": Parser(str(note.signatures[0]).encode(), *_text(Signature.parse, str)),
        "key": Parser(str(KEY.key).encode(), *_text(_one_line, str)),
        "proof": Parser(proof.text.encode(), *_text(_vouched, lambda found: found.text)),
        "witness": _witness(folder, note),
        "bundle": Parser(bundle, holds, _bundled),
    }


def _takes_record(data: bytes) -> bool:
    try:
        return parse_record(0, data).body == data
    except NotCanonicalError:
        return False


def _text(parse: Callable[[str], Any], write: Callable[[Any], str]) -> tuple[Callable[[bytes], bool], Callable[[bytes], bytes]]:
    """For parsers of text, whose readers decode it first."""

    def takes(data: bytes) -> bool:
        try:
            parse(data.decode())
        except (NoteError, UnicodeDecodeError):
            return False
        return True

    return takes, lambda data: write(parse(data.decode())).encode()


def _vouched(text: str) -> Proof:
    """A proof; whether it holds must be known of each that is taken."""
    found = Proof.parse(text)
    assert found.holds in {True, False}
    return found


def _one_line(text: str) -> VerifyKey:
    """A key as it stands in a file, without the spaces around it that its reader lets pass."""
    if text != text.strip():
        raise NoteError("There is space around the key.", "Take it away.")
    return VerifyKey.parse(text)


def _witness(folder: Path, note: Note) -> Parser:
    """A witness that begins anew each time. It may only cosign the text that was signed."""
    place = folder / "witness"
    place.mkdir()
    cosigner = SigningKey.make("witness.example/w1", b"w" * 32, COSIGNATURE)

    def takes(data: bytes) -> bool:
        for file in place.iterdir():
            file.unlink()
        return Witness(place, cosigner, [KEY.key], lambda: 1_775_000_000).add_checkpoint(data).status == 200

    sample = f"old 0\n\n{note}".encode()
    return Parser(sample, takes, lambda data: data if note.text.encode() in data else b"")


def _bundled(data: bytes) -> bytes:
    """A bundle that holds is worth the records in it: everything else may lie around them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read("log/records.jsonl")


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Some bytes with one to four changes: flipped, cut out, doubled, put in, swapped."""
    found = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(found) + 1)
        to = min(len(found), at + chance.randint(1, 12))
        match chance.randrange(5):
            case 0 if at < len(found):
                found[at] ^= 1 << chance.randrange(8)
            case 1:
                del found[at:to]
            case 2:
                found[at:at] = found[at:to]
            case 3:
                found[at:at] = chance.choice(_PIECES)
            case _:
                found[at:to] = chance.choice(_PIECES)
    return bytes(found)


def weigh(name: str, parser: Parser, data: bytes, told: Told, about: str) -> None:
    """Gives a parser some bytes."""
    try:
        if not parser.takes(data):
            return
        again = parser.again(data)
    except Exception as problem:  # noqa: BLE001 - an exception that is not the parser's own is what is looked for
        told.bad("alarms", f"{about}, {name}: {type(problem).__name__}: {ascii(str(problem))[:120]} for {data[:60]!r}")
        return
    if again != (_bundled(parser.sample) if name == "bundle" else data):
        told.bad("unnoticed", f"{about}, {name}: taken, though it would be written otherwise: {data[:60]!r}")


def anything(folder: Path, seed: int, each: int, until: Callable[[], bool] = lambda: False) -> Told:
    """Gives every parser changed samples.

    Args:
        folder: an empty folder.
        seed: of the changes.
        each: how many for each parser.
        until: whether to stop now.
    """
    told, chance = Told("parsers given anything (record, checkpoint, note, key, proof, witness, bundle)"), random.Random(seed)
    for name, parser in parsers(folder).items():
        assert parser.takes(parser.sample), name
        for number in range(each):
            if until():
                break
            weigh(name, parser, mutated(parser.sample, chance), told, f"seed {seed}, number {number}")
            told.injected += 1
    return told
