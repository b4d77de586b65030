"""A backend that repeats what another one said: recorded once, replayed from a file, and silent about anything else.

The recording is ``completions.jsonl``: one line a prompt, each ending in the hash of what stands before it. It holds no prompt,
only the digest of the request.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from conformed.errors import PluginError
from conformed.hooks import load_registry
from conformed.ports import Backend, Completion

__all__ = ["FILE", "RecordedBackend", "RecordedOptions", "request_digest"]

FILE = "completions.jsonl"
"""Name of the recording in its folder."""
MOST_BYTES = 1 << 30
"""Largest recording."""
_HASH = "^[0-9a-f]{64}$"
_MEND = "Record again, or restore the file from its copy."


class RecordedOptions(BaseModel):
    """Options of the backend."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path
    """Where the recording is, or will be."""
    mode: Literal["replay", "record"] = "replay"
    """Replay refuses what was not recorded; record asks the other backend for it, and keeps what it says."""
    of: str | None = None
    """The backend that is recorded, by its registered name."""
    of_options: dict[str, Any] = {}
    """Its options; in a contract, whose options hold no options of their own, a JSON object in quotation marks."""
    sha256: Annotated[str, Field(pattern=_HASH)] | None = None
    """For a replay: hash of the whole file, so that not even a line may have been added or taken out."""

    @field_validator("of_options", mode="before")
    @classmethod
    def _object(cls, given: object) -> object:
        return json.loads(given) if isinstance(given, str) else given  # what is no JSON is a ValueError, and so refused

    @model_validator(mode="after")
    def _fitting(self) -> RecordedOptions:
        if (self.mode == "record") != (self.of is not None) or (self.mode == "record" and self.sha256):
            raise ValueError("`of` names the backend that is recorded, and belongs to mode: record; `sha256` to mode: replay")
        return self


class _Said(BaseModel):
    """One completion as it is kept."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str
    tokens: list[int]
    behaviour_logprobs: list[Annotated[float, Field(allow_inf_nan=False)]]
    model_logprobs: list[Annotated[float, Field(allow_inf_nan=False)]]
    stop: str
    producer: str
    prompt_tokens: int


class _Line(BaseModel):
    """One line: what was asked, by its digest, and all that was said to it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    request: str = Field(pattern=_HASH)
    completions: list[_Said]
    sha256: str = Field(pattern=_HASH)


class RecordedBackend:
    """Replays a recording; in the mode ``record`` it makes one, and goes on with one that was broken off.

    Args:
        options: the folder, and what is recorded.
        inner: the backend that is recorded; made of the options where none is given.

    Raises:
        PluginError: when the recording cannot be read, or a line of it was altered.
    """

    def __init__(self, options: RecordedOptions, inner: Backend | None = None) -> None:
        self._path = options.folder / FILE
        self._inner: Backend | None = None
        if options.mode == "record":
            self._inner = inner or load_registry(env=os.environ).create("backend", options.of or "", options.of_options)
        self.repeatable = self._inner is None or self._inner.repeatable is True
        data = _read(self._path, must=self._inner is None)
        if options.sha256 is not None and hashlib.sha256(data).hexdigest() != options.sha256:
            raise PluginError(f"{self._path} is not the recording that was pinned: its hash is another.", _MEND)
        self._held = _lines(self._path, data)

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        """Completions, one tuple a prompt.

        Raises:
            PluginError: when a request was not recorded, naming it by its digest, or the other backend gave something else.
        """
        seen: Counter[str] = Counter()
        keys = []
        for prompt in prompts:
            keys.append(request_digest(prompt, samples, seed, options, occurrence=seen[prompt]))
            seen[prompt] += 1
        missing = [row for row, key in enumerate(keys) if key not in self._held]
        if missing and self._inner is None:
            found = f"Request {keys[missing[0]]} (prompt {missing[0] + 1} of {len(keys)}) is not in the recording {self._path}."
            raise PluginError(found, "Ask exactly what was recorded (prompt, samples, seed, options), or record it.")
        if missing and self._inner is not None:
            given = self._inner.generate([prompts[row] for row in missing], samples=samples, seed=seed, options=options)
            self._keep([keys[row] for row in missing], given, samples)
        return tuple(self._held[key] for key in keys)

    def _keep(self, keys: list[str], given: object, samples: int) -> None:
        """Writes new lines, then remembers them: what cannot be kept is not handed on either."""
        if not isinstance(given, tuple) or len(given) != len(keys) or not all(_whole(row, samples) for row in given):
            raise PluginError(f"The backend that is recorded gave something else than {samples} completions.", "Ask its author.")
        rows: list[tuple[Completion, ...]] = list(given)
        data = b"".join(_line(key, row) for key, row in zip(keys, rows, strict=True))
        try:
            _append(self._path, data)
        except OSError as problem:
            raise PluginError(f"{self._path} cannot be written: {problem.strerror}.", "Mend `folder`.") from problem
        self._held.update(_lines(self._path, data))


