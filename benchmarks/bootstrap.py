"""How long the bootstrap takes: 10,000 resamples over 10,000 items, in our way and in scipy's.

    python benchmarks/bootstrap.py

Three cases: two methods on the same items (differences of -1, 0 and 1: one multinomial draw stands for a whole resample),
figures that all differ (places are drawn), and items in groups. scipy resamples the same paired differences with
scipy.stats.bootstrap in blocks that keep its memory bounded as well. Prints CPU and wall time of each, the ratio to scipy, and
the highest memory of our own draw. Exits 1 where a case of ours takes more CPU time than its gate.
"""

from __future__ import annotations

import math
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from scipy import stats

from conformed.evaluation.paired import compare
from conformed.evaluation.resampling import bootstrap_mean, resampled_means

ITEMS = RESAMPLES = 10_000
GATE = 1.0
"""Seconds of CPU time."""


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall time of one call, in seconds; the better of two, after what is imported on first use is there."""
    taken = []
    for _ in range(2):
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        taken.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(taken)


def main() -> int:
    """Runs the cases and prints a line each."""
    draw = np.random.default_rng(1)
    before = {f"i{n:05}": "correct" if draw.random() < 0.6 else "incorrect" for n in range(ITEMS)}
    after = {item: "correct" if draw.random() < 0.65 else "review" for item in before}
    changes = [(after[item] == "correct") - (before[item] == "correct") for item in before]
    different = [math.sin(n) for n in range(ITEMS)]
    groups = [n // 5 for n in range(ITEMS)]

    def scipys() -> object:
        return stats.bootstrap(
            (np.array(changes, dtype=float),), np.mean, n_resamples=RESAMPLES, method="percentile", batch=100, rng=1
        )

    cases: dict[str, Callable[[], object]] = {
        "paired comparison, whole": lambda: compare(before, after, seed=1, resamples=RESAMPLES),
        "few distinct figures": lambda: bootstrap_mean(changes, seed=1, resamples=RESAMPLES),
        "all figures distinct": lambda: bootstrap_mean(different, seed=1, resamples=RESAMPLES),
        "groups of five": lambda: bootstrap_mean(different, seed=1, resamples=RESAMPLES, groups=groups),
    }
    peer_cpu, peer_wall = timed(scipys)
    print(f"{'scipy.stats.bootstrap':26} {peer_cpu:6.3f} s CPU  {peer_wall:6.3f} s wall")
    slow = []
    for name, work in cases.items():
        cpu, wall = timed(work)
        print(f"{name:26} {cpu:6.3f} s CPU  {wall:6.3f} s wall  {peer_cpu / cpu:7.1f} times as fast as scipy")
        if cpu > GATE:
            slow.append(name)
    tracemalloc.start()
    resampled_means(different, seed=1, resamples=500)
    peak = tracemalloc.get_traced_memory()[1]
    print(f"{'highest memory':26} {peak / 2**20:6.1f} MiB")
    for name in slow:
        print(f"{name} took more than {GATE} s", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
