"""The record of a short answer in words, for a screen."""

from __future__ import annotations

from conformed.app.keeping.published import PublicationNote, sentence_of
from conformed.app.people.standing import Standing, approval_sentence
from conformed.model.answered import AnswerRecord, Basis
from conformed.model.base import Missing

__all__ = ["lines_of"]

_BASIS = {
    Basis.VERIFIED: "found right by a deterministic check",
    Basis.SINGLE: "one answer, which nothing could check",
}


def lines_of(record: AnswerRecord, note: PublicationNote | None, standing: Standing | None) -> tuple[str, ...]:
    """The record, line by line.

    Args:
        record: the record.
        note: what became of its publication.
        standing: where it stands with people; an answer is approved by nobody until a person does.
    """
    if isinstance(record.answer, Missing):
        head = "REVIEW    a person answers"
    else:
        assert isinstance(record.basis, Basis)
        head = f"ANSWERED  {record.answer}   ({_BASIS[record.basis]})"
    route = record.route.reason if isinstance(record.route, Missing) else record.route.value.replace("_", " ")
    lines = [
        head,
        f"Task      {record.task}   run {record.run}",
        f"Route     {route}",
        f"Samples   {record.total}, of which {record.valid} can be read and {record.votes} gave this answer",
        f"Contract  {record.contract} @ {record.contract_digest[:12]}",
        *(f"Open      {sentence}" for sentence in record.sentences),
    ]
    if standing is not None:
        lines.append(f"People    {approval_sentence(standing)}")
    if note is not None:
        lines.append(f"Log       {sentence_of(note)}")
    return tuple(lines)
