"""JSON answers against a schema and the right fields."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import pytest

from conformed.model.answer import AnswerCheck
from conformed_plugins.verifiers.schema import SchemaVerifier

SCHEMA = {
    "type": "object",
    "required": ["level", "comparator"],
    "additionalProperties": False,
    "properties": {
        "level": {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"},
        "comparator": {"enum": ["le", "ge"]},
        "months": {"type": "integer", "minimum": 1},
        "limbs": {"type": "array", "items": {"$ref": "#/$defs/limb"}},
    },
    "$defs": {"limb": {"type": "object", "required": ["name"]}},
}


def check(answer: Any, schema: Any = SCHEMA, *, reference: str = "", **facts: Any) -> tuple[str, str]:
    """Outcome and code."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    found = SchemaVerifier().check(AnswerCheck(candidate=text, reference=reference, facts={"schema": schema, **facts}))
    return found.outcome.value, found.code


GOOD = {"level": "4.75", "comparator": "le", "months": 12, "limbs": [{"name": "a"}]}


def test_what_holds_holds() -> None:
    """Under a schema with references and patterns."""
    assert check(GOOD) == ("correct", "schema_holds")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"level": 4}, "type"), ({"level": "4.75x"}, "pattern"), ({"level": "٤"}, "pattern"), ({"comparator": "lt"}, "enum"), ({"more": 1}, "additional_properties"), ({"months": True}, "type"),
        ({"months": 0}, "minimum"), ({"limbs": [{}]}, "required"), ({"limbs": {}}, "type"),
    ],
)  # fmt: skip
def test_what_breaks_it_is_wrong(change: dict[str, Any], code: str) -> None:
    """The code names the keyword that is broken, never the answer's own words."""
    assert check({**GOOD, **change}) == ("incorrect", f"schema_violated:{code}")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not_json"),
        ('{"level": "1", "level": "2"}', "duplicate_key"),
        ('{"months": 12.0}', "float_refused"),
        ("[NaN]", "nan_refused"),
        ("[" * 99 + "]" * 99, "json_too_deep"),
    ],
)
def test_what_has_not_one_meaning_goes_to_a_person(text: str, code: str) -> None:
    """It is refused before the schema is looked at."""
    assert check(text) == ("review", code)


@pytest.mark.parametrize(
    ("answer", "reference", "facts", "said"),
    [
        (GOOD, json.dumps(GOOD), {}, ("correct", "schema_and_fields_hold")),
        (GOOD, json.dumps({**GOOD, "months": 3}), {}, ("incorrect", "answer_differs")),
        (GOOD, json.dumps({**GOOD, "months": 3}), {"fields": ["level"]}, ("correct", "schema_and_fields_hold")),
        (GOOD, '{"level": "4.750"}', {"fields": ["level"]}, ("incorrect", "field_differs")),
        ({"level": "1", "comparator": "le"}, json.dumps(GOOD), {"fields": ["months"]}, ("incorrect", "field_missing")),
        (GOOD, '{"level": "4.75"}', {"fields": ["months"]}, ("error", "reference_lacks_field")),
        (GOOD, "", {"fields": ["level"]}, ("error", "reference_missing")),
        (GOOD, "{", {}, ("error", "reference_not_json")),
        (GOOD, "{}", {"fields": []}, ("error", "fields_malformed")),
        ({**GOOD, "comparator": "lt"}, json.dumps({**GOOD, "comparator": "lt"}), {}, ("incorrect", "schema_violated:enum")),
    ],
)  # fmt: skip
def test_fields_are_equal_or_not(answer: Any, reference: str, facts: Any, said: tuple[str, str]) -> None:
    """Exactly: no number is rounded, no text trimmed; the schema holds for right answers, too."""
    assert check(answer, reference=reference, **facts) == said


def test_one_is_not_true() -> None:
    """Types are compared, where Python would call them equal."""
    assert check({"a": True}, {}, reference='{"a": 1}', fields=["a"]) == ("incorrect", "field_differs")
    assert check([1], {"const": [True]}) == ("incorrect", "schema_violated:const")


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ("none", "schema_malformed"), ([], "schema_malformed"), ({"type": "text"}, "schema_malformed"), ({"required": "level"}, "schema_malformed"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "schema_draft_unsupported"), ({"$ref": "https://example.com/other.json"}, "schema_unresolved"),
        ({"$ref": "#/$defs/nothing"}, "schema_unresolved"), ({"$ref": "file:///etc/passwd"}, "schema_unresolved"), ({"$ref": "#"}, "schema_too_deep"),
        ({"pattern": "(a+)+$"}, "schema_pattern_refused"), ({"pattern": "(a|a)*b"}, "schema_pattern_refused"), ({"pattern": r"(.)\1"}, "schema_pattern_refused"),
        ({"pattern": "(?=a)"}, "schema_pattern_refused"), ({"pattern": "["}, "schema_pattern_refused"), ({"pattern": "(?:a{2}){9}"}, "schema_pattern_refused"),
        ({"properties": {"a": {"anyOf": [{"patternProperties": {"(x*)*": {}}}]}}}, "schema_pattern_refused"), ({"pattern": "a**"}, "schema_pattern_refused"),
    ],
)  # fmt: skip
def test_a_bad_schema_is_an_error(schema: Any, code: str) -> None:
    """Nothing is fetched and nothing can loop; the item is at fault."""
    assert check('"text"', schema) == ("error", code)


def test_a_pattern_never_hangs() -> None:
    """A pattern that needs many steps on a long hostile text is not tried, within its bound it is."""
    started = time.monotonic()
    slow = {"pattern": "^a*a*a*b$"}
    assert check(json.dumps("a" * 60_000), slow) == ("review", "text_too_long_for_pattern")
    assert check(json.dumps("a" * 40), slow) == ("incorrect", "schema_violated:pattern")
    assert check(json.dumps("a" * 40 + "b"), slow) == ("correct", "schema_holds")
    assert time.monotonic() - started < 20


def test_a_schema_must_be_given() -> None:
    """Without one there is nothing to check."""
    assert SchemaVerifier().check(AnswerCheck(candidate="{}", reference="")).code == "schema_missing"


def test_without_the_library_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is an extra; without it no answer is called right."""
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert check(GOOD) == ("error", "schema_library_missing")
