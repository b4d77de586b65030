"""A decision made by hand, with a page drawn for it: nothing here reads a document or runs a rule."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from PIL import Image, ImageDraw, ImageFont

from conformed.app.face import Evidence
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Comparison, Figure, Step
from conformed.model.claim import Claim, ClaimKind, Draft, Sentence
from conformed.model.covenant import Comparator, Covenant, Definition, Limit, TimelineEntry, Unit
from conformed.model.dates import Window
from conformed.model.decision import (
    Check,
    CheckOutcome,
    Conformed,
    ConformedRun,
    Decision,
    DocumentSummary,
    Overlay,
    Reason,
    Result,
)
from conformed.model.span import Box, Span

AGREEMENT = "credit-agreement.pdf"
AMENDMENT = "second-amendment.html"
CERTIFICATE = "certificate.pdf"

LINES = {
    AGREEMENT: [
        "ARTICLE VII",
        "NEGATIVE COVENANTS",
        "",
        "Section 7.11 Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio",
        "as of the last day of any fiscal quarter to be greater than 4.25 to 1.00.",
        "",
        "Section 7.12 Interest Cover. The Borrower shall not permit the ratio of Adjusted EBITDA to",
        "Net Finance Charges for any Test Period to be less than 3.00 to 1.00.",
        "",
        "“Total Leverage Ratio” means, on any date, the ratio of Total Debt on that date to Adjusted",
        "EBITDA for the Test Period then most recently ended.",
    ],
    CERTIFICATE: [
        "COMPLIANCE CERTIFICATE",
        "For the fiscal quarter ended September 30, 2026 (USD in thousands)",
        "",
        "Total Debt                                                   474,900",
        "Adjusted EBITDA                                              126,800",
        "Total Leverage Ratio                                         3.75:1.00",
    ],
}
AMENDMENT_TEXT = (
    "SECOND AMENDMENT TO CREDIT AGREEMENT, dated March 3, 2026. 1. Section 7.11 is amended by deleting “4.25 to 1.00” and "
    "inserting in its place “3.50 to 1.00”. 2. This amendment takes effect on the date on which the Agent confirms the "
    "conditions in paragraph 4."
)
WIDTH, HEIGHT, LEFT, TOP, STEP = 61_200, 79_200, 7_200, 9_000, 1_600
"""US Letter in hundredths of a point, and where the drawn lines stand."""


def page_text(document: str) -> str:
    """The canonical text of a document of the fixture."""
    return AMENDMENT_TEXT if document == AMENDMENT else "\n".join(LINES[document])


def draw_page(document: str, page: int, dpi: int) -> bytes | None:
    """The page of a document as a PNG, or None for the one that has no pages."""
    if document not in LINES or page != 1:
        return None
    scale = dpi / 7_200
    picture = Image.new("L", (round(WIDTH * scale), round(HEIGHT * scale)), 255)
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=round(1_050 * scale))
    for number, line in enumerate(LINES[document]):
        pen.text((LEFT * scale, (TOP + number * STEP) * scale), line, fill=20, font=font)
    to = io.BytesIO()
    picture.save(to, "PNG")
    return to.getvalue()


def span(document: str, words: str) -> Span:
    """The span of some words of a fixture document; fails where they do not stand exactly once."""
    text = page_text(document)
    assert text.count(words) == 1, (document, words)
    start = text.index(words)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Span(
        document=document,
        sha256=digest,
        page=None if document == AMENDMENT else 1,
        start=start,
        end=start + len(words),
        text=words,
    )


def _length(words: str) -> int:
    """How long drawn words are, in hundredths of a point."""
    return round(ImageFont.load_default(size=18).getlength(words) * 60)  # 18 pixels at 120 dots an inch


def with_boxes(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Fills in rectangles: the drawn line on which a span begins, roughly as wide as its words."""
    found = []
    for one in spans:
        if one.page is None:
            found.append(one)
            continue
        before = page_text(one.document)[: one.start]
        row, line = before.count("\n"), before.rpartition("\n")[2]
        left, top = LEFT + _length(line), TOP + row * STEP
        right = left + _length(one.text)
        found.append(one.model_copy(update={"boxes": (Box(page=1, left=left, top=top, right=right, bottom=top + 1_300),)}))
    return tuple(found)


