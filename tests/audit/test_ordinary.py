"""Reading an ordinary record by one expression never says yes where reading it in full says no, and never says another thing."""

from __future__ import annotations

import json
import random
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed_audit import JSON, Actor, Authz, Failure, Item, Kind, NotCanonicalError, Pins, RecordDraft, commitment
from conformed_audit.body import make_record
from conformed_audit.encode import MAX_BYTES, MAX_INT, encode
from conformed_audit.ordinary import OrdinaryReader
from conformed_audit.seen import Seen, read_body

TS = "2026-03-31T12:00:00.000000Z"
DIGEST = "sha256:" + "ab" * 32
MOVE: JSON = {"outcome": "accept", "seen": ["a", 1, None], "spent": {"tokens": -12, "wall_ms": 164}, "whole": True}
READER = OrdinaryReader()


def in_full(body: bytes) -> Seen | None:
    """What the full way makes of a body."""
    try:
        return read_body(body)
    except NotCanonicalError:
        return None


def agrees(body: bytes) -> bool:
    """Whether the quick way has nothing to say, or says what the full way says; both with a memory and without."""
    full = in_full(body)
    return all(quick is None or quick == full for quick in (READER.read(body), OrdinaryReader().read(body)))


def body_of(**fields: Any) -> bytes:
    """A record with every part that an ordinary one may have."""
    commit = commitment(b"x", None)
    return make_record(
        RecordDraft(**{
            "case": "case-a",
            "kind": Kind.STEP_OUTCOME,
            "actor": Actor("svc:engine", "engine", ("engine", "clerk"), "s-1", "p-1"),
            "run": "r-1",
            "step": "calculate",
            "attempt": 1,
            "idem": "key",
            "pins": Pins(engine="0.1.0", contract=DIGEST),
            "input": (Item("a", commit, 1, "text/plain"), Item("b", commit, 20, "text/plain", MOVE)),
            "output": (Item("c", commit, 0, "text/plain", {}), Item("d", commit, 7, "text/plain", "note {x}"[:4])),
            "sources": (Item("e", commit, 5, "text/plain", [1, "x"]), Item("f", commit, 5, "text/plain", 7)),
            "authz": Authz("allow", "role:engine", DIGEST, ("code",)),
            "error": Failure("TimeoutError", "review_step_failed"),
            "note": "Run begun.",
            **fields,
        }),
        idx=0, log="origin", cseq=3, prev=bytes(range(32)), ts=TS,
    ).body  # fmt: skip


WHOLE = body_of()
ORDINARY = {
    "everything": WHOLE,
    "nothing": body_of(
        run=None, step=None, idem=None, note=None, authz=None, error=None, input=(), output=(), sources=(), pins=Pins(), attempt=0
    ),
    "letters beyond ASCII": body_of(note="§ 7.1 – “Übernahme” €"),
    "braces outside lists": body_of(note="{}[]: {", case="{case}", run="}"),
    "another actor": body_of(actor=Actor("p-2", "person")),
    "delete": body_of(note="\x7f"),
}


