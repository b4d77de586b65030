"""The recorded backend: what was said is said again to the byte, and nothing that was not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from conformed.errors import PluginError
from conformed.hooks import load_registry
from conformed.ports import Backend, Completion
from conformed_plugins.backends.recorded import FILE, RecordedBackend, RecordedOptions, request_digest


class Speaker:
    """A backend whose answers say what was asked and how often it was asked before."""

    def __init__(self, *, repeatable: bool = False, gives: object = None) -> None:
        self.repeatable, self.gives = repeatable, gives
        self.asked: list[tuple[str, ...]] = []

    def generate(self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]) -> Any:
        """Completions that differ in every part."""
        self.asked.append(tuple(prompts))
        if self.gives is not None:
            return self.gives
        return tuple(
            tuple(
                Completion(f"{p} {s} {seed} {len(self.asked)}", (s, 7), (-0.1, -1 / 3), (-0.25, -2e-9), "eos", "sha256:x", 4)
                for s in range(samples)
            )
            for p in prompts
        )


def recording(folder: Path, inner: Speaker | None = None) -> RecordedBackend:
    """A backend that records."""
    return RecordedBackend(RecordedOptions(folder=folder, mode="record", of="scripted"), inner or Speaker())


def replaying(folder: Path, **more: Any) -> RecordedBackend:
    """A backend that replays."""
    return RecordedBackend(RecordedOptions(folder=folder, **more))


def ask(backend: RecordedBackend, *prompts: str, samples: int = 2, seed: int = 3, **options: Any) -> Any:
    """Asks with the usual samples and seed."""
    return backend.generate(prompts, samples=samples, seed=seed, options=options)


def test_what_was_said_is_said_again(tmp_path: Path) -> None:
    """A replay gives every part of every completion as it was, without asking anyone."""
    speaker = Speaker()
    said = ask(recording(tmp_path, speaker), "p", "q", temperature="0.7", stop=["x"])
    replay = replaying(tmp_path)
    assert ask(replay, "p", "q", temperature="0.7", stop=["x"]) == said
    assert ask(replay, "q", "p", temperature="0.7", stop=["x"]) == said[::-1]
    assert speaker.asked == [("p", "q")]


def test_it_comes_from_the_registry_and_records_another_of_it(tmp_path: Path) -> None:
    """By name and options a recording of the scripted backend is made and replayed."""
    registry = load_registry(env={})
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"when": "two", "say": ["four"]}]))
    given = {"folder": str(tmp_path / "r"), "mode": "record", "of": "scripted", "of_options": json.dumps({"script": str(script)})}
    made = registry.create("backend", "recorded", given)
    assert isinstance(made, Backend)
    assert made.generate(["two and two"], samples=1, seed=0, options={})[0][0].text == "four"
    script.unlink()
    replay = registry.create("backend", "recorded", {"folder": str(tmp_path / "r")})
    assert replay.generate(["two and two"], samples=1, seed=0, options={})[0][0].text == "four"


@pytest.mark.parametrize(
    "other", [{"prompts": ("r",)}, {"samples": 1}, {"seed": 4}, {"temperature": "0.8"}, {"temperature": "0.7", "top_p": "1"}]
)
def test_what_was_not_recorded_is_refused_by_its_digest(tmp_path: Path, other: dict[str, Any]) -> None:
    """Another prompt, number of samples, seed or option is another request: it is named by its digest and not by its words."""
    ask(recording(tmp_path), "secret words", temperature="0.7")
    asked = {"prompts": ("secret words",), "samples": 2, "seed": 3, "temperature": "0.7", **other}
    prompts = asked.pop("prompts")
    with pytest.raises(PluginError, match="is not in the recording") as problem:
        ask(replaying(tmp_path), *prompts, **asked)
    options = {name: value for name, value in asked.items() if name not in ("samples", "seed")}
    assert request_digest(prompts[0], asked["samples"], asked["seed"], options) in str(problem.value)
    assert "secret" not in str(problem.value)


def test_the_recording_holds_no_prompt(tmp_path: Path) -> None:
    """Words of a prompt stand in the recording only where an answer says them."""
    ask(recording(tmp_path, Speaker(gives=((Completion("yes", (), (), (), "eos", "x"),),))), "secret words", samples=1)
    assert b"secret" not in (tmp_path / FILE).read_bytes()


def test_the_same_questions_give_the_same_bytes(tmp_path: Path) -> None:
    """Two recordings of the same questions are one and the same file, readable by its owner alone."""
    for name in ("a", "b"):
        backend = recording(tmp_path / name)
        ask(backend, "p", "q", temperature="1")
        ask(backend, "r")
    one, two = ((tmp_path / name / FILE).read_bytes() for name in ("a", "b"))
    assert one == two
    assert one.count(b"\n") == 3
    assert (tmp_path / "a" / FILE).stat().st_mode & 0o077 == 0


def test_the_same_prompt_twice_in_one_call_is_two_requests(tmp_path: Path) -> None:
    """Two rows of one prompt keep their own answers, in their order."""
    rows = tuple((Completion(text, (), (), (), "eos", "x"),) for text in ("first", "second"))
    ask(recording(tmp_path, Speaker(gives=rows)), "p", "p", samples=1)
    assert [row[0].text for row in ask(replaying(tmp_path), "p", "p", samples=1)] == ["first", "second"]


def test_a_recording_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    """What is there is not asked again; a line that was broken off while it was written is written anew."""
    ask(recording(tmp_path), "p")
    ask(recording(tmp_path), "q")
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:-20])
    with pytest.raises(PluginError, match="not in the recording"):
        ask(replaying(tmp_path), "q")
    speaker = Speaker()
    ask(recording(tmp_path, speaker), "p", "q")
    assert speaker.asked == [("q",)]
    assert (tmp_path / FILE).read_bytes() == whole


def test_a_line_longer_than_a_block_is_found_whole(tmp_path: Path) -> None:
    """Where the last whole line ends is found however long the broken one is."""
    long = Completion("x" * 200_000, (), (), (), "eos", "x")
    ask(recording(tmp_path), "p")
    first = (tmp_path / FILE).read_bytes()
    ask(recording(tmp_path, Speaker(gives=((long,),))), "q", samples=1)
    (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes()[:-5])
    ask(recording(tmp_path, Speaker(gives=((long,),))), "q", samples=1)
    assert (tmp_path / FILE).read_bytes().startswith(first)
    assert len(ask(replaying(tmp_path), "q", samples=1)[0][0].text) == 200_000


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_altered_byte_is_seen(tmp_path: Path, data: st.DataObject) -> None:
    """Whichever byte of a recording is changed, the recording is refused or its request is no longer in it."""
    (tmp_path / FILE).unlink(missing_ok=True)
    ask(recording(tmp_path), "p", "q")
    raw = bytearray((tmp_path / FILE).read_bytes())
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != raw[at]))
    (tmp_path / FILE).write_bytes(bytes(raw))
    with pytest.raises(PluginError):
        ask(replaying(tmp_path), "p", "q")


def rewritten(folder: Path, **more: Any) -> None:
    """Alters the first line and gives it a hash that fits."""
    line = json.loads((folder / FILE).read_bytes().split(b"\n")[0])
    body = {"completions": line["completions"], "request": line["request"], **more}
    dumped = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    body["sha256"] = hashlib.sha256(dumped).hexdigest()
    (folder / FILE).write_bytes(json.dumps(body, sort_keys=True, separators=(",", ":")).encode() + b"\n")


def test_a_pinned_recording_is_that_file(tmp_path: Path) -> None:
    """With its hash pinned, a file to which a good line was added, or in which a hash was made to fit, is refused."""
    ask(recording(tmp_path), "p")
    pin = hashlib.sha256((tmp_path / FILE).read_bytes()).hexdigest()
    assert ask(replaying(tmp_path, sha256=pin), "p")
    ask(recording(tmp_path), "q")
    with pytest.raises(PluginError, match="pinned"):
        replaying(tmp_path, sha256=pin)


@pytest.mark.parametrize(
    "more",
    [
        {"request": "p"},
        {"completions": "x"},
        {"completions": [{"text": "x"}]},
        {"note": 1},
        {
            "completions": [
                {
                    "text": 4,
                    "tokens": [],
                    "behaviour_logprobs": [],
                    "model_logprobs": [],
                    "stop": "eos",
                    "producer": "x",
                    "prompt_tokens": 0,
                }
            ]
        },
    ],
)
def test_a_line_of_another_shape_is_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    """A line whose hash fits and whose parts are not those of a record is refused by its number."""
    ask(recording(tmp_path), "p")
    rewritten(tmp_path, **more)
    with pytest.raises(PluginError, match="line 1"):
        replaying(tmp_path)


@pytest.mark.parametrize("line", [b"", b"{}", b"[]", b"x", b"\xff", b"[" * 100_000, b'{"a":NaN}'])
def test_a_line_that_is_no_record_is_refused(tmp_path: Path, line: bytes) -> None:
    """Lines of any other kind are refused by their number."""
    ask(recording(tmp_path), "p")
    with (tmp_path / FILE).open("ab") as stream:
        stream.write(line + b"\n")
    with pytest.raises(PluginError, match="line 2"):
        replaying(tmp_path)


def test_two_answers_to_one_request_are_refused(tmp_path: Path) -> None:
    """A recording that answers one request in two ways answers it in none."""
    for name in ("a", "b"):
        speaker = Speaker()
        speaker.asked = [("x",)] if name == "b" else []
        ask(recording(tmp_path / name, speaker), "p")
    with (tmp_path / "a" / FILE).open("ab") as stream:
        stream.write((tmp_path / "b" / FILE).read_bytes())
    with pytest.raises(PluginError, match="line 2 answers"):
        replaying(tmp_path / "a")


@pytest.mark.parametrize(
    "gives",
    [
        (),
        ((),),
        [],
        "x",
        ((Completion("x", (), (), (), "eos", "x"),) * 3,),
        (("x", "y"),),
        ((Completion(object(), (), (), (), "eos", "x"),) * 2,),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_completion_is_not_recorded(tmp_path: Path, gives: Any) -> None:
    """A backend that gives something else, or too few samples, leaves no line behind."""
    with pytest.raises(PluginError):
        ask(recording(tmp_path, Speaker(gives=gives)), "p")
    assert not (tmp_path / FILE).exists() or (tmp_path / FILE).read_bytes() == b""


def test_a_completion_that_cannot_be_kept_is_not_handed_on(tmp_path: Path) -> None:
    """Where the disk refuses the line, the caller gets an error and no completion."""
    (tmp_path / FILE).mkdir()
    with pytest.raises(PluginError, match="cannot be read"):
        recording(tmp_path)
    backend = recording(tmp_path / "other")
    (tmp_path / "other").write_text("a file where the folder should be")
    with pytest.raises(PluginError, match="cannot be written"):
        ask(backend, "p")


def test_a_replay_is_repeatable_and_a_recording_as_its_backend(tmp_path: Path) -> None:
    """A replay always gives the same; a recording is as repeatable as what it records."""
    assert recording(tmp_path, Speaker()).repeatable is False
    assert recording(tmp_path, Speaker(repeatable=True)).repeatable is True
    ask(recording(tmp_path), "p")
    assert replaying(tmp_path).repeatable is True


def test_a_recording_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A replay of nothing is refused by the path that was looked at."""
    with pytest.raises(PluginError, match="no recording at"):
        replaying(tmp_path / "none")


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "record"},
        {"of": "scripted"},
        {"mode": "record", "of": "scripted", "sha256": "0" * 64},
        {"sha256": "x"},
        {"mode": "x"},
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    """Recording without a backend, replaying with one, and a pin of what is still being made are refused."""
    with pytest.raises(ValidationError):
        RecordedOptions.model_validate({"folder": str(tmp_path), **options})


def test_options_of_a_request_are_plain_data(tmp_path: Path) -> None:
    """An option that has no one text is refused."""
    with pytest.raises(PluginError, match="plain data"):
        ask(recording(tmp_path), "p", schema=object())
    with pytest.raises(PluginError, match="plain data"):
        ask(recording(tmp_path), "p", temperature=float("nan"))


def test_two_recorders_at_once_lose_nothing(tmp_path: Path) -> None:
    """Two that began with the same file both add their lines at its end."""
    one, two = recording(tmp_path), recording(tmp_path)
    ask(one, "p")
    ask(two, "q")
    assert len(ask(replaying(tmp_path), "p", "q")) == 2
    assert [one.name for one in tmp_path.iterdir()] == [FILE]
