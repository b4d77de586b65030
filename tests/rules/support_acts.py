"""Operations in the making: the words that say each, and how it is built from their spans."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from conformed.model.covenant import Comparator, CovenantTerms, Doubt, Limit, Row, Unit
from conformed.model.dates import Window
from conformed.model.operation import EffectiveMode, Op, Target
from conformed.model.span import Span

__all__ = ["Act", "Quote", "day", "doubt", "limit", "set_level", "stated", "substituted", "suspended", "temporary", "waived"]

NAMES = {
    "total_leverage": "Total Leverage Ratio",
    "net_leverage": "Net Leverage Ratio",
    "senior_leverage": "Senior Leverage Ratio",
    "first_lien_net_leverage": "First Lien Net Leverage Ratio",
    "interest_cover": "Interest Coverage Ratio",
}
Quote = Callable[[str], tuple[Span, ...]]
"""Finds words in the document and gives their span."""


def day(text: str | dt.date | None) -> dt.date | None:
    """A date from its ISO form."""
    return dt.date.fromisoformat(text) if isinstance(text, str) else text


def shown(level: Fraction) -> str:
    """A level as an agreement writes it."""
    whole = level * 100
    assert whole.denominator == 1, level
    return f"{whole.numerator // 100}.{whole.numerator % 100:02d} to 1.00"


@dataclass
class Act:
    """One operation in the making: the words that say it, and how to build it from its spans."""

    words: str
    build: Callable[[Quote], dict[str, Any]]
    label: str = ""
    mode: EffectiveMode | None = None
    effect: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


def limit(level: str, spans: tuple[Span, ...]) -> Limit:
    """A ratio as a limit."""
    value = Fraction(level)
    return Limit(unit=Unit.RATIO, value=value, raw=shown(value), places=2, spans=spans)


def _sentence(section: str, metric: str, comparator: str, levels: str) -> str:
    verb = "to exceed" if comparator == "le" else "to be less than"
    return f"{section} Covenant. The Borrower shall not permit the {NAMES[metric]} as of the last day of any fiscal quarter {verb} {levels}."


def _terms(
    quote: Quote,
    words: str,
    section: str,
    metric: str,
    comparator: str,
    rows: Sequence[tuple[str, str | None, str | None]],
    more: Mapping[str, Any],
) -> CovenantTerms:
    made = []
    for level, start, end in rows:
        text = shown(Fraction(level)) + (f" from {start} to {end}" if start or end else "")
        where = quote(text)
        token = tuple(
            s.model_copy(update={"end": s.start + len(shown(Fraction(level))), "text": shown(Fraction(level))}) for s in where
        )
        window = Window(start=day(start), end=day(end))
        made.append(
            Row(limit=limit(level, token), window=window, label=text if start or end else "", spans=where if start or end else ())
        )
    clause = quote(words)
    given = {"name": NAMES[metric], "metric": metric, "section": section, "caption": "Covenant", "comparator": Comparator(comparator),
             "rows": tuple(made), "tested": "each_fiscal_quarter_end", "spans": {"clause": clause}}  # fmt: skip
    return CovenantTerms.model_validate({**given, **more})


def stated(
    section: str = "7.11",
    level: str = "4",
    *,
    metric: str = "total_leverage",
    comparator: str = "le",
    rows: Sequence[tuple[str, str | None, str | None]] = (),
    op: Op = Op.STATE_COVENANT,
    mode: EffectiveMode | None = None,
    effect: Mapping[str, Any] | None = None,
    terms: Mapping[str, Any] | None = None,
    **extra: Any,
) -> Act:
    """A covenant in words of its own: the agreement's, or new text that an instrument puts in its place."""
    steps = list(rows) or [(level, None, None)]
    parts = [shown(Fraction(v)) + (f" from {a} to {b}" if a or b else "") for v, a, b in steps]
    words = _sentence(section, metric, comparator, "; ".join(parts))

    def build(quote: Quote) -> dict[str, Any]:
        read = _terms(quote, words, section, metric, comparator, steps, terms or {})
        return {
            "op": op,
            "target": Target(section=section),
            "terms": (read,),
            "payload": quote(words),
            "instruction": quote(words),
        }

    return Act(words, build, section, mode, effect or {}, extra)


