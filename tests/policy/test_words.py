"""What a contract says in words: explain, lint, the schema for editors, and how a verifier's answer is settled."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError
from ruamel.yaml import YAML

from conformed.model.answer import AnswerVerdict, Outcome
from conformed.model.claim import Verdict
from conformed.policy.editor import json_schema
from conformed.policy.explain import OF_ANSWERS, explain
from conformed.policy.guard import failed_as, settle, settle_answer
from conformed.policy.lint import CODES, lint
from conformed.policy.load import Loaded, load_model
from conformed.policy.schema import AllowedPlugin, Limits, Step, Task, TaskContract
from conformed.policy.strict import MAX_BYTES, MAX_DEPTH, MAX_NODES

ROOT = Path(__file__).parents[2]
POLICIES = sorted((ROOT / "policies").glob("*.yaml"))
GOOD = (Path(__file__).parent / "good.yaml").read_text()
Write = Callable[..., Loaded[TaskContract]]


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_every_policy_of_the_project_loads_without_a_remark(path: Path) -> None:
    """Shipped contracts load, their name is that of the file, and lint has nothing to say."""
    loaded = load_model(path, TaskContract)
    assert loaded.value.name == path.stem
    assert [str(note) for note in lint(loaded.data, name=path.name)] == []


def test_the_covenant_contract_pins_the_built_in_plugins() -> None:
    """The plugins of the covenant case, each to one version, in their order."""
    contract = load_model(ROOT / "policies" / "covenant.yaml", TaskContract).value
    used = {step.name.value: [f"{ref.plugin} {ref.version}" for ref in step.uses] for step in contract.steps if step.uses}
    assert used == {
        "intake": ["pdf 1.0.0", "html 1.0.0", "xlsx 1.0.0", "docx 1.0.0", "text 1.0.0"],
        "retrieve": ["index 1.0.0"],
        "extract": ["clauses 1.0.0", "certificate 1.0.0"],
        "draft": ["templates 1.0.0"],
    }


def test_explain_answers_everything(write: Write) -> None:
    """Region, rung, who decides, compute, and six answers of which none is empty."""
    explanation = explain(write().value)
    assert explanation.region == "cheap to check, high consequence (high)"
    assert explanation.rung.startswith("composition")
    assert "never concludes" in explanation.decides
    assert "two people of different roles (credit analyst, credit officer)" in explanation.decides
    assert explanation.compute == "No model may generate: rules alone, at most 300 s of wall time."
    assert len(explanation.build_check) == 6
    assert all(one.question and one.answer for one in explanation.build_check)
    assert "6 injected failures gave review" in explanation.build_check[2].answer
    assert len(explanation.lines()) == 12


def test_explain_follows_the_contract(write: Write) -> None:
    """Another region, rung and outcome give other words."""
    cheap = write(
        ("consequence: high", "consequence: low"),
        ("checkability: cheap, rung: composition", "checkability: dear, rung: search"),
        ("generated_tokens: 0", "generated_tokens: 500"),
        ("on_verifier_error: review", "on_verifier_error: reject"),
    ).value
    explanation = explain(cheap)
    assert explanation.region == "dear to check, low consequence (low)"
    assert explanation.rung.startswith("search")
    assert explanation.decides.startswith("A verifier settles clean cases")
    assert "500 generated tokens" in explanation.compute
    assert "gave reject" in explanation.build_check[2].answer


WARNINGS: dict[str, tuple[tuple[str, str], str]] = {
    "P101": (("two_people: true, different_roles: true", "two_people: false"), "35:65"),
    "P102": (("regression_slices:\n  - {name: samples, cases: [casefiles]}\n", ""), "1:1"),
    "P103": (("wall_seconds: 300", "wall_seconds: 100"), "10:17"),
    "P104": (("{plugin: index, version: 1.0.0}", "{plugin: index, version: '>=1,<2'}"), "15:94"),
    "P105": (("on_unparsed: review", "on_unparsed: reject"), "30:14"),
    "P106": (('abstain_when: ["review_*"]', "abstain_when: [review_schedule_gap]"), "34:15"),
    "P107": (
        (
            "keep: [decision_record, evidence], years: 7, never_keep: [scratch_text]",
            "keep: [decision_record, scratch_text], years: 7, never_keep: []",
        ),
        "36:19",
    ),
    "P108": (("then: {accept: extract, review: extract,", "then: {accept: extract, review: person,"), "16:38"),
    "P109": (("headroom_alert: 1/4\n", ""), "1:1"),
    "P110": (("generated_tokens: 0", "generated_tokens: 5"), "9:21"),
}


def test_every_code_of_lint_has_a_test() -> None:
    """A code without a test here is not kept."""
    assert set(WARNINGS) | {"P001"} == set(CODES)


@pytest.mark.parametrize("code", sorted(WARNINGS))
def test_lint_warns_at_the_place(code: str) -> None:
    """One change of the good contract gives this one warning, at its line."""
    (old, new), place = WARNINGS[code]
    assert GOOD.count(old) == 1
    notes = lint(GOOD.replace(old, new).encode(), name="c.yaml")
    assert [note.code for note in notes] == [code]
    assert (notes[0].level, f"{notes[0].line}:{notes[0].column}") == ("warning", place)
    assert str(notes[0]).startswith(f"c.yaml:{notes[0].line}:{notes[0].column}: warning {code}: ")


def test_lint_shows_every_refusal() -> None:
    """A refused contract gives all its errors and no warning."""
    notes = lint(GOOD.replace("years: 7", "years: 07").replace("consequence: high", "consequence: hgh").encode(), name="c.yaml")
    assert [(note.code, note.level, note.line) for note in notes] == [("P001", "error", 5), ("P001", "error", 36)]
    assert lint(GOOD.encode(), name="c.yaml") == ()
    assert [note.code for note in lint(b"a: [", name="c.yaml")] == ["P001"]


def test_the_schema_for_editors_is_the_same_bytes_and_closed() -> None:
    """Deterministic, closed to unknown keys, with a sentence for each key, and with options of any scalar type."""
    assert json_schema() == json_schema()
    schema = json.loads(json_schema())
    assert schema["additionalProperties"] is False
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert set(schema["properties"]) == set(TaskContract.model_fields)
    assert set(schema["required"]) == {name for name, field in TaskContract.model_fields.items() if field.is_required()}
    assert all(one.get("description") or "$ref" in one for one in schema["properties"].values())
    assert "integer" in json.dumps(schema["$defs"]["PluginRef"]["properties"]["options"])


BROKEN = Path(__file__).parent / "broken" / "contract"


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        *((path, True) for path in POLICIES),
        *(
            (BROKEN / f"{name}.yaml", False)
            for name in ("misspelt_key", "unknown_consequence", "missing_limits_key", "approves_credit")
        ),
        *((BROKEN / f"{name}.yaml", False) for name in ("nobody_approves", "name_malformed", "error_accepts", "slice_outside")),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_an_editor_with_the_schema_sees_what_the_loader_sees(path: Path, fits: bool) -> None:
    """A validator that knows nothing of us takes the shipped contracts and marks what is wrong in one key."""
    jsonschema = pytest.importorskip("jsonschema", reason="the validator comes with check-jsonschema")
    document = YAML(typ="safe", pure=True).load(path.read_text())
    errors = list(jsonschema.Draft202012Validator(json.loads(json_schema())).iter_errors(document))
    assert (errors == []) is fits


ACCEPT = Verdict(outcome="accept", verifier="liar 9")


def test_a_clean_verdict_passes_with_the_verifiers_name(write: Write) -> None:
    """Accept and reject with a code are taken as they are; the name is the caller's, not the plugin's own."""
    contract = write().value
    assert settle(contract.on_verifier_error, lambda: ACCEPT, verifier="v 1") == Verdict(outcome="accept", verifier="v 1")
    reject = Verdict(outcome="reject", code="claim_uncited", subject="s")
    assert settle(contract.on_verifier_error, lambda: reject, verifier="v 1").code == "claim_uncited"


def _raise(problem: BaseException) -> object:
    raise problem


@pytest.mark.parametrize("outcome", ["review", "reject"])
@pytest.mark.parametrize(
    ("check", "code"),
    [
        (lambda: _raise(RuntimeError("x")), "review_step_failed"),
        (lambda: _raise(TimeoutError("x")), "review_step_timeout"),
        (lambda: None, "review_step_malformed"),
        (lambda: True, "review_step_malformed"),
        (lambda: "accept", "review_step_malformed"),
        (lambda: {"outcome": "accept"}, "review_step_malformed"),
        (lambda: Verdict(outcome="ACCEPT"), "review_step_malformed"),
        (lambda: Verdict(outcome="accept", code="review_step_failed"), "review_step_malformed"),
        (lambda: Verdict(outcome="reject"), "review_step_malformed"),
        (lambda: Verdict(outcome="reject", code="no_such_code"), "review_step_malformed"),
        (lambda: type("Mine", (Verdict,), {})(outcome="accept"), "review_step_malformed"),
    ],
)
def test_every_failure_of_a_verifier_gives_the_contracts_outcome(
    write: Write, outcome: str, check: Callable[[], object], code: str
) -> None:
    """A verifier that raises, times out or answers anything malformed is never an accept."""
    contract = write(("on_verifier_error: review", f"on_verifier_error: {outcome}")).value
    verdict = settle(contract.on_verifier_error, check, verifier="v 1", subject="c1")
    assert (verdict.outcome, verdict.code, verdict.verifier, verdict.subject) == (outcome, code, "v 1", "c1")


@pytest.mark.parametrize("on_error", ["review", "reject"])
def test_a_check_of_an_answer_fails_closed_too(on_error: str) -> None:
    """Clean verdicts pass with the caller's name; an error, and every injected failure, counts as the contract says."""
    right = AnswerVerdict(outcome=Outcome.CORRECT, code="equal", verifier="liar", version="9")
    found = settle_answer(on_error, lambda: right, verifier="two words 1.0.0")
    assert (found.outcome, found.verifier, found.version) == (Outcome.CORRECT, "two words", "1.0.0")
    for name, check in OF_ANSWERS.items():
        outcome = settle_answer(on_error, check, verifier="v 1").outcome
        assert outcome is (Outcome.INCORRECT if on_error == "reject" else Outcome.REVIEW), name


