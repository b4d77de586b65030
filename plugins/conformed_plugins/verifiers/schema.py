"""The schema verifier: a candidate's JSON against a JSON Schema, and its fields against the reference, exactly.

The schema is checked by the library jsonschema (extra ``evaluation``). Nothing is fetched: a reference to another document
is an error. A pattern whose matching could take long on a hostile text is refused, or the text is a review.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed_plugins.verifiers.options import SchemaOptions
from conformed_plugins.verifiers.strict_json import plain, read_json, written

__all__ = ["SchemaVerifier"]

VERSION = "1.0.0"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_MOST_WORK = 10_000_000
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|[*+?]\??|\{[0-9]+(?:,[0-9]*)?\}\??|.", re.DOTALL)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class SchemaVerifier:
    """Checks JSON.

    Facts: ``schema`` (a JSON Schema, draft 2020-12), and ``fields``, the names of the fields that must equal the reference's;
    without it, where there is a reference, all of it must.

    Args:
        options: limits.
    """

    def __init__(self, options: SchemaOptions | None = None) -> None:
        self._options = options or SchemaOptions()

    def check(self, request: AnswerCheck) -> AnswerVerdict:
        """correct: schema and fields hold; incorrect: one does not; review: the answer is no JSON of one meaning; error: bad facts."""
        outcome, code = self._found(request)
        return AnswerVerdict(outcome=outcome, code=code, verifier="schema", version=VERSION)

    def _found(self, request: AnswerCheck) -> tuple[Outcome, str]:
        schema, fields = plain(request.facts.get("schema")), plain(request.facts.get("fields"))
        if not isinstance(schema, dict):
            return Outcome.ERROR, "schema_missing" if schema is None else "schema_malformed"
        if fields is not None and not (isinstance(fields, list) and fields and all(isinstance(name, str) for name in fields)):
            return Outcome.ERROR, "fields_malformed"
        if fields is not None and not request.reference:
            return Outcome.ERROR, "reference_missing"
        reference, code = read_json(request.reference) if request.reference else (None, "")
        if code:
            return Outcome.ERROR, f"reference_{code}"
        answer, code = read_json(request.candidate, characters=self._options.characters, values=self._options.values)
        if code:
            return Outcome.REVIEW, code
        outcome, code = _held(answer, schema)
        if outcome is not Outcome.CORRECT or not request.reference:
            return outcome, code
        return _same(answer, reference, fields)


def _held(answer: Any, schema: dict[str, Any]) -> tuple[Outcome, str]:
    """Whether a value holds under a schema."""
    try:
        library, registry = import_module("jsonschema"), import_module("referencing").Registry()
        unresolved: type[Exception] = import_module("referencing.exceptions").Unresolvable
    except ImportError:
        return Outcome.ERROR, "schema_library_missing"  # pip install 'conformed[evaluation]'
    if schema.get("$schema", _DRAFT) != _DRAFT:
        return Outcome.ERROR, "schema_draft_unsupported"
    longest = max((len(text) for text in _texts(answer)), default=0)
    for pattern in _patterns(schema):
        work = _work(pattern, longest)
        if work is None or not _compiles(pattern):
            return Outcome.ERROR, "schema_pattern_refused"
        if work > _MOST_WORK:
            return Outcome.REVIEW, "text_too_long_for_pattern"
    checker = library.Draft202012Validator
    try:
        checker.check_schema(schema)
        broken = list(checker(schema, registry=registry).iter_errors(answer))
    except library.SchemaError:
        return Outcome.ERROR, "schema_malformed"
    except unresolved:
        return Outcome.ERROR, "schema_unresolved"
    except RecursionError:
        return Outcome.ERROR, "schema_too_deep"
    if broken:
        keyword = min((list(map(str, one.absolute_path)), str(one.validator)) for one in broken)[1]
        return Outcome.INCORRECT, f"schema_violated:{_CAPITAL.sub('_', keyword).lower().strip('$')}"
    return Outcome.CORRECT, "schema_holds"


def _same(answer: Any, reference: Any, fields: list[str] | None) -> tuple[Outcome, str]:
    if fields is None:
        same = written(answer) == written(reference)
        return (Outcome.CORRECT, "schema_and_fields_hold") if same else (Outcome.INCORRECT, "answer_differs")
    if not isinstance(reference, dict) or not set(fields) <= set(reference):
        return Outcome.ERROR, "reference_lacks_field"
    if not isinstance(answer, dict) or not set(fields) <= set(answer):
        return Outcome.INCORRECT, "field_missing"
    same = all(written(answer[name]) == written(reference[name]) for name in fields)
    return (Outcome.CORRECT, "schema_and_fields_hold") if same else (Outcome.INCORRECT, "field_differs")


def _texts(value: Any) -> list[str]:
    """Every text of a value, keys included."""
    if isinstance(value, dict):
        return [*value, *(text for one in value.values() for text in _texts(one))]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value] if isinstance(value, str) else []


def _patterns(schema: Any) -> list[str]:
    """Every pattern of a schema, wherever it stands."""
    if isinstance(schema, list):
        return [pattern for one in schema for pattern in _patterns(one)]
    if not isinstance(schema, dict):
        return []
    own = [schema["pattern"]] if isinstance(schema.get("pattern"), str) else []
    named = schema.get("patternProperties")
    own += list(named) if isinstance(named, dict) else []
    return own + [pattern for one in schema.values() for pattern in _patterns(one)]


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _work(pattern: str, length: int) -> int | None:
    """An upper bound of the steps of matching a text of some length.

    None where there is no such bound: a repeated group, a backward reference, a look around.
    """
    repeats, branches, before = 0, 0, ""
    for token in (match[0] for match in _TOKEN.finditer(pattern)):
        first = token[0]
        if first in "*+?{" and (first != "{" or len(token) > 1):
            if before in ("", "(", "|") or (before == ")" and first != "?"):
                return None
            if first == "?":
                branches += 1
            elif first != "{" or "," in token:
                repeats += 1
        elif first == "|":
            branches += 1
        elif first == "\\" and token[1] in "123456789gkpP":
            return None
        before = "(" if first == "(" else token
    return int((length + 1) ** (repeats + 1) * 2**branches)
