"""A desk at which a model reads the mill's papers: case, passages, a backend that says what it is told to, and the two decisions."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformed.engine.checks import check_proposal
from conformed.engine.judge import stops
from conformed.model.base import Missing
from conformed.model.decision import Effective
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, Execution, Manifest, ManifestDocument, Question
from conformed.model.retrieval import Retrieved
from conformed.ports import Completion, ExtractRequest
from conformed.rules.instruments.casefile import build_case
from conformed.rules.precedence.precedence import decide
from conformed_plugins.extractors.clauses import ClauseExtractor
from conformed_plugins.extractors.model.extractor import ModelExtractor
from conformed_plugins.extractors.model.options import ModelOptions
from conformed_plugins.readers.text import TextReader
from conformed_plugins.retrievers.index import IndexRetriever

__all__ = ["Desk", "Says", "level", "passage_in", "point", "points"]


def passage_in(prompt: str) -> str:
    """The passage that a prompt shows, between its marks."""
    mark = prompt.partition("\n")[2].partition("\n")[0]
    return prompt.split(f"{mark}\n")[1].removesuffix("\n")


def point(role: str, quote: str, level: str = "", **more: Any) -> dict[str, Any]:
    """One place as a model points at it."""
    return {"role": role, "quote": quote, "level": level, **more}


def points(*places: dict[str, Any]) -> str:
    """An answer as a model writes it."""
    return json.dumps({"places": list(places)})


class Says:
    """A backend that says to each prompt what a function makes of it, and remembers what it was asked."""

    repeatable = True

    def __init__(self, say: Callable[[str], Any]) -> None:
        self.say = say
        self.prompts: list[str] = []
        self.options: dict[str, Any] = {}

    def generate(self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]) -> Any:
        """One completion a prompt."""
        self.prompts += prompts
        self.options = options
        return tuple(tuple(self._one(prompt) for _ in range(samples)) for prompt in prompts)

    def _one(self, prompt: str) -> Completion:
        return Completion(self.say(prompt), (), (), (), "eos", "sha256:says")


@dataclass(frozen=True)
class Desk:
    """Papers of one case, the agreement first."""

    texts: tuple[str, ...]
    on: str = "2023-12-31"
    section: str = "7.11(a)"

    @cached_property
    def case(self) -> CaseFile:
        """The case file."""
        documents = [TextReader().read(f"{i}.txt", text.encode()) for i, text in enumerate(self.texts)]
        days = [dt.date(2022, 3, 1), *(dt.date(2023, 8, 15) for _ in self.texts[1:])]
        listed = tuple(
            ManifestDocument(file=f"{i}.txt", execution=Execution.EXECUTED, effective_on=day) for i, day in enumerate(days)
        )
        manifest = Manifest(documents=listed, chain_complete=True, fiscal_year_end="12-31")
        question = Question(test_date=dt.date.fromisoformat(self.on), known_at=dt.date(2026, 1, 1), section=self.section)
        return build_case(documents, pack="mill", digest="0", question=question, manifest=manifest)  # type: ignore[arg-type]

    @cached_property
    def retrieved(self) -> Retrieved:
        """Its passages."""
        return IndexRetriever().retrieve(self.case)

    @cached_property
    def _rules(self) -> Extraction:
        return ClauseExtractor().extract(self.request(None))

    def rules(self) -> Extraction:
        """What the rules reader proposes."""
        return self._rules

    def request(self, backend: Any) -> ExtractRequest:
        """What an extractor is given."""
        return ExtractRequest(self.case, self.retrieved, backend=backend)

    def added(self, backend: Any, **options: Any) -> Extraction:
        """What the model extractor proposes, its spans checked as the engine checks them."""
        request = self.request(backend)
        given = ModelExtractor(ModelOptions(**options)).extract(request)
        check_proposal(given, request.case, request.retrieved.authorised)
        return given

    def by_rules(self) -> Effective:
        """The decision without a model."""
        return decide(self.case, self.rules())

    def with_model(self, backend: Any, **options: Any) -> Effective:
        """The decision with both readers."""
        return self.together(self.added(backend, **options))

    def together(self, added: Extraction) -> Effective:
        """The decision on what both readers propose; as in a run, a doubt that stops makes it a review."""
        rules = self.rules()
        both = Extraction(operations=(*rules.operations, *added.operations), rejected=(*rules.rejected, *added.rejected))
        found = decide(self.case, both)
        return found.model_copy(update={"result": "review"}) if any(stops(doubt.code) for doubt in both.rejected) else found


def level(found: Effective) -> str:
    """The level, or the result where none is determined."""
    covenant = found.covenant
    if found.result != "determined" or isinstance(covenant, Missing):
        return found.result
    return str(covenant.limit.value)
