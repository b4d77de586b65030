"""The folder of a run: its configuration, raw responses that only grow, and results that are written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from conformed.errors import UsageError
from conformed.evaluation.items import Result
from conformed.evaluation.runner.config import RunConfig, canonical, digest
from conformed.evaluation.runner.stages import Generated

__all__ = ["Folder", "Kept", "results_name"]

CONFIG, RAW = "config.json", "responses.jsonl"
_MEND = "Restore the file, or begin in another folder."
Kept = tuple[str, int, int, Generated]
"""Item, sample, seed and what was generated."""


def results_name(config: RunConfig) -> str:
    """Name of the results under some versions, so that those of another parser stand beside them."""
    return f"results-{digest(canonical(config.versions.model_dump()))[:12]}.jsonl"


class Folder:
    """One run's folder, for one process at a time.

    Args:
        path: the folder; made where it is not there.

    Raises:
        UsageError: when it cannot be made or used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._raw: Any = None
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise UsageError(f"The folder {path} cannot be made: {problem.strerror}.", "Give another.") from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        if self._raw is not None:
            self._raw.close()

    def begin(self, config: RunConfig, *, resume: bool) -> None:
        """Writes the configuration, or compares it with the one that is there.

        Raises:
            UsageError: when there is a run and it is not to be resumed, or it was another.
        """
        place = self.path / CONFIG
        if not place.exists():
            if resume:
                raise UsageError(f"There is no run in {self.path}.", "Start it without --resume.")
            self._write(CONFIG, _lines(config))
            return
        there = self.config()
        if not resume:
            raise UsageError(f"There is a run in {self.path} already.", "Go on with it by --resume, or give another folder.")
        self.same(there, config)

    def same(self, there: RunConfig, config: RunConfig) -> None:
        """Compares the run that is there with the one that is meant: method, data, seed and the slices declared before it began.

        Raises:
            UsageError: when it was another.
        """
        if there.generation == config.generation and there.slices == config.slices:
            return
        named = [
            name
            for name in sorted(RunConfig.model_fields)
            if name not in ("name", "versions") and getattr(there, name) != getattr(config, name)
        ]
        differ = f"{', '.join(named)} {'differs' if len(named) == 1 else 'differ'}"
        raise UsageError(f"The run in {self.path} was another: {differ}.", "Give another folder, or what it was begun with.")

    def config(self) -> RunConfig:
        """The configuration of the run.

        Raises:
            UsageError: when it is not there or is none.
        """
        try:
            return RunConfig.model_validate_json((self.path / CONFIG).read_bytes())
        except (OSError, ValueError) as problem:
            raise UsageError(f"{self.path} holds no run: {CONFIG} is absent or broken.", "Give the folder of a run.") from problem

    def raw(self) -> Iterator[Kept]:
        """Raw responses, in the order in which they were kept. A last line that was cut off is not there.

        Raises:
            UsageError: for a line before the last that is none.
        """
        place = self.path / RAW
        if not place.exists():
            return
        with place.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    return
                yield _kept(line, place, number)

    def keep(self, rows: Iterable[Kept]) -> None:
        """Adds raw responses and has them on the disk before it returns. What is there is never changed.

        Raises:
            UsageError: when they cannot be written.
        """
        try:
            if self._raw is None:
                self._raw = self._open_raw()
            for item, sample, seed, given in rows:
                plain = {"item": item, "sample": sample, "seed": seed, **asdict(given)}
                body = canonical(plain)
                self._raw.write(canonical({"sha256": digest(body), "row": plain}) + b"\n")
            self._raw.flush()
            os.fsync(self._raw.fileno())
        except OSError as problem:
            raise UsageError(f"{self.path / RAW} cannot be written: {problem.strerror}.", "Make room, and resume.") from problem

    def finish(self, config: RunConfig, results: Iterable[Result], summary: dict[str, Any]) -> str:
        """Writes the results, sorted, and the summary that names their hash.

        Returns:
            Name of the file of results.

        Raises:
            UsageError: when they cannot be written.
        """
        name = results_name(config)
        data = b"".join(canonical(one.model_dump(mode="json")) + b"\n" for one in results)
        self._write(name, data)
        whole = {**summary, "results": name, "sha256": digest(data)}
        self._write(f"summary-{name.removeprefix('results-').removesuffix('.jsonl')}.json", canonical(whole) + b"\n")
        return name

    def results(self, name: str) -> tuple[Result, ...]:
        """The results of a file, as written.

        Raises:
            UsageError: when they cannot be read.
        """
        try:
            return tuple(Result.model_validate_json(line) for line in (self.path / name).read_bytes().splitlines())
        except (OSError, ValueError) as problem:
            raise UsageError(f"{self.path / name} holds no results.", "Run the evaluation again with --resume.") from problem

    def _open_raw(self) -> Any:
        """Opens the raw responses for adding, without a last line that was cut off."""
        place = self.path / RAW
        stream = place.open("ab+")
        stream.seek(0, os.SEEK_END)
        size = stream.tell()
        if size:
            stream.seek(max(0, size - (1 << 24)))
            whole = stream.read().rfind(b"\n")
            stream.truncate(max(0, size - (1 << 24)) + whole + 1)
        return stream

    def _write(self, name: str, data: bytes) -> None:
        place, half = self.path / name, self.path / f".{name}.half"
        try:
            with half.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            half.replace(place)
        except OSError as problem:
            raise UsageError(f"{place} cannot be written: {problem.strerror}.", "Make room, and resume.") from problem


def _lines(config: RunConfig) -> bytes:
    return (json.dumps(config.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _kept(line: bytes, place: Path, number: int) -> Kept:
    try:
        whole = json.loads(line)
        row = whole["row"]
        given = {name: row[name] for name in ("response", "latency_ms", "prompt_tokens", "response_tokens", "error")}
        kept = row["item"], row["sample"], row["seed"], Generated(**given)
        changed = digest(canonical(row)) != whole["sha256"]
    except (ValueError, KeyError, TypeError) as problem:
        raise UsageError(f"{place}:{number} is no raw response.", _MEND) from problem
    if changed:
        raise UsageError(f"{place}:{number} is not as it was written: its hash is another.", _MEND)
    return kept
