"""Between a draft, a record's canonical bytes, and the record."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring as _quoted
from typing import Any

from conformed_audit.encode import encode, fits, unchecked
from conformed_audit.errors import DraftError, NotCanonicalError
from conformed_audit.merkle import leaf_hash
from conformed_audit.ordinary import is_ordinary
from conformed_audit.record import HOMES, Actor, Authz, Failure, Item, Kind, Pins, Record, RecordDraft
from conformed_audit.shape import check_body, check_part, parse_body

__all__ = ["make_record", "parse_record", "record_of"]

_KINDS: dict[str, str] = {kind: kind.value for kind in Kind}
_SYSTEM_CASES = frozenset(HOMES.values())
_CASE_LENGTH = 200
_PLAIN = (str, int, bool)
_TEXTS = frozenset({str, type(None)})
_NULL = ("null", None)


def make_record(draft: RecordDraft, *, idx: int, log: str, cseq: int, prev: bytes, ts: str) -> Record:
    """The record of a draft at its place.

    Args:
        draft: what the caller says.
        idx: its place in the log.
        log: the deployment whose log it is.
        cseq: its number inside its case.
        prev: leaf of the record before it in its case.
        ts: the time, as records carry it.

    Raises:
        DraftError: for an unknown kind, or a case where this kind may not be.
        NotCanonicalError: for a value outside the profile, or a field of the wrong type.
    """
    home = HOMES.get(draft.kind, draft.case)
    kind = _KINDS.get(draft.kind)
    if kind is None:
        raise DraftError(f"{draft.kind!a} is no kind of record.", "Use a member of conformed_audit.Kind.")
    if draft.case != home or (draft.case.startswith("_") and draft.case not in _SYSTEM_CASES):
        raise DraftError(f"A {draft.kind} record may not stand in case {draft.case!a}.", "Names with _ are the log's own.")
    if not 0 < len(draft.case) <= _CASE_LENGTH:
        raise DraftError(f"A case's name has {len(draft.case)} characters.", f"Give 1 to {_CASE_LENGTH}.")
    quick = _ordinary(draft, idx, log, cseq, prev.hex(), ts, kind)
    if quick is not None:
        return quick
    body: dict[str, Any] = {
        "v": 1,
        "log": log,
        "case": draft.case,
        "cseq": cseq,
        "prev": prev.hex(),
        "ts": ts,
        "kind": kind,
        "run": draft.run,
        "step": draft.step,
        "attempt": draft.attempt,
        "idem": draft.idem,
        "actor": _plain(draft.actor),
        "pins": _plain(draft.pins),
        "input": [_item(item) for item in draft.input],
        "output": [_item(item) for item in draft.output],
        "sources": [_item(item) for item in draft.sources],
        "authz": draft.authz and _plain(draft.authz),
        "approval": None if draft.approval is None else dict(draft.approval),
        "error": draft.error and {"class": draft.error.class_, "code": draft.error.code},
        "note": draft.note,
    }
    data = encode(body)
    value = json.loads(data)
    check_body(value)
    return _build(idx, data, value)


def _ordinary(draft: RecordDraft, idx: int, log: str, cseq: int, prev: str, ts: str, kind: str) -> Record | None:
    """The record if nothing about it is out of the ordinary; None for doubt. It shares nothing with the draft that can change.

    Its bytes are put together from pieces that are right by themselves, and what `encode` would give for the whole
    (`conformed_audit.ordinary.is_ordinary` proves it, tests compare them).
    """
    texts = draft.case, draft.run, draft.step, draft.idem, draft.note
    if draft.approval is not None or type(draft.attempt) is not int or not _TEXTS.issuperset(map(type, texts)):
        return None
    case, run, step, idem, note = texts
    try:
        actor_text, actor = _shared("actor", draft.actor)
        pins_text, pins = _shared("pins", draft.pins)
        authz_text, authz = _NULL if draft.authz is None else _shared("authz", draft.authz)
        error_text, error = _NULL if draft.error is None else _shared("error", draft.error)
        inputs, outputs, sources = map(_items_text, (draft.input, draft.output, draft.sources))
        data = (
            f'{{"actor":{actor_text},"approval":null,"attempt":{draft.attempt},"authz":{authz_text},"case":{_quoted(case)},'
            f'"cseq":{cseq},"error":{error_text},"idem":{_text_or_null(idem)},"input":{inputs},"kind":"{kind}",'
            f'"log":{_quoted(log)},"note":{_text_or_null(note)},"output":{outputs},"pins":{pins_text},"prev":"{prev}",'
            f'"run":{_text_or_null(run)},"sources":{sources},"step":{_text_or_null(step)},"ts":"{ts}","v":1}}'
        ).encode()
    except (TypeError, ValueError):  # another type somewhere, or a lone surrogate: the long way says what it is
        return None
    if not is_ordinary(data, ts):
        return None
    return Record(
        case=case,
        kind=kind,
        actor=actor,
        run=run,
        step=step,
        attempt=draft.attempt,
        idem=idem,
        pins=pins,
        input=_own_items(draft.input),
        output=_own_items(draft.output),
        sources=_own_items(draft.sources),
        authz=authz,
        error=error,
        note=note,
        idx=idx,
        log=log,
        cseq=cseq,
        prev=prev,
        ts=ts,
        leaf=leaf_hash(data).hex(),
        body=data,
    )


def _text_or_null(text: str | None) -> str:
    return "null" if text is None else _quoted(text)


def _items_text(items: tuple[Item, ...]) -> str:
    if type(items) is not tuple:
        raise TypeError
    return f"[{','.join(map(_item_text, items))}]" if items else "[]"


def _item_text(item: Item) -> str:
    """An item as JSON.

    Raises:
        TypeError: for what JSON would hide: keys that are no text, numbers that are more than numbers.
        ValueError: for what cannot be written.
    """
    inline = item.inline
    if inline is None:
        middle = ""
    elif (type(inline) in _PLAIN or fits(inline, 4)) and (text := unchecked(inline)) is not None:
        middle = f',"inline":{text.decode()}'
    else:
        raise TypeError
    if not (type(item.bytes) is int and type(item.name) is type(item.commit) is type(item.media) is str):
        raise TypeError
    return f'{{"bytes":{item.bytes},"commit":{_quoted(item.commit)}{middle},"media":{_quoted(item.media)},"name":{_quoted(item.name)}}}'


@lru_cache(maxsize=256)
def _shared(name: str, part: Any) -> tuple[str, Any]:
    """A part that many records share, as canonical JSON and as a record has it.

    Raises:
        TypeError: where it cannot be looked up.
        ValueError: where it cannot be written, or is not right.
    """
    plain = {"class": part.class_, "code": part.code} if name == "error" else _plain(part)
    try:
        data = encode(plain)
        value = json.loads(data)
        check_part(name, value)
    except NotCanonicalError as problem:
        raise ValueError from problem
    return data.decode(), _PARTS[name](value)


def _own_items(items: tuple[Item, ...]) -> tuple[Item, ...]:
    return tuple(map(_own_item, items)) if items else ()


def _own_item(item: Item) -> Item:
    return item if item.inline is None else Item(item.name, item.commit, item.bytes, item.media, _own(item.inline))


def _own(value: Any) -> Any:
    """A copy of a value that `fits`, as JSON gives it back."""
    if type(value) is dict:
        return {key: _own(one) for key, one in value.items()}
    return list(map(_own, value)) if type(value) in {list, tuple} else value


def parse_record(idx: int, body: bytes) -> Record:
    """The record in some canonical bytes.

    Raises:
        NotCanonicalError: for bytes outside the profile, unknown or missing fields, or fields of the wrong type.
    """
    return _build(idx, body, parse_body(body))


def _build(idx: int, body: bytes, value: dict[str, Any]) -> Record:
    return record_of(idx, leaf_hash(body).hex(), value, body)


def record_of(idx: int, leaf: str, value: dict[str, Any], body: bytes = b"") -> Record:
    """The record with some fields, of which somebody else knows that they are right.

    Args:
        idx: its place.
        leaf: its name, hex.
        value: its fields, of the right shape.
        body: its bytes; empty where nobody asks for them.
    """
    error, authz, actor = value["error"], value["authz"], value["actor"]
    return Record(
        idx=idx,
        body=body,
        leaf=leaf,
        log=value["log"],
        case=value["case"],
        cseq=value["cseq"],
        prev=value["prev"],
        ts=value["ts"],
        kind=value["kind"],
        run=value["run"],
        step=value["step"],
        attempt=value["attempt"],
        idem=value["idem"],
        actor=_actor(actor),
        pins=_pins(value["pins"]),
        input=tuple(Item(**item) for item in value["input"]),
        output=tuple(Item(**item) for item in value["output"]),
        sources=tuple(Item(**item) for item in value["sources"]),
        authz=authz and _authz(authz),
        approval=value["approval"],
        error=error and _failure(error),
        note=value["note"],
    )


def _actor(value: dict[str, Any]) -> Actor:
    return Actor(**{**value, "roles": tuple(value["roles"])})


def _pins(value: dict[str, Any]) -> Pins:
    return Pins(**value)


def _authz(value: dict[str, Any]) -> Authz:
    return Authz(**{**value, "reasons": tuple(value["reasons"])})


def _failure(value: dict[str, Any]) -> Failure:
    return Failure(value["class"], value["code"])


_PARTS: dict[str, Callable[[dict[str, Any]], Any]] = {"actor": _actor, "authz": _authz, "error": _failure, "pins": _pins}


def _plain(part: Any) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.__slots__}


def _item(item: Item) -> dict[str, Any]:
    plain = _plain(item)
    if item.inline is None:
        del plain["inline"]
    return plain
