"""Every row of the rule book's table of effective dates (3.2), and the evidence that contradicts itself."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.model.operation import EffectiveMode, Effectiveness, Op, Operation, Target
from conformed.model.pack import Execution, Instrument, InstrumentKind
from conformed.rules.instruments.dating import Standing, standing_of

M = EffectiveMode
KNOWN = dt.date(2025, 6, 1)


def stand(
    mode: EffectiveMode, test: str, *, known: dt.date = KNOWN, rule: dict[str, Any] | None = None, **instrument: Any
) -> Standing:
    """The standing of an operation of one instrument."""
    operation = Operation(
        id="a#0",
        op=Op.SET_LEVEL,
        document="a",
        target=Target(),
        effective=Effectiveness.model_validate({"mode": mode, **(rule or {})}),
    )
    given_facts = {"dated": "2024-03-20", "execution": Execution.EXECUTED, "execution_attested": True, **instrument}
    made = Instrument.model_validate({"document": "a", "kind": InstrumentKind.AMENDMENT, **given_facts})
    return standing_of(operation, made, dt.date.fromisoformat(test), known)


CP, AMBIGUOUS, LAPSE, RETRO = (
    "review_cp_evidence_missing",
    "review_effective_date_ambiguous",
    "review_possible_lapse",
    "review_retroactive_without_waiver",
)
DONE = {"effective_on": "2024-04-11"}
STOP = {"long_stop": "2024-06-30"}
BACK = {"date": "2024-01-31"}
FROM = {"date": "2024-07-01"}


@pytest.mark.parametrize(
    ("mode", "test", "rule", "instrument", "state", "code"),
    [
        # on_closing and on_cp: the day that is evidenced.
        (M.ON_CLOSING, "2024-04-11", {}, DONE, "in_force", ""),
        (M.ON_CLOSING, "2024-04-10", {}, DONE, "not_yet", "reject_not_yet_effective"),
        (M.ON_CLOSING, "2024-06-30", {}, {}, "doubt", CP),
        (M.ON_CP, "2024-04-11", {}, DONE, "in_force", ""),
        (M.ON_CP, "2024-03-31", {}, DONE, "not_yet", "reject_not_yet_effective"),
        (M.ON_CP, "2024-06-30", {}, {}, "doubt", CP),
        # Signed after the test date: no value of what is unknown brings it before (PR-12).
        (M.ON_CP, "2024-03-19", {}, {}, "not_yet", "reject_not_yet_effective"),
        (M.ON_CP, "2024-06-30", STOP, {}, "doubt", LAPSE),
        # Met after the long-stop date: the instrument may have ended first.
        (M.ON_CP, "2024-09-30", STOP, {"effective_on": "2024-07-04"}, "doubt", LAPSE),
        # on_signing.
        (M.ON_SIGNING, "2024-03-20", {}, {}, "in_force", ""),
        (M.ON_SIGNING, "2024-03-19", {}, {}, "not_yet", "reject_not_yet_effective"),
        (M.ON_SIGNING, "2024-06-30", {}, {"execution_attested": False}, "doubt", AMBIGUOUS),
        (M.ON_SIGNING, "2024-03-19", {}, {"execution_attested": False}, "not_yet", "reject_not_yet_effective"),
        (M.ON_SIGNING, "2024-06-30", {}, {"execution_attested": False, "signed_on": "2024-05-01"}, "in_force", ""),
        (
            M.ON_SIGNING,
            "2024-04-15",
            {},
            {"execution_attested": False, "signed_on": "2024-05-01"},
            "not_yet",
            "reject_not_yet_effective",
        ),
        # fixed: that date, if signed by then; signed later it reaches back.
        (M.FIXED, "2024-07-01", FROM, {}, "in_force", ""),
        (M.FIXED, "2024-06-30", FROM, {}, "not_yet", "reject_not_yet_effective"),
        (M.FIXED, "2024-07-02", FROM, {"signed_on": "2024-07-05"}, "doubt", RETRO),
        (M.FIXED, "2024-07-05", FROM, {"signed_on": "2024-07-05"}, "in_force", ""),
        (M.FIXED, "2024-08-01", FROM, {"dated": None}, "doubt", AMBIGUOUS),
        (M.FIXED, "2024-07-10", FROM, {"effective_on": "2024-07-15"}, "doubt", AMBIGUOUS),
        # on_event as on_cp.
        (M.ON_EVENT, "2024-04-11", {}, DONE, "in_force", ""),
        (M.ON_EVENT, "2024-06-30", {}, {}, "doubt", CP),
        # later_of: a known limb after the test date settles it, even if the other is unknown.
        (M.LATER_OF, "2024-06-30", FROM, {}, "not_yet", "reject_not_yet_effective"),
        (M.LATER_OF, "2024-06-30", FROM, DONE, "not_yet", "reject_not_yet_effective"),
        (M.LATER_OF, "2024-07-01", FROM, DONE, "in_force", ""),
        (M.LATER_OF, "2024-07-01", FROM, {}, "doubt", CP),
        # as_of_on_cp: in doubt only between the written day and the day on which conditions were met.
        (M.AS_OF_ON_CP, "2024-03-19", {"date": "2024-03-20"}, DONE, "not_yet", "reject_not_yet_effective"),
        (M.AS_OF_ON_CP, "2024-03-31", {"date": "2024-03-20"}, DONE, "doubt", AMBIGUOUS),
        (M.AS_OF_ON_CP, "2024-04-11", {"date": "2024-03-20"}, DONE, "in_force", ""),
        (M.AS_OF_ON_CP, "2024-06-30", {"date": "2024-03-20"}, {}, "doubt", CP),
        (M.AS_OF_ON_CP, "2024-06-30", {"date": "2024-03-20", "long_stop": "2024-04-01"}, DONE, "doubt", LAPSE),
        # as_of: without more once complete; before that only with a waiver.
        (M.AS_OF, "2024-03-20", BACK, {}, "in_force", ""),
        (M.AS_OF, "2024-01-30", BACK, {}, "not_yet", "reject_not_yet_effective"),
        (M.AS_OF, "2024-01-31", BACK, {}, "doubt", RETRO),
        (M.AS_OF, "2024-01-31", {**BACK, "waives_default": True}, {}, "in_force", "accept_retroactive_express"),
        (M.AS_OF, "2024-02-29", BACK, {"execution_attested": False}, "doubt", CP),
        (M.AS_OF, "2024-03-31", BACK, {"effective_on": "2024-04-11"}, "doubt", RETRO),
        (M.AS_OF, "2024-02-29", {"waives_default": True}, {}, "doubt", AMBIGUOUS),
        # Conditions said to be met before the instrument bears its date.
        (M.ON_CP, "2024-03-10", {}, {"effective_on": "2024-03-01"}, "doubt", AMBIGUOUS),
        (M.ON_CP, "2024-03-20", {}, {"effective_on": "2024-03-01"}, "in_force", ""),
        (M.ON_CP, "2024-02-28", {}, {"effective_on": "2024-03-01"}, "not_yet", "reject_not_yet_effective"),
        # A change that says it counts on signing, with evidence of a later day.
        (M.ON_SIGNING, "2024-04-01", {}, DONE, "doubt", AMBIGUOUS),
    ],
)
def test_table_of_modes(
    mode: EffectiveMode, test: str, rule: dict[str, Any], instrument: dict[str, Any], state: str, code: str
) -> None:
    """Each mode gives the state and the code of its row."""
    found = stand(mode, test, rule=rule, **instrument)
    assert found.state == state
    assert (code in found.codes) if code else found.codes == ()


@pytest.mark.parametrize("waives", [True, False])
def test_reaching_back_always_tells_both_bases(waives: bool) -> None:
    """A change that reaches back over the test date carries the finding that both bases are shown."""
    found = stand(M.AS_OF, "2024-01-31", rule={**BACK, "waives_default": waives})
    assert "finding_retroactive_basis_shown" in found.codes
    assert found.retroactive


def test_evidence_from_after_the_knowledge_date_is_none() -> None:
    """Conditions met, or a last signature given, after the knowledge date were not known."""
    early = dt.date(2024, 4, 1)
    assert stand(M.ON_CP, "2024-06-30", known=early, **DONE).state == "doubt"
    assert stand(M.ON_SIGNING, "2024-06-30", known=early, signed_on="2024-05-01", execution_attested=False).state == "doubt"


_DAYS = st.dates(dt.date(2024, 1, 1), dt.date(2024, 12, 31))


@given(
    mode=st.sampled_from(sorted(M)),
    test=_DAYS,
    rule_day=st.none() | _DAYS,
    dated=st.none() | _DAYS,
    shown=st.none() | _DAYS,
    waives=st.booleans(),
)
def test_in_force_is_never_before_what_is_known(
    mode: EffectiveMode, test: dt.date, rule_day: dt.date | None, dated: dt.date | None, shown: dt.date | None, waives: bool
) -> None:
    """Nothing is in force without a day on or before the test date, and every doubt has a review code."""
    found = stand(mode, test.isoformat(), rule={"date": rule_day, "waives_default": waives}, dated=dated, effective_on=shown)
    if found.state == "in_force":
        assert found.date is not None
        assert found.date <= test
    elif found.state == "doubt":
        assert any(c.startswith("review") for c in found.codes)
    else:
        assert found.codes == ("reject_not_yet_effective",)


@given(
    mode=st.sampled_from([M.ON_CP, M.ON_EVENT, M.ON_CLOSING, M.LATER_OF, M.AS_OF_ON_CP]),
    test=_DAYS,
    rule_day=st.none() | _DAYS,
    dated=_DAYS,
    wait=st.integers(0, 200),
)
def test_taking_the_evidence_away_never_settles_anything(
    mode: EffectiveMode, test: dt.date, rule_day: dt.date | None, dated: dt.date, wait: int
) -> None:
    """Without the day on which conditions were met, what was in force is a doubt, and what was a doubt stays one."""
    shown = dated + dt.timedelta(days=wait)
    facts = {"rule": {"date": rule_day}, "dated": dated}
    before, after = stand(mode, test.isoformat(), effective_on=shown, **facts), stand(mode, test.isoformat(), **facts)
    if before.state != "not_yet":
        assert after.state == "doubt"
