"""The words and the operations of a pack that is given as data: what each ``op`` says, and what an extractor would propose of it."""

from __future__ import annotations

import datetime as dt
import re
from fractions import Fraction

from conformed.app.rule_cases.pack_elections import election, election_words
from conformed.app.rule_cases.pack_shapes import Op
from conformed.model.base import exact
from conformed.model.covenant import Comparator, CovenantTerms, Limit, Row, Trigger, Unit
from conformed.model.dates import Window
from conformed.model.document import Document
from conformed.model.operation import Op as Kind
from conformed.model.operation import Operation, Target
from conformed.model.span import Span
from conformed.rules.calculation.compare import show_decimal

__all__ = ["metric_name", "operation", "words_of"]

_WORDS = {"lt": "be less than", "le": "not exceed", "ge": "not be less than", "gt": "be more than"}


def metric_name(metric: str) -> str:
    """A metric's name as an agreement would write it (``first_lien_net_leverage``, ``First Lien Net Leverage Ratio``)."""
    words = metric.replace("_", " ").title()
    return words if words.endswith("Ratio") else f"{words} Ratio"


def _shown(level: Fraction) -> str:
    whole = level * 100
    return f"{show_decimal(level, 2)} to 1.00" if whole.denominator == 1 else f"{level} to 1"


def _limit(level: str, document: Document, place: tuple[int, int]) -> Limit:
    value = exact(level)
    words = _shown(value)
    at = document.text.index(words, place[0])
    return Limit(
        unit=Unit.RATIO, value=value, raw=words, places=2 if "." in words else None, spans=(document.span(at, at + len(words)),)
    )


def _sentence(op: Op, metric: str) -> str:
    """The words of a statement."""
    verb = _WORDS[op.comparator or "le"]
    if op.schedule:
        levels = "; ".join(_shown(exact(r.level)) + _days(r.from_, r.to) for r in op.schedule)
    else:
        levels = _shown(exact(op.level or "0"))
    condition = ""
    if op.trigger is not None and op.trigger.level is not None:
        condition = f" This is tested only if loans are {_WORDS[op.trigger.comparator or 'gt'].removeprefix('be ')} {op.trigger.level} of commitments."
    return f"{op.section} Covenant. The Borrower shall ensure that the {metric_name(metric)} at each fiscal quarter end will {verb} {levels}.{condition}"


def _days(start: dt.date | None, end: dt.date | None) -> str:
    return (f" from {start}" if start else "") + (f" to {end}" if end else "")


def _terms(op: Op, metric: str, document: Document, place: tuple[int, int]) -> CovenantTerms:
    clause = (document.span(*place),)
    rows = []
    at = place
    for row in op.schedule:
        limit = _limit(row.level, document, at)
        at = (limit.spans[0].end, place[1])
        label = _shown(exact(row.level)) + _days(row.from_, row.to)
        rows.append(Row(limit=limit, window=Window(start=row.from_, end=row.to), label=label, spans=limit.spans))
    if not rows:
        rows = [Row(limit=_limit(op.level or "0", document, place))]
    trigger = None
    if op.trigger is not None and op.trigger.level is not None:
        trigger = Trigger(
            numerator="loans",
            denominator="commitments",
            comparator=Comparator(op.trigger.comparator or "gt"),
            level=exact(op.trigger.level),
            raw=op.trigger.level,
            spans=clause,
        )
    return CovenantTerms(name=metric_name(metric), metric=metric, section=op.section, caption="Covenant", comparator=Comparator(op.comparator or "le"),
                         rows=tuple(rows), tested="each_fiscal_quarter_end", trigger=trigger, spans={"clause": clause})  # fmt: skip


_SAYS = {
    "set_level": "The ratio in Section {section} is changed to be {level}.",
    "temporary_level": "For some days Section {section} stands at {level}.",
    "suspend": "Section {section} is put aside for a time.",
    "waive": "The failure of Section {section} is excused.",
    "delete": "Section {section} is taken out.",
    "consent": "The transaction is agreed to notwithstanding Section {section}.",
    "cure_right": "New money may be counted for Section {section}.",
    "cure": "New money is counted for Section {section}.",
}


