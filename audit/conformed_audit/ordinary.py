r"""An ordinary record's bytes, proved canonical and of the right shape by one expression, without reading them as JSON.

Nearly every record is like the one before it: no escapes, no approval, small copies of content. For those a regular
expression of the fixed shape is the proof. The body is a row of pieces, in the one order that is canonical, and each piece
is matched in its one canonical form, so whatever matches is what `conformed_audit.encode.encode` would write. Without a
backslash anywhere, a quotation mark begins or ends a string and nothing else, so no string can pass for structure.

This only ever says yes. A record that is not ordinary is read by `conformed_audit.seen.read_body`, which refuses and says why.
"""

from __future__ import annotations

import re
import unicodedata
from binascii import unhexlify
from functools import lru_cache
from typing import Any

from conformed_audit.encode import MAX_BYTES, decode
from conformed_audit.errors import NotCanonicalError
from conformed_audit.seen import Seen
from conformed_audit.shape import check_part

__all__ = ["OrdinaryReader", "is_ordinary"]

_PLAIN = bytes(one for one in range(0x20, 0x80) if one != 0x5C)
"""ASCII without controls and backslash."""
_BEYOND = bytes(range(0x80, 0x100))
"""Bytes of characters beyond ASCII."""
_EARLY = bytes(range(0x80, 0xCC))
"""Bytes of characters from U+0080 to U+02FF, of which text in NFC may hold any, beside any other."""

_INT = r"(?:0|[1-9][0-9]{0,14})"
_STR = r'"[^"]*+"'
_BARE = r'"[^"{}]*+"'  # inside lists, so that every brace there is structure
_KEY = r'"[a-z][a-z0-9_]*+":'
_OBJECT = r"\{[^}]*+\}"


def _many(one: str) -> str:
    return f"(?:{one}(?:,{one})*+)?+"


_SCALAR = rf"(?:{_BARE}|{_INT}|-[1-9][0-9]{{0,14}}|true|false|null)"
_LIST = rf"\[{_many(_SCALAR)}\]"
_FLAT = rf"\{{{_many(rf'{_KEY}(?:{_SCALAR}|{_LIST})')}\}}"
_DEEP = rf"\{{{_many(rf'{_KEY}(?:{_SCALAR}|{_LIST}|{_FLAT})')}\}}"
_ITEM = (
    rf'\{{"bytes":{_INT},"commit":"sha256:[0-9a-f]{{64}}",'
    rf'(?:"inline":(?:{_SCALAR}|{_LIST}|{_DEEP}),)?+"media":{_BARE},"name":{_BARE}\}}'
)
_ITEMS = rf"\[({_many(_ITEM)})\]"
_TEXT = r'"([^"]*+)"'
_TEXT_OR_NONE = rf"(?:null|{_TEXT})"
_BODY = re.compile(
    (
        rf'\{{"actor":({_OBJECT}),"approval":null,"attempt":({_INT}),"authz":(?:null|({_OBJECT})),"case":{_TEXT},"cseq":({_INT}),'
        rf'"error":(?:null|({_OBJECT})),"idem":{_TEXT_OR_NONE},"input":{_ITEMS},"kind":{_TEXT},"log":{_TEXT},'
        rf'"note":{_TEXT_OR_NONE},"output":{_ITEMS},"pins":({_OBJECT}),"prev":"([0-9a-f]{{64}})","run":{_TEXT_OR_NONE},'
        rf'"sources":{_ITEMS},"step":{_TEXT_OR_NONE},'
        rf'"ts":{_TEXT},"v":1\}}'
    ).encode()
)
_VALUE = rb'(?:"[^"]*+"|[^"{}\[\],]++|\[[^\]{}]*+\])'
"""A value without an object in it, of text that is known to be in the grammar."""
_MOST_MARKS, _MOST_LEARNT, _MOST_PART = 64, 64, 2_048
"""Bounds, so that no log takes much memory or time by being strange: what is beyond them is read in full."""
_NEVER = re.compile(rb"(?!)")
_TIME = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_MARKS = re.compile(rf"{_KEY}|[{{}}]".encode())
_new = tuple.__new__


