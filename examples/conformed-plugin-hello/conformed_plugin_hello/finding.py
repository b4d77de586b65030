# ruff: noqa: ARG001 - the ports and the loader fix the signatures
"""A retriever and an extractor. What an extractor proposes is checked against the words it cites before any rule sees it."""

import re

from conformed.hooks import NoOptions
from conformed.model.covenant import Comparator, CovenantTerms, Limit, Row, Unit
from conformed.model.document import Document
from conformed.model.operation import EffectiveMode, Effectiveness, Extraction, Op, Operation, Target
from conformed.model.pack import CaseFile
from conformed.model.retrieval import Passage, PassageKind, Retrieved
from conformed.ports import ExtractRequest

__all__ = ["Everything", "OneSentence", "make_extractor", "make_retriever"]

_SENTENCE = re.compile(r"(?P<name>[A-Z][A-Za-z ]{2,60}?) shall not exceed (?P<level>[0-9]+\.[0-9]{2}) to 1\.00")


class Everything:
    """Takes each document as one passage: right for small packs, and nothing can be missed."""

    def retrieve(self, case: CaseFile) -> Retrieved:
        """One passage a document, in the order of the case file."""
        passages = tuple(
            Passage(document=one.name, start=0, end=len(one.text), kind=PassageKind.SEARCH) for one in case.documents
        )
        return Retrieved(authorised=tuple(one.name for one in case.documents), passages=passages)


class OneSentence:
    """Knows one form of sentence and cites every part of it."""

    def extract(self, request: ExtractRequest) -> Extraction:
        """A statement of a covenant for each sentence of the form, with its spans."""
        found = [one for name in request.retrieved.authorised for one in _statements(request.case.document(name))]
        return Extraction(operations=tuple(found), producer="one-sentence 1.0.0")


def _statements(document: Document) -> list[Operation]:
    operations = []
    for number, match in enumerate(_SENTENCE.finditer(document.text), start=1):
        level, name, whole = (document.span(*match.span(part)) for part in ("level", "name", 0))
        limit = Limit(unit=Unit.RATIO, value=match["level"], raw=match["level"], places=2, spans=(level,))
        terms = CovenantTerms(
            name=match["name"],
            metric="total_leverage",
            section="",
            comparator=Comparator.LE,
            rows=(Row(limit=limit, spans=(whole,)),),
            spans={"metric": (name,), "level": (level,), "clause": (whole,)},
        )
        operations.append(
            Operation(
                id=f"{document.name}#{number}",
                op=Op.STATE_COVENANT,
                document=document.name,
                target=Target(),
                effective=Effectiveness(mode=EffectiveMode.ON_CLOSING),
                terms=(terms,),
                instruction=(whole,),
            )
        )
    return operations


def make_retriever(options: NoOptions) -> Everything:
    """The factory of the retriever."""
    return Everything()


def make_extractor(options: NoOptions) -> OneSentence:
    """The factory of the extractor."""
    return OneSentence()