def _ended(op: Op) -> dt.date | None:
    """The day on which a suspension was ended early, where one is given."""
    if op.ended_on is not None:
        return op.ended_on
    return dt.date.fromisoformat(op.ends_early) if re.fullmatch(r"\d{4}-\d\d-\d\d", op.ends_early) else None


def _windows(op: Op) -> tuple[Window, ...]:
    days = (*op.dates, *op.windows)
    if days:
        return tuple(Window(start=d, end=d) for d in days)
    ended = _ended(op)
    end = op.to if ended is None or (op.to is not None and op.to < ended) else ended
    unclear = op.end_unclear or (ended is not None and end == ended)
    return (Window(start=op.from_, end=end, end_unclear=unclear),) if op.from_ or end else ()


def operation(op: Op, metric: str, document: Document, place: tuple[int, int], common: dict[str, object]) -> Operation:
    """What an extractor would propose of an operation.

    Args:
        op: the operation as data.
        metric: name of the pack's metric.
        document: the document with its words in it.
        place: where those words stand.
        common: fields that every operation of the document has (id, document, effect).
    """
    words: tuple[Span, ...] = (document.span(*place),)
    common = {**common, "target": Target(section=op.section, spans=words), "instruction": words}
    if op.op in {"state", "restate"}:
        return Operation.model_validate(
            {**common, "op": Kind.STATE_COVENANT, "terms": (_terms(op, metric, document, place),), "payload": words}
        )
    if op.op == "delete":
        return Operation.model_validate({**common, "op": Kind.DELETE_PROVISION})
    if op.op in {"set_level", "temporary_level"}:
        timed = {"op": Kind.TEMPORARY_LEVEL, "windows": _windows(op)} if op.op == "temporary_level" else {"op": Kind.SET_LEVEL}
        first = op.periods_after + dt.timedelta(days=1) if op.periods_after is not None else None
        target = Target(section=op.section, agreement=op.of or "", spans=words)
        return Operation.model_validate(
            {**common, **timed, "target": target, "from_period": first, "limit": _limit(op.level or "0", document, place)}
        )
    if op.op == "suspend":
        open_end = op.ends_early not in {"", "none", "confirmed_no"} and _ended(op) is None
        return Operation.model_validate(
            {**common, "op": Kind.SUSPEND_TESTING, "windows": _windows(op), "ends_early_on": op.ends_early if open_end else ""}
        )
    if op.op in {"consent", "cure_right", "cure"}:
        return Operation.model_validate({**common, "op": Kind.GIVE_CONSENT if op.op == "consent" else Kind.CURE_RIGHT})
    if op.op == "waive":
        ceiling = _limit(op.ceiling, document, place) if op.ceiling else None
        return Operation.model_validate(
            {
                **common,
                "op": Kind.WAIVE_TEST,
                "windows": _windows(op),
                "ceiling": ceiling,
                "ceiling_comparator": "le" if ceiling else None,
            }
        )
    facts = election(op, document, place)
    return Operation.model_validate(
        {**common, "op": Kind.ELECT_INCREASE, "windows": _windows(op), "delta": op.delta, "cap": op.cap, "election": facts}
    )


def words_of(op: Op, metric: str) -> str:
    """The words in which a document of the pack says what an operation does.

    Args:
        op: the operation as data.
        metric: name of the pack's metric.
    """
    if op.op in {"state", "restate"}:
        return _sentence(op, metric)
    if op.op == "increase":
        return election_words(op)
    words = _SAYS[op.op].format(section=op.section, level=_shown(exact(op.level or op.ceiling or "0")))
    return f"{words} This holds only up to {_shown(exact(op.ceiling))}." if op.op == "waive" and op.ceiling else words
