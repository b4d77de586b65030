"""Generation beside transformers' own ``generate``, in one process and run: ratios, never a figure alone.

Model: Qwen3 of 4 layers, hidden 128, 4 heads, 2 kv heads of 32, intermediate 384, vocabulary 2,048, tied, float32, random weights; prompts
of 96 tokens, 96 new ones, no stop token, sampled at temperature 1. The two take turns, so that both see the same machine; a ratio is the
median of the ratios of the turns. CPU time of the process is what is compared where one thread does all the work, because another
program's load changes it little; with several processes or threads it is time on the wall, which a busy machine makes worthless: the load
is printed.

    python benchmarks/generation.py [--quick]
"""

from __future__ import annotations

import dataclasses
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
from table_row import Row

from conformed_plugins.backends.bench.measure import random_model
from conformed_plugins.backends.decoder import Decoder, Settings
from conformed_plugins.backends.decoder.rollout import REPLAY_TOLERANCE, replay_logprobs, rollout_of
from conformed_plugins.backends.decoder.workers import RolloutWorkers

PROMPT = NEW = 96
PRODUCTS = 1_048_576
"""Weights in the model's products: 786,432 in its layers, 262,144 in its head."""
HEAD = 262_144


def rows(*, quick: bool = False) -> list[Row]:
    """The rows of this file.

    Args:
        quick: fewer turns.
    """
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    turns = 3 if quick else 9
    bench = Bench()
    shared = bench.turns(time.process_time, turns, generate=bench.peer(32), ours=bench.ours(4, 8))
    alone = bench.turns(time.process_time, turns, generate=bench.peer(32), ours=bench.ours(32, 1))
    single = bench.turns(time.process_time, turns, generate=bench.peer(1), ours=bench.ours(1, 1))
    floors = (floor_s(4, 8), floor_s(32, 1))
    found = [
        ratio_row("rollout, batch 32, one thread, groups of 8 sharing their prompt", shared, 32, 2.2),
        ratio_row("rollout, batch 32, one thread, without sharing", alone, 32, 1.8),
        ratio_row("batch 1, one thread", single, 1, 2.3),
    ]
    for name, times, floor in (("groups of 8", shared, floors[0]), ("without sharing", alone, floors[1])):
        ours, peer = statistics.median(times["ours"]) / floor, statistics.median(times["generate"]) / floors[1]
        said = f"{ours:.2f} x its floor of {floor * 1000:.0f} ms; generate {peer:.2f} x its own ({conditions()})"
        found.append(Row("generation", f"distance to the matmul floor, batch 32, {name}", said, "<= 3", ours <= 3))
    found.append(bench.two_cores(turns))
    drift = bench.drift()
    said = f"{drift:.2e} over 32 rows x {NEW} tokens"
    found.append(
        Row("generation", "replayed against rollout log-probabilities", said, f"<= {REPLAY_TOLERANCE}", drift <= REPLAY_TOLERANCE)
    )
    return found


def main() -> None:
    """Prints the rows."""
    for row in rows(quick="--quick" in sys.argv[1:]):
        print(f"{row.row}  {row.metric}\n    {row.measured} (goal {row.goal}: {'reached' if row.reached else 'MISSED'})")


class Bench:
    """The model and its two ways of generating."""

    def __init__(self) -> None:
        self.model: Any = random_model()
        self.model.generation_config.eos_token_id = None
        self.model.generation_config.pad_token_id = 0
        numbers = torch.Generator().manual_seed(1)
        self.prompts: list[list[int]] = torch.randint(2048, (64, PROMPT), generator=numbers).tolist()
        self.settings = Settings(max_new_tokens=NEW, stop_ids=frozenset(), temperature=1.0, seed=3)

    def peer(self, batch: int) -> Callable[[], object]:
        """The peer: ``generate`` of transformers."""
        ids = torch.tensor(self.prompts[:batch])
        options = {"do_sample": True, "temperature": 1.0, "top_p": 1.0, "top_k": 0, "max_new_tokens": NEW}

        def work() -> object:
            with torch.inference_mode():
                return self.model.generate(ids, attention_mask=torch.ones_like(ids), **options)

        return work

    def ours(self, prompts: int, samples: int) -> Callable[[], object]:
        """The batched decoder, its packing of the weights included."""
        settings = dataclasses.replace(self.settings, samples=samples)
        return lambda: Decoder(self.model).decode(self.prompts[:prompts], settings)

    def turns(self, clock: Callable[[], float], count: int, /, **works: Callable[[], object]) -> dict[str, list[float]]:
        """Seconds of each, turn by turn, after one turn that is not counted."""
        times: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(count + 1):
            for name, work in works.items():
                began = clock()
                work()
                times[name].append(clock() - began)
        return {name: all_of[1:] for name, all_of in times.items()}

    def two_cores(self, count: int) -> Row:
        """Two workers of one thread beside generate with two threads."""
        settings = dataclasses.replace(self.settings, samples=8)
        torch.set_num_threads(2)
        with RolloutWorkers(self.model, 2) as workers:
            times = self.turns(
                time.perf_counter, count, generate=self.peer(64), ours=lambda: workers.decode(self.prompts[:8], settings)
            )
        torch.set_num_threads(1)
        name = "rollout on two cores, batch 64, groups of 8: two workers beside generate with two threads"
        return ratio_row(name, times, 64, 2.8)

    def drift(self) -> float:
        """Largest difference between the log-probabilities of a rollout and of its replay."""
        prompts = self.prompts[:4]
        decoded = Decoder(self.model).decode(prompts, dataclasses.replace(self.settings, samples=8))
        rollout = rollout_of(prompts, decoded, pad_id=0)
        with torch.no_grad():
            replayed = replay_logprobs(self.model, rollout)
        return float((replayed - rollout.model_logprobs).abs().max())


def ratio_row(name: str, times: dict[str, list[float]], batch: int, goal: float) -> Row:
    """A ratio of tokens a second."""
    ratio = statistics.median(peer / ours for peer, ours in zip(times["generate"], times["ours"], strict=True))
    ours, peer = (batch * NEW / statistics.median(times[who]) for who in ("ours", "generate"))
    said = (
        f"{ratio:.2f} x generate: {ours:,.0f} beside {peer:,.0f} tokens/s, medians of {len(times['ours'])} turns ({conditions()})"
    )
    return Row("generation", name, said, f">= {goal} x", ratio >= goal)


def floor_s(prompts: int, samples: int) -> float:
    """Seconds of one thread that the products of a rollout take by themselves, measured now, at the shapes of decoding."""
    rows_ = prompts * samples
    inner, outer = torch.randn(rows_, 128), torch.randn(768, 128)
    work = inner @ outer.t()
    times = []
    for _ in range(7):
        began = time.process_time()
        for _ in range(200):
            torch.mm(inner, outer.t(), out=work)
        times.append((time.process_time() - began) / 200)
    rate = 2 * rows_ * 128 * 768 / min(times)
    layers = PRODUCTS - HEAD
    prompt = 2 * prompts * (PROMPT * layers + HEAD)
    answer = 2 * rows_ * (NEW - 1) * PRODUCTS
    seen = sum(range(PROMPT, PROMPT + NEW)) * rows_ + prompts * PROMPT * PROMPT / 2
    return (prompt + answer + 4 * 2 * 2 * 128 * seen) / rate


def conditions() -> str:
    """The machine at this moment."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, torch {torch.__version__}, float32"


if __name__ == "__main__":
    main()
