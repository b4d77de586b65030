"""The check of an answer: right answers pass, changed ones do not, nothing is evaluated, nothing hangs."""

from __future__ import annotations

import dataclasses
import json
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.errors import GivenTypeError
from conformed.model.answer import Outcome
from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.checking import LONGEST, check
from conformed_plugins.training.synth.dataset import DataSet, make
from conformed_plugins.training.synth.fields import canonical, item_id, make_fields
from conformed_plugins.training.synth.trace import make_trace, trace_wordings
from conformed_plugins.training.synth.values import Draw
from conformed_plugins.training.synth.wording import wordings

CLAUSE = (
    "The Total Leverage Ratio on June 30, 2026 (being 30 June 2026) shall not exceed 3.75 to 1.00 (3.75:1.00), once 4.25 to 1.00."
)
RIGHT = {"ratio": " Total Leverage Ratio", "direction": " not exceed", "level": " 3.75 to 1.00", "date": " June 30, 2026"}


def item(**facts: Any) -> TrainingItem:
    """The clause above as an item."""
    fields = {**RIGHT, **facts}
    prompt, answer = f"Fields:\n{CLAUSE}", canonical(fields)
    return TrainingItem(item_id(Task.FIELDS, prompt, answer), Task.FIELDS, Split.SFT, "own", prompt, answer, {"fields": fields})


def said(**fields: Any) -> str:
    """An answer that differs from the right one in these fields."""
    return json.dumps({**RIGHT, **fields})


def test_every_right_answer_is_accepted(data: DataSet) -> None:
    """The canonical answer of every item of every split is correct and of the asked form, with every part right."""
    for items in data.by_split.values():
        for one in items:
            found = check(one, one.answer)
            assert (found.outcome, found.format_ok) == (Outcome.CORRECT, True), (one.prompt, found)
            assert all(found.parts.values())


def test_a_right_answer_of_another_item_is_rejected(data: DataSet) -> None:
    """The answer of the neighbour with other values is incorrect, never review, and of the right form where its keys are the same."""
    for items in data.by_split.values():
        for one, other in pairwise(items):
            if one.answer != other.answer:
                assert check(one, other.answer).outcome is Outcome.INCORRECT, (one.prompt, other.answer)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_a_changed_letter_is_rejected(number: int, drawn: st.DataObject) -> None:
    """One sign of one value put, dropped or changed makes the answer incorrect; only blanks at its ends do not count."""
    pool = [one for bank in ("sft", "grpo", "unseen", "final") for one in wordings(bank)]
    one = make_fields(pool[number % len(pool)], Split.SFT, Draw(str(number)))
    key = drawn.draw(st.sampled_from([key for key, value in one.facts["fields"].items() if value] or ["level"]))
    value = one.facts["fields"][key] or " 3.75x"
    at = drawn.draw(st.integers(1, len(value) - 1))
    sign = drawn.draw(st.sampled_from("abyzABYZ0123456789.,:;-%/ "))
    change = drawn.draw(st.sampled_from(("put", "drop", "change")))
    changed = value[:at] + ("" if change == "drop" else sign) + value[at + (change != "put") :]
    if changed.strip() == one.facts["fields"][key].strip():
        return
    found = check(one, canonical({**one.facts["fields"], key: changed}))
    assert (found.outcome, found.format_ok) == (Outcome.INCORRECT, True), (one.prompt, changed)
    assert [name for name, right in found.parts.items() if not right] == [key]