@pytest.mark.parametrize("on_error", ["accept", "ACCEPT", "", "correct", "review"])
def test_nothing_makes_a_failed_check_count_as_accepted(on_error: str) -> None:
    """One function decides; whatever it is given, it is reject only where that is said, and else review."""
    assert failed_as(on_error) == "review"
    assert failed_as("reject") == "reject"


def test_the_build_check_of_a_short_answers_contract_is_whole() -> None:
    """Six answers, none empty; the failures of its own application's check were injected."""
    contract = load_model(Path(__file__).with_name("good_answers.yaml"), TaskContract).value
    answers = [one.answer for one in explain(contract).build_check]
    assert len(answers) == 6
    assert all(answers)
    assert "7 injected failures gave review" in answers[2]
    assert all(name in answers[2] for name in OF_ANSWERS)


def test_a_contract_never_changes(write: Write) -> None:
    """The record is frozen, and abstains for the codes that it names."""
    contract = write().value
    with pytest.raises(ValidationError):
        contract.consequence = "low"  # type: ignore[misc,assignment]
    assert contract.abstains("review_schedule_gap")
    assert not contract.abstains("finding_headroom_low")
    single = write(('abstain_when: ["review_*"]', "abstain_when: [review_schedule_gap]")).value
    assert single.abstains("review_schedule_gap")
    assert not single.abstains("review_schedule_overlap")


def test_the_page_on_contracts_names_every_key_and_code() -> None:
    """docs/contracts.md has each key of a contract and of a step, each code of lint with its sentence, and the true limits."""
    page = (ROOT / "docs" / "contracts.md").read_text()
    keys = {*TaskContract.model_fields, *Step.model_fields, *Limits.model_fields, *AllowedPlugin.model_fields, *Task.model_fields}
    assert [key for key in sorted(keys) if not re.search(rf"`{key}`", page)] == []
    assert [code for code, sentence in CODES.items() if f"| {code} | {sentence} |" not in page] == []
    assert f"{MAX_BYTES // 1024} KiB, {MAX_DEPTH} levels or {MAX_NODES:,} values" in page
