"""From the words of a person to an override: every field by name, everything else refused with one sentence."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformed.errors import PolicyError, UsageError
from conformed.model.override import (
    CounselReading,
    CpEvidenceSeen,
    ExecutionSeen,
    InputCorrected,
    MappingCorrected,
    Override,
    ResultRejected,
    ReviewConfirmed,
    TargetConfirmed,
)
from conformed.policy.strict import MAX_BYTES, parse
from conformed.rules.attested.attested_figures import TERMS, is_term

__all__ = ["FACTS", "read_given", "read_override", "read_override_file"]

FACTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "override_cp_evidence_seen": (("met_on", "file", "words"), ()),
    "override_execution_seen": (("file", "signed_on"), ()),
    "override_counsel_reading": (("counsel", "advised_on", "reference", "reading"), ()),
    "override_input_corrected": (("figure", "old", "new", "file", "words"), ()),
    "override_mapping_corrected": (("figure", "old", "new"), ()),
    "override_target_confirmed": (("section", "reference"), ("named", "words")),
    "override_review_confirmed": (("asks", "asked", "by_when"), ()),
    "override_result_rejected": ((), ()),
}
"""Facts of each kind of override: those that it must have, and those that it may have."""

_KINDS: dict[str, type[Any]] = {
    "override_cp_evidence_seen": CpEvidenceSeen,
    "override_execution_seen": ExecutionSeen,
    "override_counsel_reading": CounselReading,
    "override_input_corrected": InputCorrected,
    "override_mapping_corrected": MappingCorrected,
    "override_target_confirmed": TargetConfirmed,
    "override_review_confirmed": ReviewConfirmed,
    "override_result_rejected": ResultRejected,
}
_COMMON = ("code", "answers", "subject", "reason")
_DAYS = frozenset({"met_on", "signed_on", "advised_on", "by_when"})
_NEVER = frozenset({"level", "comparator", "result", "limit", "ratio", "covenant", "chosen"})
_AMOUNT = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|-?\d+/[1-9]\d*")
_LONGEST = 2000


def read_given(given: Sequence[str]) -> dict[str, str]:
    """Facts as typed, each ``NAME=VALUE``.

    Raises:
        UsageError: when one has no name or no value, or comes twice.
    """
    found: dict[str, str] = {}
    for one in given:
        name, _, value = (part.strip() for part in one.partition("="))
        if not (name and value):
            raise UsageError(f"--fact {one!r} is not NAME=VALUE.", "Type it such as --fact met_on=2026-05-04")
        if name in found:
            raise UsageError(f"--fact {name} is given twice.", "Give it once.")
        found[name] = value
    return found


def read_override_file(path: Path) -> tuple[dict[str, str], ...]:
    """The overrides of a YAML file: a list of mappings under the key ``overrides``.

    Raises:
        PolicyError: with file, line and column.
    """
    name = str(path)
    try:
        with path.open("rb") as stream:
            root = parse(stream.read(MAX_BYTES + 1), name=name)
    except OSError as problem:
        raise PolicyError(f"the file cannot be read: {problem.strerror}.", "Check the path.", file=name) from problem
    listed = (root.fields or {}).get("overrides")
    if listed is None or not listed.items or set(root.fields or {}) != {"overrides"}:
        raise PolicyError(
            "the file is not a list under the one key overrides.", "See docs/overrides.md.", file=name, line=root.line, column=1
        )
    found = []
    for item in listed.items:
        if item.fields is None:
            raise PolicyError(
                "an override is no mapping.", "See docs/overrides.md.", file=name, line=item.line, column=item.column
            )
        plain: dict[str, str] = {}
        for key, node in item.fields.items():
            if node.scalar is None:
                raise PolicyError(f"{key} is no plain value.", "Write one value.", file=name, line=node.line, column=node.column)
            plain[key] = node.scalar
        found.append(plain)
    return tuple(found)


def read_override(given: Mapping[str, str], *, by: str, at: dt.datetime) -> Override:
    """An override of the kind that its code says.

    Args:
        given: fields as typed.
        by: who gives it.
        at: when, UTC.

    Raises:
        UsageError: one sentence on the first thing that is wrong, with the mend.
    """
    code = given.get("code", "")
    if code not in FACTS:
        raise UsageError(f"{code!r} is no code of an override.", f"Codes: {', '.join(FACTS)}.")
    never = sorted(_NEVER & set(given))
    if never:
        raise UsageError(
            f"{code} was given a {never[0]}: an override adds a fact, and never gives a level, a comparator or a result.",
            f"Leave it out; the facts of this override are: {_listed(code)}.",
        )
    must, may = FACTS[code]
    odd = sorted(set(given) - {*_COMMON, *must, *may})
    if odd:
        raise UsageError(f"{code} has no field {odd[0]!r}.", f"The facts of this override are: {_listed(code)}.")
    lacking = [name for name in ("answers", "reason", *must) if not given.get(name, "").strip()]
    if lacking:
        raise UsageError(
            f"{code} lacks {lacking[0]}.", f"Give it with --{lacking[0]} TEXT." if lacking[0] in _COMMON else _how(lacking[0])
        )
    fields: dict[str, Any] = {"by": by.strip(), "at": at, "code": code}
    if not fields["by"]:
        raise UsageError("It is not known who gives the override.", "Say it with --by NAME.")
    for name in sorted(set(given) - {"code"}):
        text = given[name].strip()
        if len(text) > _LONGEST:
            raise UsageError(f"{name} has {len(text)} characters; at most {_LONGEST} are kept.", "Shorten it.")
        fields[name] = _day(name, text) if name in _DAYS else text
    _figures(code, fields)
    found: Override = _KINDS[code](**fields)
    return found


def _listed(code: str) -> str:
    must, may = FACTS[code]
    return ", ".join((*must, *(f"{name} (may be left out)" for name in may))) or "none"


def _how(name: str) -> str:
    return f"Give it with --fact {name}={'2026-05-04' if name in _DAYS else 'VALUE'}."


def _day(name: str, text: str) -> dt.date:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        try:
            return dt.date.fromisoformat(text)
        except ValueError:
            raise UsageError(f"{name} {text} is not a day of the calendar.", _how(name)) from None
    raise UsageError(f"{name} {text!r} is not a date.", _how(name))


def _figures(code: str, fields: dict[str, Any]) -> None:
    """Numbers among the fields, exact; terms that there are."""
    if code == "override_counsel_reading":
        if not re.fullmatch(r"[1-9][0-9]{0,2}", fields["reading"]):
            raise UsageError(
                f"reading {fields['reading']!r} is not the number of a reading.",
                "Counsel may only choose among the readings that the run shows: give its number, 1 for the first.",
            )
        fields["reading"] = int(fields["reading"])
    if code == "override_input_corrected":
        for name in ("old", "new"):
            if not _AMOUNT.fullmatch(fields[name]):
                raise UsageError(f"{name} {fields[name]!r} is not an exact number.", "Give whole units, such as 474900000.")
            fields[name] = fields[name].replace(",", "")
    if code == "override_mapping_corrected" and not is_term(fields["new"]):
        raise UsageError(
            f"{fields['new']!r} is no term to which a line can belong.",
            f"Terms: {', '.join(TERMS)}, and parts such as debt_loans, addback_restructuring and gain_on_sale.",
        )
