"""The extractor: shows commanding sentences with a ratio to a small policy, and has the rules judge the place that it copies from."""

from __future__ import annotations

from typing import Any

from conformed.model.covenant import Doubt
from conformed.model.dates import FiscalCalendar
from conformed.model.operation import Extraction, Operation
from conformed.ports import Completion, ExtractRequest
from conformed_plugins.backends.asking import ask
from conformed_plugins.extractors.clauses import ClauseExtractor, calendar_of
from conformed_plugins.extractors.fields.options import FieldsOptions
from conformed_plugins.extractors.fields.sentences import Sentence, sentences_of
from conformed_plugins.extractors.fields.values import place_of, prompt_of
from conformed_plugins.extractors.model.pieces import papers_of, pieces_of
from conformed_plugins.extractors.model.pointing import Place
from conformed_plugins.extractors.model.prompt import ROLES
from conformed_plugins.extractors.model.reading import judged

__all__ = ["VERSION", "FieldsExtractor"]

VERSION = "1.0.0"
_WHOLE_PASSAGE = 200_000


class FieldsExtractor:
    """A second reader beside ``clauses``, made for a policy of ``conformed train policy``. Implements the Extractor port.

    The policy copies; it never names a kind of clause, a number of its own or a conclusion. Where it copies another level than the
    rules read at the same place, or words that are not there, the run is for review. It adds no operation without a doubt that stops
    the run, so a level is determined as by rules alone, or it is not determined.

    Args:
        options: how much is shown and asked.
    """

    def __init__(self, options: FieldsOptions) -> None:
        self._options = options

    def extract(self, request: ExtractRequest) -> Extraction:
        """What the policy adds, and what was refused of its answers.

        Raises:
            PluginError: when the request has no backend, or the backend fails.
        """
        sentences = sentences_of(pieces_of(request, papers_of(request), _WHOLE_PASSAGE), self._options.characters)
        shown = sentences[: self._options.most_sentences]
        answers = self._asked(request, shown)
        rules = ClauseExtractor().extract(request)
        operations, doubts = _judged(request, shown, answers, rules)
        if not sentences or len(sentences) > len(shown):
            said = f"Of {len(sentences)} sentences with a ratio the policy was shown {len(shown)}."
            doubts.append(Doubt(code="review_retrieval_incomplete", sentence=said))
        before = rules if self._options.with_rules else Extraction(producer="")
        return Extraction(
            operations=(*before.operations, *operations), rejected=(*before.rejected, *doubts), producer=f"fields {VERSION}"
        )

    def _asked(self, request: ExtractRequest, shown: list[Sentence]) -> tuple[tuple[Completion, ...], ...]:
        options: dict[str, Any] = {"max_tokens": self._options.max_tokens}
        prompts = [prompt_of(one.text) for one in shown]
        return ask(request.backend, "the extractor fields", prompts, samples=1, seed=self._options.seed, options=options)


def _judged(
    request: ExtractRequest, shown: list[Sentence], answers: tuple[tuple[Completion, ...], ...], rules: Extraction
) -> tuple[list[Operation], list[Doubt]]:
    """Every answer once, in order of the sentences."""
    calendar = calendar_of(request.case)
    operations: list[Operation] = []
    doubts: list[Doubt] = []
    for number, (sentence, (answer,)) in enumerate(zip(shown, answers, strict=True)):
        found = place_of(answer.text, sentence)
        if isinstance(found, Place):
            added, doubt = _by_rules(found, rules, calendar, f"{found.piece.paper.instrument.document}#f{number}")
            operations += added
        else:
            doubt = found
        if doubt is not None and doubt not in doubts:
            doubts.append(doubt)
    return operations, doubts


def _by_rules(
    place: Place, rules: Extraction, calendar: FiscalCalendar | None, identity: str
) -> tuple[list[Operation], Doubt | None]:
    """What the rules say of a place. A policy does not say what kind of clause it copied from, so theirs counts."""
    told = []
    for role in ROLES:
        said = judged(Place(place.piece, role, place.start, place.end, place.level), rules, calendar, identity)
        if said == ([], None):
            return said
        told.append(said)
    return told[0]
