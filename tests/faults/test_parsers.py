"""Parsers of what comes from outside, given anything: their own error or nothing, and only what they would write themselves."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent / "long"))

from fault_fuzz import Parser, mutated, parsers, weigh
from fault_told import Told

from conformed_audit import NotCanonicalError, encode
from conformed_audit.body import parse_record
from conformed_audit.errors import NoteError
from conformed_audit.proof import Proof

NAMES = ("record", "checkpoint", "note", "signature", "key", "proof", "witness", "bundle")
FEW = settings(max_examples=60, deadline=None)


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Parser]:
    """All parsers with their samples."""
    return dict(parsers(tmp_path_factory.mktemp("parsers")))


def test_each_takes_its_sample(every: dict[str, Parser]) -> None:
    """What the product wrote is taken, and would be written so again."""
    assert set(every) == set(NAMES)
    for name, parser in every.items():
        told = Told(name)
        assert parser.takes(parser.sample), name
        weigh(name, parser, parser.sample, told, "sample")
        assert told.held, told.words


@pytest.mark.parametrize("name", NAMES)
def test_anything(name: str, every: dict[str, Parser]) -> None:
    """Changed samples, text and bytes."""
    parser = every[name]
    changed = st.randoms(use_true_random=False).map(lambda chance: mutated(parser.sample, chance))

    @FEW
    @given(changed | st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
    def takes(data: bytes) -> None:
        told = Told(name)
        weigh(name, parser, data, told, "hypothesis")
        assert told.held, told.words

    takes()


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_a_record_with_anything_in_a_field(every: dict[str, Parser]) -> None:
    """Whatever JSON stands in whichever field, and however it is spelt: refused, or exactly the canonical bytes."""
    whole: dict[str, Any] = json.loads(every["record"].sample)

    @FEW
    @given(st.sampled_from(sorted(whole)), _VALUES, st.sampled_from([None, 1]), st.booleans(), st.booleans())
    def spelt(field: str, value: Any, indent: int | None, ascii_only: bool, ordered: bool) -> None:
        data = json.dumps({**whole, field: value}, indent=indent, ensure_ascii=ascii_only, sort_keys=ordered)
        for text in (data, json.dumps({**whole, field: value}, separators=(",", ":"), ensure_ascii=False, sort_keys=True)):
            body = text.encode("utf-8", "surrogatepass")
            try:
                record = parse_record(0, body)
            except NotCanonicalError:
                continue
            assert encode(json.loads(body)) == body == record.body

    spelt()


def test_a_proof_has_one_spelling(every: dict[str, Parser]) -> None:
    """Base64 whose unused bits are set stands for the same bytes, and is refused."""
    lines = every["proof"].sample.decode().split("\n")
    at = next(n for n, line in enumerate(lines) if n > 2 and line.endswith("="))
    first = lines[at]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    lines[at] = first[:-2] + alphabet[alphabet.index(first[-2]) + 1] + "="
    assert base64.b64decode(lines[at]) == base64.b64decode(first)
    with pytest.raises(NoteError, match="not base64"):
        Proof.parse("\n".join(lines))
