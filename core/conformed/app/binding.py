"""Binds a contract to the plugins that it pins, and asks those that read, find and propose."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformed.engine.checks import check_proposal, check_retrieved
from conformed.engine.context import Meter
from conformed.engine.contract import limits_of
from conformed.engine.generation import Bounded
from conformed.errors import UsageError
from conformed.hooks import Registry
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, Question
from conformed.model.retrieval import Retrieved
from conformed.policy.bind import BoundContract, bind
from conformed.policy.load import Loaded, load_bytes, load_model
from conformed.policy.schema import Application, TaskContract
from conformed.ports import Backend, ExtractRequest, Reader

__all__ = ["Bound", "bound_contract", "contract_of_digest", "contract_path", "need_application", "need_contract"]


def contract_path(policies: Path, name: str | None) -> Path:
    """The file of a contract: a path as it is, a name within the workspace, or the workspace's ``covenant.yaml``.

    Raises:
        UsageError: when there is none, naming those that there are.
    """
    a_path = name is not None and (name.endswith((".yaml", ".yml")) or "/" in name)
    path = Path(name) if name and a_path else policies / f"{name or 'covenant'}.yaml"
    if not path.is_file():
        there = ", ".join(sorted(p.stem for p in policies.glob("*.yaml"))) or "none"
        raise UsageError(f"There is no contract {name or 'covenant'!r} ({path}).", f"Contracts of this workspace: {there}.")
    return path


def contract_of_digest(policies: Path, digest: str) -> Loaded[TaskContract] | None:
    """The contract of a workspace whose exact bytes have a digest; None where none has. Of two files with these bytes the first.

    Raises:
        PolicyError: when this version no longer takes that contract.
    """
    for path in sorted((*policies.glob("*.yaml"), *policies.glob("*.yml"))):
        try:
            data = path.read_bytes()
        except OSError:
            continue  # what cannot be read is not what was asked for
        if hashlib.sha256(data).hexdigest() == digest:
            return load_bytes(data, TaskContract, name=str(path))
    return None


def need_application(contract: TaskContract, application: Application) -> None:
    """Refuses a contract of another application.

    Raises:
        UsageError: saying what it is for.
    """
    if contract.application is application:
        return
    found = f"The contract {contract.name} is for {contract.application.spoken} and not for {application.spoken}."
    raise UsageError(found, f"Name one for {application.spoken}: conformed policy explain NAME says what each is for.")


def bound_contract(path: Path, registry: Registry, application: Application = Application.COVENANT) -> Bound:
    """Loads a contract of an application and binds it to the plugins that it pins.

    Raises:
        PolicyError: with file, line and column.
        UsageError: when it is for another application.
    """
    return Bound(bind(_for(path, application), registry))


def need_contract(policies: Path, name: str | None, application: Application) -> None:
    """Refuses a contract before any work is begun under it.

    Raises:
        PolicyError: with file, line and column.
        UsageError: when there is none of that name, or it is for another application.
    """
    _for(contract_path(policies, name), application)


def _for(path: Path, application: Application) -> Loaded[TaskContract]:
    loaded = load_model(path, TaskContract)
    need_application(loaded.value, application)
    return loaded


@dataclass(frozen=True, slots=True)
class Bound:
    """A contract with the plugins of each step."""

    contract: BoundContract

    def made(self, step: str) -> list[tuple[str, Any]]:
        """Name and instance of each plugin of a step, made anew."""
        return [(plugin.name, plugin.create()) for plugin in self.contract.step(step).plugins]

    def backend(self, step: str) -> tuple[str, Backend] | None:
        """Name and instance of what generates for a step; None where nothing does."""
        plugin = self.contract.step(step).backend
        return None if plugin is None else (plugin.name, plugin.create())

    def bounded(self, step: str) -> Backend | None:
        """What generates for a step outside a run, under the budgets that one run would have; None where nothing does."""
        named = self.backend(step)
        return None if named is None else Bounded(named[1], named[0], Meter(limits_of(self.contract.contract).counters))

    def readers(self) -> list[Reader]:
        """The contract's readers, in its order."""
        return [reader for _, reader in self.made("intake")]

    def proposals(self, case: CaseFile) -> tuple[Retrieved, Extraction]:
        """Retrieval and extraction outside a run, each proposal checked as in a run.

        Raises:
            StepError: when a proposal cites what is not there.
        """
        retrieved = Retrieved(authorised=tuple(d.name for d in case.documents))
        for _, retriever in self.made("retrieve"):
            retrieved = retriever.retrieve(case)
            check_retrieved(retrieved, case)
        operations, rejected, producers = [], [], []
        backend = self.bounded("extract")
        for name, extractor in self.made("extract"):
            if name.startswith("certificate "):
                continue  # figures are not asked for
            given = extractor.extract(ExtractRequest(case=case, retrieved=retrieved, backend=backend))
            check_proposal(given, case, retrieved.authorised)
            operations += given.operations
            rejected += given.rejected
            producers.append(name)
        return retrieved, Extraction(operations=tuple(operations), rejected=tuple(rejected), producer=" + ".join(producers))

    def memory_key(self, digest: str, question: Question) -> str:
        """What a reading of a pack depends on, for the memory.

        The product's own retriever and extractor propose the same for every date and covenant; a stranger's may not, so
        what it proposes is kept for its own question only.

        Args:
            digest: digest of the pack.
            question: what is asked.
        """
        plugins = [plugin for step in ("retrieve", "extract") for plugin in self.contract.step(step).plugins]
        ours = all(p.registration.origin is not None and p.registration.origin.distribution == "conformed" for p in plugins)
        return f"{digest} {self.contract.digest}" + ("" if ours else f" {question.model_dump_json()}")
