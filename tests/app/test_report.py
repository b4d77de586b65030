"""The report: one file, offline, escaped, with the evidence where it stands."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from lxml import html as lxml_html

from conformed.app.face import Evidence
from conformed.app.pages.report import render_report
from conformed.model.base import Missing
from conformed.model.covenant import Covenant
from conformed.model.decision import CheckOutcome, Decision, Reason, Result
from conformed.model.span import Box, Span

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&\x1b[31m\u202e{{ 7*7 }}"


class Tags(HTMLParser):
    """Collects tags with their attributes, and checks that what opens is closed."""

    VOID = frozenset({"meta", "br", "image", "rect", "line"})

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag begins."""
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """A tag ends."""
        if tag not in self.VOID:
            assert self.open.pop() == tag


def tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    """All tags of a page; fails where they are not nested."""
    parser = Tags()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser.tags


def hostile(decision: Decision) -> Decision:
    """The decision with a hostile string in everything that comes from a document or a person."""
    assert isinstance(decision.covenant, Covenant)

    def bad(span: Span) -> Span:
        return span.model_copy(update={"text": EVIL, "document": EVIL, "page": None})

    covenant = decision.covenant.model_copy(
        update={"name": EVIL, "instrument": EVIL, "row": EVIL, "spans": tuple(bad(s) for s in decision.covenant.spans)}
    )
    copies = tuple(
        copy.model_copy(
            update={
                "heading": EVIL,
                "runs": tuple(run.model_copy(update={"text": EVIL, "document": EVIL}) for run in copy.runs),
                "superseded": tuple(run.model_copy(update={"text": EVIL}) for run in copy.superseded),
            }
        )
        for copy in decision.conformed
    )
    return decision.model_copy(
        update={
            "pack": EVIL,
            "borrower": EVIL,
            "covenant": covenant,
            "conformed": copies,
            "findings": (Reason(code="finding_headroom_low", sentence=EVIL, subject=EVIL, spans=(bad(covenant.spans[0]),)),),
            "next_steps": (EVIL,),
            "refusals": (EVIL,),
            "documents": tuple(d.model_copy(update={"name": EVIL, "title": EVIL, "notes": (EVIL,)}) for d in decision.documents),
        }
    )


