"""A decision as one screen of text: result first, then what it rests on, then what a person must now do."""

from __future__ import annotations

from collections.abc import Mapping

from conformed.app.keeping.published import PublicationNote, sentence_of
from conformed.app.pages import shown
from conformed.app.pages.facts import Fact, facts_of, titles_of
from conformed.app.pages.pen import Pen
from conformed.app.people.standing import Standing, approval_sentence
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Cure
from conformed.model.covenant import Comparator, Covenant
from conformed.model.decision import CheckOutcome, Decision, Overlay, Reason, Result
from conformed.model.span import Span

__all__ = ["CHECK_NAMES", "RESULT_WORDS", "cure_sentence", "headroom_sentences", "screen", "wants_colour"]

RESULT_WORDS: dict[Result, tuple[str, str]] = {
    Result.PASS: ("PASS", "The ratio meets the level. The software does not conclude: a person does."),
    Result.BREACH: (
        "BREACH",
        "The ratio does not meet the level. This is arithmetic, not a legal conclusion: a person concludes.",
    ),
    Result.NOT_TESTED: ("NOT TESTED", "The covenant is not tested on this date, for the reason below."),
    Result.REVIEW: ("REVIEW", "The documents leave something open that a person must settle first."),
}
"""Each result as a word and a sentence. Never a word of credit or law."""

CHECK_NAMES = {
    "retrieval_coverage": "All documents seen",
    "precedence": "What governs",
    "schema": "Records well formed",
    "calculation": "Calculation",
    "claim_support": "Every sentence supported",
    "decision_boundary": "Comparison with level",
}
"""The six checks in words."""

_CHECK_WORDS = {
    CheckOutcome.PASS: ("pass", "green"),
    CheckOutcome.FAIL: ("FAIL", "red"),
    CheckOutcome.REVIEW: ("REVIEW", "yellow"),
    CheckOutcome.NOT_RUN: ("not run", "dim"),
}
_RESULT_STYLE = {
    Result.PASS: "bold green",
    Result.BREACH: "bold red",
    Result.NOT_TESTED: "bold cyan",
    Result.REVIEW: "bold yellow",
}


def wants_colour(environment: Mapping[str, str], *, terminal: bool) -> bool:
    """Whether to colour: NO_COLOR and TERM=dumb forbid it, FORCE_COLOR asks for it, else only a terminal gets it."""
    if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return False
    return bool(environment.get("FORCE_COLOR")) or terminal


def headroom_sentences(calculation: Calculation, comparator: Comparator) -> tuple[str, ...]:
    """Headroom in words, in debt and in earnings; nothing where the record has none."""
    ceiling = comparator in (Comparator.LE, Comparator.LT)
    found = []
    debt, ebitda = calculation.headroom_debt, calculation.headroom_ebitda
    if debt is not None:
        amount = shown.money(abs(debt), calculation.currency)
        words = (
            ("debt may rise by", "debt is too high by")
            if ceiling
            else ("in debt: above the level by", "in debt: below the level by")
        )
        found.append(f"{words[debt < 0]} {amount}")
    if ebitda is not None:
        words = ("EBITDA may fall by", "EBITDA would have to rise by") if ceiling else ("in EBITDA: +", "in EBITDA: −")
        found.append(f"{words[ebitda < 0]} {shown.share(abs(ebitda))}")
    return tuple(found)


def cure_sentence(cure: Cure, currency: str | None) -> str:
    """The second calculation in words: what would meet the level, or what is claimed; the result stays."""
    counted = "counted as EBITDA" if cure.kind == "ebitda" else "counted as less debt"
    least = f"the least amount that meets the level, {counted}, is {shown.money(cure.least, currency)}"
    if cure.claimed is None:
        return f"{least}. The result stays."
    met = "meets" if cure.met else "does NOT meet"
    claim = f"{shown.money(cure.claimed, currency)} is claimed, gives {shown.value(cure.ratio, 'x')} and {met} the level"
    return f"{least}; {claim}. The result stays."


