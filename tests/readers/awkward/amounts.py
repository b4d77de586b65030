"""Rows about amounts: pieces, scales, brackets, magnitudes, habits of grouping, currencies, words against digits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from awkward.paper import Page, Variant, figures_docx, figures_html, figures_pdf, para, run

__all__ = ["row_28", "row_30", "row_31", "row_32", "row_33", "row_34", "row_36"]

K = 1000
DEBT, EARNED = Fraction(300_000_000), Fraction(100_000_000)
TRUE = {"total_debt": DEBT, "ebitda": EARNED}
ROWS = (
    ("Consolidated Total Debt", "300,000"),
    ("Consolidated Net Income", "40,000"),
    ("plus interest expense", "25,000"),
    ("plus income taxes", "15,000"),
    ("plus depreciation and amortization", "20,000"),
    ("Consolidated EBITDA", "100,000"),
    ("Leverage Ratio", "3.00 to 1.00"),
    ("Maximum permitted", "3.50 to 1.00"),
)
THOUSANDS = "(all amounts in US$ thousands)"


def _with(changes: dict[str, str], rows: Sequence[tuple[str, str]] = ROWS) -> list[tuple[str, str]]:
    return [(label, changes.get(label, figure)) for label, figure in rows]


def _every(
    name: str, rows: Sequence[Sequence[str]], lead: Sequence[str], want: tuple[str, ...], figures: dict[str, Fraction],
    differs: tuple[str, ...] = (),
) -> list[Variant]:  # fmt: skip
    """The same lines in the three formats."""

    def draw(page: Page) -> None:
        page.write(*lead)
        for row in rows:
            page.sheet.drawString(72, page.y, row[0])
            for place, cell in enumerate(row[1:]):
                page.sheet.drawRightString(380 + 90 * place, page.y, cell)
            page.y -= 13

    head = "".join(f"<p>{text}</p>" for text in lead)
    table = head + "<table>" + "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows) + "</table>"
    return [
        Variant(f"pdf: {name}", figures_pdf(draw), "c.pdf", want, certificate=True, figures=figures, differs=differs),
        Variant(f"html: {name}", figures_html(table), "c.html", want, certificate=True, figures=figures, differs=differs),
        Variant(
            f"docx: {name}", figures_docx(rows, lead=lead), "c.docx", want, certificate=True, figures=figures, differs=differs
        ),
    ]


def row_28() -> list[Variant]:
    """A number drawn in pieces."""

    def pieces(gap: float) -> bytes:
        def draw(page: Page) -> None:
            page.write(THOUSANDS)
            for label, figure in ROWS:
                page.sheet.drawString(72, page.y, label)
                x = 330.0
                for part in figure.replace(",", ",|").split("|"):
                    page.sheet.drawString(x, page.y, part)
                    x += page.width(part) + gap
                page.y -= 13

        return figures_pdf(draw)

    def one(gap: float) -> bytes:
        """Only the line of debt is in pieces, so that nothing else would give it away."""

        def draw(page: Page) -> None:
            page.write(THOUSANDS)
            for label, figure in ROWS:
                page.sheet.drawString(72, page.y, label)
                if label == "Consolidated Total Debt":
                    page.sheet.drawString(330, page.y, "300,")
                    page.sheet.drawString(330 + page.width("300,") + gap, page.y, "000")
                else:
                    page.sheet.drawString(330, page.y, figure)
                page.y -= 13

        return figures_pdf(draw)

    spans = (
        "<p>"
        + THOUSANDS
        + "</p><table>"
        + "".join(
            f"<tr><td>{a}</td><td>" + "".join(f"<span>{p}</span>" for p in b.replace(",", ",|").split("|")) + "</td></tr>"
            for a, b in ROWS
        )
        + "</table>"
    )
    split = (
        "<w:tbl>"
        + "".join(
            f"<w:tr><w:tc>{para(a)}</w:tc><w:tc>{para(''.join(run(p) for p in b.replace(',', ',|').split('|')))}</w:tc></w:tr>"
            for a, b in ROWS
        )
        + "</w:tbl>"
    )
    cells = (
        "<p>"
        + THOUSANDS
        + "</p><table>"
        + "".join(f"<tr><td>{a}</td><td>$</td><td>{b}</td><td>&nbsp;</td></tr>" for a, b in ROWS[:6])
        + f"<tr><td>{ROWS[6][0]}</td><td></td><td>{ROWS[6][1]}</td></tr></table>"
    )
    return [
        *(Variant(f"pdf: {gap} points apart", pieces(gap), "c.pdf", ("right",) if gap < 2 else ("right", "flagged"), certificate=True, figures=TRUE) for gap in (0.5, 1.0, 2.0, 3.0, 5.0)),
        *(Variant(f"pdf: one line, {gap} points apart", one(gap), "c.pdf", ("right", "flagged"), certificate=True, figures=TRUE) for gap in (3.0, 5.0, 9.0)),
        Variant("html: in elements", figures_html(spans), "c.html", certificate=True, figures=TRUE),
        Variant("docx: in runs", figures_docx((), lead=(THOUSANDS,), table=split), "c.docx", certificate=True, figures=TRUE),
        Variant("html: the sign in a cell of its own", figures_html(cells), "c.html", certificate=True, figures=TRUE),
    ]  # fmt: skip


def row_30() -> list[Variant]:
    """Scale bound to its column; shares in thousands, dollars not."""
    found = []
    for name, lead in (
        ("in thousands", THOUSANDS), ("(000s)", "(US$000s)"), ("000s omitted", "(000's omitted)"), ("$ in thousands", "(US$ in thousands)"), ("a bare dollar", "($ in thousands)"),
        ("in millions", "(in US$ millions)"),
    ):  # fmt: skip
        figures = TRUE if "mill" not in name else {k: v * K for k, v in TRUE.items()}
        found += _every(name, ROWS, (lead,), ("right", "flagged") if "omitted" in name or "bare" in name else ("right",), figures)
    whole = {k: v / K for k, v in TRUE.items()}
    found += _every("none", ROWS, (), ("flagged",), whole)
    found += _every("shares in thousands, dollars not", ROWS, ("(shares in thousands)",), ("flagged",), whole)
    found += _every(
        "two statements that differ",
        ROWS,
        ("(in US$ thousands)", "(in US$ millions)"),
        ("flagged",),
        {k: v * K for k, v in TRUE.items()},
    )
    mixed = [
        ("", "US$ thousands", "US$ millions"),
        *((a, b, b[:-4] or "0") for a, b in ROWS[:6]),
        *((a, b, b) for a, b in ROWS[6:]),
    ]
    found += _every("a scale for each column", mixed, (), ("right", "flagged"), TRUE)
    return found


def row_31() -> list[Variant]:
    """Brackets: a negative or a note."""
    loss = _with({"plus income taxes": "(3,118)", "Consolidated EBITDA": "81,882"})
    found = _every(
        "a negative in brackets",
        loss,
        (THOUSANDS,),
        ("right", "flagged"),
        {"taxes": Fraction(-3_118_000), "ebitda": Fraction(81_882_000)},
        ("ratio",),
    )
    noted = [(label, f"{figure} (1)" if label == "Consolidated EBITDA" else figure) for label, figure in ROWS]
    found += _every("a note mark in brackets", noted, (THOUSANDS,), ("right", "flagged"), TRUE)
    label = [(f"{a} (2)" if a == "Consolidated Total Debt" else a, b) for a, b in ROWS]
    found += _every("a note mark behind the label", label, (THOUSANDS,), ("right", "flagged"), TRUE)
    split = (
        "<p>"
        + THOUSANDS
        + "</p><table>"
        + "".join(
            f"<tr><td>{a}</td><td>{b[:-1] if b.endswith(')') else b}</td><td>{')' if b.endswith(')') else ''}</td></tr>"
            for a, b in loss
        )
        + "</table>"
    )
    return [*found, Variant("html: the bracket in the next cell", figures_html(split), "c.html", ("right", "flagged"), certificate=True, figures={"taxes": Fraction(-3_118_000)}, differs=("ratio",))]  # fmt: skip


def row_32() -> list[Variant]:
    """MM, mm, m and bn."""
    found = []
    for name, word in (("MM", "MM"), ("mm", "mm"), ("m", "m"), ("million", " million"), ("a thousand is M", ",000M")):
        rows = [*((label, f"US${figure.removesuffix(',000')}{word}") for label, figure in ROWS[:6]), *ROWS[6:]]
        want = (
            ("right", "flagged")
            if "thousand" not in name and name != "million"
            else ("flagged",)
            if "thousand" in name
            else ("right",)
        )
        found += _every(name, rows, (), want, TRUE)
    return found


def row_33() -> list[Variant]:
    """Other habits of grouping."""
    found = []

    def grouped(figure: str, mark: str, tail: str) -> str:
        return figure.replace(",", mark) + mark + "000" + tail

    for name, mark, tail, want in (
        ("blanks in every line", " ", "", ("flagged",)), ("apostrophes in every line", "'", ".00", ("right", "flagged")), ("no-break spaces in every line", "\u00a0", "", ("right", "flagged")),
        ("points in every line", ".", ",00", ("right", "flagged")),
    ):  # fmt: skip
        rows = [*((label, "US$" + grouped(figure, mark, tail)) for label, figure in ROWS[:6])]
        found += _every(name, rows, ("(in whole dollars)",), want, TRUE)
    for name, debt, earned, want in (
        ("points for thousands, a comma for decimals", "300.000.000,00", "100.000.000,00", ("right", "flagged")),
        ("apostrophes", "300'000'000.00", "100'000'000.00", ("right", "flagged")),
        ("lakhs", "30,00,00,000", "10,00,00,000", ("right", "flagged")),
        ("blanks", "300 000 000", "100 000 000", ("right", "flagged")),
        ("one point that could be either", "300.000", "100.000", ("flagged",)),
        ("two habits", "300.000.000,00", "100,000,000.00", ("right", "flagged")),
    ):
        rows = [("Consolidated Total Debt", debt), ("Consolidated EBITDA", earned), *ROWS[6:]]
        found += _every(name, rows, ("(in US$)",), want, TRUE)
    return found


def row_34() -> list[Variant]:
    """A switch of currency inside the paper."""
    found = []
    for name, debt, earned in (
        ("C$ against US$", "C$300,000", "US$100,000"),
        ("euro against dollar", "€300,000", "$100,000"),
        ("a bare dollar in a paper of pounds", "£300,000", "$100,000"),
    ):
        rows = [("Consolidated Total Debt", debt), ("Consolidated EBITDA", earned), *ROWS[6:]]
        figures = {"total_debt@" + {"C": "CAD", "€": "EUR", "£": "GBP"}[debt[0]]: DEBT}
        found += _every(name, rows, ("(in thousands)",), ("flagged",), figures)
    return found


def row_36() -> list[Variant]:
    """Words against digits, in an amount and in a level."""
    from awkward.paper import CLAUSE, HEADING, docx, para, pdf, run, web

    found = []
    for name, text, want in (
        ("words and digits differ", "three and one-quarter to one (3.50 to 1.00)", ("flagged",)),
        ("words and digits agree", "three and one-half to one (3.50 to 1.00)", ("right",)),
        ("digits first", "3.50 to 1.00 (three and one-quarter to one)", ("flagged",)),
    ):
        level = Fraction(7, 2)
        found += [
            Variant(f"pdf: {name}", pdf(text), "a.pdf", want, level),
            Variant(f"html: {name}", web(text), "a.html", want, level),
            Variant(f"docx: {name}", docx(run(text)), "a.docx", want, level),
        ]
    said = f"{HEADING} The Borrower shall not permit Liquidity as of the last day of any Fiscal Quarter to be less than Twenty-Five Million Dollars ($2,500,000)."
    spelt = "Three Hundred Million Dollars ({0})"
    differ, agree = (
        [(a, spelt.format(digits) if a == "Consolidated Total Debt" else f"US${b},000") for a, b in ROWS[:6]] + list(ROWS[6:])
        for digits in ("US$30,000,000", "US$300,000,000")
    )
    assert CLAUSE
    return [
        *found,
        Variant("html: an amount as the level", web(clause=f"<p>{said}</p>"), "a.html", ("flagged",), None),
        Variant("docx: an amount as the level", docx(clause=para(said)), "a.docx", ("flagged",), None),
        *_every("an amount of a certificate, differing", differ, ("(in whole dollars)",), ("flagged",), TRUE),
        *_every("an amount of a certificate, agreeing", agree, ("(in whole dollars)",), ("right", "flagged"), TRUE),
    ]
