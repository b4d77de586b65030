"""One GRPO step beside TRL's ``GRPOTrainer``, in one process and run: ratios, never a figure alone.

Model: Qwen3 of 4 layers, hidden 128, 4 heads, 2 kv heads of 32, intermediate 384, vocabulary 2,048, tied, float32, random weights; 8 prompts of
96 tokens, 8 responses of 96 tokens each, none ended early, the plain ``grpo`` loss, rewards of the same four values from the same rule, one
step of AdamW. On one thread each, in CPU time, which another program's load changes little; and on two: two threads for TRL, for ours two rollout processes of one thread each, and two threads of the update. A step is the whole of
it: rollout, judging, log-probabilities of the reference where there is one, loss, gradient, step, figures. The two take turns; a ratio is the
median of the ratios of the turns. On two threads it is time on the wall, which a busy machine makes worthless: the load is printed.

    python benchmarks/training.py [--quick]

TRL is the peer, and needed for this alone: ``pip install trl==1.16.0``.
"""

from __future__ import annotations

import hashlib
import logging
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import torch
from table_row import Row

from conformed.model.answer import Outcome
from conformed_plugins.backends.bench.measure import random_model
from conformed_plugins.backends.decoder.rollout import REPLAY_TOLERANCE
from conformed_plugins.backends.decoder.workers import RolloutWorkers
from conformed_plugins.training.grpo.recorder import InMemory
from conformed_plugins.training.grpo.rollout import InProcess
from conformed_plugins.training.grpo.run import Run
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.grpo.shared.forward import score_groups
from conformed_plugins.training.grpo.shared.layout import Group
from conformed_plugins.training.grpo.work import Work
from conformed_plugins.training.items import Checked, Split, Task, TrainingItem
from conformed_plugins.training.reward import combined_reward

PROMPTS = GROUP = 8
TOKENS = 96
RATE = 1e-5


def rows(*, quick: bool = False) -> list[Row]:
    """The rows of this file.

    Args:
        quick: fewer turns.
    """
    os.environ.update({"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1"})
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    count, found, drift = 3 if quick else 9, [], 0.0
    torch.set_num_threads(1)
    with Ours(0.0, threads=1) as ours:
        found.append(
            ratio_row("one thread, CPU time", 2.4, turns(time.process_time, count, ours=ours.step, trl=Trl(0.0).step), ours)
        )
    torch.set_num_threads(2)
    for beta, goal, name in ((0.0, 2.4, "two threads"), (0.04, 2.2, "two threads, KL 0.04")):
        with Ours(beta, threads=2) as ours:
            times = turns(time.perf_counter, count, ours=ours.step, trl=Trl(beta).step)
            found.append(ratio_row(name, goal, times, ours))
            drift = max(drift, ours.drift())
    said = f"{drift:.2e} at most over all first updates"
    found.append(
        Row("training", "replayed against rollout log-probabilities", said, f"<= {REPLAY_TOLERANCE}", drift <= REPLAY_TOLERANCE)
    )
    return [*found, shared_row()]


def main() -> None:
    """Prints the rows."""
    for row in rows(quick="--quick" in sys.argv[1:]):
        print(f"{row.row}  {row.metric}\n    {row.measured} (goal {row.goal}: {'reached' if row.reached else 'MISSED'})")


def verdict(tokens: Sequence[int]) -> tuple[bool, bool]:
    """Right and of the asked form, by a rule that any response can meet."""
    return sum(token % 7 == 0 for token in tokens) % 2 == 0, tokens[-1] % 2 == 0


class Words:
    """A token a word, and none that ends."""

    stop_ids: frozenset[int] = frozenset()
    digest = hashlib.sha256(b"words").hexdigest()

    def prompt(self, text: str) -> tuple[int, ...]:
        """Tokens of a text."""
        return tuple(int(word[1:]) for word in text.split())

    def text(self, tokens: Sequence[int]) -> str:
        """Text of tokens."""
        return " ".join(f"t{token}" for token in tokens)


def prompts() -> list[str]:
    """Prompts, as words."""
    numbers = torch.randint(3, 2048, (64, TOKENS), generator=torch.Generator().manual_seed(1)).tolist()
    return [" ".join(f"t{one}" for one in row) for row in numbers]


class Ours:
    """The in-house trainer. Use it in a ``with`` statement."""

    def __init__(self, beta: float, threads: int) -> None:
        settings = GrpoSettings(
            updates=10_000, prompts=PROMPTS, group=GROUP, max_new_tokens=TOKENS, kl_beta=beta, learning_rate=RATE, update_threads=threads,
            evaluate_every=0, save_every=0,
        )  # fmt: skip
        items = tuple(
            TrainingItem(str(number), Task.FIELDS, Split.GRPO, "words", prompt, "") for number, prompt in enumerate(prompts())
        )
        words, self._recorder, model = Words(), InMemory(), random_model()

        def check(_: TrainingItem, text: str) -> Checked:
            right, form = verdict(words.prompt(text))
            return Checked(Outcome.CORRECT if right else Outcome.INCORRECT, form, "even" if right else "odd")

        self._workers = RolloutWorkers(model, threads) if threads > 1 else None
        work = Work(model, items, check, "1", words, Path(), recorder=self._recorder)
        self._run = Run(work, settings, self._workers or InProcess(model), time.perf_counter)

    def __enter__(self) -> Self:
        """Gives itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the workers."""
        if self._workers is not None:
            self._workers.close()

    def step(self) -> None:
        """One update with its generation."""
        self._run.advance()

    def drift(self) -> float:
        """Largest difference of replayed and sampled log-probabilities."""
        return max(float(figures["replay_difference"]) for _, figures in self._recorder.figures)

    def halves(self) -> str:
        """Medians of the two halves of a step."""
        figures = [one for _, one in self._recorder.figures][1:]
        halves = (statistics.median(float(one[name]) for one in figures) for name in ("rollout_seconds", "update_seconds"))
        return "rollout {:.2f} s, update {:.2f} s".format(*halves)


