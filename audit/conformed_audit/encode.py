"""The canonical profile: one value, one sequence of bytes. A strict subset of RFC 8785.

Objects with keys ``[a-z][a-z0-9_]*``; strings in NFC without lone surrogates or control characters other than newline
and tab; integers within plus or minus 2^53 - 1; true, false, null; arrays. No floats, ever: decimals travel as strings
with their scale (`decimal_text`), times as UTC strings with six fraction digits (`time_text`).

Keys are ASCII, so sorting by code point equals RFC 8785's sorting by UTF-16 unit, and any RFC 8785 tool gives the same
bytes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

from conformed_audit.errors import NotCanonicalError

__all__ = ["JSON", "MAX_BYTES", "MAX_DEPTH", "MAX_INT", "decimal_text", "decode", "encode", "fits", "time_text", "unchecked"]

JSON: TypeAlias = "bool | int | str | Sequence[JSON] | Mapping[str, JSON] | None"
"""A value of the profile."""
MAX_BYTES = 16 * 1024
"""Longest record, in bytes. Larger things are blobs."""
MAX_DEPTH = 16
"""Deepest nesting; the outermost object or array is at depth 1."""
MAX_INT = 2**53 - 1
"""Largest magnitude of an integer: what every JSON reader keeps exactly."""

_KEY = re.compile(r"[a-z][a-z0-9_]*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_ESCAPED = re.compile(r"\\[bfru]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False)


class _Refused(Exception):  # noqa: N818 - a signal inside this module, never seen outside
    """Carries a refusal upwards while the path to it is collected."""

    def __init__(self, found: str, mend: str) -> None:
        self.found, self.mend = found, mend
        self.path: list[str | int] = []

    def error(self) -> NotCanonicalError:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in reversed(self.path))
        return NotCanonicalError(self.found, self.mend, place=place.removeprefix("."))


def fits(value: Any, depth: int = 1) -> bool:
    """Whether types, keys, integers and depth of a value are surely right. Doubt is False: `encode` then looks and says why.

    Args:
        value: the value.
        depth: how deep it stands, from 1.
    """
    return _fits(value, depth)


def encode(value: JSON, *, limit: int | None = MAX_BYTES, fitting: Callable[[Any], bool] = fits) -> bytes:
    """The canonical bytes of a value.

    Args:
        value: dicts, lists or tuples, strings, integers, booleans and None.
        limit: longest result in bytes; None for no limit.
        fitting: a quicker `fits` for values of a shape that is known.

    Raises:
        NotCanonicalError: for anything outside the profile, naming the place.
    """
    try:
        if not fitting(value):
            _check(value, 1)
        text = _ENCODER.encode(value)
        if not _strings_fit(text):
            _check_strings(value)
        data = text.encode()
    except UnicodeEncodeError:
        raise _surrogate(value) from None
    except _Refused as refused:
        raise refused.error() from None
    if limit is not None and len(data) > limit:
        raise NotCanonicalError(f"{len(data):,} bytes, but at most {limit:,} are allowed.", "Put long content into a blob.")
    return data


def unchecked(value: Any) -> bytes | None:
    """What `encode` would give for a value if it is in the profile, which somebody else then has to prove; None for doubt."""
    try:
        return _ENCODER.encode(value).encode()
    except (TypeError, ValueError, RecursionError):  # other types; lone surrogates, NaN; a value inside itself
        return None


def decode(data: bytes, *, limit: int | None = MAX_BYTES, fitting: Callable[[Any], bool] = fits) -> Any:
    """The value of canonical bytes; only the exact bytes that `encode` would give are accepted.

    Args:
        data: the bytes as stored.
        limit: longest input in bytes; None for no limit.
        fitting: a quicker `fits` for values of a shape that is known.

    Raises:
        NotCanonicalError: for bytes that are not JSON, not in the profile, or not its canonical form.
    """
    if limit is not None and len(data) > limit:
        raise NotCanonicalError(f"{len(data):,} bytes, but at most {limit:,} are allowed.")
    try:
        text = data.decode()
        value = _DECODER.decode(text)
    except UnicodeDecodeError as problem:
        raise NotCanonicalError(f"byte {problem.start} is not UTF-8.") from None
    except _Refused as refused:
        raise refused.error() from None
    except json.JSONDecodeError as problem:
        raise NotCanonicalError(f"not JSON at character {problem.pos}: {problem.msg}.") from None
    except (ValueError, RecursionError):  # an integer of thousands of digits; thousands of open brackets
        raise NotCanonicalError("a number or a nesting beyond every limit of the profile.") from None
    again = encode(value, limit=None, fitting=fitting)
    if again != data:
        _explain(text, data, again)
    return value


def decimal_text(value: Decimal) -> str:
    """A decimal as the profile writes it: plain digits, scale kept (``3.50`` stays ``3.50``).

    Raises:
        NotCanonicalError: for NaN, infinities and anything that is not a Decimal.
    """
    if not isinstance(value, Decimal) or not value.is_finite():
        raise NotCanonicalError("not a finite decimal number.", "Give a Decimal; floats are never accepted.")
    return f"{value:f}"


def time_text(moment: datetime) -> str:
    """A time as the profile writes it: UTC, exactly six fraction digits, Z.

    Raises:
        NotCanonicalError: for a datetime without a time zone.
    """
    if moment.tzinfo is not UTC:
        if moment.tzinfo is None or moment.utcoffset() is None:
            raise NotCanonicalError("a time without a time zone.", "Give an aware datetime, such as datetime.now(UTC).")
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


_PLAIN = frozenset({str, bool, type(None)})


@lru_cache(maxsize=1024)
def _keys_fit(keys: tuple[Any, ...]) -> bool:
    return all(isinstance(key, str) and _KEY.fullmatch(key) for key in keys)


def _fits(value: Any, depth: int) -> bool:
    """Whether types, keys, integers and depth are surely right. When not sure, `_check` looks again and says why."""
    kind = type(value)
    if kind is dict:
        if not _keys_fit(tuple(value)):
            return False
        items = value.values()
    elif kind is list or kind is tuple:
        items = value
    else:
        return False
    if _PLAIN.issuperset(map(type, items)):
        return True
    for item in items:
        kind = type(item)
        if kind is str or item is None or kind is bool:
            continue
        if kind is int:
            if not -MAX_INT <= item <= MAX_INT:
                return False
        elif depth >= MAX_DEPTH or not _fits(item, depth + 1):
            return False
    return True


def _strings_fit(text: str) -> bool:
    """Whether every string in some JSON text is surely right.

    Control characters are written as escapes, and parts of NFC text are NFC, so the whole text tells. When not sure (an
    escaped backslash before a b, a mark after an escaped newline), `_check_strings` looks at each string.
    """
    if "\\" in text and _ESCAPED.search(text):
        return False
    return text.isascii() or unicodedata.is_normalized("NFC", text)


def _surrogate(value: Any) -> NotCanonicalError:
    """The refusal of a value whose text could not be encoded, which is only ever for a lone surrogate."""
    try:
        _check_strings(value)
    except _Refused as refused:
        return refused.error()
    return NotCanonicalError("a lone surrogate.")


def _check(value: Any, depth: int) -> None:
    """Types, keys, integers and depth. Strings are looked at afterwards, and only where their text calls for it."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return
    if kind is int:
        if not -MAX_INT <= value <= MAX_INT:
            raise _Refused("an integer beyond 2^53 - 1.", "Write it as a string.")
    elif kind is dict:
        if depth > MAX_DEPTH:
            raise _Refused(f"nested deeper than {MAX_DEPTH}.", "Put the value into a blob.")
        key: Any = ""
        try:
            for key, item in value.items():
                if not _keys_fit((key,)):
                    _refuse_key()
                if type(item) is not str:
                    _check(item, depth + 1)
        except _Refused as refused:
            refused.path.append(ascii(key)[1:-1] if isinstance(key, str) else f"<{type(key).__name__}>")
            raise
    elif kind is list or kind is tuple:
        if depth > MAX_DEPTH:
            raise _Refused(f"nested deeper than {MAX_DEPTH}.", "Put the value into a blob.")
        place = 0
        try:
            for place, item in enumerate(value):  # noqa: B007 - the place is read when a refusal passes
                _check(item, depth + 1)
        except _Refused as refused:
            refused.path.append(place)
            raise
    elif not isinstance(value, str):  # a StrEnum's members are strings to the encoder, too
        raise _Refused(f"a value of type {kind.__name__}.", _MENDS.get(kind, "Use strings, integers, lists and dicts."))


