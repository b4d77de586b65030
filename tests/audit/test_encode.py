"""The canonical profile."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed_audit import NotCanonicalError, decimal_text, decode, encode, time_text
from conformed_audit.encode import MAX_BYTES, MAX_DEPTH, MAX_INT


class Side(StrEnum):
    LENDER = "lender"


def nested(depth: int) -> Any:
    """A string inside so many lists."""
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


REFUSED = {
    "float 1e21": 1e21,
    "float 1e-7": 1e-7,
    "float 100.0": 100.0,
    "float -0.0": -0.0,
    "float 0.1+0.2": 0.1 + 0.2,
    "float 3.50": 3.50,
    "NaN": math.nan,
    "Infinity": math.inf,
    "int 2**53": 2**53,
    "int -2**53": -(2**53),
    "int 2**64": 2**64,
    "int of 5,000 digits": 10**5000,
    "key beyond the BMP": {"\U0001f600": 1},
    "key with a capital": {"Ratio": 1},
    "key with a hyphen": {"net-debt": 1},
    "key with a trailing newline": {"ratio\n": 1},
    "empty key": {"": 1},
    "int key": {1: "a"},
    "mixed keys": {1: "a", "a": "b"},
    "NUL": "\x00",
    "carriage return": "a\r\n",
    "escape sequence": "\x1b[31m",
    "control character among letters beyond ASCII": "é\x07",
    "lone surrogate": "\ud800",
    "NFD": "e\u0301",
    "Decimal": Decimal("3.50"),
    "naive datetime": datetime(2026, 11, 29, 12),  # noqa: DTZ001 - the point of the test
    "aware datetime": datetime(2026, 11, 29, 12, tzinfo=UTC),
    "set": {"a", "b"},
    "bytes": b"x",
    "depth 17": nested(MAX_DEPTH + 1),
    "too long": "x" * MAX_BYTES,
}
GIVEN = {
    "max int": (MAX_INT, b"9007199254740991"),
    "min int": (-MAX_INT, b"-9007199254740991"),
    "true is not 1": ([True, 1], b"[true,1]"),
    "key order": ({"b": 1, "a": None, "a_1": 2}, b'{"a":null,"a_1":2,"b":1}'),
    "tuple": ((1, 2), b"[1,2]"),
    "markup": ("</script>&", b'"</script>&"'),
    "line separator": ("\u2028", b'"\xe2\x80\xa8"'),
    "newline and tab": ("a\n\tb", b'"a\\n\\tb"'),
    "quote and backslash": ('"\\', b'"\\"\\\\"'),
    "delete": ("\x7f", b'"\x7f"'),
    "NFC": ("\u00e9", b'"\xc3\xa9"'),
    "combining mark after an escaped newline": ("\n\u0301", b'"\\n\xcc\x81"'),
    "StrEnum": ({"side": Side.LENDER}, b'{"side":"lender"}'),
    "depth 16": (nested(MAX_DEPTH), b"[" * 16 + b'"x"' + b"]" * 16),
}
NOT_CANONICAL = {
    "not JSON": b"{",
    "empty": b"",
    "two values": b"1 2",
    "space": b'{"a": 1}',
    "leading space": b' {"a":1}',
    "order": b'{"b":1,"a":1}',
    "doubled key": b'{"a":1,"a":1}',
    "doubled key inside": b'{"a":[{"b":1,"b":2}]}',
    "needless escape": b'{"a":"\\u0041"}',
    "escaped solidus": b'"\\/"',
    "escaped surrogate": b'"\\ud800"',
    "float": b'{"a":1.0}',
    "exponent": b'{"a":1e3}',
    "NaN": b'{"a":NaN}',
    "minus zero": b"-0",
    "big int": b"9007199254740992",
    "endless int": b"1" * 5000,
    "not UTF-8": b'"\xff"',
    "byte order mark": b'\xef\xbb\xbf{"a":1}',
    "NFD": b'"e\xcc\x81"',
    "raw newline": b'"a\nb"',
    "depth": b"[" * 17 + b"]" * 17,
    "endless depth": b"[" * 16000,
    "capital key": b'{"A":1}',
    "too long": b'"' + b"x" * MAX_BYTES + b'"',
}


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED.keys())
def test_awkward_values_are_refused(value: Any) -> None:
    """Whatever encoders disagree about is refused, at the top and inside, never rounded or written somehow."""
    for wrapped in (value, [value]):
        with pytest.raises(NotCanonicalError):
            encode(wrapped)


@pytest.mark.parametrize(("value", "data"), GIVEN.values(), ids=GIVEN.keys())
def test_awkward_values_that_are_fine(value: Any, data: bytes) -> None:
    """What the profile takes has exactly these bytes and comes back."""
    assert encode(value) == data
    assert encode(decode(data)) == data


@pytest.mark.parametrize("data", NOT_CANONICAL.values(), ids=NOT_CANONICAL.keys())
def test_other_bytes_are_refused(data: bytes) -> None:
    """Bytes that are not the one canonical form of a value are refused, whatever a lenient reader makes of them."""
    with pytest.raises(NotCanonicalError):
        decode(data)


def test_refusals_name_the_place_and_not_the_content() -> None:
    """A refusal says where and what kind, and does not quote the text."""
    with pytest.raises(NotCanonicalError) as refused:
        encode({"output": [{"inline": {"ratio": 3.5}}]})  # type: ignore[dict-item]  # the point of the test
    assert refused.value.place == "output[0].inline.ratio"
    assert "decimal_text" in refused.value.mend
    with pytest.raises(NotCanonicalError) as refused:
        encode({"note": ["Borrower\x00"]})
    assert refused.value.place == "note[0]"
    assert "Borrower" not in str(refused.value)


def test_a_doubled_key_is_named() -> None:
    """Python's reader keeps the last of two equal keys in silence; here the key is named."""
    with pytest.raises(NotCanonicalError, match="the key 'b' twice"):
        decode(b'{"a":[{"b":1,"b":1}]}')


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc_1", max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_taken_comes_back_and_agrees_with_plain_json(value: Any) -> None:
    """For every value: refused, or the bytes decode to it, re-encode to themselves, and any JSON reader agrees."""
    try:
        data = encode(value)
    except NotCanonicalError:
        return
    assert decode(data) == value
    assert json.loads(data) == value
    assert data == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@given(st.binary(max_size=64) | st.text(max_size=32).map(str.encode))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    """No bytes make the reader fail in another way, and what it takes is canonical."""
    try:
        value = decode(data)
    except NotCanonicalError:
        return
    assert encode(value) == data


