"""The rule book's variants about time, waivers and cures, as structured packs: each has its code, and without its difference not."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from conformed.app.rule_cases.pack_shapes import PackCase
from conformed.app.rule_cases.packs import run_pack

Pack = dict[str, Any]
SHARE = {"class": "required_lenders", "given_by": "required_lenders", "shown": True}


def paper(doc: str, kind: str, dated: str, *ops: Pack, mode: Pack | None = None, **more: Any) -> Pack:
    """An executed document."""
    common = {"doc": doc, "kind": kind, "dated": dated, "signed_on": dated, "execution": "executed"}
    return {**common, "effective": mode or {"mode": "on_signing"}, "ops": list(ops), **more}


def agreement(section: str, level: str, *ops: Pack, **more: Any) -> Pack:
    """The agreement."""
    stated = {"op": "state", "section": section, "comparator": "le", "level": level}
    return paper("base", "facility_agreement", "2022-01-10", stated, *ops, **more)


def pack(metric: str, test: str, known: str, figures: tuple[str, str], *documents: Pack, **more: Any) -> Pack:
    """A pack before its difference."""
    return {
        "id": "one", "metric": metric, "test_date": test, "known_at": known, "documents": list(documents),
        "figures": {"numerator": figures[0], "denominator": figures[1]}, **more,
    }  # fmt: skip


def met(day: str | None) -> Pack:
    """Conditions, shown as met on a day or not shown."""
    return {"mode": "on_cp", "cp": {"evidenced": day is not None, **({"date": day} if day else {})}}


def back(day: str, waives: bool) -> Pack:
    """An effect that is dated back."""
    return {"mode": "as_of", "reach_back_to": day, "waives_default": waives}


SUSPENDED = {"op": "suspend", "section": "7.11", "from": "2024-06-12", "to": "2025-03-31"}
BASES: dict[str, Pack] = {
    "P26": pack("total_leverage", "2024-09-30", "2024-12-01", ("380", "100"), agreement("7.11", "4"),
                paper("A1", "amendment", "2024-07-15", {"op": "delete", "section": "7.11"}, mode=met("2024-07-22"), number=1, consent=SHARE)),
    "P27": pack("total_leverage", "2024-06-30", "2024-09-15", ("515", "100"), agreement("6.9", "9/2"),
                paper("A1", "amendment", "2024-08-14", {"op": "set_level", "section": "6.9", "level": "11/2"}, mode=back("2024-06-30", waives=True), number=1, consent=SHARE)),
    "P28": pack("net_leverage", "2024-12-31", "2025-03-31", ("390", "100"), agreement("20.2", "19/5"),
                paper("A1", "amendment", "2025-02-18", {"op": "set_level", "section": "20.2", "level": "21/5"}, mode=back("2024-12-31", waives=False), number=1, consent=SHARE)),
    "P31": pack("total_leverage", "2024-09-30", "2024-11-30", ("390", "100"), agreement("6.12", "15/4"),
                paper("A2", "amendment", "2024-03-28", {"op": "temporary_level", "section": "6.12", "level": "21/4", "windows": ["2024-03-31", "2024-06-30", "2024-09-30"]}, number=2, consent=SHARE),
                paper("A3", "amendment", "2024-08-01", {"op": "set_level", "section": "6.12", "level": "4"}, number=3, consent=SHARE, recites=["A2"]), attested=["chain_complete"]),
    "P35": pack("total_leverage", "2024-06-30", "2024-08-31", ("390", "100"), agreement("7.11", "4"),
                paper("C1", "consent", "2024-06-05", {"op": "consent", "section": "7.03"}, consent=SHARE)),
    "P36": pack("total_leverage", "2024-06-30", "2024-09-15", ("425", "100"), agreement("6.09", "4"),
                paper("W1", "waiver", "2024-08-20", {"op": "waive", "section": "6.09", "dates": ["2024-06-30"]}, consent=SHARE)),
    "P39": pack("total_leverage", "2024-12-31", "2025-02-28", ("390", "100"), agreement("7.11", "4"),
                paper("A3", "amendment", "2024-06-12", {**SUSPENDED, "ends_early": "confirmed_no"}, mode=met("2024-06-12"), number=3, consent=SHARE), attested=["chain_complete"]),
    "P40": pack("net_leverage", "2024-06-30", "2025-01-31", ("402000000", "98000000"),
                agreement("22.2", "4", {"op": "cure_right", "section": "22.2", "right": {"counts_as": "ebitda", "days": 15, "business_days": True, "runs_from": "certificate_due", "max_uses": 4, "consecutive_allowed": False, "deemed": True, "barred_by_notice": True}}, delivery_days=45),
                paper("N1", "cure_notice", "2024-08-27", {"op": "cure", "section": "22.2", "use": {"test_date": "2024-06-30", "amount": "2500000", "received_on": "2024-08-27", "earlier": []}})),
}  # fmt: skip


def _document(given: Pack, name: str) -> Pack:
    return next(d for d in given["documents"] if d["doc"] == name)


def _op(given: Pack, name: str) -> Pack:
    found: Pack = _document(given, name)["ops"][-1]
    return found


def _certificate(given: Pack) -> None:
    given["documents"].append({"doc": "C", "kind": "compliance_certificate", "dated": "2024-11-10", "states_level": "4"})


def _side_letter(given: Pack) -> None:
    _document(given, "A1")["says"] = [
        "The financial covenant is set out in the Closing Side Letter of the date of this Amendment."
    ]


def _acceleration(given: Pack) -> None:
    given["documents"].append({"doc": "D", "kind": "acceleration_notice", "dated": "2024-08-02", "execution": "executed"})


def _other_waiver(given: Pack) -> None:
    waive = {"op": "waive", "section": "20.2", "dates": ["2024-12-31"]}
    given["documents"].append(paper("W1", "waiver", "2025-02-20", waive, consent=SHARE))


def _also_suspends(given: Pack) -> None:
    _document(given, "C1")["ops"].append({"op": "suspend", "section": "7.11", "from": "2024-06-05", "to": "2024-12-31"})


def _last_day(given: Pack) -> None:
    given["test_date"] = "2025-03-31"
    given["known_at"] = "2025-05-31"
    _op(given, "A3")["end_unclear"] = True


VARIANTS = [
    ("P26", "a certificate still tests a leverage ratio", _certificate, "finding_certificate_uses_wrong_level", "not_tested"),
    ("P26", "a covenant in a side document replaces it", _side_letter, "review_side_letter_not_in_pack", "review"),
    ("P27", "known before it was signed", lambda g: g.update(known_at="2024-08-13"), "reject_after_known_date", "breach"),
    ("P27", "a notice of acceleration", _acceleration, "review_retroactive_without_waiver", "review"),
    ("P28", "the ratio was within the old level", lambda g: g["figures"].update(numerator="379"), "accept_retroactive_express", "pass"),
    ("P28", "a separate waiver covers the date", _other_waiver, "accept_retroactive_express", "pass"),
    ("P31", "the later amendment does not save the relief", lambda g: _document(g, "A3").update(recites=[]), "review_conflict_same_effective_date", "review"),
    ("P35", "the consent also suspends the test", _also_suspends, "not_tested_suspended", "not_tested"),
    ("P36", "an outside condition without evidence", lambda g: _document(g, "W1").update(effective=met(None)), "review_cp_evidence_missing", "breach"),
    ("P36", "a ceiling of 4.20 and a ratio of 4.25", lambda g: _op(g, "W1").update(ceiling="21/5"), "reject_waiver_condition_failed", "breach"),
    ("P36", "required lenders not shown", lambda g: _document(g, "W1").update(consent={**SHARE, "shown": False}), "review_consent_threshold_unproven", "breach"),
    ("P39", "no confirmation about a notice", lambda g: _op(g, "A3").update(ends_early="borrower_notice"), "review_suspension_end_unclear", "review"),
    ("P39", "the last day, which the words leave open", _last_day, "review_boundary_date_ambiguous", "review"),
    ("P40", "the receipt is not shown", lambda g: _op(g, "N1")["use"].pop("received_on"), "review_cure_conditions_unproven", "breach"),
    ("P40", "the amount is not shown", lambda g: _op(g, "N1")["use"].pop("amount"), "review_cure_conditions_unproven", "breach"),
    ("P40", "the money is netted from debt too", lambda g: _op(g, "N1")["use"].update(netted=True), "review_cure_conditions_unproven", "breach"),
]  # fmt: skip
OUTCOMES = {
    "P26": ("not_tested", "none", "not_tested_covenant_deleted"),
    "P27": ("pass", "none", "accept_retroactive_express"),
    "P28": ("review", "none", "review_retroactive_without_waiver"),
    "P31": ("pass", "none", "accept_temporary_level"),
    "P35": ("pass", "none", "reject_no_level_change"),
    "P36": ("breach", "waived", "accept_waiver_overlay"),
    "P39": ("not_tested", "none", "not_tested_suspended"),
    "P40": ("breach", "cured", "accept_cure_applied"),
}


def came_out(given: Pack) -> tuple[str, str, set[str]]:
    """Result, overlay and codes of a pack."""
    case = PackCase.model_validate({**given, "expected": {"result": "?", "overlay": "?", "codes": ["?"]}})
    got = {f.field: f.got for f in run_pack(case).fields}
    return got["result"], got["overlay"], set(got["codes"].strip("[]").split(", "))


@pytest.mark.parametrize("pattern", sorted(OUTCOMES))
def test_the_pattern_itself(pattern: str) -> None:
    """Before any difference the pack ends as the rule book says."""
    result, overlay, code = OUTCOMES[pattern]
    got = came_out(BASES[pattern])
    assert got[:2] == (result, overlay)
    assert code in got[2]


@pytest.mark.parametrize(
    ("pattern", "difference", "change", "code", "result"), VARIANTS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_each_variant(pattern: str, difference: str, change: Any, code: str, result: str) -> None:
    """With its one difference the pack has the variant's code; without it not."""
    given = copy.deepcopy(BASES[pattern])
    change(given)
    got = came_out(given)
    assert code in got[2], difference
    assert got[0] == result
    assert code not in came_out(BASES[pattern])[2]