@pytest.mark.parametrize("body", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_records_are_read_as_in_full(body: bytes) -> None:
    """What the log writes of a run is read the quick way, and each field is what the full way reads."""
    quick = OrdinaryReader().read(body)
    assert quick is not None
    assert quick == in_full(body)
    assert quick.whole == json.loads(body)


@pytest.mark.parametrize(
    "body",
    [
        body_of(note='a "quoted" word'),
        body_of(note="two\nlines"),
        body_of(approval={"subject": "ab"}),
        body_of(actor=Actor("svc:}", "engine")),
        body_of(input=(Item("a", DIGEST, 1, "text/plain", {"a": [[1]]}),)),
        body_of(input=(Item("a", DIGEST, 1, "text/plain", "}"),)),
        body_of(attempt=MAX_INT),
    ],
)
def test_other_records_are_left_to_the_full_way(body: bytes) -> None:
    """Escapes, approvals and deep content are right, and not read the quick way."""
    assert in_full(body) is not None
    assert READER.read(body) is None


WRONG: tuple[tuple[bytes, bytes], ...] = (
    (b'"attempt":1', b'"attempt":01'),
    (b'"attempt":1', b'"attempt":-0'),
    (b'"attempt":1', b'"attempt":-1'),
    (b'"attempt":1', b'"attempt":true'),
    (b'"attempt":1', b'"attempt":1.0'),
    (b'"attempt":1', b'"attempt":9007199254740992'),
    (b'"tokens":-12', b'"tokens":-0'),
    (b'"tokens":-12', b'"tokens":1e3'),
    (b'"outcome":"accept","seen"', b'"seen":"accept","outcome"'),
    (b'"outcome":"accept",', b'"outcome":"accept","outcome":"accept",'),
    (b'"spent":{"tokens":-12,"wall_ms":164}', b'"spent":{"wall_ms":164,"tokens":-12}'),
    (b'"spent":{"tokens":-12,"wall_ms":164}', b'"spent":{"tokens":-12,"tokens":-12}'),
    (b'"whole":true', b'"media":true'),
    (b'"whole":true}', b'"whole":true,"media":"x"}'),
    (b'"whole":true', b'"Whole":true'),
    (b'"inline":{}', b'"inline":{"inline":{"b":1,"a":1}}'),
    (b'"inline":{}', b'"inline":{"a":1,"media":2,"inline":{"x":1}}'),
    (b'"inline":{}', b'"inline":{"b":"{","a":"}"}'),
    (b'"inline":{},', b'"inline":{},"inline":{},'),
    (b'"roles":["engine","clerk"]', b'"roles":["engine",1]'),
    (b'"roles":["engine","clerk"]', b'"roles":"engine"'),
    (b'"session":"s-1"', b'"session":"s-1","team":"x"'),
    (b'"kind":"engine","on_behalf_of":"p-1"', b'"on_behalf_of":"p-1","kind":"engine"'),
    (b'"model":null', b'"model":1'),
    (b'"model":null,', b""),
    (b'"reasons":["code"]', b'"reasons":[null]'),
    (b'"class":"TimeoutError"', b'"class":null'),
    (b'"commit":"sha256:', b'"commit":"sha512:'),
    (b'"ts":"2026-03-31T12:00:00.000000Z"', b'"ts":"2026-03-31T12:00:00Z"'),
    (b'"v":1}', b'"v":2}'),
    (b'"v":1}', b'"v":1} '),
    (b'"v":1}', b'"v":1}\n'),
    (b'"note":"Run begun."', b'"note":"Run\tbegun."'),
    (b'"note":"Run begun."', b'"note":"Run\\u0020begun."'),
    (b'"note":"Run begun."', b'"note":"Run begun.\\"'),
    (b'"note":"Run begun."', b'"note":"\xff"'),
    (b'"note":"Run begun."', b'"note":"e\xcc\x81"'),
    (b'"note":"Run begun."', b'"note":"\xed\xa0\x80"'),
    (b'"note":"Run begun."', b'"note":"\xc2 \xa7"'),
    (b'"note":"Run begun."', b'"note":"' + b"x" * MAX_BYTES + b'"'),
    (b'"note":"Run begun."', b'"note":false'),
    (b'"case":"case-a"', b'"case":null'),
    (b'"prev":"0001', b'"prev":"0A01'),
)


@pytest.mark.parametrize(("part", "other"), WRONG)
def test_what_the_full_way_refuses_is_not_read_the_quick_way(part: bytes, other: bytes) -> None:
    """Every way to write a field that is nearly right is refused by both."""
    assert WHOLE.count(part) >= 1
    body = WHOLE.replace(part, other, 1)
    assert in_full(body) is None
    assert READER.read(body) is None
    assert OrdinaryReader().read(body) is None


def test_no_change_of_a_byte_tells_the_ways_apart() -> None:
    """Each byte of a full record removed, doubled, swapped with the next, and put for others: never yes where it should be no."""
    bits = random.Random(7)
    telling = [ord(one) for one in '"\\{}[],:0-1eEnt \n\x00\x7fZ'] + [0x80, 0xC3, 0xCC, 0xFF]
    for at in range(len(WHOLE)):
        before, byte, after = WHOLE[:at], WHOLE[at : at + 1], WHOLE[at + 1 :]
        others = [before + after, before + byte + byte + after, before + after[:1] + byte + after[1:]]
        others += [before + bytes([one]) + after for one in (*bits.sample(telling, 2), byte[0] ^ (1 << bits.randrange(8)))]
        for body in others:
            assert agrees(body), (at, body)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_splicing_of_pieces_tells_the_ways_apart(data: st.DataObject) -> None:
    """Pieces of records put for other pieces: what the quick way takes, the full way takes and reads alike."""
    bodies = list(ORDINARY.values())
    one, other = data.draw(st.sampled_from(bodies)), data.draw(st.sampled_from(bodies))
    cuts = [at for at, byte in enumerate(one) if byte in b'",:{}[]']
    cuts_there = [at for at, byte in enumerate(other) if byte in b'",:{}[]']
    start, end = sorted((data.draw(st.sampled_from(cuts)), data.draw(st.sampled_from(cuts))))
    first, last = sorted((data.draw(st.sampled_from(cuts_there)), data.draw(st.sampled_from(cuts_there))))
    assert agrees(one[:start] + other[first:last] + one[end:])


SCALARS = st.none() | st.booleans() | st.integers(-(10**16), 10**16) | st.text(max_size=6) | st.text('{}[]",:\\a', max_size=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abm_1", min_size=1, max_size=3), inner, max_size=4),
)


@given(VALUES, st.text(max_size=12), st.booleans())
@settings(deadline=None)
def test_any_content_is_read_alike(inline: Any, note: str, shuffled: bool) -> None:
    """Any copy of content and any note, its keys in order or not: the quick way takes only what the full way takes, and alike."""
    value = json.loads(WHOLE)
    value["input"][1]["inline"], value["note"] = inline, note
    body = json.dumps(value, sort_keys=not shuffled, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")
    assert agrees(body)


def test_text_below_the_combining_marks_is_in_nfc_whatever_stands_beside_it() -> None:
    """What the quick way takes for granted of U+0000 to U+02FF: nothing there decomposes, composes or reorders."""
    low = {chr(code) for code in range(0x300)}
    assert all(not unicodedata.combining(one) and unicodedata.normalize("NFC", one) == one for one in low)
    composed = (unicodedata.decomposition(chr(code)).split() for code in range(0x110000))
    assert not {chr(int(parts[1], 16)) for parts in composed if len(parts) == 2 and not parts[0].startswith("<")} & low


def test_what_is_shared_between_records_is_not_confused() -> None:
    """Actors, pins and authorisations that come and go are each record's own."""
    bodies = [
        body_of(actor=Actor(f"p-{n % 3}", "person"), pins=Pins(engine=str(n % 2)), authz=Authz("allow", str(n % 5), DIGEST))
        for n in range(30)
    ]
    reader = OrdinaryReader()
    for body in bodies:
        seen = reader.read(body)
        assert seen is not None
        assert encode(seen.whole) == body
        assert (seen.actor, seen.pins) == (seen.whole["actor"], seen.whole["pins"])


def test_keys_that_were_learnt_prove_nothing_of_other_keys() -> None:
    """After many records with the same keys, other keys, in order or not, are still looked at."""
    reader = OrdinaryReader()
    for _ in range(4):
        assert reader.read(WHOLE) is not None
    same = WHOLE.replace(b'"wall_ms":164', b'"wall_ms":"a, b"')
    assert reader.read(same) == in_full(same) is not None
    more = WHOLE.replace(b'"wall_ms":164', b'"wall_ms":164,"zeal":1')
    assert reader.read(more) == in_full(more) is not None
    for wrong in (
        b'"wall_ms":164,"tokens":1',
        b'"wall_ms":1,"wall_ms":1',
        b'"wall_ms":["]",1],"a":1',
        b'"wall_ms":{"b":1,"a":1}',
    ):
        body = WHOLE.replace(b'"wall_ms":164', wrong)
        assert in_full(body) is None
        assert reader.read(body) is None


@given(
    st.lists(
        st.dictionaries(st.text("abm_1", min_size=1, max_size=2), SCALARS | st.lists(SCALARS), max_size=3), min_size=3, max_size=8
    )
)
@settings(deadline=None, max_examples=60)
def test_what_came_before_changes_nothing(inlines: list[Any]) -> None:
    """One reader over records with copies of content that come and go, each twice so that keys are learnt, in and out of order."""
    reader = OrdinaryReader()
    value = json.loads(WHOLE)
    for inline in inlines:
        for keys in (sorted(inline), sorted(inline), sorted(inline, reverse=True)):
            value["input"][1]["inline"] = {key: inline[key] for key in keys}
            body = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")
            quick = reader.read(body)
            assert quick is None or quick == in_full(body)


def test_strange_records_are_bounded() -> None:
    """Hundreds of keys, or an actor of thousands of characters, are left to the full way, which takes them."""
    many = {f"k{n:03d}": n for n in range(200)}
    for body in (body_of(output=(Item("x", DIGEST, 1, "text/plain", many),)), body_of(actor=Actor("p" * 3_000, "person"))):
        assert READER.read(body) is None
        assert in_full(body) is not None
