"""Drafts, bytes and records."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import IntEnum
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed_audit import (
    Actor,
    Authz,
    DraftError,
    Failure,
    Item,
    Kind,
    NotCanonicalError,
    Pins,
    RecordDraft,
    commitment,
    encode,
)
from conformed_audit import body as body_module
from conformed_audit.body import make_record, parse_record

TS = "2026-03-31T12:00:00.000000Z"
Draft = Callable[..., RecordDraft]


def bytes_of(draft: RecordDraft) -> bytes:
    """A draft's bytes at the start of its case."""
    return make_record(draft, idx=0, log="origin", cseq=0, prev=bytes(32), ts=TS).body


def test_a_record_holds_every_field_and_nothing_else(draft: Draft) -> None:
    """The set of fields is fixed, so one record has one form; absent ones are null."""
    value = json.loads(bytes_of(draft()))
    assert " ".join(value) == (
        "actor approval attempt authz case cseq error idem input kind log note output pins prev run sources step ts v"
    )
    assert value["authz"] is None
    assert value["prev"] == "0" * 64


def test_the_bytes_of_format_1_never_change() -> None:
    """A golden record: logs written today must verify for ever, so these bytes are fixed."""
    golden = (
        b'{"actor":{"id":"svc:engine","kind":"engine","on_behalf_of":null,"roles":[],"session":null},"approval":null,"attempt":0,'
        b'"authz":null,"case":"case-a","cseq":0,"error":null,"idem":null,"input":[],"kind":"case.opened","log":"origin",'
        b'"note":null,"output":[],"pins":{"contract":null,"engine":null,"model":null,"plugins":null,"policy":null,"prompt":null,'
        b'"schema":null},"prev":"' + b"0" * 64 + b'","run":null,"sources":[],"step":null,'
        b'"ts":"2026-03-31T12:00:00.000000Z","v":1}'
    )
    assert bytes_of(RecordDraft(case="case-a", kind=Kind.CASE_OPENED, actor=Actor("svc:engine", "engine"))) == golden


def test_the_leaf_is_the_rfc_leaf_of_the_exact_bytes(draft: Draft) -> None:
    """A record's name is SHA-256 of a zero byte and its bytes."""
    body = bytes_of(draft())
    assert parse_record(0, body).leaf == sha256(b"\x00" + body).hexdigest()


def test_every_part_comes_back(draft: Draft) -> None:
    """A draft that uses every field is the record's draft again."""
    item = Item("x", commitment(b"x", None), 1, "text/plain")
    full = draft(
        idem="key",
        input=(item,),
        sources=(item, item),
        authz=Authz("allow", "role:engine", "sha256:" + "0" * 64, ("code",)),
        approval={"subject": "ab", "role": "credit"},
        error=Failure("TimeoutError", "review_step_failed"),
    )
    body = bytes_of(full)
    record = parse_record(7, body)
    for name in RecordDraft.__dataclass_fields__:
        assert getattr(record, name) == getattr(full, name)
    assert (record.idx, record.cseq, record.log, record.ts, record.body) == (7, 0, "origin", TS, body)
    assert make_record(full, idx=7, log="origin", cseq=0, prev=bytes(32), ts=TS) == record


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "step.finished"},
        {"case": ""},
        {"case": "x" * 201},
        {"case": "_mine"},
        {"kind": Kind.ACCESS_DENIED},
        {"kind": Kind.CONFIG_CHANGED, "case": "_access"},
        {"kind": Kind.LOG_HEADS, "case": "case-a"},
    ],
    ids=str,
)
def test_records_that_do_not_belong_are_refused(fields: dict[str, Any], draft: Draft) -> None:
    """Unknown kinds, and kinds outside the case that is their home, are refused."""
    with pytest.raises(DraftError):
        bytes_of(draft(**fields))


def test_a_system_case_takes_other_kinds(draft: Draft) -> None:
    """A replay, for one, is recorded in a case of the log's own, so that it never writes to the case replayed."""
    assert json.loads(bytes_of(draft("_access", Kind.REPLAY_RUN)))["case"] == "_access"


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"attempt": -1}, "attempt"),
        ({"attempt": True}, "attempt"),
        ({"note": 5}, "note"),
        ({"note": "a\x00"}, "note"),
        ({"output": (Item("x", "sha256:xyz", 1, "text/plain"),)}, "output[0].commit"),
        ({"output": (Item("x", commitment(b"", None), -1, "text/plain"),)}, "output[0].bytes"),
        ({"input": (Item("x", commitment(b"", None), 0, "text/plain", {"ratio": 3.5}),)}, "input[0].inline.ratio"),  # type: ignore[dict-item]
        ({"approval": {"Role": "x"}}, "approval.Role"),
    ],
    ids=str,
)
def test_fields_of_the_wrong_type_are_refused(fields: dict[str, Any], place: str, draft: Draft) -> None:
    """A wrong field is refused before it is written, and named."""
    with pytest.raises(NotCanonicalError) as refused:
        bytes_of(draft(**fields))
    assert refused.value.place == place


