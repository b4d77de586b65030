"""Currency clauses: at which rate another currency is converted, from which source, and how a rate line is labelled (4.7)."""

from __future__ import annotations

import datetime as dt
import re
from fractions import Fraction

from conformed.language.currency import CODES, SIGNS
from conformed.language.dates import find_dates
from conformed.model.base import Exact, Frozen
from conformed.model.span import Span

__all__ = ["Conversion", "Direction", "direction_of", "read_conversion", "read_redenomination"]


class Conversion(Frozen):
    """What an agreement says of converting a currency."""

    kind: str
    """``average``, ``closing`` or ``fixed`` (a redenomination); empty where the words fix none."""
    of: tuple[str, ...] = ()
    """What is converted so: ``debt``, ``cash``, ``earnings``; empty for everything."""
    source: str = ""
    """Where the rate comes from, as written; empty where the words do not say."""
    rate: Exact | None = None
    """The fixed rate itself: how much of ``quote`` one unit of ``base`` is."""
    quote: str = ""
    """ISO code, for a fixed rate."""
    base: str = ""
    """ISO code, for a fixed rate."""
    since: dt.date | None = None
    """Day from which a fixed rate counts, where the words say."""
    raw: str = ""
    """The words."""
    spans: tuple[Span, ...] = ()
    """Where."""


class Direction(Frozen):
    """The direction and kind of a rate, as its label shows them: part of its unit."""

    quote: str
    """ISO code of what one unit of ``base`` is worth in."""
    base: str
    """ISO code of which one unit is turned."""
    kind: str
    """``average``, ``closing`` or empty."""

    @property
    def name(self) -> str:
        """Name inside a calculation, ``usd_per_eur_average``."""
        return f"{self.quote.lower()}_per_{self.base.lower()}{'_' + self.kind if self.kind else ''}"


_VERB = re.compile(
    r"\b(?:convert(?:ed|ing)?|translat(?:ed|ing)|expressed|calculated|computed|determined|equivalent)\b", re.IGNORECASE
)
_RATE = re.compile(r"\brates?\b", re.IGNORECASE)
_FOREIGN = re.compile(
    r"\bcurrenc(?:y|ies)\b|\bexchange\b|\bconvert(?:ed|ing)\s+into\b|\btranslat(?:ed|ing)\s+into\b", re.IGNORECASE
)
_AVERAGE = re.compile(r"\baverage\b", re.IGNORECASE)
_CLOSING = re.compile(
    r"\b(?:spot|closing|period[- ]end|year[- ]end)\b|\brates?\s+(?:of\s+exchange\s+)?(?:in\s+effect|prevailing|applicable|quoted)?\s*(?:on|as\s+of|at)\s+"
    r"(?:the|such|that)\s+(?:last\s+day|test\s+date|date|quarter\s+date|close)",
    re.IGNORECASE,
)
_OF = (
    ("debt", r"\b(?:Indebtedness|debt|borrowings|loans|notes)\b"),
    ("cash", r"\bcash\b"),
    ("earnings", r"\b(?:EBITDA|earnings|income|profits?|results)\b"),
)
_SOURCE = re.compile(
    r"\b(?:used\s+(?:in|to|for|by)|published\s+by|quoted\s+by|announced\s+by|displayed\s+(?:on|by)|as\s+shown\s+(?:on|in)|applied\s+in|set\s+out\s+in|"
    r"reported\s+by|reflected\s+in|stated\s+in)\s+(?P<what>[^.;,()]{3,120})",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.;]*(?:\.(?=\d)[^.;]*|\b(?:U\.S|No)\.[^.;]*)*[.;]?")


def read_conversion(text: str, spans: tuple[Span, ...] = ()) -> tuple[Conversion, ...]:
    """The currency clauses of a text, one a sentence that converts at a rate.

    Args:
        text: a definition or a provision.
        spans: where it stands.
    """
    found = []
    for match in _SENTENCE.finditer(" ".join(text.split())):
        words = match[0].strip()
        verb = next((v for v in _VERB.finditer(words) if _RATE.search(words, v.end())), None)
        if (
            verb is None
            or not _FOREIGN.search(words)
            or re.search(r"\brates?\s+of\s+interest|interest\s+rates?", words, re.IGNORECASE)
        ):
            continue
        average, closing = bool(_AVERAGE.search(words)), bool(_CLOSING.search(words))
        subject = words[: verb.start()]
        source = _SOURCE.search(words, verb.end())
        found.append(
            Conversion(
                kind="average" if average and not closing else "closing" if closing and not average else "",
                of=tuple(name for name, pattern in _OF if re.search(pattern, subject, re.IGNORECASE)),
                source=" ".join(source["what"].split()) if source else "",
                raw=words[:240],
                spans=spans,
            )
        )
    return tuple(found)


