"""The rule book's worked packs, turned into structured facts. They lie outside the project and are skipped where absent."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from support import Act, Paper, candidates, codes, day, decided, level_of, set_level, stated, suspended, waived

from conformed.model.covenant import Comparator, Trigger
from conformed.model.dates import Window
from conformed.model.election import Election, ElectionTerms
from conformed.model.operation import EffectiveMode, Op
from conformed.model.pack import Execution, InstrumentKind

_ROOT = os.environ.get("CONFORMED_SHARED", "")
_FILE = (Path(_ROOT) if _ROOT else Path(__file__).resolve().parents[3] / "shared") / "domain" / "packs.yaml"
_FIGURES = ("accept_calculation_complete", "finding_certificate")
_ELSEWHERE = {"finding_definition_not_in_pack", "finding_test_date_unconfirmed"}


def _packs() -> list[Any]:
    if not _FILE.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="the rule book's packs are not here"))]
    return [pytest.param(p, id=p["id"]) for p in YAML(typ="safe").load(_FILE.read_text())["packs"]]


def _act(op: dict[str, Any], metric: str) -> Act:
    section = op["section"]
    kind = op["op"]
    if kind in {"state", "restate"}:
        terms = {}
        if "trigger" in op:
            level = Fraction(op["trigger"]["level"])
            terms = {
                "trigger": Trigger(
                    numerator="loans",
                    denominator="commitments",
                    comparator=Comparator(op["trigger"]["comparator"]),
                    level=level,
                    raw=str(level),
                )
            }
        return stated(section, op["level"], metric=metric, comparator=op["comparator"], terms=terms)
    if kind == "set_level":
        return set_level(section, op["level"])
    if kind == "suspend":
        ends = {} if op["ends_early"] == "confirmed_no" else {"ends_early_on": "notice"}
        return suspended(section, (str(op["from"]), str(op["to"])), **ends)
    if kind == "waive":
        return waived(section, *((str(d), str(d)) for d in op["dates"]))
    assert kind == "increase", kind
    made = set_level(section, op["cap"])
    return Act(
        made.words,
        made.build,
        extra={
            "op": Op.ELECT_INCREASE,
            "limit": None,
            "delta": Fraction(op["delta"]),
            "cap": Fraction(op["cap"]),
            "windows": tuple(Window(start=d, end=d) for d in op["windows"]),
            "election": Election(
                event_date=op["event_date"],
                size_met=op["size_evidenced"] or None,
                first=True if op["previous_window_end"] is None else None,
                previous_window_end=op["previous_window_end"],
                asks=ElectionTerms(notice_days=op["notice_days"], gap_quarters=op["gap_quarters"], whole=True),
            ),
        },
    )


def _paper(doc: dict[str, Any], numbers: dict[str, tuple[int | None, str]], metric: str) -> Paper | None:
    kinds = {"election_notice": InstrumentKind.NOTICE, "amendment_and_restatement": InstrumentKind.RESTATEMENT}
    kind = kinds.get(doc["kind"]) or InstrumentKind(doc["kind"])
    if kind is InstrumentKind.COMPLIANCE_CERTIFICATE:
        return Paper(doc["doc"], kind, doc["dated"])
    rule = doc["effective"]
    cp = rule.get("cp", {})
    effect = {"date": day(rule.get("date") or rule.get("reach_back_to")), "waives_default": rule.get("waives_default", False)}
    recited = [numbers[r] if r in numbers else (int(r[1:]), None) for r in doc["recites"]]
    bases = [r for r in recited if r[0] is None]
    return Paper(doc["doc"], kind, doc["dated"], [_act(o, metric) for o in doc["ops"]], EffectiveMode(rule["mode"]), effect, Execution(doc["execution"]),
                 signed_on=doc["signed_on"], effective_on=cp.get("date"), number=doc.get("number"),
                 amends=day(bases[0][1]) if bases and kind is not InstrumentKind.FACILITY_AGREEMENT else None,
                 recites=[r for r in recited if r[0] is not None])  # fmt: skip


@pytest.mark.parametrize("pack", _packs())
def test_worked_pack(pack: dict[str, Any]) -> None:
    """Level, result as far as no figures are needed, candidates and codes are those of the rule book."""
    numbers = {d["doc"]: (d.get("number"), str(d["dated"])) for d in pack["documents"]}
    papers = [p for d in pack["documents"] if (p := _paper(d, numbers, pack["metric"])) is not None]
    section = next(o["section"] for d in reversed(pack["documents"]) for o in d["ops"] if o["op"] in {"state", "restate"})
    facts = {k: str(v) for k, v in pack.get("trigger", {}).items()}
    found = decided(papers, str(pack["test_date"]), known=str(pack["known_at"]), section=section, facts=facts)
    want = pack["expected"]
    result = {"pass": "determined", "breach": "determined"}.get(want["result"], want["result"])
    assert (found.result, found.overlay.value) == (result, want["overlay"])
    assert level_of(found) == (Fraction(want["level"]) if want["level"] else None)
    if want["level"]:
        assert found.covenant.comparator.value == want["comparator"]
        assert found.covenant.document == want["governing"]
    assert candidates(found) == {Fraction(c) for c in want.get("candidates", [])}
    wanted = {c for c in want["codes"] if not c.startswith(_FIGURES)}
    assert wanted <= codes(found)
    assert {c for c in codes(found) - _ELSEWHERE if not c.startswith("finding")} == {
        c for c in wanted if not c.startswith("finding")
    }
