"""Reads a document as a legal instrument: kind, number, dates, execution, what it amends and recites.

What pack.yaml attests overrides what the text seems to say; what the text does not say stays unknown. A printed date is
never an effective date by itself.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re

from conformed.language.dates import find_dates
from conformed.language.names import AGREEMENT, ORDINAL, find_named, ordinal
from conformed.language.traced import Traced
from conformed.model.pack import Execution, Instrument, InstrumentKind, ManifestDocument, Recital
from conformed.model.span import Span

__all__ = ["read_instrument"]

K = InstrumentKind
_HEAD = 6000
_AMENDMENT = re.compile(
    rf"\b(?:{ORDINAL}\s+(?:omnibus\s+)?amendment|amendment\s+(?:letter|agreement|deed|(?:no\.?|number|\#)\s*\w+)|amendment\s+(?:and|to)\b|amendment\s*,?\s*(?:consent|waiver)|supplemental\s+agreement|deed\s+of\s+amendment|"
    r"^\s*amendment\s*$|waiver\s+and\s+amendment|consent\s+and\s+amendment)",
    re.IGNORECASE | re.MULTILINE,
)
_KINDS: tuple[tuple[InstrumentKind, str], ...] = (
    (K.COMPLIANCE_CERTIFICATE, r"\b(?:compliance|covenant|officer'?s?\s+compliance|performance)\s+certificate\b"),
    (K.RESERVATION, r"\breservation\s+of\s+rights\b"),
    (K.CONDITION_NOTICE, (
        r"\b(?:notice|confirmation|certificate)\s+(?:of|that|as\s+to)\s+(?:\w+\s+){0,4}(?:effectiveness|"
        r"effective\s+date|conditions?\b|satisfaction|closing)|conditions?\s+(?:precedent\s+)?(?:satisfaction|"
        r"confirmation|satisfied|notice)|effectiveness\s+notice|closing\s+confirmation"
)),
    (K.SIDE_LETTER, r"\bside\s+letter\b"),
    (K.NOTICE, (
        r"\b(?:election|cure|termination|leverage\s+increase)\s+notice\b|\bnotice\s+of\s+(?:election|termination|cure|"
        r"designation|qualified\s+acquisition)"
)),
)  # fmt: skip
_TITLES = tuple((kind, re.compile(p, re.IGNORECASE)) for kind, p in _KINDS)
_RESTATED = re.compile(
    r"\bamended\s+and\s+restated\s+(?:\w+\s+){0,5}agreement\b|\bamendment\s+and\s+restatement\s+agreement\b", re.IGNORECASE
)
_BASE = re.compile(rf"\b(?:{AGREEMENT}|(?:credit|facility|facilities|loan|term\s+loan)\s+agreement)\b", re.IGNORECASE)
_WAIVER = re.compile(
    (
        r"^\W*(?:limited\s+)?(?:\w+\s+)?waiver\b(?:\s+(?:letter|agreement|and\s+consent|no\.?\s*\d+|under|to|of|dated|"
        r"is\s+)\b|\W*$|,?\s+dated)"
    ),
    re.IGNORECASE | re.MULTILINE,
)
_CONSENT = re.compile(
    r"^\W*(?:limited\s+)?consent\b(?:\s+(?:letter|agreement|no\.?\s*\d+|under|to|dated)\b|\W*$|,?\s+dated)",
    re.IGNORECASE | re.MULTILINE,
)
_DRAFT = re.compile(
    r"^\W*draft\b|\bsubject\s+to\s+contract\b|\bdraft\s*(?:\(\d+\)|no\.?\s*\d+|of\s+\d|:\s*\d|\d{1,2}[./]\d)",
    re.IGNORECASE | re.MULTILINE,
)
_SIGNED = re.compile(
    r"(?:/s/|\bs/)\s*\S|\bsigned\s+by\s*:?\s*[A-Z][a-z]+|\bDocuSigned\b|\bElectronically\s+signed\b", re.IGNORECASE
)
_BLANK = re.compile(r"\bBy\s*:?\s*(?:_{3,}|\n\s*(?:Name|Title)\s*:)", re.IGNORECASE)


_ANNEXED = re.compile(
    r"^[ \t]*(?:EXHIBIT|SCHEDULE|ANNEX|APPENDIX|Exhibit|Schedule|Annex|Appendix)\s+[A-Z0-9][\w.-]{0,6}\b[^\n]{0,60}$",
    re.MULTILINE,
)
_WITNESS = re.compile(
    r"\bIN\s+WITNESS\s+WHEREOF\b|^[ \t]*(?:SIGNATORIES|SIGNATURES?|EXECUTION\s+PAGES?|SIGNED\s+by)\b", re.MULTILINE
)


def _kind(head: str, length: int) -> tuple[InstrumentKind, str]:
    title = head[:1800]
    if length < 80_000:
        for kind, pattern in _TITLES:
            m = pattern.search(head[:900])
            amendment = _AMENDMENT.search(head[:900])
            if m and not (amendment and amendment.start() < m.start()):
                return kind, _line(head, m.start())
    amendment, restated, base = _AMENDMENT.search(title), _RESTATED.search(title), _BASE.search(title)
    waiver, consent = _WAIVER.search(title), _CONSENT.search(title)
    first = min((m.start() for m in (amendment, waiver, consent) if m), default=len(title) + 1)
    if (
        restated
        and restated.start() <= first
        and not re.match(r"[^\n]{0,40}\b(?:to|of|under)\s+(?:the\s+)?$", title[max(0, restated.start() - 40) : restated.start()])
    ):
        return K.RESTATEMENT, _line(head, restated.start())
    if amendment and amendment.start() == first:
        return K.AMENDMENT, _line(head, amendment.start())
    if waiver and waiver.start() == first:
        return K.WAIVER, _line(head, waiver.start())
    if consent and consent.start() == first:
        return K.CONSENT, _line(head, consent.start())
    if base:
        return K.FACILITY_AGREEMENT, _line(head, base.start())
    return K.OTHER, _line(head, 0)


def _line(text: str, at: int) -> str:
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    return " ".join(text[start : end if end > 0 else len(text)].split())[:120]


def _number(title_area: str, kind: InstrumentKind) -> int | None:
    if kind not in {K.AMENDMENT, K.WAIVER, K.CONSENT}:
        return None
    named = find_named(title_area)
    if named:
        return named[0].number
    m = re.search(rf"\b(?:waiver|consent)\s+no\.?\s*(\d+)|\b({ORDINAL})\s+(?:waiver|consent)", title_area, re.IGNORECASE)
    return ordinal(m[1] or m[2]) if m else None


def _dated(head: str, kind: InstrumentKind) -> tuple[dt.date, int, int] | None:
    """The instrument's own date: the first after "dated", "made on", "as of" or standing alone; not one of another instrument."""
    this = re.compile(r"(?:\bThis|\bTHIS)\b(?:(?!\b[Dd]ated\b)[^\"]){0,240}?\b[Dd]ated\s+(?:as\s+of\s+)?(?:the\s+)?").search(head)
    dates = find_dates(head)
    if this and kind not in {K.FACILITY_AGREEMENT, K.RESTATEMENT}:
        for token in dates:
            if 0 <= token.start - this.end() <= 2:
                return token.date, token.start, token.end
    own = re.compile(
        (
            r"(?:dated(?:\s+(?:as\s+of|on))?|made(?:\s+and\s+entered\s+into)?(?:\s+(?:as\s+of|on|this))?|"
            r"entered\s+into\s+(?:as\s+of|on)|^\s*date:?|as\s+of(?:\s+this)?|effective\s+as\s+of|"
            r"(?:the\s+)?)\s*(?:the\s+)?[\s:]*$"
        ),
        re.IGNORECASE,
    )
    for token in dates:
        before = head[max(0, token.start - 60) : token.start]
        m = own.search(before)
        words = before[: m.start()] if m else ""
        other = re.search(
            r"\b(?:credit|facility|loan|original|existing)\s+agreement\s*,?\s*$", words, re.IGNORECASE
        ) and kind not in {K.FACILITY_AGREEMENT, K.RESTATEMENT}
        if m and m[0].strip() and not other:
            return token.date, token.start, token.end
    alone = [t for t in dates if re.fullmatch(r"\s*", head[head.rfind("\n", 0, t.start) + 1 : t.start])]
    chosen = alone or dates
    return (chosen[0].date, chosen[0].start, chosen[0].end) if chosen else None