def _refuse_key() -> NoReturn:
    raise _Refused("a key that is not [a-z][a-z0-9_]*.", "Rename it, or make the name a value.")


def _check_strings(value: Any) -> None:
    if isinstance(value, str):
        if value.isascii():
            if _CONTROL.search(value):
                raise _Refused("a control character other than newline and tab.", "Remove it, or keep the text in a blob.")
            return
        if _SURROGATE.search(value):
            raise _Refused("a lone surrogate.", "The text was decoded wrongly; keep its bytes in a blob.")
        if _CONTROL.search(value):
            raise _Refused("a control character other than newline and tab.", "Remove it, or keep the text in a blob.")
        if not unicodedata.is_normalized("NFC", value):
            raise _Refused("text that is not in Unicode form NFC.", "Normalise it, or keep the text in a blob.")
    elif isinstance(value, dict | list | tuple):
        place: Any = 0
        try:
            for place, item in value.items() if isinstance(value, dict) else enumerate(value):  # noqa: B007 - as above
                _check_strings(item)
        except _Refused as refused:
            refused.path.append(place)
            raise


def _no_float(_: str) -> NoReturn:
    raise _Refused("a number with a fraction or an exponent.", _MENDS[float])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _Refused(f"the key {key!a} twice in one object.", "")
        seen.add(key)
    return dict(pairs)


def _explain(text: str, data: bytes, again: bytes) -> NoReturn:
    """Says why readable JSON is not the canonical bytes. A doubled key always ends here, because one of the two is lost."""
    try:
        json.loads(text, object_pairs_hook=_unique)
    except _Refused as refused:
        raise refused.error() from None
    pairs = enumerate(zip(data, again, strict=False))
    first = next((at for at, (a, b) in pairs if a != b), min(len(data), len(again)))
    raise NotCanonicalError(f"not the canonical form: the bytes differ at {first}.", "Spaces, order and escapes are fixed.")


_MENDS: dict[type, str] = {
    float: "No floats: write a decimal as a string (decimal_text).",
    Decimal: "Write it as a string (decimal_text).",
    datetime: "Write it as a string (time_text).",
    bytes: "Put bytes into a blob.",
    set: "Sort it into a list.",
}
_DECODER = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float)
