"""A report of weights is written in one form, and whatever was altered, cut or cannot be is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.errors import GivenValueError, UsageError
from conformed.model.weights_report import (
    MOST_REPORT_BYTES,
    Decoding,
    SplitCounts,
    WeightsReport,
    counts_digest,
    read_report,
)


def made(**other: Any) -> SplitCounts:
    """Counts of ten items."""
    plain: dict[str, Any] = {
        "split": "validation", "decoding": Decoding.GREEDY, "items": 10, "right": 8, "judged": 9, "false_accepts": 1, "invalid": 1,
        "tokens": 50, "tokens_squared": 300,
    }  # fmt: skip
    return SplitCounts(**{**plain, **other})


def sealed(*splits: SplitCounts, **other: Any) -> WeightsReport:
    """A report."""
    plain: dict[str, Any] = {"family": "f", "run": "r-1", "manifest": "a" * 64, "dataset": "b" * 64, "gates": "c" * 64}
    return WeightsReport.sealed(**{**plain, **other}, splits=splits or (made(),))


def test_what_is_written_is_read() -> None:
    """Bytes and values go both ways, the splits sorted whatever their order, and the same report gives the same bytes."""
    both = (made(), made(decoding=Decoding.SAMPLED))
    report = sealed(*both)
    assert read_report(report.data(), "r") == report == sealed(*reversed(both))
    assert report.data() == sealed(*reversed(both)).data()
    assert report.counts("validation", Decoding.SAMPLED) == both[1]
    assert report.counts("final", Decoding.GREEDY) is None


@pytest.mark.parametrize("key", ["family", "run", "manifest", "dataset", "gates", "final_use", "form", "digest"])
def test_an_altered_field_is_refused(key: str) -> None:
    """A value that was changed, taken out or added after the report was sealed is refused."""
    plain = json.loads(sealed(final_use="d" * 64).data())
    value = plain[key]
    changed = {**plain, key: ("e" * 64 if len(value) == 64 else f"{value}x")}
    for altered in (changed, {k: v for k, v in plain.items() if k != key}, {**plain, f"{key}_2": value}):
        data = (json.dumps(altered, indent=1, sort_keys=True) + "\n").encode()
        with pytest.raises(UsageError, match=r"^R is refused: "):
            read_report(data, "R")


def test_an_altered_count_is_refused() -> None:
    """One right answer more, and the digest is not that of the rest."""
    plain = json.loads(sealed().data())
    plain["splits"][0]["right"] = 9
    with pytest.raises(UsageError, match="the digest is not that of the rest: the file was altered"):
        read_report((json.dumps(plain, indent=1, sort_keys=True) + "\n").encode(), "r")


@given(st.integers(0, 2000), st.integers(0, 255))
def test_any_changed_byte_is_refused(place: int, byte: int) -> None:
    """Whatever byte is changed to whatever other, the file is refused."""
    data = bytearray(sealed().data())
    place %= len(data)
    if data[place] == byte:
        return
    data[place] = byte
    with pytest.raises(UsageError):
        read_report(bytes(data), "r")


@pytest.mark.parametrize("data", [b"", b"{}", b"null", b"[]", b"\xff", b" " * (MOST_REPORT_BYTES + 1)])
def test_what_is_no_report_is_refused_in_a_sentence(data: bytes) -> None:
    """Empty files, other JSON, other bytes and huge files."""
    with pytest.raises(UsageError, match=r"^R .*\. "):
        read_report(data, "R")


def test_another_form_of_the_same_values_is_refused() -> None:
    """The file's hash must be of these values: spaces or another order of keys are refused."""
    with pytest.raises(UsageError, match="not written as the product writes it"):
        read_report(sealed().data() + b"\n", "r")


@pytest.mark.parametrize(
    "other",
    [
        {"items": 0}, {"judged": 11}, {"right": 10}, {"false_accepts": 3}, {"invalid": 3}, {"tokens": 301}, {"tokens": -1},
        {"tokens": 300, "tokens_squared": 8_999}, {"right": True}, {"right": 8.0}, {"right": "8"}, {"split": "No good"},
    ],
)  # fmt: skip
def test_counts_that_cannot_be_are_refused(other: dict[str, Any]) -> None:
    """More right than judged, more judged than items, lengths with impossible sums, anything that is no whole number."""
    with pytest.raises(ValueError, match=next(iter(other)) if "tokens_squared" not in other else "tokens_squared"):
        made(**other)


def test_one_split_is_counted_once_a_decoding() -> None:
    """Two counts of one split under one decoding are refused, and so is a value of the wrong form, as ours."""
    with pytest.raises(GivenValueError, match="stands there twice"):
        sealed(made(), made())
    with pytest.raises(GivenValueError, match="manifest"):
        sealed(manifest="A" * 64)


def test_the_digest_of_counts_is_of_each_of_them() -> None:
    """It changes with any count and with their order."""
    one, two = made(), made(right=7)
    assert len({counts_digest(x) for x in ([], [one], [two], [one, two], [two, one])}) == 5