@settings(max_examples=300, deadline=None)
@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_rubbish_is_wrong_and_not_of_the_form(text: str) -> None:
    """Whatever is no JSON object of the four keys is incorrect for certain, with a code; it never raises, and is never review."""
    found = check(item(), text)
    assert (found.outcome, found.format_ok) == (Outcome.INCORRECT, False)
    assert found.code
    assert found.parts == {}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not_json"),
        ("The level is 3.75 to 1.00.", "not_json"),
        (canonical(RIGHT) + " That is all.", "not_json"),
        ("```json\n" + canonical(RIGHT) + "\n```", "not_json"),
        (canonical(RIGHT).replace('"', "'"), "not_json"),
        (canonical(RIGHT)[:-1], "not_json"),
        (canonical({**RIGHT, "note": " x"}), "other_keys"),
        (canonical({"ratio": RIGHT["ratio"]}), "other_keys"),
        ("[" + canonical(RIGHT) + "]", "other_keys"),
        (canonical(RIGHT)[:-1] + ',"level":" 3.75 to 1.00"}', "duplicate_key"),
        (said(level=3), "number_refused"),
        (said(level=3.75), "number_refused"),
        (said(level=float("nan")), "number_refused"),
        (said(level=None), "value_is_no_text"),
        (said(level=[" 3.75 to 1.00"]), "value_is_no_text"),
        ("[" * 8000, "json_too_deep"),
        ("9" * 5000, "number_refused"),
        (canonical(RIGHT) + " " * LONGEST, "response_too_long"),
    ],
)
def test_each_fault_of_form_has_its_code(text: str, code: str) -> None:
    """Form faults: incorrect, format not right, and a code that names the fault."""
    found = check(item(), text)
    assert found.outcome is Outcome.INCORRECT
    assert not found.format_ok
    assert found.code == code or (code == "json_too_deep" and found.code == "not_json")


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"level": "3.75 to 1.00"}, Outcome.CORRECT),
        ({"level": "  3.75 to 1.00 "}, Outcome.CORRECT),
        ({"level": " 3.75:1.00"}, Outcome.CORRECT),  # the clause has it in both forms
        ({"date": " 30 June 2026"}, Outcome.CORRECT),
        ({"level": " 3.75x"}, Outcome.INCORRECT),  # the same ratio, and not in the clause
        ({"level": " 3.75 to 1.0"}, Outcome.INCORRECT),  # cut off
        ({"level": " 3.75:1"}, Outcome.INCORRECT),
        ({"level": " 4.25 to 1.00"}, Outcome.INCORRECT),
        ({"level": " 3.7500001 to 1.00"}, Outcome.INCORRECT),
        ({"level": " 3.75  to 1.00"}, Outcome.INCORRECT),
        ({"level": " 3.75 to 1.00,"}, Outcome.INCORRECT),
        ({"level": ""}, Outcome.INCORRECT),
        ({"date": " 2026-06-30"}, Outcome.INCORRECT),
        ({"date": " June 30"}, Outcome.INCORRECT),
        ({"ratio": " total leverage ratio"}, Outcome.INCORRECT),
        ({"ratio": " Leverage Ratio"}, Outcome.INCORRECT),
        ({"direction": " exceed"}, Outcome.INCORRECT),
        ({"direction": " shall not exceed"}, Outcome.INCORRECT),
    ],
)
def test_the_boundary_of_equal_values(fields: dict[str, str], outcome: Outcome) -> None:
    """Blanks at the ends do not count; another form of the same ratio or date only where the clause itself has it, whole."""
    found = check(item(), said(**fields))
    assert (found.outcome, found.format_ok) == (outcome, True)


def test_the_end_of_another_number_is_no_value() -> None:
    """With 5.00 to 1.00 as the level, "5:1" is the same ratio, and stands in the clause only as the end of 3.5:1: incorrect."""
    one = item(level=" 5.00 to 1.00")
    one = dataclasses.replace(one, prompt="Fields:\nThe ratio is 5.00 to 1.00, and was 3.5:1 before.")
    assert check(one, said(level=" 5:1")).code == "wrong_level"
    one = dataclasses.replace(one, prompt="Fields:\nThe ratio is 5.00 to 1.00, or 5:1 in short.")
    assert check(one, said(level=" 5:1")).outcome is Outcome.CORRECT


def test_an_empty_field_is_right_only_where_the_clause_has_none() -> None:
    """Nothing can be said: the empty text is right where it is the label, and any value is wrong there."""
    assert check(item(level=""), said(level="")).outcome is Outcome.CORRECT
    assert check(item(level=""), said()).code == "wrong_level"


