"""Loading: digest, places, scalars, bounds; and that nothing but a PolicyError ever comes out."""

from __future__ import annotations

import datetime as dt
import hashlib
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from conformed.errors import PolicyError
from conformed.model.base import Frozen
from conformed.model.pack import Manifest
from conformed.policy.load import load_bytes, load_model, load_text, problems_of
from conformed.policy.strict import MAX_BYTES, MAX_NODES

GRAMMAR = sorted((Path(__file__).parent / "broken" / "grammar").glob("*.yaml"))


class Toy(Frozen):
    """One field of each sort."""

    name: str = ""
    """Text."""
    count: int = 0
    """A whole number."""
    day: dt.date | None = None
    """A date."""
    flag: bool = False
    """A truth value."""
    notes: tuple[str, ...] = ()
    """A list of texts."""
    more: dict[str, str] = Field(default_factory=dict)
    """Texts by name."""


@pytest.mark.parametrize("path", GRAMMAR, ids=lambda path: path.stem)
def test_what_could_mean_two_things_is_refused(path: Path) -> None:
    """Each broken file is refused as its first line says: name, line, column, words, and a mend."""
    expected = path.read_bytes().split(b"\n", 1)[0].decode("utf-8-sig").removeprefix("# expects ")
    with pytest.raises(PolicyError) as caught:
        load_model(path, Toy)
    assert str(caught.value).startswith(f"{path}:{expected}")
    assert len(expected) > 15
    assert caught.value.mend


def test_the_digest_is_of_the_exact_bytes(tmp_path: Path) -> None:
    """Two files that mean the same and differ in a comment have different digests."""
    path = tmp_path / "a.yaml"
    path.write_bytes(b"name: a # one\r\n")
    loaded = load_model(path, Toy)
    assert loaded.digest == hashlib.sha256(b"name: a # one\r\n").hexdigest()
    assert loaded.data == b"name: a # one\r\n"
    assert loaded.path == str(path)
    assert load_text("name: a # two\n", Toy, name="x").value == loaded.value


def test_scalars_stay_text_unless_the_schema_asks() -> None:
    """Words and numbers that YAML 1.1 would turn into something else stay as they are written."""
    text = "name: no\nnotes: [on, 010, 1e3, 2024-01-01, 0x1F, '~', 'null', .inf, 12:30]\nmore: {no: 1, yes: true}\n"
    toy = load_text(text, Toy, name="x").value
    assert toy.name == "no"
    assert toy.notes == ("on", "010", "1e3", "2024-01-01", "0x1F", "~", "null", ".inf", "12:30")
    assert toy.more == {"no": "1", "yes": "true"}


def test_scalars_become_what_the_schema_asks_for() -> None:
    """A whole number, a truth value and a date in their one plain form, quoted or not."""
    toy = load_text("count: -12\nflag: true\nday: '2024-02-29'\n", Toy, name="x").value
    assert (toy.count, toy.flag, toy.day) == (-12, True, dt.date(2024, 2, 29))


def test_a_pack_manifest_loads_through_the_same_door() -> None:
    """Enumerations, dates, nested lists and truth values of another model are understood and placed."""
    text = (
        "pack: no\ntest_date: 2024-12-31\nchain_complete: true\ndocuments:\n  - {file: a.pdf, kind: waiver, dated: 2024-01-01}\n"
    )
    loaded = load_text(text, Manifest, name="pack.yaml")
    assert (loaded.value.pack, loaded.value.chain_complete) == ("no", True)
    assert loaded.value.documents[0].dated == dt.date(2024, 1, 1)
    with pytest.raises(
        PolicyError, match=r"pack.yaml:5:25: documents.0.kind: 'waver' is not known here. Did you mean 'waiver'\?"
    ):
        load_text(text.replace("waiver", "waver"), Manifest, name="pack.yaml")


def test_places_are_those_of_an_editor() -> None:
    """A key path gives the line and column of its value, or of the nearest one above it."""
    loaded = load_text("name: a\nmore:\n  k: v\nnotes: [x, y]\n", Toy, name="x")
    assert loaded.place("more", "k") == (3, 6)
    assert loaded.place("notes", 1) == (4, 12)
    assert loaded.place("notes", 1, "deeper") == (4, 12)
    assert loaded.place("absent") == (1, 1)


def test_all_problems_are_found_and_sorted() -> None:
    """Lint sees every problem, each once, in the order of the file."""
    problems = problems_of(b"coutn: 1\nflag: yes\nday: 2024-13-01\nmore: {a: [b]}\n", Toy, name="x")
    assert [(one.line, one.column) for one in problems] == [(1, 1), (2, 7), (3, 6), (4, 11)]


def test_files_that_cannot_be_read_are_refused_by_name(tmp_path: Path) -> None:
    """An absent file and a folder are refused; no OSError comes out."""
    for path, words in ((tmp_path / "absent.yaml", "no such file"), (tmp_path, "cannot be read")):
        with pytest.raises(PolicyError, match=words) as caught:
            load_model(path, Toy)
        assert caught.value.file == str(path)


def test_size_and_number_of_values_are_bounded(tmp_path: Path) -> None:
    """A large file is refused before it is parsed, and a small one with too many values while it is."""
    path = tmp_path / "large.yaml"
    path.write_bytes(b"name: " + b"a" * MAX_BYTES)
    with pytest.raises(PolicyError, match=f"at most {MAX_BYTES}"):
        load_model(path, Toy)
    with pytest.raises(PolicyError, match=f"more than {MAX_NODES} values"):
        load_text("notes: [" + "a," * (MAX_NODES + 1) + "]", Toy, name="x")


@pytest.mark.parametrize(
    "text", ["[" * 5000, "{a: " * 5000, "- " * 5000, "? " * 5000, "a: |\n" * 2000, "'" * 20001, "a:\n " * 3000, "&a " * 5000]
)
def test_hostile_text_is_refused_soon(text: str) -> None:
    """Deep nesting and half-open forms are refused in well under ten seconds."""
    began = time.monotonic()
    with pytest.raises(PolicyError):
        load_text(text, Toy, name="x")
    assert time.monotonic() - began < 10


@given(st.one_of(st.binary(max_size=200), st.text(alphabet="ab:-?&*!|>'\"%@`{}[],#<~ \n01", max_size=80).map(str.encode)))
def test_whatever_the_bytes_only_a_policy_error_comes_out(data: bytes) -> None:
    """No input makes the loader raise anything else, and every refusal has a place."""
    problem = _refusal(data)
    assert problem is None or (problem.file == "x" and problem.line >= 1 and problem.column >= 1)
    if problem is None:
        assert problems_of(data, Toy, name="x") == ()


def _refusal(data: bytes) -> PolicyError | None:
    try:
        load_bytes(data, Toy, name="x")
    except PolicyError as problem:
        return problem
    return None


@given(
    st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Cn", "Co")), max_size=40),
    st.integers(-(10**17) + 1, 10**17),
    st.dates(min_value=dt.date(1000, 1, 1)),
    st.booleans(),
)
def test_what_is_written_is_what_is_read(name: str, count: int, day: dt.date, flag: bool) -> None:
    """Quoted text, numbers, dates and truth values come back exactly."""
    quoted = name.replace("'", "''")
    loaded = load_text(f"name: '{quoted}'\ncount: {count}\nday: {day}\nflag: {str(flag).lower()}\n", Toy, name="x").value
    assert loaded == Toy(name=name, count=count, day=day, flag=flag)