def test_hostile_text_of_documents_stays_text(decision: Decision) -> None:
    """Script, markup, template syntax and escape characters in any field end as harmless text."""
    page = render_report(hostile(decision), Evidence(text=lambda name: EVIL))
    found = tags(page)
    assert not [tag for tag, _ in found if tag in ("script", "img", "iframe", "object", "form", "link", "base")]
    assert not [name for _, attributes in found for name in attributes if name.startswith("on") or name == "style"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "{{ 7*7 }}" in page
    assert not re.search("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202e]", page)


def test_nothing_is_loaded_from_anywhere(decision: Decision, evidence: Evidence) -> None:
    """Images are data, the style's hash is in the policy, scripts and the network are forbidden, links stay inside."""
    page = render_report(decision, evidence)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert policy is not None
    assert style is not None
    assert "default-src 'none'" in policy[1]
    assert "script-src" not in policy[1]
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy[1]
    assert not re.search(r"url\(|@import|https?:", page)
    for tag, attributes in tags(page):
        for name in ("src", "href", "action", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith("#" if tag == "a" else "data:image/png;base64,")


def test_every_link_leads_to_an_exhibit(decision: Decision, evidence: Evidence) -> None:
    """Each reference to evidence has its target, ids are unique, and every exhibit says what it shows."""
    root = lxml_html.fromstring(render_report(decision, evidence))
    ids = root.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert {href[1:] for href in root.xpath("//a/@href")} <= set(ids)
    figures = root.xpath("//figure[@id]")
    assert len(figures) == 7
    assert all("Shows:" in figure.text_content() for figure in figures)


def test_highlights_lie_on_the_image_over_the_words(decision: Decision, evidence: Evidence) -> None:
    """Each page image is a crop of the page, and each rectangle lies inside it and covers ink."""
    import io

    from PIL import Image

    root = lxml_html.fromstring(render_report(decision, evidence))
    pictures = root.xpath("//figure[@id]//svg")
    assert len(pictures) == 6
    for svg in pictures:
        picture = svg.find("image")
        data = base64.b64decode(picture.get("href").partition(",")[2])
        image = Image.open(io.BytesIO(data)).convert("L")
        assert image.height < 700  # a page is 1,320 pixels high at this resolution
        for rect in svg.findall("rect"):
            x, y, width, height = (int(rect.get(name)) for name in ("x", "y", "width", "height"))
            assert x >= 0
            assert y >= 0
            assert x + width <= image.width
            assert y + height <= image.height
            assert image.crop((x, y, x + width, y + height)).getextrema()[0] < 100  # ink


def test_a_format_without_pages_shows_the_quote_in_its_context(decision: Decision, evidence: Evidence) -> None:
    """Where there is no page image the words stand marked among the words around them, and no page number is made up."""
    root = lxml_html.fromstring(render_report(decision, evidence))
    quote = root.xpath("//figure[@id='E1']//blockquote")[0]
    assert quote.find("mark").text == "3.50 to 1.00"
    assert "inserting in its place “3.50 to 1.00”. 2. This amendment" in quote.text_content()
    assert "p. " not in root.xpath("//figure[@id='E1']/figcaption")[0].text_content()


def test_a_text_that_no_longer_fits_the_quote_is_not_shown(decision: Decision) -> None:
    """When the text at that place is not the quote, the quote stands alone: no false context."""
    page = render_report(decision, Evidence(text=lambda name: "something else entirely " * 40))
    assert "something else" not in page


@pytest.mark.parametrize("what", ["image", "boxes", "text"])
def test_a_failing_source_costs_pictures_and_not_the_report(decision: Decision, evidence: Evidence, what: str) -> None:
    """A reader that raises, or gives bytes that are no image, leaves a report with quotes."""

    def fails(*_: object) -> None:
        raise RuntimeError("broken")

    broken = Evidence(**{**{name: getattr(evidence, name) for name in ("image", "boxes", "text")}, what: fails})
    assert "3.50 to 1.00" in render_report(decision, broken)
    rubbish = Evidence(image=lambda document, page, dpi: b"no image", boxes=evidence.boxes, text=evidence.text)
    assert '<svg class="crop"' not in render_report(decision, rubbish)


def test_boxes_of_other_words_are_not_drawn(decision: Decision, evidence: Evidence) -> None:
    """A source that answers with another text under the same offsets gets no highlight."""

    def other(spans: tuple[Span, ...]) -> tuple[Span, ...]:
        return tuple(span.model_copy(update={"text": "other"}) for span in evidence.boxes(spans))

    assert "<rect x=" not in render_report(decision, Evidence(image=evidence.image, boxes=other, text=evidence.text))


def test_same_record_same_bytes(decision: Decision, evidence: Evidence) -> None:
    """There is no clock and no chance in a report."""
    assert render_report(decision, evidence) == render_report(decision.model_copy(deep=True), evidence)


@pytest.mark.parametrize("result", list(Result))
def test_landmarks_headings_and_table_heads(decision: Decision, evidence: Evidence, result: Result) -> None:
    """One main, one h1, a title with result and pack, no skipped heading level, a scope on every head of a table."""
    root = lxml_html.fromstring(render_report(decision.model_copy(update={"result": result}), evidence))
    assert root.get("lang") == "en"
    assert len(root.xpath("//main")) == len(root.xpath("//h1")) == len(root.xpath("//nav[@aria-label]")) == 1
    levels = [int(head.tag[1]) for head in root.xpath("//h1|//h2|//h3|//h4")]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(head.get("scope") in ("col", "row") for head in root.xpath("//th"))
    assert all(svg.get("aria-label") for svg in root.xpath("//svg"))
    word = result.value.replace("_", " ").upper()
    assert root.xpath("//title")[0].text == f"{word}: northwind-2026q3, test date 30 Sep 2026"


def test_checks_are_said_in_words(decision: Decision, evidence: Evidence) -> None:
    """Each outcome of a check is a word beside its sign and colour."""
    page = render_report(decision, evidence)
    root = lxml_html.fromstring(page)
    said = [
        " ".join(cell.text_content().split()) for cell in root.xpath("//section[@id='checks']//td/span[contains(@class,'tag')]")
    ]
    assert said == ["✓ Pass", "✓ Pass", "✓ Pass", "✓ Pass", "? Review", "✕ Fail"]
    assert {check.outcome for check in decision.checks} <= set(CheckOutcome)


def test_the_conformed_copy_names_who_put_the_words_there(decision: Decision, evidence: Evidence) -> None:
    """Each run carries its instrument's mark, and superseded words are struck."""
    root = lxml_html.fromstring(render_report(decision, evidence))
    first = root.xpath("//section[@id='copy']//p[@class='copy']")[0]
    assert first.text_content().endswith("greater than [1]3.50 to 1.00[2].[1]")
    assert [item.text for item in root.xpath("//del")] == ["4.25 to 1.00"]
    legend = [" ".join(item.text_content().split()) for item in root.xpath("//ul[@class='legend']/li")]
    assert legend == ["[1] Credit Agreement (credit-agreement.pdf)", "[2] Second Amendment (second-amendment.html)"]


def test_a_review_shows_both_readings_with_their_evidence(review: Decision, evidence: Evidence) -> None:
    """Open readings stand with links to the words they rest on, and nothing is called governing."""
    root = lxml_html.fromstring(render_report(review, evidence))
    section = root.xpath("//section[@id='covenant']")[0]
    assert "The pack does not show when the conditions were met." in section.text_content()
    assert [head.text for head in section.xpath(".//h4")] == ["Reading 1", "Reading 2"]
    assert len(section.xpath(".//a")) >= 4


def test_a_bare_record_makes_a_report(decision: Decision) -> None:
    """A run that stopped at once still has a report that says what is missing and why."""
    gone = Missing(reason="The run stopped at intake.")
    bare = decision.model_copy(
        update={
            "result": Result.REVIEW,
            "covenant": gone,
            "certificate": gone,
            "calculation": gone,
            "draft": gone,
            "timeline": (),
            "conformed": (),
            "checks": (),
            "reasons": (),
            "findings": (),
            "documents": (),
            "next_steps": (),
        }
    )
    page = render_report(bare)
    tags(page)
    assert page.count("The run stopped at intake.") == 3


def test_a_page_is_asked_for_once(decision: Decision, evidence: Evidence) -> None:
    """However many facts stand on a page, its image is made once."""
    asked: list[tuple[str, int]] = []

    def image(document: str, page: int, dpi: int) -> bytes | None:
        asked.append((document, page))
        return evidence.image(document, page, dpi)

    render_report(decision, Evidence(image=image, boxes=evidence.boxes, text=evidence.text))
    assert len(asked) == len(set(asked)) == 2


def test_timeline_bars_fill_the_strip(decision: Decision, evidence: Evidence, spans_of: Callable[[str, str], Span]) -> None:
    """Bars follow each other without a gap or an overlap, and the test date's line lies in the bar that holds it."""
    root = lxml_html.fromstring(render_report(decision, evidence))
    bars = root.xpath("//*[@class='strip']/rect")
    first, second = ((int(bar.get("x")), int(bar.get("width"))) for bar in bars)
    assert abs(first[0] + first[1] - second[0]) <= 1
    at = int(root.xpath("//*[@class='now']/@x1")[0])
    assert second[0] < at < second[0] + second[1]


def test_near_spans_of_a_fact_are_one_exhibit(
    decision: Decision, evidence: Evidence, spans_of: Callable[[str, str], Span]
) -> None:
    """Words that are interrupted stand on one cut with a rectangle each; without an image the gap stands between marks."""
    words = ("as of the last day", "4.25 to 1.00")
    cited = tuple(spans_of("credit-agreement.pdf", one) for one in words)
    html = tuple(spans_of("second-amendment.html", one) for one in ("amended by deleting", "takes effect"))
    reason = Reason(code="finding_headroom_low", sentence="Interrupted.", spans=(*cited, *html))
    bare = decision.model_copy(update={"findings": (reason,), "timeline": (), "conformed": (), "reasons": ()})
    root = lxml_html.fromstring(render_report(bare, evidence))
    pdf, text = (figure for figure in root.xpath("//figure[@id]") if "Interrupted." in figure.text_content())
    assert len(pdf.xpath(".//svg")) == 1
    assert len(pdf.xpath(".//rect")) == 2
    assert "as of the last day … 4.25 to 1.00" in pdf.text_content()
    assert [mark.text for mark in text.xpath(".//mark")] == ["amended by deleting", "takes effect"]
    assert "deleting “4.25 to 1.00”" in text.xpath(".//blockquote")[0].text_content()


def test_words_below_a_cut_are_owned_up_to(decision: Decision, evidence: Evidence) -> None:
    """Where a fact's words fill more of the page than a cut shows, the report says that they go on."""

    def tall(spans: tuple[Span, ...]) -> tuple[Span, ...]:
        far = Box(page=1, left=7_200, top=70_000, right=20_000, bottom=71_000)
        return tuple(
            span.model_copy(update={"boxes": (*span.boxes, far)}) if span.boxes else span for span in evidence.boxes(spans)
        )

    page = render_report(decision, Evidence(image=evidence.image, boxes=tall, text=evidence.text))
    assert "The words go on below this cut of page 1." in page
    assert "The words go on" not in render_report(decision, evidence)