def screen(
    decision: Decision, published: PublicationNote | None = None, standing: Standing | None = None, *, width: int = 100,
    colour: bool = False,
) -> str:  # fmt: skip
    """The whole screen.

    Args:
        decision: the record.
        published: what became of its publication; None leaves it out.
        standing: where it stands with people; None leaves it out.
        width: columns of the terminal; under 72 tables become stacked lines.
        colour: whether to colour. Nothing is said by colour alone.

    Returns:
        Text that ends in a line's end and holds no control character of any document.
    """
    pen = Pen(width, colour=colour)
    _head(pen, decision)
    beside = [("Publication", sentence_of(published))] if published is not None else []
    pen.pairs([*beside, ("Approval", approval_sentence(standing))] if standing is not None else beside)
    _covenant(pen, decision)
    _ratio(pen, decision)
    _timeline(pen, decision)
    _checks(pen, decision)
    _codes(pen, "Codes", decision.reasons)
    _codes(pen, "Findings (they do not stop the run)", decision.findings)
    _overrides(pen, decision)
    _places(pen, decision)
    _draft(pen, decision)
    _next(pen, decision)
    return pen.text()


def _head(pen: Pen, decision: Decision) -> None:
    pages = sum(document.pages for document in decision.documents)
    files = len(decision.documents)
    word, sentence = RESULT_WORDS[decision.result]
    pen.line(("RESULT  ", "bold"), (word, _RESULT_STYLE[decision.result]), (_short(decision), "bold"))
    if decision.overlay is not Overlay.NONE:
        pen.line((f"        {decision.overlay.value.upper()}: stands beside the result and does not change it.", "bold magenta"))
    pen.say(sentence, indent=8)
    pen.gap()
    pen.pairs(
        [
            (
                "Pack",
                f"{decision.pack} · {files} {'file' if files == 1 else 'files'}, {pages} {'page' if pages == 1 else 'pages'}",
            ),
            ("Borrower", decision.borrower or "not named"),
            ("Test date", f"{shown.day(decision.test_date)} · as known on {shown.day(decision.known_at)}"),
            ("Contract", f"{decision.contract} @ {decision.contract_digest[:12]}"),
            ("Run", decision.run),
        ]
    )
    for refusal in decision.refusals:
        pen.say(f"Not read: {refusal}", style="yellow")


def _short(decision: Decision) -> str:
    if isinstance(decision.calculation, Missing) or isinstance(decision.calculation.comparison, Missing):
        return ""
    comparison = decision.calculation.comparison
    return f"   {comparison.shown_left} against {comparison.comparator.sign} {comparison.shown_right}"


def _covenant(pen: Pen, decision: Decision) -> None:
    pen.heading("Governing covenant")
    if isinstance(decision.covenant, Covenant):
        _one_covenant(pen, decision.covenant)
    else:
        pen.say(f"None determined: {decision.covenant.reason}", indent=2)
    if decision.candidates:
        pen.gap()
        pen.say("Readings that remain open, best first:", indent=2, style="bold")
        for candidate in decision.candidates:
            _one_covenant(pen, candidate)
            pen.gap()


def _one_covenant(pen: Pen, covenant: Covenant) -> None:
    rows = [
        ("Covenant", f"{covenant.name} {shown.words(covenant)}"),
        ("Section", covenant.section or "without a number"),
        ("Set by", f"{covenant.instrument} ({covenant.document})" if covenant.instrument else covenant.document),
    ]
    if covenant.reading:
        rows.insert(0, ("If", covenant.reading))
    if covenant.row:
        rows.append(("Row", covenant.row))
    if covenant.tested != "unstated":
        rows.append(("Tested", covenant.tested.replace("_", " ")))
    rows += [("Shown by", f"{shown.place(span)}: “{shown.quote(span.text)}”") for span in covenant.spans[:2]]
    pen.pairs(rows)


def _ratio(pen: Pen, decision: Decision) -> None:
    pen.heading("Ratio and headroom")
    calculation = decision.calculation
    if isinstance(calculation, Missing):
        pen.say(f"Not calculated: {calculation.reason}", indent=2)
        return
    rows = [
        (step.name.replace("_", " "), f"{step.expression} = {shown.exact_and_shown(step.value, step.unit)}")
        for step in calculation.steps
    ]
    if isinstance(calculation.ratio, Missing):
        rows.append(("Ratio", f"none: {calculation.ratio.reason}"))
    else:
        rows.append(("Exact ratio", str(calculation.ratio)))
    if isinstance(calculation.comparison, Missing):
        rows.append(("Comparison", f"not made: {calculation.comparison.reason}"))
    else:
        compared = calculation.comparison
        met = "met" if compared.met else "NOT met"
        rows.append(("Comparison", f"{compared.shown_left} {compared.comparator.sign} {compared.shown_right} is {met}"))
        rows += [("Headroom", sentence) for sentence in headroom_sentences(calculation, compared.comparator)]
    if calculation.cure is not None:
        rows.append(("Cure", cure_sentence(calculation.cure, calculation.currency)))
    pen.pairs(rows)


