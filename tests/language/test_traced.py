"""Traced text: what is live, and where every character of it came from."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from conformed.language.traced import join, live_view
from conformed.model.span import Run

TEXT = st.text(alphabet="abcDE \n\u00ad\ufb01\ufb03\u2019\u201c\u00a0-\u2013.5:(", max_size=80)
RUNS = st.lists(st.tuples(st.integers(0, 80), st.integers(0, 12)), max_size=5)


def _runs(pairs, length: int) -> tuple[Run, ...]:
    found = sorted((min(a, length), min(a + b, length)) for a, b in pairs)
    kept: list[Run] = []
    for a, b in found:
        if a < b and (not kept or a >= kept[-1].end):
            kept.append(Run(start=a, end=b))
    return tuple(kept)


@given(TEXT, RUNS, RUNS, RUNS, st.integers(0, 80), st.integers(0, 80))
def test_every_span_slices_back(document, text: str, struck, hidden, furniture, a: int, b: int) -> None:
    """Spans of any stretch are exact slices of the canonical text, in order, and never hold a removed character."""
    n = len(text)
    made = document(text, struck=_runs(struck, n), hidden=_runs(hidden, n), furniture=_runs(furniture, n))
    view = live_view(made)
    removed = {i for run in (*made.struck, *made.hidden, *made.furniture) for i in range(run.start, run.end)}
    start, end = sorted((min(a, len(view)), min(b, len(view))))
    spans = view.spans(start, end)
    assert all(s.text == text[s.start : s.end] for s in spans)
    assert all(x.end <= y.start for x, y in itertools.pairwise(spans))
    for i in range(len(view)):
        place = view.origin_of(i)
        assert place is not None
        assert place[1] not in removed


@given(TEXT, RUNS, st.integers(0, 80), st.integers(0, 80))
def test_a_slice_has_the_spans_of_its_place(document, text: str, struck, a: int, b: int) -> None:
    """A part of a view cites the same words as the same stretch of the whole."""
    view = live_view(document(text, struck=_runs(struck, len(text))))
    start, end = sorted((min(a, len(view)), min(b, len(view))))
    part = view.slice(start, end)
    assert part.text == view.text[start:end]
    assert part.spans() == view.spans(start, end)


def test_struck_hidden_and_furniture_are_left_out(document) -> None:
    """Words that are struck, hidden or page furniture are not live, and a stretch over them has two spans."""
    text = "exceed 4.00 3.50 to 1.00 PAGE 7 at any time"
    made = document(text, struck=(Run(start=7, end=12),), furniture=(Run(start=25, end=32),))
    view = live_view(made)
    assert view.text == "exceed 3.50 to 1.00 at any time"
    assert [s.text for s in view.spans()] == ["exceed ", "3.50 to 1.00 ", "at any time"]


def test_typography_is_folded(document) -> None:
    """Smart quotes, no-break spaces, dashes, ligatures and soft hyphens read like plain letters, each mapped back whole."""
    view = live_view(document("\u201cDe\ufb01ned\u201d\u00a0co\u00adve\u00adnant \u2013 3.50\u22361"))
    assert view.text == '"Defined" covenant - 3.50:1'
    at = view.text.index("fi")
    assert [s.text for s in view.spans(at, at + 1)] == ["\ufb01"]


def test_line_end_hyphens(document) -> None:
    """A word broken at a line's end is joined only where the document has the whole word elsewhere."""
    assert "indebtedness shall" in live_view(document("indebtedness. The indebted-\nness shall")).text
    assert "long-term" in live_view(document("long-\nterm debt")).text


def test_join_keeps_documents_apart(document) -> None:
    """Joined texts read as one; each piece cites its own document."""
    one = live_view(document("shall not exceed ", "a.txt"))
    two = live_view(document("3.50 to 1.00", "b.txt"))
    whole = join([one, two])
    assert whole.text == "shall not exceed 3.50 to 1.00"
    assert [(s.document, s.text) for s in whole.spans()] == [("a.txt", "shall not exceed "), ("b.txt", "3.50 to 1.00")]


def test_offset_of_and_origin_of_are_inverse(document) -> None:
    """A live code point found in the view comes from where it was sought."""
    view = live_view(document("aaa bbb ccc", struck=(Run(start=4, end=8),)))
    assert view.text == "aaa ccc"
    assert view.offset_of("agreement.txt", 8) == 4
    assert view.origin_of(4)[1] == 8
    assert view.offset_of("agreement.txt", 5) == 4
