"""Runs an evaluation: each method over the same items and seeds, in folders of its own, and one report over all of them."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pydantic import ValidationError

from conformed.app.evaluating.assembling import Ran, enough, method_report
from conformed.app.evaluating.binding import Judges, asking, judges_of, stages_of
from conformed.app.evaluating.calculator import with_calculator
from conformed.app.evaluating.report import EvaluationReport, MethodReport
from conformed.compute.experiment import Method as ExactMethod
from conformed.compute.experiment import frontier_of
from conformed.errors import ConformedError, UsageError
from conformed.evaluation.contamination import Contamination, contamination, entries_of
from conformed.evaluation.dataset import ItemFile
from conformed.evaluation.items import Item
from conformed.evaluation.lineage import Lineage, data_set, lineage
from conformed.evaluation.runner import Generated, Progress, RunConfig, evaluate, rescore
from conformed.evaluation.slices import DIMENSIONS, SlicePlan
from conformed.model.base import Missing
from conformed.policy.bind import BoundContract
from conformed.policy.comparison import Method, Values
from conformed.ports import Backend

__all__ = ["Asked", "Make", "evaluate_methods"]

Make = Callable[[Method], Backend]
"""Makes the backend of a method, bound and checked as a contract's would be."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is evaluated."""

    title: str
    """Name of the evaluation."""
    bound: BoundContract
    """The contract whose verifiers judge."""
    methods: Sequence[Method]
    """The methods, in order."""
    cheap: str
    """The method that is asked first whether it is enough."""
    seed: int
    """Seed of all of them."""
    slices: tuple[str, ...]
    """Slices, declared before the run."""
    edges: dict[str, tuple[Fraction, ...]]
    """Where slices by a measure are cut."""
    smallest: int
    """Fewest items of a slice that may be read."""
    values: Values | None = None
    """The owner's values."""
    enough: tuple[Fraction, Fraction] | None = None
    """Least accuracy and largest share of wrong answers at which the cheap one is enough."""


def evaluate_methods(
    asked: Asked,
    data: ItemFile,
    folder: Path,
    make: Make,
    *,
    now: dt.datetime,
    resume: bool = False,
    again: bool = False,
    workers: int = 1,
    progress: Callable[[str, Progress], None] = lambda _name, _progress: None,
) -> EvaluationReport:
    """Runs every method and reports.

    Args:
        asked: what is evaluated.
        data: the items.
        folder: where the runs lie: one folder a method.
        make: makes backends.
        now: the time, UTC.
        resume: go on with what is there.
        again: judge the responses that are there again, without generating.
        workers: items worked on at once.
        progress: told of each method's progress.

    Raises:
        ConformedError: when a plugin cannot be made, or a folder cannot be used.
    """
    judges = judges_of(asked.bound)
    plan = _plan(asked, data.items)
    runs = [
        _run(asked, method, data, folder, make, judges, plan, resume=resume, again=again, workers=workers, progress=progress)
        for method in asked.methods
    ]
    place = next(at for at, ran in enumerate(runs) if ran.method.name == asked.cheap)

    def report(ran: Ran, before: dict[str, str] | None) -> MethodReport:
        return method_report(ran, data.items, judges, plan, values=asked.values, before=before, seed=asked.seed)

    cheap = report(runs[place], None)
    before = {one.item: str(one.outcome) for one in cheap.choices}
    methods = tuple(cheap if at == place else report(ran, before) for at, ran in enumerate(runs))
    contract = asked.bound.contract
    return EvaluationReport(
        title=asked.title,
        first_line=_first_line(asked, cheap),
        made_at=now.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        contract=f"{contract.name} {contract.version}",
        contract_digest=asked.bound.digest,
        data=data.path.name,
        data_digest=data.digest,
        seed=asked.seed,
        values=asked.values or Missing(reason="The owner entered no values.", code="no_values"),
        plan=plan,
        items=data.items,
        lineage=_lineage(data),
        contamination=_contamination(data.items, asked.seed),
        methods=methods,
        frontier=frontier_of({one.name: one.row for one in methods}),
        cheap=asked.cheap,
    )