def _execution(view: Traced) -> tuple[Execution, tuple[Span, ...]]:
    text = view.text
    draft = _DRAFT.search(text[:1500])
    if draft:
        return Execution.DRAFT, view.spans(draft.start(), draft.end())
    for offset, area in _signature_areas(text):
        signed, blank = list(_SIGNED.finditer(area)), list(_BLANK.finditer(area))
        if signed and blank:
            return Execution.PARTIAL, view.spans(offset + blank[0].start(), offset + blank[0].end())
        if signed:
            return Execution.EXECUTED, view.spans(offset + signed[0].start(), offset + min(signed[0].end() + 30, len(area)))
        if blank:
            return Execution.UNSIGNED, view.spans(offset + blank[0].start(), offset + blank[0].end())
    return Execution.UNKNOWN, ()


def _signature_areas(text: str) -> list[tuple[int, str]]:
    """Where the instrument itself is signed: blank lines of the forms behind it are no missing signatures.

    The parts between titles of exhibits and schedules are looked at one by one; one that bears a signature goes first.
    """
    edges = [0, *(m.start() for m in _ANNEXED.finditer(text)), len(text)]
    areas = []
    for start, end in itertools.pairwise(edges):
        witness = _WITNESS.search(text, start, end)
        begin = witness.start() if witness else max(start, end - 20_000)
        if end > begin:
            areas.append((begin, text[begin:end], witness is not None))
    areas.sort(key=lambda a: (not _SIGNED.search(a[1]), not a[2], a[0]))
    return [(begin, area) for begin, area, _ in areas]