def test_long_records_are_refused(draft: Draft) -> None:
    """More than 16 KiB belongs into a blob, and the message says so."""
    with pytest.raises(NotCanonicalError, match="blob"):
        bytes_of(draft(note="x" * 16_384))


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value | {"extra": 1},
        lambda value: {name: item for name, item in value.items() if name != "note"},
        lambda value: value | {"v": 2},
        lambda value: value | {"v": True},
        lambda value: value | {"prev": "0" * 63},
        lambda value: value | {"ts": "2026-03-31T12:00:00Z"},
        lambda value: value | {"actor": None},
        lambda value: value | {"actor": value["actor"] | {"name": "J. Smith"}},
        lambda value: value | {"pins": {}},
        lambda value: value | {"input": [1]},
        lambda value: value | {"error": {"class": "X"}},
        lambda value: value | {"authz": {"decision": "allow", "rule": "", "policy": "", "reasons": [1]}},
        lambda value: [value],
    ],
)
def test_bytes_of_another_shape_are_refused(change: Callable[[Any], Any], draft: Draft) -> None:
    """Canonical JSON that is no record of this version is refused: unknown, missing and mistyped fields."""
    value = json.loads(bytes_of(draft()))
    assert parse_record(0, encode(value))
    with pytest.raises(NotCanonicalError):
        parse_record(0, encode(change(value)))


class Grade(IntEnum):
    """A number that is more than a number."""

    ONE = 1


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"output": (Item("x", commitment(b"", None), 0, "text/plain", {None: 1}),)}, "output[0].inline.<NoneType>"),  # type: ignore[dict-item]
        ({"output": (Item("x", commitment(b"", None), 0, "text/plain", {True: 1}),)}, "output[0].inline.<bool>"),  # type: ignore[dict-item]
        ({"output": (Item("x", commitment(b"", None), 0, "text/plain", Grade.ONE),)}, "output[0].inline"),
        ({"output": (Item("x", commitment(b"", None), Grade.ONE, "text/plain"),)}, "output[0].bytes"),
        ({"attempt": Grade.ONE}, "attempt"),
        ({"note": "\ud800"}, "note"),
    ],
    ids=str,
)
def test_what_json_would_write_as_something_else_is_refused(fields: dict[str, Any], place: str, draft: Draft) -> None:
    """Keys and numbers whose bytes would look right, and are not what was given, are refused although their bytes are ordinary."""
    with pytest.raises(NotCanonicalError) as refused:
        bytes_of(draft(**fields))
    assert refused.value.place == place


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-5, 5) | st.text('a{}"\u00e9', max_size=3),
        lambda inner: st.lists(inner, max_size=2) | st.tuples(inner) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
        max_leaves=6,
    ),
    st.text(max_size=5),
)
def test_a_record_is_the_one_in_its_bytes_and_shares_nothing_that_changes(inline: Any, note: str) -> None:
    """Whichever way a draft is written: the record handed out is the one that its bytes give, and holds no list or dict of the draft."""
    item = Item("x", commitment(b"", None), 0, "text/plain", inline)
    draft = RecordDraft(case="case-a", kind=Kind.CASE_OPENED, actor=Actor("p-1", "person", ("a",)), output=(item,), note=note)
    try:
        record = make_record(draft, idx=3, log="origin", cseq=0, prev=bytes(32), ts=TS)
    except NotCanonicalError:
        return
    assert record == parse_record(3, record.body)
    assert record.body == encode(json.loads(record.body))
    assert not isinstance(inline, list | dict) or record.output[0].inline is not inline


_WORDS = st.none() | st.text('ab\u00e9}{,:"\\\n\u0301', max_size=4)


@given(st.builds(Actor, st.text("a}\u00e9", max_size=3), st.text(max_size=2), st.lists(st.text(max_size=2), max_size=2).map(tuple)),
       st.builds(Pins, engine=_WORDS, contract=_WORDS), _WORDS, _WORDS, _WORDS, st.booleans(), st.integers(-1, 2**60))  # fmt: skip
def test_both_ways_of_writing_a_record_agree(
    actor: Actor, pins: Pins, run: Any, step: Any, note: Any, denied: bool, attempt: int
) -> None:
    """A draft that is put together from its pieces gives the record, or the refusal, that the whole object gives."""
    authz = Authz("deny", "r", "sha256:" + "0" * 64, ("code",)) if denied else None
    error = Failure("TimeoutError", "code") if denied else None
    draft = RecordDraft(
        case="case-a", kind=Kind.STEP_FAILED, actor=actor, pins=pins, run=run, step=step, note=note, authz=authz, error=error,
        attempt=attempt,
    )  # fmt: skip

    def made() -> Any:
        try:
            return make_record(draft, idx=3, log="origin", cseq=0, prev=bytes(32), ts=TS)
        except NotCanonicalError as refusal:
            return str(refusal)

    quick = made()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(body_module, "is_ordinary", lambda _body, _ts: False)
        assert made() == quick


@pytest.mark.parametrize(
    "fields",
    [
        {"actor": Actor(3, "person")},  # type: ignore[arg-type]
        {"actor": Actor("p-1", "person", (None,))},  # type: ignore[arg-type]
        {"actor": Actor("p-1", "person", "ab")},  # type: ignore[arg-type]
        {"pins": Pins(engine=True)},  # type: ignore[arg-type]
        {"authz": Authz("allow", "r", None)},  # type: ignore[arg-type]
        {"error": Failure("TimeoutError", 1)},  # type: ignore[arg-type]
    ],
)
def test_parts_of_the_wrong_type_are_refused(fields: dict[str, Any], draft: Draft) -> None:
    """A part that many records share is looked at as closely as the rest, the second time as well."""
    for _ in range(2):
        with pytest.raises(NotCanonicalError):
            bytes_of(draft(**fields))