def request_digest(prompt: str, samples: int, seed: int, options: dict[str, Any], *, occurrence: int = 0) -> str:
    """The digest by which a request is known: 64 lower-case hex digits.

    Args:
        prompt: the whole prompt.
        samples: how many completions.
        seed: the seed.
        options: options of generation.
        occurrence: how often the same prompt stood before it in the same call.

    Raises:
        PluginError: when an option is not plain data.
    """
    asked = {"occurrence": occurrence, "options": options, "prompt": prompt, "samples": samples, "seed": seed}
    try:
        return hashlib.sha256(_written(asked)).hexdigest()
    except (TypeError, ValueError) as problem:
        raise PluginError("The options of a request are not plain data.", "Give texts, whole numbers and lists.") from problem


def _written(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def _whole(row: object, samples: int) -> bool:
    return isinstance(row, tuple) and len(row) == samples and all(isinstance(one, Completion) for one in row)


def _line(key: str, row: tuple[Completion, ...]) -> bytes:
    said = [{name: getattr(one, name) for name in _Said.model_fields} for one in row]
    body = {"completions": said, "request": key}
    try:
        return _written({**body, "sha256": hashlib.sha256(_written(body)).hexdigest()}) + b"\n"
    except (TypeError, ValueError) as problem:
        raise PluginError("The backend that is recorded gave a malformed completion.", "Ask its author.") from problem


def _read(path: Path, *, must: bool) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        if must:
            raise PluginError(f"There is no recording at {path}.", "Record one, or mend `folder`.") from None
        return b""
    except OSError as problem:
        raise PluginError(f"{path} cannot be read: {problem.strerror}.", "Mend `folder`.") from problem
    if len(data) > MOST_BYTES:
        raise PluginError(f"{path} is larger than {MOST_BYTES} bytes.", "Split the recording.")
    return data


def _lines(path: Path, data: bytes) -> dict[str, tuple[Completion, ...]]:
    """What is kept, by request. A last line without its end was broken off while it was written, and counts as not written."""
    held: dict[str, tuple[Completion, ...]] = {}
    for number, raw in enumerate(data.split(b"\n")[:-1], 1):
        line = _parsed(raw)
        if line is None:
            raise PluginError(f"{path} line {number} is no record, or was altered: its hash does not fit.", _MEND)
        row = tuple(
            Completion(
                one.text, tuple(one.tokens), tuple(one.behaviour_logprobs), tuple(one.model_logprobs), one.stop, one.producer,
                one.prompt_tokens,
            )
            for one in line.completions
        )  # fmt: skip
        if held.setdefault(line.request, row) != row:
            raise PluginError(f"{path} line {number} answers a request that an earlier line answers otherwise.", _MEND)
    return held


def _parsed(raw: bytes) -> _Line | None:
    """A line whose hash fits and whose bytes are the only ones that say what it says."""
    try:
        found = json.loads(raw.decode("ascii"))
        line = _Line.model_validate(found)
        body = {name: found[name] for name in ("completions", "request")}
        whole = _written(found) == raw and hashlib.sha256(_written(body)).hexdigest() == line.sha256
    except (ValidationError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return line if whole else None


@contextmanager
def _alone(descriptor: int) -> Iterator[None]:
    """Lets one process at a time write, where the system has locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield  # closing the file lets go


def _append(path: Path, data: bytes) -> None:
    """Adds whole lines at the end, onto the disk. A line that was broken off before is cut away first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with _alone(descriptor):
            end = os.lseek(descriptor, 0, os.SEEK_END)
            whole = _last_end(descriptor, end)
            if whole < end:
                os.ftruncate(descriptor, whole)
            os.lseek(descriptor, whole, os.SEEK_SET)
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _last_end(descriptor: int, end: int) -> int:
    """One past the last line's end."""
    step = 65_536
    while end > 0:
        start = max(0, end - step)
        os.lseek(descriptor, start, os.SEEK_SET)
        found = os.read(descriptor, end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
