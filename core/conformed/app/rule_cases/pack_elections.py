"""Elections of a pack that is given as data: the facts that it gives, as words of its documents and as the record of an election."""

from __future__ import annotations

from conformed.app.rule_cases.pack_shapes import Op
from conformed.model.document import Document
from conformed.model.election import Election, ElectionTerms
from conformed.model.span import Span

__all__ = ["election", "election_words"]


def _told(op: Op) -> dict[str, str]:
    """The sentence of each fact that the case gives, by the fact's name."""
    before = op.previous_window_end
    told = {
        "event": f"The event was on {op.event_date}." if op.event_date else "",
        "notice": f"Notice was given on {op.notice_date}." if op.notice_date else "",
        "size": "The event is not of the size asked." if op.size_met is False else "The event is of the size asked." if op.size_evidenced else "",
        "first": "There was no increase before." if op.first_election and before is None else "",
        "previous": f"The increase before ended on {before}." if before else "",
        "number": f"This is election number {op.number}." if op.number is not None else "",
    }  # fmt: skip
    return {name: words for name, words in told.items() if words}


def election_words(op: Op) -> str:
    """What a notice says of the election: one sentence a fact.

    Args:
        op: the operation as data.
    """
    return " ".join([f"The right to an increase under Section {op.section} is used.", *_told(op).values()])


def election(op: Op, document: Document, place: tuple[int, int]) -> Election:
    """The record of an election, each fact with its place in the notice.

    Args:
        op: the operation as data.
        document: the notice.
        place: where its words stand.
    """
    told = _told(op)
    spans: dict[str, tuple[Span, ...]] = {}
    for name, words in told.items():
        at = document.text.index(words, place[0])
        spans[name] = (document.span(at, at + len(words)),)
    first = "first" in told
    asks = ElectionTerms(
        notice_days=op.notice_days, quarters=op.most_quarters, gap_quarters=op.gap_quarters, most=op.most,
        whole=op.notice_days is not None and (op.gap_quarters is not None or first),
    )  # fmt: skip
    return Election.model_validate({
        "event_date": op.event_date, "notice_date": op.notice_date, "first": first or None, "previous_window_end": op.previous_window_end,
        "size_met": False if op.size_met is False else True if op.size_evidenced else None, "number": op.number, "asks": asks, "spans": spans,
    })  # fmt: skip