def make_decision() -> Decision:
    """A breach: 474.9m of debt on 126.8m of EBITDA against 3.50x as amended, with a certificate that tests the old level."""
    level = span(AMENDMENT, "3.50 to 1.00")
    clause = span(AGREEMENT, LINES[AGREEMENT][3])
    definition = Definition(
        term="Total Leverage Ratio", text=LINES[AGREEMENT][9], instrument=AGREEMENT, spans=(span(AGREEMENT, LINES[AGREEMENT][9]),)
    )
    covenant = Covenant(
        name="Total Leverage Ratio",
        metric="total_leverage",
        section="7.11",
        comparator=Comparator.LE,
        limit=Limit(unit=Unit.RATIO, value=Fraction(7, 2), raw="3.50 to 1.00", places=2, spans=(level,)),
        document=AMENDMENT,
        instrument="Second Amendment dated 3 March 2026",
        tested="each_fiscal_quarter_end",
        definitions=(definition,),
        spans=(level, clause),
    )
    figures = (
        Figure(
            name="total_debt",
            label="Total Debt",
            value=Fraction(474_900_000),
            currency="USD",
            scale=1000,
            raw="474,900",
            as_of=dt.date(2026, 9, 30),
            spans=(span(CERTIFICATE, "474,900"),),
        ),
        Figure(
            name="adjusted_ebitda",
            label="Adjusted EBITDA",
            value=Fraction(126_800_000),
            currency="USD",
            scale=1000,
            raw="126,800",
            as_of=dt.date(2026, 9, 30),
            spans=(span(CERTIFICATE, "126,800"),),
        ),
    )
    ratio = Fraction(4749, 1268)
    calculation = Calculation(
        figures=figures,
        steps=(Step(name="total_leverage_ratio", expression="total_debt / adjusted_ebitda", value=ratio, unit="x"),),
        ratio=ratio,
        comparison=Comparison(
            left=ratio, comparator=Comparator.LE, right=Fraction(7, 2), met=False, shown_left="3.75x", shown_right="3.50x"
        ),
        headroom_debt=Fraction(-31_100_000),
        headroom_ebitda=1 - ratio / Fraction(7, 2),
        currency="USD",
        codes=("accept_calculation_complete",),
    )
    change = "amendment:1"
    copies = (
        Conformed(
            section="7.11",
            heading="Total Leverage Ratio",
            runs=(
                ConformedRun(
                    text="The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be "
                    "greater than ",
                    document=AGREEMENT,
                    operation="",
                    spans=(clause,),
                ),
                ConformedRun(text="3.50 to 1.00", document=AMENDMENT, operation=change, spans=(level,)),
                ConformedRun(text=".", document=AGREEMENT, operation=""),
            ),
            superseded=(
                ConformedRun(text="4.25 to 1.00", document=AGREEMENT, operation=change, spans=(span(AGREEMENT, "4.25 to 1.00"),)),
            ),
        ),
        Conformed(
            section="Total Leverage Ratio",
            heading="",
            definition=True,
            runs=(ConformedRun(text=LINES[AGREEMENT][9], document=AGREEMENT, operation="", spans=definition.spans),),
        ),
    )
    return Decision(
        run="r-0001",
        pack="northwind-2026q3",
        pack_digest="a" * 64,
        borrower="Northwind Holdings",
        test_date=dt.date(2026, 9, 30),
        known_at=dt.date(2026, 11, 15),
        contract="leverage-covenant 1",
        contract_digest="b" * 64,
        result=Result.BREACH,
        overlay=Overlay.NONE,
        covenant=covenant,
        certificate=Certificate(
            document=CERTIFICATE,
            test_date=dt.date(2026, 9, 30),
            figures=figures,
            states_level=Fraction(17, 4),
            states_ratio=Fraction(15, 4),
            spans={"states_ratio": (span(CERTIFICATE, "3.75:1.00"),)},
        ),
        calculation=calculation,
        timeline=(
            TimelineEntry(
                window=Window(start=dt.date(2025, 3, 31), end=dt.date(2026, 3, 30)),
                level="≤ 4.25x",
                document=AGREEMENT,
                reason="stated in the agreement",
                spans=(span(AGREEMENT, "4.25 to 1.00"),),
            ),
            TimelineEntry(
                window=Window(start=dt.date(2026, 3, 31)),
                level="≤ 3.50x",
                document=AMENDMENT,
                reason="Second Amendment replaces the level",
                spans=(level,),
            ),
        ),
        conformed=copies,
        checks=(
            Check(name="retrieval_coverage", outcome=CheckOutcome.PASS, sentence="Every recited instrument is in the pack."),
            Check(
                name="precedence", outcome=CheckOutcome.PASS, sentence="One level governs.", codes=("accept_substituted_text",)
            ),
            Check(name="schema", outcome=CheckOutcome.PASS, sentence="All proposals are well formed."),
            Check(name="calculation", outcome=CheckOutcome.PASS, sentence="Every input is cited."),
            Check(name="claim_support", outcome=CheckOutcome.REVIEW, sentence="One sentence was refused and rewritten."),
            Check(name="decision_boundary", outcome=CheckOutcome.FAIL, sentence="3.75x is more than 3.50x."),
        ),
        reasons=(
            Reason(
                code="accept_substituted_text",
                sentence="Find-and-replace instruction applied to the one matching place in the text in force.",
                subject=AMENDMENT,
                spans=(level,),
            ),
        ),
        findings=(
            Reason(
                code="finding_certificate_uses_wrong_level",
                sentence="Certificate tests against a level that is not in force.",
                subject=CERTIFICATE,
            ),
        ),
        claims=(Claim(id="c1", kind=ClaimKind.RESULT, subject="result", text="breach"),),
        draft=Draft(
            sentences=(
                Sentence(
                    text="For the test date of 30 September 2026 the Total Leverage Ratio is 3.75x against a level of not more "
                    "than 3.50x.",
                    kind=ClaimKind.RESULT,
                    claims=("c1",),
                ),
            ),
            run="r-0001",
            pack_digest="a" * 64,
            producer="template 1.0.0",
        ),
        documents=(
            DocumentSummary(
                name=CERTIFICATE, sha256="c" * 64, kind="compliance_certificate", title="Compliance Certificate", pages=1
            ),
            DocumentSummary(
                name=AGREEMENT,
                sha256="d" * 64,
                kind="facility_agreement",
                title="Credit Agreement",
                dated=dt.date(2024, 12, 1),
                effective_on=dt.date(2024, 12, 1),
                execution="executed",
                pages=64,
            ),
            DocumentSummary(
                name=AMENDMENT,
                sha256="e" * 64,
                kind="amendment",
                title="Second Amendment",
                dated=dt.date(2026, 3, 3),
                effective_on=dt.date(2026, 3, 3),
                execution="executed",
                notes=("Read without pages.",),
            ),
        ),
        next_steps=("Conclude: accept the run, override a named check with a reason code, or send it back.",),
    )