class Trl:
    """TRL's trainer, its own training step, and a step of its optimiser with clipping."""

    def __init__(self, beta: float) -> None:
        from datasets import Dataset
        from tokenizers import Tokenizer, models, pre_tokenizers
        from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
        from transformers.utils.logging import disable_progress_bar
        from trl import GRPOConfig, GRPOTrainer

        disable_progress_bar()
        vocabulary = {"<pad>": 0, "<eos>": 1, "<unk>": 2, **{f"t{one}": one for one in range(3, 2048)}}
        inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
        inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=inner, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
        )
        self._folder = tempfile.TemporaryDirectory()
        base = str(Path(self._folder.name) / "base")
        random_model().save_pretrained(base)  # on the disk: TRL loads the reference by its path

        def reward(completion_ids: Sequence[Sequence[int]], **_: object) -> list[float | None]:
            found = (verdict(ids) for ids in completion_ids)
            return [combined_reward(Outcome.CORRECT if right else Outcome.INCORRECT, form) for right, form in found]

        arguments = GRPOConfig(
            output_dir=self._folder.name, use_cpu=True, bf16=False, per_device_train_batch_size=PROMPTS * GROUP,
            gradient_accumulation_steps=1, num_generations=GROUP, max_completion_length=TOKENS, beta=beta, loss_type="grpo",
            learning_rate=RATE, report_to="none", max_steps=2, save_strategy="no", logging_strategy="no",
            gradient_checkpointing=False, disable_tqdm=True, temperature=1.0, top_p=1.0, top_k=0,
            generation_kwargs={"min_new_tokens": TOKENS}, remove_unused_columns=False,
        )  # fmt: skip
        self._trainer = GRPOTrainer(
            model=AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32), reward_funcs=reward, args=arguments,
            train_dataset=Dataset.from_dict({"prompt": prompts()}), processing_class=tokenizer,
        )  # fmt: skip
        self._trainer.train()
        self._batches = iter(self._trainer.get_train_dataloader())

    def step(self) -> None:
        """One update with its generation."""
        trainer, model = self._trainer, self._trainer.model_wrapped
        model.train()
        batch = next(self._batches, None)
        if batch is None:
            self._batches = iter(trainer.get_train_dataloader())
            batch = next(self._batches)
        trainer.training_step(model, batch, None)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        trainer.optimizer.step()
        trainer.optimizer.zero_grad()


def turns(clock: Callable[[], float], count: int, /, **works: Callable[[], object]) -> dict[str, list[float]]:
    """Seconds of each, turn by turn, after one turn that is not counted."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(count + 1):
        for name, work in works.items():
            began = clock()
            work()
            times[name].append(clock() - began)
    return {name: some[1:] for name, some in times.items()}


def ratio_row(how: str, goal: float, times: dict[str, list[float]], of: Ours) -> Row:
    """TRL's time over ours."""
    ratio = statistics.median(trl / ours for trl, ours in zip(times["trl"], times["ours"], strict=True))
    ours, trl = (statistics.median(times[who]) for who in ("ours", "trl"))
    machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, torch {torch.__version__}"
    said = f"{ratio:.2f}: {ours:.2f} s beside {trl:.2f} s, medians of {len(times['ours'])} turns; on the wall {of.halves()} ({machine})"
    name = f"one GRPO step, 8 prompts x 8, 96 + 96 tokens, {how}: TRL's time over ours"
    return Row("training", name, said, f">= {goal}", ratio >= goal)


def shared_row() -> Row:
    """Gradient with the prompt shared beside the plain one of each row by itself, in any cut of the update, relative."""
    model = random_model().double()
    numbers = torch.Generator().manual_seed(2)
    lengths = [(40, (9, 30, 1, 12)), (7, (5, 5)), (96, (20, 8, 3)), (21, (40, 2))]
    groups = [
        Group(tuple(some(numbers, prompt)), tuple(tuple(some(numbers, one)) for one in responses))
        for prompt, responses in lengths
    ]
    parameters = list(model.parameters())

    def gradient(cut: Sequence[Sequence[Group]]) -> torch.Tensor:
        total = [torch.zeros_like(one) for one in parameters]
        for part in cut:
            scored = score_groups(model, part)
            for mine, more in zip(total, torch.autograd.grad((scored.logprobs**2).sum(), parameters), strict=True):
                mine.add_(more)
        return torch.cat([one.flatten() for one in total])

    plain: torch.Tensor = torch.zeros(())
    for group in groups:
        for response in group.responses:
            logits = model(torch.tensor([[*group.prompt, *response]]), use_cache=False).logits[0].log_softmax(-1)
            chosen = logits[len(group.prompt) - 1 : -1].gather(-1, torch.tensor(response)[:, None])
            plain = plain + (chosen**2).sum()
    wanted = torch.cat([one.flatten() for one in torch.autograd.grad(plain, parameters)])
    apart = max(
        float((gradient([groups[at : at + size] for at in range(0, 4, size)]) - wanted).norm() / wanted.norm())
        for size in (1, 2, 3, 4)
    )
    said = f"{apart:.1e} over cuts of 1 to 4 prompts of unequal lengths, float64"
    return Row("training", "gradient with shared prompts beside the plain one, relative", said, "<= 1e-6", apart <= 1e-6)


def some(numbers: torch.Generator, count: int) -> list[int]:
    """Tokens at random."""
    found: list[int] = torch.randint(2048, (count,), generator=numbers).tolist()
    return found


if __name__ == "__main__":
    main()
