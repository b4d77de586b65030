"""Numbers that decide, held against the pages on which they stand: the one look at pixels in a question or a run."""

from __future__ import annotations

from collections.abc import Sequence

from conformed.app.reading import PackFiles
from conformed.engine.slots import Calculated
from conformed.model.decision import Effective
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile
from conformed.model.span import Span
from conformed.ports import Reader, Witness
from conformed.rules.precedence.witness import deciding_dates, deciding_figures, held_against, seen, unwitnessed_figures

__all__ = ["Witnesses"]

_HEAD = 4096


class Witnesses:
    """Asks the readers that can look at a page.

    Args:
        files: the pack.
        readers: readers of the contract, in its order.
        kept: what was said of numbers before, by the hash of their document and their place; filled further.
    """

    def __init__(self, files: PackFiles, readers: Sequence[Reader], kept: dict[tuple[str, int, int], str] | None = None) -> None:
        self._data = {file.name: file.data for file in files.evidence.files}
        self._readers = readers
        self._kept = {} if kept is None else kept

    def level(self, case: CaseFile, extraction: Extraction, effective: Effective) -> Effective:
        """What precedence gives, brought to review where the pages do not show the level, or the days that decide, as read."""
        return seen(effective, lambda spans: self._look(case, spans), lambda covenant: deciding_dates(case, extraction, covenant))

    def figures(self, case: CaseFile, calculated: Calculated) -> Calculated:
        """A calculation with a reason for each of its numbers that a person must look at."""
        spans = deciding_figures(calculated.calculation)
        reasons = [*unwitnessed_figures(case, calculated.calculation), *held_against(spans, lambda some: self._look(case, some))]
        if not reasons:
            return calculated
        kept = [r for r in calculated.reasons if r.code != "accept_calculation_complete"]
        return calculated.model_copy(update={"reasons": (*kept, *reasons)})

    def _look(self, case: CaseFile, spans: Sequence[Span]) -> tuple[str, ...]:
        """What speaks against each span; a document's spans are asked for together."""
        said = {span: self._kept[key] for span in spans if (key := (span.sha256, span.start, span.end)) in self._kept}
        for name in sorted({span.document for span in spans if span not in said}):
            some = [span for span in spans if span.document == name and span not in said]
            for span, words in zip(some, self._ask(case, name, some), strict=True):
                said[span] = self._kept[(span.sha256, span.start, span.end)] = words
        return tuple(said[span] for span in spans)

    def _ask(self, case: CaseFile, name: str, spans: Sequence[Span]) -> Sequence[str]:
        data = self._data.get(name)
        reader = next((r for r in self._readers if data is not None and r.accepts(name, data[:_HEAD])), None)
        if data is None or not isinstance(reader, Witness):
            return [""] * len(spans)
        try:
            answers = reader.witness(case.document(name), data, spans)
        except Exception:  # noqa: BLE001 - a stranger's reader: a look that fails is no witness
            return ["the page could not be looked at"] * len(spans)
        good = isinstance(answers, tuple) and len(answers) == len(spans) and all(isinstance(one, str) for one in answers)
        return answers if good else ["the page could not be looked at"] * len(spans)
