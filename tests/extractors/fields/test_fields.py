"""A small policy as a second reader: it copies, the rules judge, and no answer of it ever sets a level."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mill_packs import FLAT, agreement, amendment
from model_desk import Desk, Says, level
from pydantic import ValidationError

from conformed.engine.checks import check_proposal
from conformed.errors import PluginError
from conformed.model.decision import Effective
from conformed.model.operation import Extraction
from conformed_plugins.extractors.fields.extractor import FieldsExtractor
from conformed_plugins.extractors.fields.options import FieldsOptions
from conformed_plugins.extractors.fields.sentences import sentences_of
from conformed_plugins.extractors.fields.values import prompt_of
from conformed_plugins.extractors.model.pieces import papers_of, pieces_of
from conformed_plugins.training.synth.fields import KEYS, LEAD

CLAUSE = "The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be greater than 4.00 to 1.00."
SWAP = 'Section 7.11(a) of the Credit Agreement is hereby amended by replacing "4.00 to 1.00" with "4.25 to 1.00".'


def fields(ratio: str = "", direction: str = "", figure: str = "", date: str = "") -> str:
    """An answer as a policy writes it."""
    values = (f" {one}" if one else "" for one in (ratio, direction, figure, date))
    return json.dumps(dict(zip(KEYS, values, strict=True)), separators=(",", ":"))


NONE = fields()
RIGHT = fields("Total Leverage Ratio", "be greater than", "4.00 to 1.00")


class FieldsDesk(Desk):
    """The desk with the extractor of fields in the model's place."""

    def added(self, backend: Any, **options: Any) -> Extraction:
        """What the extractor proposes, its spans checked as the engine checks them."""
        request = self.request(backend)
        given = FieldsExtractor(FieldsOptions(**options)).extract(request)
        check_proposal(given, request.case, request.retrieved.authorised)
        return given

    @cached_property
    def ruled(self) -> Effective:
        """The decision without a policy."""
        return self.by_rules()


PLAIN = FieldsDesk((agreement(),))
CHANGED = FieldsDesk((agreement(), amendment(f"1. {SWAP}")))


def to(words: str, answer: str) -> Says:
    """A policy that gives one answer to the sentence with some words, and says of every other that there is nothing."""
    return Says(lambda prompt: answer if words in prompt else NONE)


def codes(desk: FieldsDesk, backend: Any, **options: Any) -> list[str]:
    """Codes of what was refused or left open."""
    return [doubt.code for doubt in desk.added(backend, **options).rejected]


def test_a_sentence_is_shown_in_the_form_of_training() -> None:
    """The prompt is the instruction line of the task, a line break and the sentence with single blanks, and nothing else."""
    backend = to("", NONE)
    PLAIN.added(backend)
    assert f"{LEAD}\n(a) Total Leverage Ratio. {CLAUSE}" not in backend.prompts
    assert f"{LEAD}\n{CLAUSE}" in backend.prompts
    assert all(prompt.startswith(f"{LEAD}\n") and "\n" not in prompt.removeprefix(f"{LEAD}\n") for prompt in backend.prompts)
    assert prompt_of("The  ratio\n is 3.00x. ") == f"{LEAD}\nThe ratio is 3.00x."


def test_only_sentences_with_a_ratio_are_shown() -> None:
    """What names no ratio as a figure is not shown: section numbers, amounts and dates are none."""
    backend = to("", NONE)
    PLAIN.added(backend)
    assert len(backend.prompts) == len(set(backend.prompts)) == 3
    assert not any("Capital Spending" in prompt or "10,000,000" in prompt for prompt in backend.prompts)


def test_where_both_read_the_same_nothing_is_added() -> None:
    """The level that the rules read, copied by the policy, or nothing said, leaves the decision as it is."""
    for answer in (RIGHT, NONE, fields("Total Leverage Ratio", "", "4.00 to 1.00")):
        added = PLAIN.added(to("Total Leverage Ratio as of", answer))
        assert (added.operations, added.rejected) == ((), ())
        assert added.producer == "fields 1.0.0"
        assert level(PLAIN.with_model(to("Total Leverage Ratio as of", answer))) == level(PLAIN.ruled) == "4"