def make_review() -> Decision:
    """The same pack, stopped for a person with two open readings."""
    done = make_decision()
    assert isinstance(done.covenant, Covenant)
    old = done.covenant.model_copy(
        update={
            "limit": Limit(unit=Unit.RATIO, value=Fraction(17, 4), raw="4.25 to 1.00", places=2),
            "document": AGREEMENT,
            "instrument": "Credit Agreement",
            "reading": "the conditions of the Second Amendment were not met by the test date",
            "spans": (span(AGREEMENT, "4.25 to 1.00"),),
        }
    )
    new = done.covenant.model_copy(update={"reading": "the conditions of the Second Amendment were met by the test date"})
    gap = Missing(reason="The pack does not show when the conditions were met.", code="review_cp_evidence_missing")
    return done.model_copy(
        update={
            "result": Result.REVIEW,
            "covenant": gap,
            "candidates": (new, old),
            "calculation": Missing(reason="No level governs yet."),
            "draft": Missing(reason="Nothing to draft before the level is settled."),
            "reasons": (
                Reason(
                    code="review_cp_evidence_missing",
                    sentence="Effectiveness needs conditions and the pack lacks evidence they were met.",
                    subject=AMENDMENT,
                ),
            ),
        }
    )


@pytest.fixture
def decision() -> Decision:
    """The breach."""
    return make_decision()


@pytest.fixture
def review() -> Decision:
    """The review."""
    return make_review()


@pytest.fixture
def evidence() -> Evidence:
    """Drawn pages, rectangles and texts."""
    return Evidence(image=draw_page, boxes=with_boxes, text=page_text)


@pytest.fixture
def spans_of() -> Callable[[str, str], Span]:
    """Makes a span of some words of a document of the fixture."""
    return span
