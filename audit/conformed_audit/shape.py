"""The fixed shape of a record's object: which fields, of which type. Checked when written and again when read."""

from __future__ import annotations

import re
from typing import Any

from conformed_audit.encode import MAX_INT, decode, fits
from conformed_audit.errors import NotCanonicalError

__all__ = ["check_body", "check_part", "parse_body"]

_HASH = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"sha256:[0-9a-f]{64}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")


_NONE: type = type(None)
_TEXT = frozenset({str})
_TEXT_OR_NONE = frozenset({str, _NONE})
_COUNT = frozenset({int})
_LIST = frozenset({list})
_OBJECT = frozenset({dict})
_OBJECT_OR_NONE = frozenset({dict, _NONE})
_ANY = frozenset({str, int, bool, list, dict, _NONE})
_Shape = dict[str, frozenset[type]]

_ACTOR: _Shape = {"id": _TEXT, "kind": _TEXT, "roles": _LIST, "session": _TEXT_OR_NONE, "on_behalf_of": _TEXT_OR_NONE}
_PINS: _Shape = dict.fromkeys(("engine", "contract", "policy", "plugins", "model", "prompt", "schema"), _TEXT_OR_NONE)
_AUTHZ: _Shape = {"decision": _TEXT, "rule": _TEXT, "policy": _TEXT, "reasons": _LIST}
_ERROR: _Shape = {"class": _TEXT, "code": _TEXT}
_ITEM: _Shape = {"name": _TEXT, "commit": _TEXT, "bytes": _COUNT, "media": _TEXT}
_FULL_ITEM: _Shape = {**_ITEM, "inline": _ANY}
_BODY: _Shape = {
    "v": _COUNT,
    "log": _TEXT,
    "case": _TEXT,
    "cseq": _COUNT,
    "prev": _TEXT,
    "ts": _TEXT,
    "kind": _TEXT,
    "run": _TEXT_OR_NONE,
    "step": _TEXT_OR_NONE,
    "attempt": _COUNT,
    "idem": _TEXT_OR_NONE,
    "actor": _OBJECT,
    "pins": _OBJECT,
    "input": _LIST,
    "output": _LIST,
    "sources": _LIST,
    "authz": _OBJECT_OR_NONE,
    "approval": _OBJECT_OR_NONE,
    "error": _OBJECT_OR_NONE,
    "note": _TEXT_OR_NONE,
}
_PARTS: dict[str, tuple[_Shape, str | None]] = {
    "actor": (_ACTOR, "roles"),
    "pins": (_PINS, None),
    "authz": (_AUTHZ, "reasons"),
    "error": (_ERROR, None),
}
"""Parts by name, each with the field that is a list of texts."""
_KNOWN: dict[int, set[tuple[Any, ...]]] = {
    id(shape): set() for shape in (_ACTOR, _PINS, _AUTHZ, _ERROR, _ITEM, _FULL_ITEM, _BODY)
}
"""Keys and types that were found right before, by shape: nearly every record looks like one before it."""
_MOST_KNOWN = 1_000
_RIGHT: dict[str, Any] = {}
"""The last actor, pins and authorisation that were found right: they hold text and None only, so that what is equal is right."""


def parse_body(data: bytes) -> dict[str, Any]:
    """The object in a record's bytes, of the right shape.

    Raises:
        NotCanonicalError: for bytes outside the profile, or an object of another shape.
    """
    shaped = False

    def fitting(value: Any) -> bool:
        nonlocal shaped
        try:
            check_body(value)
        except NotCanonicalError:
            return False
        shaped = True
        return _free_parts_fit(value)

    value = decode(data, fitting=fitting)
    if not shaped:
        check_body(value)
    return value  # type: ignore[no-any-return]  # check_body refuses everything but a dict


def _free_parts_fit(value: dict[str, Any]) -> bool:
    """Of an object of the right shape: whether its integers, and the parts that may be any JSON, are in the profile."""
    if value["cseq"] > MAX_INT or value["attempt"] > MAX_INT or not (value["approval"] is None or fits(value["approval"], 2)):
        return False
    for name in ("input", "output", "sources"):
        for item in value[name]:
            if item["bytes"] > MAX_INT or not ("inline" not in item or _free(item["inline"])):
                return False
    return True


def _free(value: Any) -> bool:
    return value is None or type(value) is str or fits(value, 4)


def check_body(value: Any) -> None:
    """Refuses an object, as read from JSON, that has not exactly the fields of a record, each of its type.

    Raises:
        NotCanonicalError: naming the field.
    """
    _exact(value, _BODY, "")
    for name in ("actor", "pins", "authz"):
        part = value[name]
        if part is not None and part != _RIGHT.get(name):
            check_part(name, part)
            _RIGHT[name] = part
    if value["error"] is not None:
        check_part("error", value["error"])
    for name in ("input", "output", "sources"):
        for at, item in enumerate(value[name]):
            _item(item, f"{name}[{at}]")
    for right, name in (
        (value["v"] == 1, "v"),
        (value["cseq"] >= 0, "cseq"),
        (value["attempt"] >= 0, "attempt"),
        (_HASH.fullmatch(value["prev"]), "prev"),
        (_TIME.fullmatch(value["ts"]), "ts"),
    ):
        if not right:
            raise NotCanonicalError("a value of the wrong form.", place=name)


def check_part(name: str, value: Any) -> None:
    """Refuses a part of a record, as read from JSON, that has not exactly its fields.

    Args:
        name: actor, pins, authz or error.
        value: the part.

    Raises:
        NotCanonicalError: naming the field.
    """
    shape, texts = _PARTS[name]
    _exact(value, shape, name)
    if texts is not None:
        _texts(value[texts], f"{name}.{texts}")


def _exact(value: Any, shape: _Shape, place: str) -> None:
    if type(value) is not dict:
        raise NotCanonicalError("not an object.", place=place)
    known, form = _KNOWN[id(shape)], (*value, *map(type, value.values()))
    if form in known:
        return
    if value.keys() != shape.keys():
        for name in sorted(value.keys() - shape.keys()):
            raise NotCanonicalError(f"an unknown field {name!a}.", "It may come from a later version.", place=place)
        for name in sorted(shape.keys() - value.keys()):
            raise NotCanonicalError(f"the field {name!r} is missing.", place=place)
    for name, item in value.items():
        if type(item) not in shape[name]:
            raise NotCanonicalError("a value of the wrong type.", place=f"{place}.{name}" if place else name)
    if len(known) < _MOST_KNOWN:
        known.add(form)


def _texts(values: list[Any], place: str) -> None:
    for value in values:
        if type(value) is not str:
            raise NotCanonicalError("something other than text in the list.", place=place)


def _item(item: Any, place: str) -> None:
    _exact(item, _FULL_ITEM if type(item) is dict and "inline" in item else _ITEM, place)
    if item["bytes"] < 0:
        raise NotCanonicalError("a negative length.", place=f"{place}.bytes")
    if not _COMMIT.fullmatch(item["commit"]):
        raise NotCanonicalError("not sha256: and 64 hex digits.", place=f"{place}.commit")