def _timeline(pen: Pen, decision: Decision) -> None:
    if not decision.timeline:
        return
    pen.heading("Levels over time")
    titles, rows = titles_of(decision), []
    for entry in decision.timeline:
        start, end = shown.window(entry.window)
        here = "←" if entry.window.holds(decision.test_date) else ""
        rows.append((start, end, f"{entry.level} {here}".strip(), titles.get(entry.document, entry.document), entry.reason))
    pen.table(("From", "To", "Level", "Set by", "Why"), rows)


def _checks(pen: Pen, decision: Decision) -> None:
    pen.heading("Checks")
    rows = [
        (_CHECK_WORDS[check.outcome][0], CHECK_NAMES.get(check.name, check.name), check.sentence) for check in decision.checks
    ]
    pen.table(("Outcome", "Check", "Why"), rows, styles=[_CHECK_WORDS[check.outcome][1] for check in decision.checks])


def _codes(pen: Pen, heading: str, reasons: tuple[Reason, ...]) -> None:
    if not reasons:
        return
    pen.heading(heading)
    for reason in reasons:
        about = f" [{reason.subject}]" if reason.subject else ""
        pen.item(f"{reason.code}{about}", reason.sentence)


def _overrides(pen: Pen, decision: Decision) -> None:
    if decision.overridden is None:
        return
    pen.heading(f"Overrides of run {decision.overridden.earlier}, which stays as it was")
    for one in decision.overridden.told:
        given = one.override
        pen.item(given.code, one.sentence)
        pen.say(f"By {given.by}, {given.at:%d %B %Y %H:%M} UTC, against {given.answers}: “{given.reason}”", indent=4)


def _places(pen: Pen, decision: Decision) -> None:
    """A line a fact: the words that show it. Label and figure on one page are one quote; the record has every place apart."""
    found = [fact for fact in facts_of(decision) if fact.group in ("covenant", "figure", "certificate", "definition")]
    if not found:
        return
    pen.heading("Where each fact stands")
    for fact in found:
        value = f" {fact.shown}" if fact.shown else ""
        pen.item(f"{fact.what}{value}", "; ".join(_quotes(fact)))
    rest = sum(len(one.definitions) for one in (decision.covenant,) if isinstance(one, Covenant))
    rest -= sum(fact.group == "definition" for fact in found)
    if rest > 0:
        pen.say(f"{rest} further definitions are in the record (--json) and in conformed copy.", indent=2)


def _quotes(fact: Fact) -> list[str]:
    """The places of a fact, one a page: ``loan.pdf p. 44: “Term Loans … 372,500”``. Definitions are named by where they begin."""
    pages: dict[str, list[str]] = {}
    whole = [span for span in fact.spans if not any(other is not span and _inside(span, other) for other in fact.spans)]
    for span in whole[:1] if fact.group == "definition" else whole[:4]:
        words = shown.quote(span.text, 110)
        where = pages.setdefault(shown.place(span) if span.page is not None else shown.one_line(span.document), [])
        if words not in where:
            where.append(words)
    return [f"{place}: “{' … '.join(words)}”" for place, words in pages.items()]


def _inside(span: Span, other: Span) -> bool:
    within = other.start <= span.start and span.end <= other.end
    return span.document == other.document and within and span.end - span.start < other.end - other.start


def _draft(pen: Pen, decision: Decision) -> None:
    pen.heading("Draft for the file")
    if isinstance(decision.draft, Missing):
        pen.say(f"None: {decision.draft.reason}", indent=2)
    else:
        pen.say(" ".join(sentence.text for sentence in decision.draft.sentences), indent=2)


def _next(pen: Pen, decision: Decision) -> None:
    pen.heading("What a person must now do")
    for number, step in enumerate(decision.next_steps, 1):
        pen.item(f"{number}.", step)
    if not decision.next_steps:
        pen.say("Read the evidence and conclude. The software never concludes.", indent=2)
