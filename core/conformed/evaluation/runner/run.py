"""Runs an evaluation in one folder: resumable, in parallel, with the same bytes whatever the order in which work ends."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from conformed.errors import UsageError
from conformed.evaluation.items import Item, Result
from conformed.evaluation.runner.config import RunConfig, canonical, digest, seed_of
from conformed.evaluation.runner.stages import Generated, Stages, checked_responses, judged
from conformed.evaluation.runner.store import Folder, Kept

__all__ = ["Progress", "Run", "evaluate", "rescore"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    done: int
    """Responses that are kept."""
    total: int
    """Responses in all."""
    left_s: int | None
    """Seconds that the rest will take at the pace so far; None before anything was generated here."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run that ended."""

    config: RunConfig
    """Its configuration."""
    folder: Path
    """Where it lies."""
    results: tuple[Result, ...]
    """Sorted by item and sample."""
    file: str
    """Name of the file of results."""
    output: str
    """SHA-256 of the results without their times: equal for equal responses."""


def evaluate(
    items: Sequence[Item],
    stages: Stages,
    config: RunConfig,
    folder: Path,
    *,
    resume: bool = False,
    workers: int = 1,
    progress: Callable[[Progress], None] | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> Run:
    """Generates what is not kept yet, judges everything, and writes the results.

    Args:
        items: the items, each id once.
        stages: what does the work; with more than one worker it is called from several threads.
        config: the configuration.
        folder: where the run lies.
        resume: go on with the run that is there.
        workers: how many items are worked on at once.
        progress: told after each item.
        monotonic: seconds that only go up, for the time left.

    Raises:
        UsageError: when the items do not fit the configuration, the folder holds another run, or cannot be written.
    """
    _fit(items, config, stages)
    with Folder(folder) as store:
        store.begin(config, resume=resume)
        kept = {(item, sample): (seed, given) for item, sample, seed, given in store.raw()}
        todo = [(item, missing) for item in items if (missing := _missing(item, config, kept))]
        total, begun, made = len(items) * config.samples, monotonic(), 0
        before = total - sum(len(missing) for _item, missing in todo)
        for rows in _generated(todo, stages, config, workers):
            store.keep(rows)
            kept.update({(item, sample): (seed, given) for item, sample, seed, given in rows})
            made += len(rows)
            if progress is not None:
                done = before + made
                progress(Progress(done, total, round((monotonic() - begun) / made * (total - done))))
        return _judge(store, items, stages, config, kept, workers)


def rescore(items: Sequence[Item], stages: Stages, folder: Path, *, workers: int = 1, expected: RunConfig | None = None) -> Run:
    """Judges the responses that are kept, again: under another version of parser or verifier, without generating.

    The new results stand beside the old ones, under the new versions.

    Args:
        items: the items of the run.
        stages: what judges; nothing is generated.
        folder: where the run lies.
        workers: how many responses are judged at once.
        expected: the run that is meant; the one in the folder must be it, but for its versions. None takes what is there.

    Raises:
        UsageError: when the folder holds no whole run of these items, or another run than is expected.
    """
    if not folder.is_dir():
        raise UsageError(f"There is no run in {folder}.", "Give the folder of a run.")
    with Folder(folder) as store:
        there = store.config()
        if expected is not None:
            store.same(there, expected)
        config = there.model_copy(update={"versions": stages.versions})
        _fit(items, config, stages)
        kept = {(item, sample): (seed, given) for item, sample, seed, given in store.raw()}
        if missing := sum(len(_missing(item, config, kept)) for item in items):
            raise UsageError(f"{missing} responses of the run in {folder} are not there.", "Finish it: --resume.")
        return _judge(store, items, stages, config, kept, workers)


def _fit(items: Sequence[Item], config: RunConfig, stages: Stages) -> None:
    twice = [name for name, count in sorted(Counter(item.id for item in items).items()) if count > 1]
    if twice:
        raise UsageError(f"The item {twice[0]!r} stands twice.", "Give each item an id of its own.")
    if len(items) != config.items:
        raise UsageError(f"There are {len(items)} items and the run is of {config.items}.", "Give the data set of the run.")
    if config.versions != stages.versions:
        raise UsageError("The configuration names other versions than the stages have.", "Write those of the stages.")


def _missing(item: Item, config: RunConfig, kept: dict[tuple[str, int], tuple[int, Generated]]) -> list[int]:
    return [sample for sample in range(config.samples) if (item.id, sample) not in kept]


def _generated(todo: Sequence[tuple[Item, list[int]]], stages: Stages, config: RunConfig, workers: int) -> Iterable[list[Kept]]:
    """What is generated, an item at a time, as it comes; never more items at work than workers, so that little is lost."""

    def work(item: Item, samples: list[int]) -> list[Kept]:
        seed = seed_of(config.seed, item.id)
        given = checked_responses(stages, item, samples, seed)
        return [(item.id, sample, seed, one) for sample, one in zip(samples, given, strict=True)]

    if workers <= 1:
        for one in todo:
            yield work(*one)
        return
    with ThreadPoolExecutor(max_workers=workers) as pool:
        waiting, rest = set[Future[list[Kept]]](), iter(todo)
        try:
            while True:
                while len(waiting) < workers and (one_more := next(rest, None)) is not None:
                    waiting.add(pool.submit(work, *one_more))
                if not waiting:
                    return
                ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in ended:
                    yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _judge(
    store: Folder,
    items: Sequence[Item],
    stages: Stages,
    config: RunConfig,
    kept: dict[tuple[str, int], tuple[int, Generated]],
    workers: int,
) -> Run:
    places = [(item, sample) for item in sorted(items, key=lambda one: one.id) for sample in range(config.samples)]

    def judge(place: tuple[Item, int]) -> Result:
        item, sample = place
        return judged(stages, item, sample, *kept[item.id, sample])

    if workers > 1:
        with ThreadPoolExecutor(max_workers=workers) as pool:
            results = tuple(pool.map(judge, places))
    else:
        results = tuple(map(judge, places))
    rows = [one.model_dump(mode="json", exclude={"latency_ms"}) for one in results]
    output = digest(b"".join(canonical(row) + b"\n" for row in rows))
    counts = Counter(one.outcome.value for one in results)
    summary = {
        "config": config.model_dump(mode="json"),
        "generation": config.generation,
        "responses": len(results),
        "outcomes": dict(sorted(counts.items())),
        "output": output,
    }
    return Run(config, store.path, results, store.finish(config, results, summary), output)
