"""Proposals against the text that they cite."""

from __future__ import annotations

from typing import Any

import engine_parts as parts
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.engine.checks import check_proposal, check_retrieved, check_spans, spans_of
from conformed.engine.workflow import RefusedError
from conformed.model.calculation import Certificate
from conformed.model.decision import Effective
from conformed.model.retrieval import Passage, PassageKind, Retrieved
from conformed.model.span import Span

CASE = parts.case_file()
DOCUMENT = CASE.documents[0]
PLACES = st.integers(0, len(DOCUMENT.text))


def holding(span: Span) -> Certificate:
    """A proposal that cites one span."""
    return Certificate(document=parts.NAME, spans={"level": (span,)})


@given(PLACES, PLACES)
def test_every_slice_of_the_text_passes(one: int, other: int) -> None:
    """A span that the document itself gives is never refused."""
    check_proposal(holding(DOCUMENT.span(min(one, other), max(one, other))), CASE, [parts.NAME])


@given(PLACES, PLACES, st.integers(-3, 3), st.integers(-3, 3), st.sampled_from([None, 1, 2, 3]), st.text(max_size=4))
def test_a_span_passes_only_when_it_is_the_documents_own(
    one: int, other: int, left: int, right: int, page: int | None, text: str
) -> None:
    """Whatever is changed in a span, it passes exactly when it equals what the document gives for its place."""
    good = DOCUMENT.span(min(one, other), max(one, other))
    start, end = good.start + left, good.end + right
    changed = good.model_copy(update={"start": start, "end": end, "page": page, "text": text or good.text})
    right_one = 0 <= start <= end <= len(DOCUMENT.text) and changed == DOCUMENT.span(start, end)
    if right_one:
        check_proposal(holding(changed), CASE, [parts.NAME])
    else:
        with pytest.raises(RefusedError) as refused:
            check_proposal(holding(changed), CASE, [parts.NAME])
        assert refused.value.code == "review_span_mismatch"


@pytest.mark.parametrize(("start", "end"), [(-5, -1), (5, 10_000), (9, 3)])
def test_a_place_outside_the_text_is_refused_though_a_slice_would_fit(start: int, end: int) -> None:
    """Python counts negative places from the end and forgives long ones; a citation may not."""
    digest = DOCUMENT.sha256
    loose = Span(document=parts.NAME, sha256=digest, page=1, start=start, end=end, text=DOCUMENT.text[start:end])
    with pytest.raises(RefusedError, match="outside the document's text"):
        check_proposal(holding(loose), CASE, [parts.NAME])


def test_the_first_bad_span_in_the_order_of_fields_is_named() -> None:
    """Places inside a proposal are named, in an order that does not depend on how a dict was filled."""
    bad = DOCUMENT.span(0, 3).model_copy(update={"text": "abc"})
    for names in (("b_part", "a_part"), ("a_part", "b_part")):
        with pytest.raises(RefusedError, match=r"spans\.a_part\[1\] quotes words"):
            check_proposal(
                Certificate(document=parts.NAME, spans={name: (DOCUMENT.span(0, 3), bad) for name in names}), CASE, [parts.NAME]
            )


def test_words_of_a_plugin_are_not_repeated() -> None:
    """A key that is no plain name may be anything, the document's words too: it is shown by number."""
    bad = DOCUMENT.span(0, 3).model_copy(update={"text": "abc"})
    with pytest.raises(RefusedError) as refused:
        check_proposal(Certificate(document=parts.NAME, spans={"Net Debt of 300": (bad,)}), CASE, [parts.NAME])
    assert "spans.#0[0]" in refused.value.found
    assert "Net Debt" not in str(refused.value)


def test_a_passage_beyond_the_text_is_refused() -> None:
    """Retrieval points into the text, or it is not used."""
    for start, end in ((0, len(DOCUMENT.text) + 1), (5, 4), (-1, 4)):
        passage = Passage(document=parts.NAME, start=start, end=end, kind=PassageKind.SEARCH)
        with pytest.raises(RefusedError, match="outside the document's text"):
            check_retrieved(Retrieved(authorised=(parts.NAME,), passages=(passage,)), CASE)


def test_pages_mean_nothing_where_a_format_has_none() -> None:
    """A document without pages is cited without a page."""
    unpaged = parts.case_file(parts.document(paged=False))
    check_proposal(holding(unpaged.documents[0].span(0, 4)), unpaged, [parts.NAME])
    with pytest.raises(RefusedError, match="another page"):
        check_proposal(holding(unpaged.documents[0].span(0, 4).model_copy(update={"page": 1})), unpaged, [parts.NAME])


def test_spans_are_found_wherever_they_stand() -> None:
    """Nested models, tuples and dicts are walked; nothing that a rule gives escapes the check."""
    effective: Effective = parts.decide(CASE, parts.Extractor().extract(_asked()))
    assert [path for path, _span in spans_of(effective)] == [
        "covenant.limit.spans[0]",
        "covenant.spans[0]",
        "reasons[0].spans[0]",
    ]
    check_spans(effective, CASE)


def _asked() -> Any:
    from conformed.ports import ExtractRequest

    return ExtractRequest(case=CASE, retrieved=parts.Retriever().retrieve(CASE))