@pytest.mark.parametrize("value", [" ٣.٧٥ to 1.00", " ３.75 to 1.00", " " + "9" * 5000, " " + "9" * 250 + ".5x"])
def test_what_no_rule_reads_is_for_a_person(value: str) -> None:
    """Report 34: digits of other scripts and endless numbers are review, unless another field is wrong anyway."""
    assert check(item(), said(level=value)).outcome is Outcome.REVIEW
    assert check(item(), said(level=value, date=" May 1, 2026")).code == "wrong_date"


def test_a_long_value_without_an_endless_number_is_wrong() -> None:
    """A policy that repeats itself does not escape into review."""
    assert check(item(), said(level=" 3.75 to 1.00" * 200)).outcome is Outcome.INCORRECT


def test_same_verdict_in_any_thread(data: DataSet) -> None:
    """Report 10: threads give the verdicts that the main thread gives, for right, wrong and unreadable answers."""
    items = data.items(Split.GRPO)
    texts = [text for one in items for text in (one.answer, one.answer.replace("1", "2"), "x", one.answer.replace("0", "٠"))]
    pairs = [(one, text) for at, text in enumerate(texts) for one in (items[at // 4],)]
    alone = [check(*pair) for pair in pairs]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda pair: check(*pair), pairs)) == alone
    assert {found.outcome for found in alone} == {Outcome.CORRECT, Outcome.INCORRECT, Outcome.REVIEW}


def test_nothing_is_evaluated_and_nothing_hangs(tmp_path: Any) -> None:
    """Reports 11 and 27: towers of powers and calls of code are text that is not in the clause, judged at once."""
    trap = tmp_path / "made"
    begun = time.process_time()
    for value in ("5^(5^(5^(5^5)))", "5**5**5**5**5", "__import__('os').getpid()", f"open({str(trap)!r}, 'w')", "(" * 4000):
        assert check(item(), said(level=value)).outcome is Outcome.INCORRECT
        assert check(item(), value).outcome is Outcome.INCORRECT
        assert check(trace(), json.dumps({"steps": [f" {value} = 3"], "result": " pass"})).outcome is Outcome.INCORRECT
    assert time.process_time() - begun < 0.5
    assert not trap.exists()


def test_only_the_declared_field_is_read() -> None:
    """Report 28: no number is fished out of prose, neither the first nor the last."""
    for text in ("Step 2 of 3: the total is 3.75 to 1.00", "$3.75", "3.75 to 1.00"):
        assert check(item(), text).format_ok is False
    assert check(item(), said(level=" the level is 3.75 to 1.00")).outcome is Outcome.INCORRECT


def test_faults_of_the_item_are_errors() -> None:
    """An item without its facts is an error of the check, whatever is answered; a response that is no text is refused."""
    bare = dataclasses.replace(item(), facts={})
    assert check(bare, said()).outcome is Outcome.ERROR
    assert check(dataclasses.replace(trace(), facts={}), trace().answer).outcome is Outcome.ERROR
    assert check(dataclasses.replace(item(), task="other"), said()).outcome is Outcome.ERROR  # type: ignore[arg-type]
    with pytest.raises(GivenTypeError):
        check(item(), b"{}")  # type: ignore[arg-type]


def trace() -> TrainingItem:
    """A calculation with four steps."""
    wording = next(
        one for one in trace_wordings("sft") if "_".join(part for part, _ in one.sentences[:-1]) == "debt_more_cash_earnings"
    )
    return make_trace(wording, Split.SFT, Draw("a trace"))


def test_a_trace_may_take_another_order() -> None:
    """Cash taken off first gives the same ratio by true steps, and is correct."""
    one = trace()
    parts = {name: Fraction(text) for name, text in one.facts["parts"].items()}
    rest = parts["debt"] - parts["cash"]
    whole = rest + parts["more"]
    last = json.loads(one.answer)["steps"][-1]
    steps = [
        f"{parts['debt']} - {parts['cash']} = {rest}",
        f"{rest} + {parts['more']} = {whole}",
        f"{whole} / {parts['earnings']} = {one.facts['ratio']}",
        last,
    ]
    answer = {"steps": steps, "result": one.facts["result"]}
    assert check(one, json.dumps(answer)).outcome is Outcome.CORRECT
    swapped = check(one, json.dumps({**answer, "steps": [steps[1], steps[0], *steps[2:]]}))
    assert (swapped.outcome, swapped.code) == (Outcome.INCORRECT, "figure_from_nowhere")


def test_faults_of_a_trace_have_codes() -> None:
    """A false step, a figure from nowhere, a wrong sign, a wrong result, another form: each incorrect, each named."""
    one = trace()
    steps, result = json.loads(one.answer)["steps"], json.loads(one.answer)["result"]
    debt, more = one.facts["parts"]["debt"], one.facts["parts"]["more"]
    other = {" pass": " breach", " breach": " pass"}[result]
    sign = {"<=": "<", "<": "<=", ">": ">=", ">=": ">"}[steps[-1].split()[1]]
    cases = {
        "wrong_step": ([f" {debt} + {more} = 1", *steps[1:]], result),
        "figure_from_nowhere": ([f" {debt} + 7777 = {int(debt) + 7777}", *steps[1:]], result),
        "wrong_comparison": ([*steps[:-1], steps[-1].replace(f" {steps[-1].split()[1]} ", f" {sign} ")], result),
        "wrong_result": (steps, other),
        "step_of_other_form": ([steps[0].replace("+", "plus"), *steps[1:]], result),
        "wrong_ratio": ([*steps[:-1], f" 9999 > {one.facts['parts']['level']}"], result),
        "wrong_level": ([*steps[:-1], f" {one.facts['ratio']} < 9999"], result),
        "steps_are_no_texts": (steps[0], result),
        "too_many_steps": (steps * 20, result),
    }
    for code, (changed, said_result) in cases.items():
        found = check(one, json.dumps({"steps": changed, "result": said_result}))
        assert (found.outcome, found.code) == (Outcome.INCORRECT, code), code
        assert found.format_ok == (code not in {"step_of_other_form", "steps_are_no_texts", "too_many_steps"})
    assert check(one, json.dumps({"steps": [], "result": result})).code == "step_of_other_form"


def test_a_ratio_out_of_thin_air_is_no_trace() -> None:
    """The right ratio and result without the steps that lead to them are incorrect."""
    one = trace()
    answer = json.loads(one.answer)
    found = check(one, json.dumps({**answer, "steps": answer["steps"][-1:]}))
    assert (found.outcome, found.code) == (Outcome.INCORRECT, "figure_not_used")


def test_unreadable_digits_in_a_step_are_for_a_person() -> None:
    """Other digits in a step: review; beside a false step or a wrong result: incorrect."""
    one = trace()
    steps, result = json.loads(one.answer)["steps"], json.loads(one.answer)["result"]
    odd = "".join(chr(0x660 + int(sign)) if sign.isdigit() else sign for sign in steps[0])
    assert check(one, json.dumps({"steps": [odd, *steps[1:]], "result": result})).outcome is Outcome.REVIEW
    assert check(one, json.dumps({"steps": [odd, " 1 + 1 = 3", *steps[2:]], "result": result})).code == "wrong_step"
    assert check(one, json.dumps({"steps": [odd, *steps[1:]], "result": " maybe"})).code == "wrong_result"


def test_a_fields_answer_costs_microseconds() -> None:
    """A right and a wrong answer are judged in far under a millisecond each, whatever this machine does beside."""
    items = make(5, {Split.KNOWN: 100}, (Task.FIELDS,)).items(Split.KNOWN)
    wrong = [one.answer.replace("1", "2").replace("0", "1") for one in items]
    best = 1.0
    for _ in range(5):
        begun = time.process_time()
        for one, text in zip(items, wrong, strict=True):
            check(one, one.answer)
            check(one, text)
        best = min(best, (time.process_time() - begun) / (2 * len(items)))
    assert best < 200e-6