def _plan(asked: Asked, items: Sequence[Item]) -> SlicePlan:
    known = {*DIMENSIONS, *(name for item in items for name in item.slices)}
    if unknown := sorted(set(asked.slices) - known):
        raise UsageError(f"No item has the slice {unknown[0]!r}.", f"There are: {', '.join(sorted(known))}.")
    try:
        return SlicePlan(dimensions=asked.slices, smallest=asked.smallest, edges=asked.edges)
    except ValidationError as problem:
        said = str(problem.errors(include_url=False, include_input=False)[0]["msg"]).removeprefix("Value error, ")
        raise UsageError(
            f"The slices cannot be used: {said}", "Slices by a measure need edges: a comparison file has them."
        ) from problem


def _run(
    asked: Asked,
    method: Method,
    data: ItemFile,
    folder: Path,
    make: Make,
    judges: Judges,
    plan: SlicePlan,
    *,
    resume: bool,
    again: bool,
    workers: int,
    progress: Callable[[str, Progress], None],
) -> Ran:
    exact = _exact(asked, method)
    place = folder / method.name
    ask = with_calculator if method.tool else asking
    stages = stages_of(judges, _never if again else ask(make(method), method.prompt, method.decoding))
    config = RunConfig(
        name=f"{asked.title}: {method.name}", method=method.name, settings=_settings(asked, method), data=data.digest,
        items=len(data.items), samples=method.samples, seed=asked.seed, slices=(*plan.dimensions, f"plan {plan.digest()}"),
        versions=stages.versions,
    )  # fmt: skip
    if again:
        return Ran(method, exact, rescore(data.items, stages, place, workers=workers, expected=config), method.name)
    run = evaluate(
        data.items, stages, config, place,
        resume=resume and place.exists(), workers=workers, progress=lambda one: progress(method.name, one),
    )  # fmt: skip
    return Ran(method, exact, run, method.name)


def _never(_item: Item, _samples: Sequence[int], _seed: int) -> Sequence[Generated]:
    raise UsageError("Nothing is generated where responses are judged again.")


def _settings(asked: Asked, method: Method) -> dict[str, str]:
    """All that makes a method what it is, as text."""
    return {
        "backend": f"{method.backend.plugin} {method.backend.version}",
        "contract": asked.bound.digest,
        "prompt": method.prompt,
        "tool": method.tool,
        **{f"option {name}": _text(value) for name, value in sorted(method.backend.options.items())},
        **{f"decoding {name}": value for name, value in sorted(method.decoding.items())},
    }


def _text(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _exact(asked: Asked, method: Method) -> ExactMethod:
    decoding = ", ".join(f"{name} {value}" for name, value in sorted(method.decoding.items()))
    contract = asked.bound.contract
    return ExactMethod(
        policy=f"{contract.name} {contract.version}: {method.selection}",
        model_revision=f"{method.backend.plugin} {method.backend.version}",
        template_revision=hashlib.sha256(method.prompt.encode()).hexdigest(),
        decoding=decoding or "the backend's own",
        n=method.samples,
        seeds=(asked.seed,),
    )


def _first_line(asked: Asked, cheap: MethodReport) -> str:
    if asked.enough is None:
        accuracy = cheap.row.scores.accuracy
        return f"{cheap.name}: accuracy {'none' if isinstance(accuracy, Missing) else accuracy.words()}."
    good, said = enough(cheap, *asked.enough)
    return f"{'The cheap method is enough.' if good else 'The cheap method is not shown to be enough.'} {said}"


def _lineage(data: ItemFile) -> Lineage | Missing:
    """Where the items come from. A data set that names its sources otherwise than by file and hash says so in the report."""
    try:
        folder = data.path.parent
        files = sorted({item.source for item in data.items})
        return lineage(tuple(data_set(folder / file, relative_to=folder) for file in files), data.items)
    except ConformedError as problem:
        # A report names no folder of the machine on which it was made.
        said = str(problem).replace(f"{data.path.parent}/", "")
        return Missing(reason=said, code="lineage_not_by_file_and_hash")


def _contamination(items: Sequence[Item], seed: int) -> Contamination | Missing:
    splits: dict[str, list[Item]] = {}
    for item in items:
        splits.setdefault(item.split, []).append(item)
    if len(splits) < 2:
        return Missing(reason="There is one split: nothing can stand in two.", code="one_split")
    return contamination({name: entries_of(found) for name, found in splits.items()}, seed=seed)
