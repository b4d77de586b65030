"""The whole procedure on fifteen worked packs of our own, and what every answer must carry."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest
from support import (
    Act,
    Paper,
    base,
    candidates,
    codes,
    day,
    decided,
    level_of,
    make,
    record,
    set_level,
    stated,
    suspended,
    waived,
)

from conformed.model.covenant import Comparator, Trigger
from conformed.model.decision import Effective
from conformed.model.document import Refusal
from conformed.model.operation import EffectiveMode, Op, Target
from conformed.model.pack import InstrumentKind, Manifest
from conformed.rules.precedence.precedence import decide

K, M = InstrumentKind, EffectiveMode
START = "2021-02-01"
TEST = "2024-09-30"
_ASIDE = {"finding_definition_not_in_pack", "finding_test_date_unconfirmed"}


def change(
    name: str,
    dated: str,
    *acts: Act,
    mode: M = M.ON_SIGNING,
    on: str | None = None,
    number: int | None = None,
    recites: tuple[int, ...] = (),
) -> Paper:
    """An executed amendment."""
    return Paper(
        name, K.AMENDMENT, day(dated), acts, mode, number=number, effective_on=day(on), recites=[(n, None) for n in recites]
    )


def restated(section: str, level: str) -> Paper:
    """A restatement in force from the end of February 2024."""
    return Paper(
        "ar",
        K.RESTATEMENT,
        day("2024-02-20"),
        [stated(section, level)],
        M.ON_CP,
        effective_on=day("2024-02-29"),
        amends=day(START),
    )


TRIGGER = Trigger(numerator="loans", denominator="commitments", comparator=Comparator.GT, level=Fraction(7, 20), raw="35%")
ELECT = Act(
    "We elect.",
    lambda q: {
        "op": Op.ELECT_INCREASE,
        "target": Target(section="7.11"),
        "delta": "1/2",
        "cap": "19/4",
        "instruction": q("We elect."),
    },
)
FROM = {"effect": {"date": day("2024-08-01")}, "mode": M.FIXED}
BACK = {"effect": {"date": day(TEST), "waives_default": True}, "mode": M.AS_OF}

PACKS: dict[str, tuple[list[Paper], str, str | None, set[str], set[str]]] = {
    "the agreement alone": ([base("base", START)], "determined", "4", {"accept_base_statement"}, set()),
    "a step down by amendment": ([base("base", START), change("a1", "2024-03-15", set_level(), number=1)], "determined", "15/4", {"accept_amended_provision"}, set()),
    "conditions met after the test": (
        [base("base", START), change("a1", "2024-08-20", set_level("7.11", "5"), mode=M.ON_CP, on="2024-10-08", number=1)],
        "determined", "4", {"reject_not_yet_effective", "accept_base_statement"}, set(),
    ),
    "no evidence of conditions": (
        [base("base", START), change("a1", "2024-08-20", set_level("7.11", "5"), mode=M.ON_CP, number=1)],
        "review", None, {"review_cp_evidence_missing"}, {"4", "5"},
    ),
    "reaching back with a waiver": (
        [base("base", START), change("a1", "2024-11-14", set_level("7.11", "6", **BACK), number=1)],
        "determined", "6", {"accept_retroactive_express", "finding_retroactive_basis_shown"}, set(),
    ),
    "two levels from one day": (
        [base("base", START), change("a1", "2024-07-20", set_level("7.11", "17/4", **FROM), number=1), change("a2", "2024-07-24", set_level("7.11", "5", **FROM), number=2)],
        "review", None, {"review_conflict_same_effective_date"}, {"17/4", "5"},
    ),
    "the later recites the earlier": (
        [base("base", START), change("a1", "2024-07-20", set_level("7.11", "17/4", **FROM), number=1), change("a2", "2024-07-24", set_level("7.11", "5", **FROM), number=2, recites=(1,))],
        "determined", "5", {"accept_recited_chain_order", "reject_superseded", "accept_amended_provision"}, set(),
    ),
    "a restatement kills what waited": (
        [base("base", START), change("a1", "2023-05-01", set_level("7.11", "7/2", mode=M.FIXED, effect={"date": day("2024-06-30")}), number=1), restated("7.11", "5")],
        "determined", "5", {"accept_restated_agreement", "reject_superseded"}, set(),
    ),
    "the number from before a restatement": (
        [base("base", START, stated("6.04", "4")), restated("7.11", "5"), change("a1", "2024-08-09", set_level("6.04", "9/2"), number=1)],
        "review", None, {"review_target_not_found"}, {"5", "9/2"},
    ),
    "a waiver of one quarter": (
        [base("base", START), Paper("w", K.WAIVER, day("2024-11-20"), [waived("7.11", (TEST, TEST))])],
        "determined", "4", {"accept_base_statement", "reject_waiver_not_amendment", "accept_waiver_overlay"}, set(),
    ),
    "a holiday that ended": (
        [base("base", START), change("a1", "2023-12-18", suspended("7.11", ("2023-12-18", "2024-06-30")), number=1), change("a2", "2024-05-02", set_level("7.11", "9/2"), number=2, recites=(1,))],
        "determined", "9/2", {"reject_expired", "accept_reverted_after_lapse", "accept_amended_provision"}, set(),
    ),
    "an amendment that is not here": (
        [base("base", START), change("a1", "2022-10-10", number=1), change("a3", "2024-04-04", number=3, recites=(1, 2))],
        "review", None, {"review_missing_instrument_in_chain"}, {"4"},
    ),
    "a trigger exactly met": (
        [base("base", START, stated("7.11", "7", metric="first_lien_net_leverage", terms={"trigger": TRIGGER}))],
        "not_tested", "7", {"not_tested_trigger_unmet"}, set(),
    ),
    "signed first, effective last": (
        [base("base", START), change("a1", "2024-01-15", set_level("7.11", "5", mode=M.ON_EVENT), on="2024-08-01", number=1), change("a2", "2024-03-20", set_level("7.11", "17/4"), number=2)],
        "review", None, {"review_effective_order_inverts_signing"}, {"5", "17/4"},
    ),
    "an election": (
        [base("base", START, stated("7.11", "9/2")), Paper("n", K.NOTICE, day("2024-07-10"), [ELECT])],
        "review", None, {"review_election_evidence_missing"}, {"9/2", "19/4"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(PACKS))
def test_worked_pack(name: str) -> None:
    """Result, level, open levels and every code but findings about the definition and the date."""
    papers, result, level, wanted, open_ = PACKS[name]
    found = decided(papers, TEST, facts={"utilised": "35", "commitments": "100"})
    assert record(found) == (result, Fraction(level) if level else None, {Fraction(c) for c in open_})
    assert codes(found) - _ASIDE == wanted
    assert found.overlay.value == ("waived" if "waiver of one" in name else "none")


def whole(found: Effective) -> list[str]:
    """Whatever an answer lacks of what every answer must have."""
    told = []
    kinds = {r.code.partition("_")[0] for r in found.reasons}
    if found.result == "review" and "review" not in kinds:
        told.append("a review without a code")
    if found.result == "review" and level_of(found) is not None:
        told.append("a review with a level")
    if found.result == "determined" and ("accept" not in kinds or level_of(found) is None):
        told.append("a level without its ground")
    if found.result == "not_tested" and not (found.not_tested and any(r.code.startswith("not_tested") for r in found.reasons)):
        told.append("not tested without a reason")
    return told


@pytest.mark.parametrize("name", sorted(PACKS))
def test_every_answer_is_whole(name: str) -> None:
    """A review has codes and no level, a level has its ground, and nothing is untested without a reason."""
    assert whole(decided(PACKS[name][0], TEST)) == []


@pytest.mark.parametrize("name", sorted(PACKS))
def test_every_span_slices_back(name: str) -> None:
    """Every covenant, candidate and run of the conformed copy shows exact words of a document of the pack."""
    case, extraction = make(PACKS[name][0], TEST)
    found = decide(case, extraction)
    shown = [*found.candidates, *([found.covenant] if level_of(found) is not None else [])]
    assert all(c.spans for c in shown)
    spans = [s for c in shown for s in c.spans] + [s for r in found.reasons for s in r.spans]
    spans += [s for c in found.conformed for r in (*c.runs, *c.superseded) for s in r.spans]
    for span in spans:
        document = case.document(span.document)
        assert document.text[span.start : span.end] == span.text
        assert span.sha256 == document.sha256


def test_level_of_a_covenant_stands_in_its_first_span() -> None:
    """The first span of a covenant is the level as written."""
    found = decided(PACKS["a step down by amendment"][0], TEST)
    assert found.covenant.spans[0].text == "3.75 to 1.00"


@pytest.mark.parametrize(
    ("manifest", "result"),
    [
        (Manifest(), "review"),
        (Manifest(documents=({"file": "base"},)), "determined"),
        (Manifest(documents=({"file": "base"}, {"file": "x.pdf"})), "review"),
    ],
)  # type: ignore[arg-type]
def test_file_that_was_not_read(manifest: Manifest, result: str) -> None:
    """A file that could not be read may hold what decides, unless the manifest does not list it as evidence."""
    case, extraction = make([base("base", START)], TEST, manifest=manifest)
    refused = case.model_copy(update={"refusals": (Refusal(name="x.pdf", code="broken", sentence="x.pdf cannot be read."),)})
    found = decide(refused, extraction)
    assert found.result == result
    assert ("review_document_unreadable" in codes(found)) is (result == "review")


def test_nothing_at_all() -> None:
    """An empty pack, and one of evidence only, is a review with a code."""
    for papers in ([], [Paper("c", K.COMPLIANCE_CERTIFICATE, day("2024-10-30"))]):
        found = decided(papers, TEST)
        assert (found.result, "review_no_covenant_found" in codes(found)) == ("review", True)


def test_not_chosen_box() -> None:
    """A form's covenant whose box is not ticked is not tested (with a doubt: review); a ticked one is."""

    def form(**terms: object) -> Effective:
        return decided([base("base", START, stated(terms=terms))], TEST)

    assert (form(selected=False).result, form(selected=False).not_tested) == ("not_tested", "not_selected")
    assert form(selected=True).result == "determined"
    assert form(selected=False, doubts=({"code": "review_clause_not_fully_read", "sentence": "x"},)).result == "review"


