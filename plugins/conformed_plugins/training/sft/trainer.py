"""The loop: a batch, its gradient, a step; now and then greedy answers on held-out items; an end by criterion, with caps."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import torch

from conformed.errors import GivenValueError, StepError
from conformed_plugins.training.grpo.codec import Codec
from conformed_plugins.training.grpo.shared.forward import score_groups
from conformed_plugins.training.grpo.shared.layout import Group
from conformed_plugins.training.grpo.shared.threads import on_threads
from conformed_plugins.training.items import Check, TrainingItem
from conformed_plugins.training.sft.altering import Altering
from conformed_plugins.training.sft.batches import Batches, Example
from conformed_plugins.training.sft.checkpoints import restored, saved
from conformed_plugins.training.sft.greedy import exact, greedy
from conformed_plugins.training.sft.loss import masked_nll
from conformed_plugins.training.sft.optimisers import Optimisers
from conformed_plugins.training.sft.settings import SftSettings

__all__ = ["Counters", "Ended", "Record", "SftResult", "SftTrainer", "gradient_of"]

Ended = Literal["criterion", "cap_updates", "cap_seconds"]


class Record(Protocol):
    """Takes figures of an update: ``RunFolder.record`` does."""

    def __call__(self, update: int, figures: Mapping[str, float | int | str]) -> None:
        """Takes figures by name."""
        ...


@dataclass
class Counters:
    """What has been, beside weights and optimisers; all of it is in a checkpoint."""

    update: int = 0
    """Updates made."""
    seconds: float = 0.0
    """Seconds of training so far, those before an interruption included."""
    decay_from: int | None = None
    """The last update at full rates, once that is known."""
    reached: int = 0
    """Evaluations in a row that reached the criterion."""
    history: list[tuple[int, float]] = field(default_factory=list)
    """Update and exactness of each evaluation."""


@dataclass(frozen=True, slots=True)
class SftResult:
    """How it ended."""

    ended: Ended
    """The criterion, or the cap that came first."""
    updates: int
    """Updates made."""
    examples: int
    """Examples seen, repeated ones counted each time."""
    epochs: int
    """Times that every example has been seen."""
    seconds: float
    """Seconds by the clock."""
    cpu_seconds: float
    """Seconds of processor time of this process since it began or was taken up again."""
    history: tuple[tuple[int, float], ...]
    """Update and exactness of each evaluation."""

    @property
    def reached(self) -> bool:
        """Whether the criterion was met."""
        return self.ended == "criterion"


def gradient_of(
    model: Any, batch: Sequence[Example], *, microbatches: int, threads: int
) -> tuple[list[torch.Tensor], float, int]:
    """The gradient of a batch's loss: the mean over all its target tokens, however it is cut.

    Args:
        model: the policy, in evaluation mode (it has no dropout).
        batch: examples.
        microbatches: parts.
        threads: threads, a part each.

    Returns:
        Gradients in the order of the parameters, the loss, and the target tokens.

    Raises:
        GivenValueError: as ``masked_nll``.
    """
    tokens = sum(len(one.answer) for one in batch)
    parameters = list(model.parameters())
    size = -(-len(batch) // microbatches)

    def part(some: Sequence[Example]) -> tuple[tuple[torch.Tensor, ...], float]:
        scored = score_groups(model, [Group(one.prompt, (one.answer,)) for one in some])
        loss = masked_nll(scored.logprobs, scored.mask, tokens=tokens)
        return torch.autograd.grad(loss, parameters), float(loss.detach())

    total: list[torch.Tensor] = []
    loss = 0.0
    for gradients, its in on_threads(part, [batch[at : at + size] for at in range(0, len(batch), size)], threads):
        total = [mine.add_(more) for mine, more in zip(total, gradients, strict=True)] if total else list(gradients)
        loss += its
    return total, loss, tokens


class SftTrainer:
    """Trains one policy on right answers.

    Args:
        model: the policy; it is trained in place.
        codec: text to tokens and back, as the backend does it.
        examples: what is learned.
        sample: held-out items on which the criterion is measured; none of them is among the examples.
        check: judges answers.
        settings: how.
        pad_id: the token of padding. It fills nothing here, and is refused where it is one that ends.
        tokenizer: with which examples are altered; None alters none, whatever the settings say.
        record: takes the figures of each update.
        checkpoints: where states are kept; None keeps none.
        clock: seconds, for the cap.

    Raises:
        GivenValueError: when padding is an end, an example does not end, an item of the sample is learned, or a row is longer than
            the model's context.
    """

    def __init__(
        self,
        model: Any,
        codec: Codec,
        examples: Sequence[Example],
        sample: Sequence[TrainingItem],
        check: Check,
        settings: SftSettings,
        *,
        pad_id: int | None,
        tokenizer: Any = None,
        record: Record | None = None,
        checkpoints: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        _refuse(model, codec, examples, sample, pad_id)
        self.model, self.counters = model.eval(), Counters()
        self._codec, self._sample, self._check, self._settings = codec, tuple(sample), check, settings
        self._record, self._folder, self._clock = record, checkpoints, clock
        alter = None
        if tokenizer is not None and settings.altered:
            alter = Altering(tokenizer, share=settings.altered, seed=settings.seed)
        self._batches = Batches(examples, seed=settings.seed, batch=settings.batch, window=settings.window, alter=alter)
        self._optimisers = Optimisers(model, settings)
        self._identity = _identity(codec, examples, sample, settings)

    def resume(self) -> bool:
        """Takes up the last whole checkpoint, if there is one.

        Returns:
            Whether there was one. The next updates are then, to the bit, those that would have followed it.

        Raises:
            GivenValueError: when it is of another run.
        """
        if self._folder is None:
            return False
        found = restored(self._folder, self.model, self._optimisers, self._identity)
        if found is None:
            return False
        self.counters = Counters(**{**found, "history": [(int(update), float(share)) for update, share in found["history"]]})
        return True

    def run(self) -> SftResult:
        """Trains until the criterion is met, or a cap.

        Raises:
            StepError: when a loss or gradient is not finite; no step is made on it.
        """
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # work is cut for threads here; torch's own would wait for each other
        try:
            return self._run()
        finally:
            torch.set_num_threads(threads)

    def _run(self) -> SftResult:
        settings, counters = self._settings, self.counters
        begun, begun_cpu = self._clock() - counters.seconds, time.process_time()
        ended: Ended | None = self._ended()
        while ended is None:
            counters.update += 1
            figures = self._update(counters.update)
            if counters.update % settings.evaluate_every == 0:
                figures["evaluation.sample.accuracy"] = self._evaluated(counters)
            counters.seconds = self._clock() - begun
            if self._record is not None:
                self._record(counters.update, figures)
            if self._folder is not None and settings.save_every and counters.update % settings.save_every == 0:
                saved(self._folder, self.model, self._optimisers, self._identity, asdict(counters))
            ended = self._ended()
        updates = counters.update
        return SftResult(
            ended,
            updates,
            updates * settings.batch,
            self._batches.epoch(updates + 1),
            counters.seconds,
            time.process_time() - begun_cpu,
            tuple(counters.history),
        )

    def _update(self, update: int) -> dict[str, float | int | str]:
        settings, batch = self._settings, self._batches.at(update)
        try:
            gradients, loss, tokens = gradient_of(self.model, batch, microbatches=settings.microbatches, threads=settings.threads)
        except GivenValueError as problem:
            raise StepError(f"Update {update} was not made: {problem.found}", problem.mend) from problem
        share = settings.share(update, self.counters.decay_from)
        norm = self._optimisers.step(list(self.model.parameters()), gradients, share, update)
        return {
            "loss": loss,
            "gradient_norm": norm,
            "gradient_clipped": int(norm > settings.max_gradient_norm),
            "learning_rate": settings.matrix_rate * share,
            "mean_response_tokens": tokens / len(batch),
        }

    def _evaluated(self, counters: Counters) -> float:
        settings = self._settings
        said = greedy(
            self.model, self._codec, self._sample, self._check, max_new_tokens=settings.max_new_tokens, threads=settings.threads
        )
        share = exact(said)
        counters.history.append((counters.update, share))
        counters.reached = counters.reached + 1 if share >= settings.enough else 0
        if counters.decay_from is None and share >= settings.decay_at:
            counters.decay_from = counters.update
        return share

    def _ended(self) -> Ended | None:
        settings, counters = self._settings, self.counters
        if counters.reached >= settings.times:
            return "criterion"
        if counters.update >= settings.cap_updates:
            return "cap_updates"
        if settings.cap_seconds is not None and counters.seconds >= settings.cap_seconds:
            return "cap_seconds"
        return None


def _refuse(model: Any, codec: Codec, examples: Sequence[Example], sample: Sequence[TrainingItem], pad_id: int | None) -> None:
    if pad_id is None or pad_id in codec.stop_ids:
        raise GivenValueError(
            "The token of padding also ends an answer, or there is none.",
            "Give the tokenizer a padding token of its own: an end that is taken for padding is never learned.",
        )
    if any(one.answer[-1] not in codec.stop_ids for one in examples):
        raise GivenValueError("An example does not end with a token that ends an answer.", "Keep the end among the targets.")
    learned = {one.item for one in examples}
    if both := [item.id for item in sample if item.id in learned]:
        raise GivenValueError(f"{len(both)} items of the sample are learned, {both[0]} the first.", "Hold other items out.")
    if not sample:
        raise GivenValueError("There is no item to measure the criterion on.", "Hold some out.")
    context = model.config.max_position_embeddings
    if longest := max((one.length for one in examples if one.length > context), default=0):
        raise GivenValueError(f"An example has {longest} tokens, and the model's context {context}.", "Leave it out.")


def _identity(codec: Codec, examples: Sequence[Example], sample: Sequence[TrainingItem], settings: SftSettings) -> dict[str, str]:
    ids = "\n".join((*(one.item for one in examples), "", *(item.id for item in sample)))
    return {
        "settings": settings.digest,
        "codec": codec.digest,
        "items": hashlib.sha256(ids.encode()).hexdigest(),
        "torch": str(torch.__version__),
    }
