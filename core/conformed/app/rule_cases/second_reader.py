"""Holds the pattern reader against the product's extractor, which is asked through the registry like any plugin."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from conformed.app.rule_cases.patterns import SecondReader
from conformed.engine.checks import check_proposal
from conformed.errors import ConformedError
from conformed.hooks import load_registry
from conformed.language.pattern_words import PatternReading, Value
from conformed.model.base import Missing
from conformed.model.document import Document
from conformed.model.operation import Op, Operation
from conformed.model.pack import InstrumentKind, Manifest, ManifestDocument, Question
from conformed.model.retrieval import Retrieved
from conformed.ports import Extractor, ExtractRequest
from conformed.rules.instruments.casefile import build_case

__all__ = ["extractor_reader"]

_KINDS = {
    "give_consent": InstrumentKind.CONSENT,
    "restate_agreement": InstrumentKind.RESTATEMENT,
    "state_covenant": InstrumentKind.FACILITY_AGREEMENT,
    "waive_test": InstrumentKind.WAIVER,
}
_AGREEMENTS = frozenset({"cure_right", "elect_increase", "none"})
_LIKE: dict[Op, str] = {Op.SET_LEVEL: "replace_provision", Op.AMEND_DEFINITION: "replace_definition"}
_SAYS_MORE = "The extractor reads {what}: {theirs}, where the reading as data has {ours}."
_QUESTION = Question(test_date=dt.date(2000, 1, 1), known_at=dt.date(2000, 1, 1))


def extractor_reader(env: Mapping[str, str], name: str = "clauses") -> SecondReader:
    """A second reader that asks an extractor of the registry.

    Args:
        env: environment, for what it says of plugins.
        name: registered name.

    Raises:
        PluginError: when there is no such extractor.
    """
    extractor: Extractor = load_registry(env=env).create("extractor", name, {})

    def read(document: Document, reading: PatternReading) -> str:
        op = str(reading.fields.get("op"))
        kind = _KINDS.get(op, InstrumentKind.FACILITY_AGREEMENT if op in _AGREEMENTS else InstrumentKind.AMENDMENT)
        manifest = Manifest(documents=(ManifestDocument(file=document.name, kind=kind),))
        case = build_case([document], pack="clause", digest="0" * 64, question=_QUESTION, manifest=manifest)
        try:
            given = extractor.extract(ExtractRequest(case=case, retrieved=Retrieved(authorised=(document.name,))))
            check_proposal(given, case, (document.name,))
        except ConformedError as problem:
            return f"The extractor's proposal was refused: {problem}"
        return _difference(given.operations, reading)

    return read


def _difference(operations: tuple[Operation, ...], reading: PatternReading) -> str:
    """What the extractor reads otherwise; silence and doubts of its own are no difference."""
    ours = reading.fields
    op = str(ours.get("op"))
    clear = [o for o in operations if o.op not in {Op.OTHER_CHANGE, Op.RESTATE_AGREEMENT} and not _doubtful(o)]
    if op == "none":
        stated = [o for o in clear if o.op is Op.STATE_COVENANT]
        return _SAYS_MORE.format(what="a covenant", theirs=stated[0].terms[0].name, ours="none") if stated else ""
    for operation in clear:
        theirs = _LIKE.get(operation.op, operation.op.value)
        if operation.op is Op.WAIVE_TEST and ours.get("waives_intervening_default") is True:
            continue  # the waiver of what the change removes, which the reading has as a word of the change
        if operation.op is Op.STATE_COVENANT:
            found = _statement(operation, ours)
        elif theirs != op:
            found = "" if op in {"restate_agreement"} else _SAYS_MORE.format(what="the operation", theirs=theirs, ours=op)
        else:
            found = _change(operation, ours)
        if found:
            return found
    return ""


def _doubtful(operation: Operation) -> bool:
    doubts = [*operation.doubts, *(d for t in operation.terms for d in t.doubts)]
    return any(d.code.startswith("review") for d in doubts)


def _levels(value: Value) -> list[str]:
    rows = value if isinstance(value, list) else []
    return sorted(str(r["level"]) for r in rows if isinstance(r, dict) and "level" in r)


def _statement(operation: Operation, ours: dict[str, Value]) -> str:
    terms = operation.terms[0]
    theirs = sorted(str(r.limit.value) for r in terms.rows)
    mine = _levels(ours.get("schedule")) or _levels(ours.get("parts")) or [str(ours.get("level"))]
    if not set(theirs) <= set(mine):
        return _SAYS_MORE.format(what="the levels", theirs=", ".join(theirs), ours=", ".join(mine))
    comparator = None if isinstance(terms.comparator, Missing) else terms.comparator.value
    if ours.get("comparator") is not None and comparator is not None and comparator != ours["comparator"]:
        return _SAYS_MORE.format(what="the comparison", theirs=comparator, ours=ours["comparator"])
    return ""


def _change(operation: Operation, ours: dict[str, Value]) -> str:
    if (
        operation.find
        and ours.get("find") is not None
        and ours.get("replace") is not None
        and (operation.find, operation.replace) != (ours["find"], ours.get("replace"))
    ):
        return _SAYS_MORE.format(
            what="the words", theirs=f"{operation.find} for {operation.replace}", ours=f"{ours['find']} for {ours.get('replace')}"
        )
    if operation.limit is not None and ours.get("level") is not None and operation.limit.value != ours["level"]:
        return _SAYS_MORE.format(what="the level", theirs=operation.limit.value, ours=ours["level"])
    if operation.terms and ours.get("level") is not None and [r.limit.value for r in operation.terms[0].rows] != [ours["level"]]:
        return _SAYS_MORE.format(
            what="the levels", theirs=", ".join(str(r.limit.value) for r in operation.terms[0].rows), ours=ours["level"]
        )
    return ""