_AGENT = re.compile(
    r"(?P<name>(?:[A-Z][\w&.'-]*\s+){0,5}[A-Z][\w&'-]+)(?:,?\s+(?:N\.?A\.?|Inc\.?|[Pp][Ll][Cc]|LLC|LLP|L\.P\.|Ltd\.?|AG|S\.A\.))?,?\s+"
    r"(?:\([^)]{1,60}\)\s*,?\s*)?(?:acting\s+)?as\s+(?:the\s+)?(?:\w+\s+){0,3}?[Aa]gent\b"
)


def _agents(head: str) -> tuple[str, ...]:
    """Names of the agents by which an instrument is made, in small letters, sorted."""
    return tuple(sorted({" ".join(m["name"].lower().split()).strip(" ,.") for m in _AGENT.finditer(head)}))


def _recitals(
    view: Traced, kind: InstrumentKind, number: int | None, own: dt.date | None
) -> tuple[Recital | None, tuple[Recital, ...]]:
    head = view.text[: _HEAD if kind is not K.FACILITY_AGREEMENT else 4000]
    amends = None
    if kind not in {K.FACILITY_AGREEMENT, K.OTHER}:
        pattern = re.compile(
            rf"\b(?P<name>{AGREEMENT}|(?:credit|facility|facilities|loan)\s+agreement)\b\s*\)?,?(?:(?!\bagreement\b)[^.;]){{0,120}}?\bdated\s+(?:as\s+of\s+|the\s+)?",
            re.IGNORECASE,
        )
        for m in pattern.finditer(head):
            dates = find_dates(head, m.end() - 1, m.end() + 60)
            if (dates and dates[0].date == own) or m["name"].lower().startswith("and "):
                continue
            amends = Recital(text=" ".join(m["name"].split()), kind=K.FACILITY_AGREEMENT, dated=dates[0].date if dates else None,
                             spans=view.spans(m.start(), dates[0].end if dates else m.end()))  # fmt: skip
            break
    seen: dict[int, Recital] = {}
    for named in find_named(head):
        if named.number == number or (number is not None and kind is K.AMENDMENT and named.number > number):
            continue
        if named.number not in seen or (seen[named.number].dated is None and named.dated):
            seen[named.number] = Recital(text=" ".join(head[named.start : named.end].split()), kind=K.AMENDMENT, number=named.number,
                                         dated=named.dated, spans=view.spans(named.start, named.end))  # fmt: skip
    return amends, tuple(seen[n] for n in sorted(seen))


def read_instrument(view: Traced, name: str, attested: ManifestDocument | None = None) -> Instrument:
    """Reads one document as an instrument.

    Args:
        view: its live view.
        name: its name in the pack.
        attested: what pack.yaml says of it, if anything.
    """
    head = view.text[:_HEAD]
    kind, title = _kind(head, len(view.text))
    kind = attested.kind if attested and attested.kind else kind
    number = _number(head[:1500], kind)
    dated = _dated(head[:3500], kind)
    execution, where = _execution(view)
    attested_execution = attested.execution if attested else None
    amends, recites = _recitals(view, kind, number, dated[0] if dated else None)
    spans: dict[str, tuple[Span, ...]] = {"execution": where} if where else {}
    if dated:
        spans["dated"] = view.spans(dated[1], dated[2])
    return Instrument(
        document=name, kind=kind, title=title, number=number,
        dated=(attested.dated if attested and attested.dated else dated[0] if dated else None),
        execution=attested_execution or execution, execution_attested=attested_execution is not None,
        effective_on=attested.effective_on if attested else None, lapsed_on=attested.lapsed_on if attested else None,
        finance_document=attested.finance_document if attested else None, amends=amends, recites=recites, parties=_agents(head), spans=spans,
    )  # fmt: skip