def set_level(
    section: str = "7.11",
    level: str = "15/4",
    *,
    mode: EffectiveMode | None = None,
    effect: Mapping[str, Any] | None = None,
    caption: str = "",
    agreement: str = "",
    **extra: Any,
) -> Act:
    """A level set without new text."""
    words = f"The ratio in Section {section or 'as meant'} is changed to be {shown(Fraction(level))}."

    def build(quote: Quote) -> dict[str, Any]:
        target = Target(section=section, caption=caption, agreement=agreement)
        return {
            "op": Op.SET_LEVEL,
            "target": target,
            "limit": limit(level, _token(quote(words), level)),
            "instruction": quote(words),
        }

    return Act(words, build, "", mode, effect or {}, extra)


def _token(where: tuple[Span, ...], level: str) -> tuple[Span, ...]:
    text = shown(Fraction(level))
    at = where[0].start + where[0].text.index(text)
    return (where[0].model_copy(update={"start": at, "end": at + len(text), "text": text}),)


def substituted(
    section: str,
    find: str,
    replace: str,
    *,
    mode: EffectiveMode | None = None,
    effect: Mapping[str, Any] | None = None,
    term: str = "",
    caption: str = "",
    agreement: str = "",
    **extra: Any,
) -> Act:
    """Words replaced by words."""
    words = f'Section {section} is changed by putting "{replace}" where it says "{find}".'

    def build(quote: Quote) -> dict[str, Any]:
        whole = quote(words)[0]
        at = whole.start + words.index(f'"{replace}"') + 1
        new = whole.model_copy(update={"start": at, "end": at + len(replace), "text": replace})
        return {"op": Op.SUBSTITUTE_TEXT, "target": Target(section=section, term=term, caption=caption, agreement=agreement), "find": find,
                "replace": replace, "replace_spans": (new,), "instruction": (whole,)}  # fmt: skip

    return Act(words, build, "", mode, effect or {}, extra)


def _windows(days: Sequence[tuple[str | None, str | None]]) -> tuple[Window, ...]:
    return tuple(Window(start=day(a), end=day(b)) for a, b in days)


def _timed(
    op: Op,
    words: str,
    section: str,
    days: Sequence[tuple[str | None, str | None]],
    more: Callable[[Quote], dict[str, Any]],
    mode: EffectiveMode | None,
    extra: Mapping[str, Any],
) -> Act:
    def build(quote: Quote) -> dict[str, Any]:
        return {
            "op": op,
            "target": Target(section=section),
            "windows": _windows(days),
            "instruction": quote(words),
            **more(quote),
        }

    return Act(words, build, "", mode, {}, extra)


def suspended(
    section: str = "7.11", *days: tuple[str | None, str | None], mode: EffectiveMode | None = None, **extra: Any
) -> Act:
    """Testing off for some days."""
    return _timed(
        Op.SUSPEND_TESTING, f"Section {section} is put aside for a time {days}.", section, days, lambda q: {}, mode, extra
    )


def temporary(
    section: str, level: str, *days: tuple[str | None, str | None], mode: EffectiveMode | None = None, **extra: Any
) -> Act:
    """A level for some days."""
    words = f"For some days {days} Section {section} stands at {shown(Fraction(level))}."
    return _timed(
        Op.TEMPORARY_LEVEL, words, section, days, lambda q: {"limit": limit(level, _token(q(words), level))}, mode, extra
    )


def waived(section: str = "7.11", *days: tuple[str | None, str | None], mode: EffectiveMode | None = None, **extra: Any) -> Act:
    """A failure excused."""
    return _timed(Op.WAIVE_TEST, f"The failure of Section {section} is excused {days}.", section, days, lambda q: {}, mode, extra)


def doubt(code: str) -> Doubt:
    """A doubt of the extractor."""
    return Doubt(code=code, sentence=f"Something is open ({code}).")
