"""The step extract: asks each extractor for proposals, and checks each proposal against the text before it counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformed.engine.checks import check_proposal
from conformed.engine.context import Inputs, StepContext
from conformed.engine.generation import Bounded, kind_with
from conformed.engine.slots import CASE, EXTRACTION, RETRIEVED
from conformed.engine.workflow import Kind, RefusedError, StepSpec
from conformed.model.document import Table
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile
from conformed.ports import Backend, Extractor, ExtractRequest

__all__ = ["Tables", "extract_step"]

Tables = Callable[[CaseFile, str, Sequence[int]], tuple[Table, ...]]
"""Tables of a document of a case on some pages, read on demand."""


def extract_step(
    extractors: Sequence[tuple[str, Extractor]],
    *,
    tables: Tables | None = None,
    backend: tuple[str, Backend] | None = None,
    kind: Kind = Kind.PURE,
) -> StepSpec:
    """Binds extraction. One bad proposal refuses the step: a plugin that cites what is not there is not to be believed elsewhere.

    Args:
        extractors: name and version of each, and itself, in the contract's order.
        tables: reads tables; without it an extractor sees none.
        backend: name and version of what generates, and itself; None where nothing is generated.
        kind: READ where one of them may answer differently when asked again.
    """

    def run(inputs: Inputs, context: StepContext) -> Extraction:
        case, retrieved = inputs[CASE], inputs[RETRIEVED]

        def on_demand(name: str, pages: Sequence[int]) -> tuple[Table, ...]:
            if tables is None or name not in retrieved.authorised:
                return ()
            return tables(case, name, pages)

        bounded = None if backend is None else Bounded(backend[1], backend[0], context.meter)
        request = ExtractRequest(case=case, retrieved=retrieved, tables=on_demand, spend=context.meter.spend, backend=bounded)
        given = [_checked(plugin, extractor.extract(request), inputs) for plugin, extractor in extractors]
        whole = given[0] if len(given) == 1 else _joined(given, [plugin for plugin, _extractor in extractors])
        return whole if bounded is None else whole.model_copy(update={"producer": bounded.asked(whole.producer)})

    return StepSpec(
        name="extract",
        gives=EXTRACTION,
        run=run,
        needs=(CASE, RETRIEVED),
        kind=kind if backend is None else kind_with(backend[1]),
        plugins=(*(plugin for plugin, _extractor in extractors), *((backend[0],) if backend else ())),
        # What comes out is checked once more as it will be used: read back from its own bytes.
        verify=lambda extraction, inputs: _verify("the step", extraction, inputs),
    )


def _checked(plugin: str, extraction: Extraction, inputs: Inputs) -> Extraction:
    if not isinstance(extraction, Extraction):
        kind = type(extraction).__name__
        raise RefusedError(f"The extractor {plugin} gave a {kind} where an Extraction is due.", code="review_step_malformed")
    _verify(f"the extractor {plugin}", extraction, inputs)
    return extraction


def _verify(who: str, extraction: Extraction, inputs: Inputs) -> None:
    try:
        check_proposal(extraction, inputs[CASE], inputs[RETRIEVED].authorised)
    except RefusedError as problem:
        raise RefusedError(f"Of {who}: {problem.found}", problem.mend, code=problem.code) from None
    names = [operation.id for operation in extraction.operations]
    if len(set(names)) != len(names):
        raise RefusedError(f"Two operations of {who} bear one id.", code="review_step_malformed")


def _joined(given: Sequence[Extraction], plugins: Sequence[str]) -> Extraction:
    """One after another. Where two extractors use the same id, every id is marked with its extractor's place."""
    ids = [operation.id for extraction in given for operation in extraction.operations]
    clash = len(set(ids)) != len(ids)
    operations = tuple(
        operation.model_copy(update={"id": f"{place}:{operation.id}"}) if clash else operation
        for place, extraction in enumerate(given, 1)
        for operation in extraction.operations
    )
    return Extraction(
        operations=operations,
        rejected=tuple(doubt for extraction in given for doubt in extraction.rejected),
        certificates=tuple(certificate for extraction in given for certificate in extraction.certificates),
        producer=" + ".join(plugins),
    )