_WORDS = {
    "us dollars": "USD", "us dollar": "USD", "united states dollars": "USD", "dollars": "", "dollar": "", "euros": "EUR", "euro": "EUR",
    "pounds sterling": "GBP", "pound sterling": "GBP", "sterling": "GBP", "pounds": "GBP", "pound": "GBP", "canadian dollars": "CAD",
    "canadian dollar": "CAD", "australian dollars": "AUD", "australian dollar": "AUD", "leva": "BGN", "lev": "BGN", "swiss francs": "CHF", "swiss franc": "CHF",
}  # fmt: skip
_UNIT = "|".join(
    [
        *sorted(map(re.escape, (*SIGNS, *CODES)), key=len, reverse=True),
        r"\$",
        *sorted(map(re.escape, _WORDS), key=len, reverse=True),
    ]
)
_PER = re.compile(
    rf"(?<![A-Za-z])(?P<quote>{_UNIT})\s+(?:per|for\s+(?:one|each|1))\s+(?:(?:one|1(?:\.0+)?)\s+)?(?P<base>{_UNIT})(?![A-Za-z])",
    re.IGNORECASE,
)
_EQUALS = re.compile(
    rf"(?<![A-Za-z])(?:(?P<sign>{_UNIT})\s?1(?:\.0+)?|1(?:\.0+)?\s?(?P<code>{_UNIT}))\s*(?:=|equals|to|is)\s*(?P<quote>{_UNIT})",
    re.IGNORECASE,
)


def _code(written: str, home: str) -> str:
    written = " ".join(written.split())
    if written == "$":
        return home
    exact = SIGNS.get(written) or (written.upper() if written.upper() in CODES else None)
    if exact:
        return exact
    folded = written.lower().replace(".", "")
    return _WORDS.get(folded, "") or (home if folded in ("dollars", "dollar") else "")


def direction_of(label: str, home: str) -> Direction | None:
    """The direction of a rate by its label; None where the label does not say which of the two is one unit.

    ``USD/EUR`` is no direction: markets write the same rate both ways round.

    Args:
        label: words of the line, e.g. ``Average rate for the period (US dollars per euro)`` or ``€1.00 = $``.
        home: what a bare ``$`` or "dollars" means.
    """
    match = _PER.search(label)
    if match is not None:
        quote, base = _code(match["quote"], home), _code(match["base"], home)
    else:
        match = _EQUALS.search(label)
        if match is None:
            return None
        quote, base = _code(match["quote"], home), _code(match["sign"] or match["code"], home)
    if not quote or not base or quote == base or "XXX" in (quote, base):
        return None
    average, closing = bool(_AVERAGE.search(label)), bool(_CLOSING.search(label))
    return Direction(
        quote=quote, base=base, kind="average" if average and not closing else "closing" if closing and not average else ""
    )


_REDENOMINATES = re.compile(
    r"\b(?:each|every|any|all)\s+references?\s+to\b[^.;]{0,120}\b(?:is|are|shall\s+be)\s+(?:read\s+as\s+)?(?:an?\s+)?references?\s+to\b",
    re.IGNORECASE,
)
_FIXED = re.compile(
    rf"\bat\s+(?:the\s+(?:fixed|official|irrevocable|conversion)\s+(?:conversion\s+)?rate\s+of\s+)?(?P<rate>\d{{1,6}}\.\d{{1,8}})\s+(?P<pair>(?:{_UNIT})\s+(?:per|for)\s+[^.;,]{{2,24}})",
    re.IGNORECASE,
)


def read_redenomination(text: str, spans: tuple[Span, ...] = ()) -> Conversion | None:
    """The fixed rate at which every reference to one currency becomes one to another, or None. The rate stays exact.

    Args:
        text: a provision.
        spans: where it stands.
    """
    line = " ".join(text.split())
    fixed = _FIXED.search(line)
    if fixed is None or not _REDENOMINATES.search(line):
        return None
    direction = direction_of(fixed["pair"], "XXX")
    if direction is None:
        return None
    days = find_dates(line, 0, fixed.start())
    return Conversion(
        kind="fixed", source="the agreement", rate=Fraction(fixed["rate"]), quote=direction.quote, base=direction.base,
        since=days[0].date if days else None, raw=fixed[0], spans=spans,
    )  # fmt: skip
