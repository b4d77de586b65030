"""Runs golden cases under a contract, and judges each. One case's error is that case's, and never ends the others."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from conformed.app.binding import contract_path
from conformed.app.evaluating.binding import Judges, judges_of
from conformed.app.evaluating.golden.bench import Bench
from conformed.app.evaluating.golden.cases import Dated, Expected, GoldenCase
from conformed.app.evaluating.golden.dated import judge_answer
from conformed.app.evaluating.golden.deciding import judge_decision
from conformed.app.evaluating.golden.judged import Class, Judged
from conformed.app.evaluating.golden.short import judge_short, task_of
from conformed.app.options import RunOptions, silent
from conformed.errors import ConformedError
from conformed.evaluation.items import Item

__all__ = ["judge_cases"]


def judge_cases(
    cases: Iterable[GoldenCase],
    policies: Path,
    policy: str,
    *,
    environment: dict[str, str] | None = None,
    told: Callable[[Judged], None] = lambda _judged: None,
) -> tuple[Judged, ...]:
    """Judges cases, in their order.

    Args:
        cases: the cases.
        policies: the workspace's policies.
        policy: name or file of the contract.
        environment: environment variables, for plugin loading.
        told: given each case as it was judged.

    Raises:
        ConformedError: when the contract itself cannot be used.
    """
    contract_path(policies, policy)
    with tempfile.TemporaryDirectory(prefix="conformed-bench-") as folder:
        bench = Bench(policies, Path(folder), environment=environment)
        found = []
        for case in cases:
            judged = _judge(bench, case, policy)
            told(judged)
            found.append(judged)
        return tuple(found)


def _judge(bench: Bench, case: GoldenCase, policy: str) -> Judged:
    right = case.right
    try:
        if isinstance(right, Expected):
            return judge_decision(case.id, bench.run(case.folder, RunOptions(policy=policy), silent), right)
        if isinstance(right, Dated):
            asked = right.options.model_copy(update={"policy": policy})
            return judge_answer(case.id, bench.covenant(case.folder, asked), right)
        return _short(bench, case.id, right, policy)
    except Exception as problem:  # noqa: BLE001 - whatever one case does wrong is that case's error
        return _failed(case.id, problem)


def _short(bench: Bench, case: str, item: Item, policy: str) -> Judged:
    judges: Judges = judges_of(bench.bound(policy).contract)
    record = bench.answer(task_of(item), policy=policy, resume=False, progress=silent)
    return judge_short(case, record, item, judges)


def _failed(case: str, problem: Exception) -> Judged:
    said = str(problem) if isinstance(problem, ConformedError) else "It is no error of ours: report it."
    return Judged(case=case, outcome=Class.ERROR, vector=(), exceptions=(f"{type(problem).__name__}: {said}",))
