"""The scripted backend says what its file says, and refuses any other file in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.errors import PluginError
from conformed.ports import Backend, Completion
from conformed_plugins.backends import scripted
from conformed_plugins.backends.scripted import ScriptedBackend, ScriptedOptions


def backend(folder: Path, script: object) -> ScriptedBackend:
    """A backend on a script: JSON of a value, or bytes as they are."""
    path = folder / "script.json"
    path.write_bytes(script if isinstance(script, bytes) else json.dumps(script).encode())
    return ScriptedBackend(ScriptedOptions(script=path))


def texts(found: tuple[tuple[Completion, ...], ...]) -> list[list[str]]:
    """What was said, by prompt."""
    return [[one.text for one in samples] for samples in found]


def test_it_is_a_backend() -> None:
    """It has the shape of the port, and says that it repeats itself."""
    made = ScriptedBackend(ScriptedOptions())
    assert isinstance(made, Backend)
    assert made.repeatable is True


def test_it_says_the_first_line_that_fits_by_sample(tmp_path: Path) -> None:
    """Sample n gets response n, over and over; the first line in the file counts; each prompt gets its own."""
    made = backend(tmp_path, [{"when": "six", "say": ["a", "b"]}, {"when": "x", "say": ["c"]}])
    found = made.generate(("six", "xx", "sixx"), samples=3, seed=7, options={})
    assert texts(found) == [["a", "b", "a"], ["c", "c", "c"], ["a", "b", "a"]]


def test_what_no_line_fits_gets_nothing(tmp_path: Path) -> None:
    """An empty response holds no answer; a backend without a script says nothing at all."""
    for made in (backend(tmp_path, [{"when": "six", "say": ["a"]}]), ScriptedBackend(ScriptedOptions())):
        assert texts(made.generate(("seven",), samples=2, seed=0, options={})) == [["", ""]]


@given(seed=st.integers(0, 1 << 40), samples=st.integers(0, 9))
def test_the_same_seed_says_the_same(tmp_path_factory: pytest.TempPathFactory, seed: int, samples: int) -> None:
    """With a temperature the seed says with which response it begins; without one it changes nothing."""
    made = backend(tmp_path_factory.mktemp("script"), [{"when": "six", "say": ["a", "b", "c"]}])

    def said(options: dict[str, Any]) -> list[str]:
        return texts(made.generate(("six",), samples=samples, seed=seed, options=options))[0]

    assert said({"temperature": "0.7"}) == [("a", "b", "c")[(seed + n) % 3] for n in range(samples)]
    assert said({}) == [("a", "b", "c")[n % 3] for n in range(samples)]


def test_tokens_are_counted_and_the_script_is_named(tmp_path: Path) -> None:
    """Words are counted as tokens, so that budgets bind; another script is another producer."""
    ((one,),) = backend(tmp_path, [{"when": "six", "say": ["two words"]}]).generate(
        ("six or seven",), samples=1, seed=0, options={}
    )
    assert (len(one.tokens), one.prompt_tokens, one.stop) == (2, 3, "eos")
    ((other,),) = backend(tmp_path, [{"when": "six", "say": ["two  words"]}]).generate(("six",), samples=1, seed=0, options={})
    assert one.producer.startswith("sha256:")
    assert one.producer != other.producer


@pytest.mark.parametrize(
    "script",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 200_000,
        b"null",
        b"5",
        b'"text"',
        {"when": "six", "say": ["a"]},
        ["six"],
        [["six", ["a"]]],
        [None],
        [{"when": "six"}],
        [{"say": ["a"]}],
        [{"when": "", "say": ["a"]}],
        [{"when": "six", "say": []}],
        [{"when": "six", "say": "a"}],
        [{"when": "six", "say": [1]}],
        [{"when": 6, "say": ["a"]}],
        [{"when": "six", "say": ["a"], "then": "b"}],
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_hostile_script_is_refused_in_one_sentence(tmp_path: Path, script: object) -> None:
    """Whatever is no list of lines is a PluginError that names the file, and no other exception."""
    with pytest.raises(PluginError, match=r"The script .*script\.json is refused\."):
        backend(tmp_path, script)


def test_an_empty_list_says_nothing(tmp_path: Path) -> None:
    """It is a script, of no lines."""
    assert texts(backend(tmp_path, []).generate(("six",), samples=1, seed=0, options={})) == [[""]]


def test_a_script_must_be_there_and_not_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing one, a folder, and one above the limit are each told."""
    for path in (tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(PluginError, match="cannot be read"):
            ScriptedBackend(ScriptedOptions(script=path))
    monkeypatch.setattr(scripted, "MOST_BYTES", 10)
    with pytest.raises(PluginError, match="larger than 10 bytes"):
        backend(tmp_path, [{"when": "six", "say": ["a"]}])