@pytest.mark.parametrize(
    ("value", "text"),
    [("3.50", "3.50"), ("1E+2", "100"), ("-0.5", "-0.5"), ("0", "0"), ("1E-7", "0.0000001"), ("-0.00", "-0.00")],
)
def test_decimals_keep_their_scale(value: str, text: str) -> None:
    """3.50 stays 3.50, and no exponent is ever written."""
    assert decimal_text(Decimal(value)) == text


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), 3.5, 3, "3.50"])
def test_only_finite_decimals_are_written_as_decimals(value: Any) -> None:
    """NaN, infinities and other types are refused."""
    with pytest.raises(NotCanonicalError):
        decimal_text(value)


def test_times_are_utc_with_six_digits() -> None:
    """Another zone is converted; whole seconds keep their six zeros."""
    assert time_text(datetime(2026, 11, 29, 14, tzinfo=timezone(timedelta(hours=2)))) == "2026-11-29T12:00:00.000000Z"
    assert time_text(datetime(1, 1, 1, microsecond=7, tzinfo=UTC)) == "0001-01-01T00:00:00.000007Z"


def test_naive_times_are_refused() -> None:
    """A time without a zone has no place in a log."""
    with pytest.raises(NotCanonicalError, match="time zone"):
        time_text(datetime(2026, 11, 29))  # noqa: DTZ001 - the point of the test