@pytest.mark.parametrize(
    "code",
    [
        "review_gloss_conflict",
        "review_words_figures_conflict",
        "review_redacted_term",
        "review_side_letter_not_in_pack",
        "review_numeric_token_malformed",
    ],
)
def test_doubt_in_the_clause(code: str) -> None:
    """What the text of the clause leaves open stops, with the level as a candidate (PR-07, PR-21, PR-26, PR-27)."""
    found = decided([base("base", START, stated(terms={"doubts": ({"code": code, "sentence": "x"},)}))], TEST)
    assert (record(found), code in codes(found)) == (("review", None, {Fraction(4)}), True)


def test_open_comparator() -> None:
    """A clause that does not say how equality is treated has no covenant to show, and a code."""
    terms = {"comparator": {"reason": "The clause does not say.", "code": "review_comparator_ambiguous"}}
    found = decided([base("base", START, stated(terms=terms))], TEST)
    assert (found.result, "review_comparator_ambiguous" in codes(found), candidates(found)) == ("review", True, set())


def copy(level: str, dated: str = "2024-10-01") -> Paper:
    """A conformed copy that says a level."""
    return Paper("copy", K.CONFORMED_COPY, day(dated), [stated("7.11", level)])


def test_conformed_copy_in_the_pack() -> None:
    """A reading copy is never a source: the same level is told, another one stops, and one of an older day is explained (PR-47)."""
    papers = PACKS["a step down by amendment"][0]
    same = decided([*papers, copy("15/4")], TEST)
    assert (record(same), "finding_conformed_copy_ignored" in codes(same)) == (("determined", Fraction(15, 4), set()), True)
    other = decided([*papers, copy("5")], TEST)
    assert (record(other), "review_conformed_copy_conflict" in codes(other)) == (("review", None, {Fraction(15, 4)}), True)
    old = decided([*papers, copy("4", "2023-12-31")], TEST)
    assert (record(old), "finding_conformed_copy_ignored" in codes(old)) == (("determined", Fraction(15, 4), set()), True)


def test_same_question_same_answer() -> None:
    """The same case gives the same record, word for word."""
    case, extraction = make(PACKS["two levels from one day"][0], TEST)
    assert decide(case, extraction).model_dump_json() == decide(case, extraction).model_dump_json()


def test_earlier_date_asks_the_earlier_text() -> None:
    """The answer follows the test date through the life of the agreement."""
    papers = PACKS["a step down by amendment"][0]
    levels = [level_of(decided(papers, d.isoformat())) for d in (dt.date(2021, 2, 1), dt.date(2024, 3, 14), dt.date(2024, 3, 15))]
    assert levels == [Fraction(4), Fraction(4), Fraction(15, 4)]
