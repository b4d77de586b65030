"""Rollouts in worker processes of one thread each: on few cores faster than one process of several threads.

The weights lie in memory that all processes share, so an optimiser's step in the first one is seen by all; the workers pack them anew
for every call. What a row says does not depend on which worker said it.
"""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

import torch
import torch.multiprocessing

from conformed.errors import ConformedError, GivenValueError, StepError
from conformed_plugins.backends.decoder.batched import Decoder
from conformed_plugins.backends.decoder.settings import Decoded, Settings

__all__ = ["RolloutWorkers"]


class RolloutWorkers:
    """Some worker processes on one model. Use it in a ``with`` statement.

    Args:
        model: a causal language model of transformers on the CPU; its weights are moved into shared memory, in place.
        count: processes.
    """

    def __init__(self, model: Any, count: int = 2) -> None:
        if count < 1:
            raise GivenValueError(f"{count} workers were asked for.", "Ask for at least 1.")
        if model.device.type != "cpu":
            raise GivenValueError(f"The model is on {model.device}.", "Workers are for the CPU.")
        model.share_memory()
        context = torch.multiprocessing.get_context("spawn")
        self._workers: list[tuple[Any, Connection]] = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_serve, args=(theirs, model), daemon=True)
            worker.start()
            theirs.close()
            self._workers.append((worker, ours))

    def __enter__(self) -> Self:
        """Gives itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        """Ends the workers."""
        self.close()

    def close(self) -> None:
        """Ends the workers, at once if they are in the middle of something."""
        for worker, pipe in self._workers:
            pipe.close()
            worker.join(timeout=5)
            if worker.is_alive():
                worker.kill()
                worker.join()
        self._workers = []

    def decode(
        self, input_ids: Sequence[Sequence[int]], settings: Settings, keys: Sequence[str] | None = None
    ) -> list[list[Decoded]]:
        """As ``Decoder.decode``; the prompts are dealt out evenly, a prompt's samples stay together.

        Raises:
            ValueError: as there, and for a grammar, which does not cross into another process.
            StepError: when a worker fails or has died.
        """
        if settings.schema is not None or settings.until is not None:
            raise GivenValueError("A grammar, or a function, cannot be used in workers.", "Decode in this process.")
        size = max(1, -(-len(input_ids) // max(1, len(self._workers))))
        shares = [slice(start, start + size) for start in range(0, len(input_ids), size)]
        asked = list(zip(self._workers, shares, strict=False))
        try:
            for (_, pipe), share in asked:
                prompts = [tuple(prompt) for prompt in input_ids[share]]
                pipe.send((prompts, settings, None if keys is None else list(keys[share])))
            answers = [pipe.recv() for (_, pipe), _ in asked]
        except (EOFError, OSError) as problem:
            raise StepError("A rollout worker has died.", "Look for a lack of memory, and make the workers anew.") from problem
        for answer in answers:
            if isinstance(answer, ConformedError):
                raise answer
            if isinstance(answer, str):
                raise StepError(f"A rollout worker failed: {answer}.", "Decode in one process to see where.")
        return [samples for answer in answers for samples in answer]


def _serve(pipe: Connection, model: Any) -> None:
    """Answers until the pipe is closed."""
    torch.set_num_threads(1)
    while True:
        try:
            prompts, settings, keys = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(Decoder(model).decode(prompts, settings, keys))
        except GivenValueError as problem:
            pipe.send(GivenValueError(problem.found, problem.mend))
        except Exception as problem:  # noqa: BLE001 - whatever it is, the first process must hear of it and not wait for ever
            pipe.send(type(problem).__name__)