def test_the_kind_of_clause_is_the_rules_to_say() -> None:
    """A policy says of no clause what it does: the new level of an amendment, copied, agrees with the amendment that the rules read."""
    backend = to("hereby amended", fields("", "", "4.25 to 1.00"))
    assert codes(CHANGED, backend) == []
    assert level(CHANGED.with_model(backend)) == level(CHANGED.ruled) == "17/4"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (fields("Total Leverage Ratio", "be greater than", "3.00 to 1.00"), "review_span_mismatch"),
        (fields("Total Leverage Ratio", "be greater than", "1.00"), "review_clause_not_fully_read"),
        (fields("Total Leverage Ratio", "be greater than", ".00 to 1.00"), "review_span_mismatch"),
        (fields("Senior Leverage Ratio", "be greater than", "4.00 to 1.00"), "review_span_mismatch"),
        (fields("Total Leverage Ratio", "exceed", "4.00 to 1.00"), "review_span_mismatch"),
        (fields("Total Leverage Ratio", "be greater than", "4.00 to 1.00", "June 30, 2026"), "review_span_mismatch"),
        (fields("Total Leverage Ratio", "be greater than", "last day"), "review_clause_not_fully_read"),
        ("", "review_step_malformed"),
        ("4.00 to 1.00", "review_step_malformed"),
        ('{"level":" 4.00 to 1.00"}', "review_step_malformed"),
        (RIGHT[:-3], "review_step_malformed"),
        (RIGHT.replace('" 4.00 to 1.00"', "4.00"), "review_step_malformed"),
    ],
)
def test_anything_else_is_for_a_person(answer: str, code: str) -> None:
    """Another level, words that are not there or not whole, another form: the run is for review, and no operation comes of it."""
    backend = to("Total Leverage Ratio as of", answer)
    added = PLAIN.added(backend)
    assert [doubt.code for doubt in added.rejected] == [code]
    assert added.operations == ()
    assert level(PLAIN.with_model(backend)) == "review"


def test_a_level_where_the_rules_read_none_is_for_a_person() -> None:
    """A condition for a dividend, taken for a level by the policy, sends the run to a person and sets nothing."""
    backend = to("declare any dividend", fields("Total Leverage Ratio", "less than", "2.50 to 1.00"))
    assert codes(PLAIN, backend) == ["review_clause_not_fully_read"]
    assert level(PLAIN.with_model(backend)) == "review"


def test_more_sentences_than_are_shown_are_told() -> None:
    """Where there are more sentences than the bound, or none, the run is for review."""
    backend = to("", NONE)
    assert codes(PLAIN, backend, most_sentences=2) == ["review_retrieval_incomplete"]
    assert len(backend.prompts) == 2
    assert codes(FieldsDesk(("Dear Ann,\n\nthank you.\n\nTom\n",)), backend) == ["review_retrieval_incomplete"]


def test_without_a_backend_it_refuses() -> None:
    """A contract that names the extractor and no backend ends in an error that says so."""
    with pytest.raises(PluginError, match="needs a backend"):
        PLAIN.added(None)


def test_with_the_rules_both_come_in_one() -> None:
    """For a contract that names it alone, what the rules read is handed on first."""
    added = PLAIN.added(to("", NONE), with_rules=True)
    assert added.operations == PLAIN.rules().operations
    assert added.rejected == PLAIN.rules().rejected


@pytest.mark.parametrize("options", [{"characters": 10}, {"most_sentences": 0}, {"temperature": "1"}])
def test_options_outside_their_bounds_are_refused(options: dict[str, Any]) -> None:
    """Unknown options and values without sense are refused."""
    with pytest.raises(ValidationError):
        FieldsOptions.model_validate(options)


def test_a_long_sentence_is_cut_around_its_figure() -> None:
    """However long a sentence, what is shown is no longer than asked, holds the figure, and cuts no word."""
    filler = "subject to the terms set out in the schedules and in each other document " * 40
    long = CLAUSE.replace("as of the last", f"{filler}as of the last")
    desk = FieldsDesk((agreement(FLAT.replace(CLAUSE, long)),))
    request = desk.request(None)
    for characters in (80, 200, 600):
        shown = [one.text for one in sentences_of(pieces_of(request, papers_of(request), 200_000), characters)]
        assert all(len(text) <= characters for text in shown)
        cut = [text for text in shown if "4.00 to 1.00" in text]
        assert len(cut) == 1
        assert cut[0] in long
        assert set(cut[0].split()) <= set(long.split())


ANSWERS = st.builds(
    fields,
    st.sampled_from(["", "Total Leverage Ratio", "Interest Cover Ratio", "Ratio"]),
    st.sampled_from(["", "be greater than", "be less than", "less than"]),
    st.sampled_from(["", "4.00 to 1.00", "3.00 to 1.00", "2.50 to 1.00", "4.25 to 1.00", "1.00", "9.99 to 1.00"]),
    st.sampled_from(["", "March 1, 2022", "fiscal quarter"]),
)


@settings(max_examples=60, deadline=None)
@given(answers=st.lists(ANSWERS | st.text(max_size=30), min_size=6, max_size=6), changed=st.booleans())
def test_no_answer_sets_another_level(answers: Sequence[str], changed: bool) -> None:
    """Whatever a policy says to whatever it is shown, the level is that of the rules or the run is for review."""
    desk, left = CHANGED if changed else PLAIN, list(answers)
    say: Callable[[str], str] = lambda _prompt: left.pop() if left else NONE  # noqa: E731
    assert level(desk.with_model(Says(say))) in {level(desk.ruled), "review"}