class OrdinaryReader:
    """Reads ordinary records, and remembers the parts of the last one, which the next one mostly shares."""

    def __init__(self) -> None:
        self._actor_text = self._pins_text = self._authz = self._ts = b""
        self._actor: dict[str, Any] = {}
        self._actor_id = b""
        self._pins: dict[str, Any] = {}
        self._same_keys = _NEVER
        self._marks: tuple[bytes, ...] = ()
        self._learnt = 0

    def read(self, body: bytes) -> Seen | None:
        """The fields of an ordinary record; None for every other, right or wrong.

        Args:
            body: a record's bytes.
        """
        found = _BODY.fullmatch(body)
        if found is None or not _is_plain(body):
            return None
        (actor, attempt, authz, case, cseq, error, idem, inputs, kind, log, note, outputs, pins, prev, run, sources, step,
         ts) = found.groups()  # fmt: skip
        if (
            (actor != self._actor_text and not self._take_actor(actor))
            or (pins != self._pins_text and not self._take_pins(pins))
            or (authz is not None and authz != self._authz and not self._take_authz(authz))
            or (ts != self._ts and not self._take_time(ts))
            or (error is not None and _part("error", error) is None)
        ):
            return None
        for items in (inputs, outputs, sources):
            if b'"inline":{' in items and not self._in_order(items):
                return None
        number = int(cseq)
        return _new(
            Seen,
            (
                (case, number, case, number, kind, ts, self._actor_id, idem, unhexlify(prev)),
                case.decode(),
                number,
                kind.decode(),
                ts.decode(),
                log.decode(),
                None if run is None else run.decode(),
                None if step is None else step.decode(),
                int(attempt),
                None if idem is None else idem.decode(),
                None if note is None else note.decode(),
                self._actor,
                self._pins,
                body,
            ),
        )

    def _in_order(self, items: bytes) -> bool:
        """Whether the keys of every object inside some items stand in order; the items' own are known to."""
        for text in items.split(b'"inline":{')[1:]:
            if self._same_keys.match(text) is None:
                end = text.rfind(b',"media":')  # of this item or of a later one
                marks = tuple(_MARKS.findall(text, 0, end)) if end >= 0 else ()
                if len(marks) > _MOST_MARKS or not _keys_in_order(marks):
                    return False
                self._learn(marks)
        return True

    def _learn(self, marks: tuple[bytes, ...]) -> None:
        """When the same keys came twice running, they are looked for first; making the expression is dear, so not for ever."""
        if marks == self._marks and self._learnt < _MOST_LEARNT:
            self._same_keys = _form_of(marks)
            self._learnt += 1
        self._marks = marks

    def _take_actor(self, text: bytes) -> bool:
        part = _part("actor", text)
        if part is None:
            return False
        self._actor_text, self._actor, self._actor_id = text, part, part["id"].encode()
        return True

    def _take_pins(self, text: bytes) -> bool:
        part = _part("pins", text)
        if part is None:
            return False
        self._pins_text, self._pins = text, part
        return True

    def _take_authz(self, text: bytes) -> bool:
        if _part("authz", text) is None:
            return False
        self._authz = text
        return True

    def _take_time(self, text: bytes) -> bool:
        if _TIME.fullmatch(text) is None:
            return False
        self._ts = text
        return True


def is_ordinary(body: bytes, ts: str) -> bool:
    """Whether bytes that were put together from a draft are those of an ordinary record.

    Args:
        body: the bytes; whoever made them knows that actor, pins, authorisation and error are right, and that the keys inside
            content stand in order.
        ts: the time in them.
    """
    return _BODY.fullmatch(body) is not None and _is_plain(body) and _TIME.fullmatch(ts.encode()) is not None


def _is_plain(body: bytes) -> bool:
    """Whether some bytes are surely short enough, and text in NFC without a control character or a backslash."""
    strange = body.translate(None, _PLAIN)
    if strange:
        if strange.translate(None, _BEYOND):
            return False
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return False
        if strange.translate(None, _EARLY) and not unicodedata.is_normalized("NFC", text):
            return False
    return len(body) <= MAX_BYTES


@lru_cache(maxsize=128)
def _part(name: str, text: bytes) -> dict[str, Any] | None:
    """A part that many records share; None where it is not right, or too long to be kept."""
    if len(text) > _MOST_PART:
        return None
    try:
        value: dict[str, Any] = decode(text)
        check_part(name, value)
    except NotCanonicalError:
        return None
    return value


@lru_cache(maxsize=128)
def _keys_in_order(marks: tuple[bytes, ...]) -> bool:
    """Whether the keys of an object, and of every object inside it, stand in order, none twice.

    Args:
        marks: keys and braces in the order of its text, but for its first brace; what follows its last brace counts for nothing.
    """
    above: list[bytes] = []
    last = b""
    for mark in marks:
        if mark == b"{":
            above.append(last)
            last = b""
        elif mark == b"}":
            if not above:
                return True
            last = above.pop()
        else:
            key = mark[1:-2]
            if key <= last:
                return False
            last = key
    return False


def _form_of(marks: tuple[bytes, ...]) -> re.Pattern[bytes]:
    """What matches an object with just these keys, which stand in order, when its text is known to be in the grammar."""
    form, comma, depth = b"", b"", 1
    for mark in marks:
        if mark == b"{":
            form, comma, depth = form.removesuffix(_VALUE) + rb"\{", b"", depth + 1
        elif mark == b"}":
            form, comma, depth = form + rb"\}", b",", depth - 1
            if not depth:
                break
        else:
            form, comma = form + comma + mark + _VALUE, b","
    return re.compile(form + rb',"media":')
