"""What the command line asks about evaluations: methods over a data set, and the report that comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from conformed.app.binding import contract_path
from conformed.app.evaluating.evaluating import Asked, Make, evaluate_methods
from conformed.app.evaluating.report import EvaluationReport
from conformed.app.service import Service
from conformed.errors import UsageError
from conformed.evaluation.dataset import read_items
from conformed.evaluation.runner import Progress
from conformed.policy.bind import BoundContract, bind
from conformed.policy.comparison import Comparison, Method
from conformed.policy.load import Loaded, load_model
from conformed.policy.schema import Application, TaskContract
from conformed.policy.steps import StepName
from conformed.ports import Backend

__all__ = ["EvaluationDesk", "Told"]

Told = Callable[[str, Progress], None]
_SMALLEST = 20


class EvaluationDesk(Service):
    """Evaluates methods."""

    def evaluate(
        self,
        data: Path,
        folder: Path,
        *,
        policy: str,
        slices: tuple[str, ...] = ("subject",),
        resume: bool = False,
        again: bool = False,
        workers: int = 1,
        told: Told = lambda _name, _progress: None,
    ) -> EvaluationReport:
        """Evaluates a contract's own method over a data set.

        Args:
            data: the data set.
            folder: where the run lies, and its report.
            policy: name or file of the contract.
            slices: what is reported apart, declared before the run.
            resume: go on with what is there.
            again: judge the responses that are there again, without generating.
            workers: items worked on at once.
            told: told of progress.

        Raises:
            ConformedError: when data, contract, plugin or folder cannot be used.
        """
        loaded, bound = self._judging(policy)
        contract = loaded.value
        assert contract.sampling is not None  # a contract for short answers has it
        method = Method(
            name="contract", kind="other", backend=contract.step(StepName.GENERATE).uses[0], prompt=contract.sampling.prompt,
            samples=contract.sampling.samples, minimum_valid=contract.sampling.minimum_valid,
            selection="first" if contract.sampling.samples == 1 else "plurality",
        )  # fmt: skip
        asked = Asked(
            f"{contract.name} on {data.name}", bound, (method,), method.name, contract.sampling.seed, slices, {}, _SMALLEST
        )
        return self._evaluated(asked, loaded, data, folder, resume=resume, again=again, workers=workers, told=told)

    def baselines(
        self,
        comparison: Path,
        data: Path,
        folder: Path,
        *,
        resume: bool = False,
        again: bool = False,
        workers: int = 1,
        told: Told = lambda _name, _progress: None,
    ) -> EvaluationReport:
        """Runs every method of a comparison on the same items and seeds.

        Args:
            comparison: the YAML file that declares it.
            data: the data set.
            folder: where the runs lie, and the report.
            resume: go on with what is there.
            again: judge the responses that are there again, without generating.
            workers: items worked on at once.
            told: told of progress.

        Raises:
            ConformedError: when anything named cannot be used.
        """
        declared = load_model(comparison, Comparison).value
        loaded, bound = self._judging(declared.contract)
        asked = Asked(
            f"{declared.name} {declared.version} on {data.name}", bound, declared.methods, declared.cheap, declared.seed,
            declared.slices, dict(declared.edges), declared.smallest_slice, declared.values,
            (Fraction(declared.enough), Fraction(declared.most_wrong)),
        )  # fmt: skip
        return self._evaluated(asked, loaded, data, folder, resume=resume, again=again, workers=workers, told=told)

    def _judging(self, policy: str) -> tuple[Loaded[TaskContract], BoundContract]:
        loaded = load_model(contract_path(self._workspace.policies, policy), TaskContract)
        if loaded.value.application is not Application.SHORT_ANSWER:
            raise UsageError(
                f"The contract {loaded.value.name} is for {loaded.value.application.value}: it has no items with references.",
                "Packs are evaluated by its regression slices: conformed policy test.",
            )
        return loaded, bind(loaded, self._loaded())

    def _evaluated(
        self,
        asked: Asked,
        loaded: Loaded[TaskContract],
        data: Path,
        folder: Path,
        *,
        resume: bool,
        again: bool,
        workers: int,
        told: Told,
    ) -> EvaluationReport:
        return evaluate_methods(
            asked, read_items(data), folder, self._maker(loaded),
            now=self._clock(), resume=resume, again=again, workers=workers, progress=told,
        )  # fmt: skip

    def _maker(self, loaded: Loaded[TaskContract]) -> Make:
        """Makes a method's backend as the contract would bind it: pinned, from an allowed source, with checked options."""

        def make(method: Method) -> Backend:
            contract = loaded.value
            steps = tuple(
                step.model_copy(update={"uses": (method.backend,)}) if step.name is StepName.GENERATE else step
                for step in contract.steps
            )
            asked = replace(loaded, value=contract.model_copy(update={"steps": steps}))
            backend: Backend = bind(asked, self._loaded()).step(StepName.GENERATE).plugins[0].create()
            return backend

        return make
