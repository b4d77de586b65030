"""The model extractor: shows passages to a model, and has the rules judge every place that it points at."""

from __future__ import annotations

from typing import Any

from conformed.model.covenant import Doubt
from conformed.model.operation import Extraction, Operation
from conformed.ports import Completion, ExtractRequest
from conformed_plugins.backends.asking import ask
from conformed_plugins.extractors.clauses import ClauseExtractor, calendar_of
from conformed_plugins.extractors.model.options import ModelOptions
from conformed_plugins.extractors.model.pieces import Piece, papers_of, pieces_of
from conformed_plugins.extractors.model.pointing import places_of
from conformed_plugins.extractors.model.prompt import SCHEMA, prompt_of
from conformed_plugins.extractors.model.reading import judged

__all__ = ["VERSION", "ModelExtractor"]

VERSION = "1.0.0"


class ModelExtractor:
    """A second reader beside ``clauses``. Implements the Extractor port.

    It proposes only what the rules reader did not see, and never without a doubt that sends the run to a person; so a level
    is determined as by rules alone, or it is not determined.

    Args:
        options: how much is shown and asked.
    """

    def __init__(self, options: ModelOptions) -> None:
        self._options = options

    def extract(self, request: ExtractRequest) -> Extraction:
        """What the model adds, and what was refused of its answers.

        Raises:
            PluginError: when the request has no backend, or the backend fails.
        """
        papers = papers_of(request)
        pieces = pieces_of(request, papers, self._options.characters)
        shown = pieces[: self._options.most_pieces]
        answers = self._asked(request, shown)
        rules = ClauseExtractor().extract(request)
        operations, doubts = self._judged(request, shown, answers, rules)
        if not pieces or len(pieces) > len(shown):
            said = f"Of {len(pieces)} passages the model was shown {len(shown)}."
            doubts.append(Doubt(code="review_retrieval_incomplete", sentence=said))
        if self._options.with_rules:
            return Extraction(
                operations=(*rules.operations, *operations), rejected=(*rules.rejected, *doubts), producer=f"model {VERSION}"
            )
        return Extraction(operations=tuple(operations), rejected=tuple(doubts), producer=f"model {VERSION}")

    def _asked(self, request: ExtractRequest, pieces: list[Piece]) -> tuple[tuple[Completion, ...], ...]:
        options: dict[str, Any] = {"max_tokens": self._options.max_tokens}
        if self._options.constrained:
            options["schema"] = SCHEMA
        if self._options.thinking is not None:
            options["thinking"] = self._options.thinking
        prompts = [prompt_of(piece.text) for piece in pieces]
        return ask(request.backend, "the extractor model", prompts, samples=1, seed=self._options.seed, options=options)

    @staticmethod
    def _judged(
        request: ExtractRequest, pieces: list[Piece], answers: tuple[tuple[Completion, ...], ...], rules: Extraction
    ) -> tuple[list[Operation], list[Doubt]]:
        """Every place once, in order of the pieces."""
        calendar = calendar_of(request.case)
        operations: list[Operation] = []
        doubts: list[Doubt] = []
        known: set[tuple[str, str, int, int]] = set()
        for piece, (answer,) in zip(pieces, answers, strict=True):
            places, refused = places_of(answer.text, piece)
            doubts += [doubt for doubt in refused if doubt not in doubts]
            for place in places:
                name = place.piece.paper.instrument.document
                key = (name, place.role, place.start, place.end)
                added, doubt = judged(place, rules, calendar, f"{name}#m{len(known)}")
                if doubt is not None and doubt not in doubts:
                    doubts.append(doubt)
                if key not in known:
                    operations += added
                known.add(key)
        return operations, doubts
