"""The verifiers of structured answers and of programs enter by the same door as a stranger's."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from conformed.hooks import load_registry
from conformed.model.answer import AnswerCheck
from conformed.ports import AnswerVerifier


@pytest.mark.parametrize("name", ["calculation", "claim_support", "code", "provenance", "schema"])
def test_each_is_registered_and_fails_closed(name: str) -> None:
    """Made from its registration with its default options, given no facts, it says error, under its own name; unknown options are refused."""
    offered = load_registry(env={}).get("verifier", name)
    made = offered.factory(offered.options())
    assert isinstance(made, AnswerVerifier)
    found = made.check(AnswerCheck(candidate="{}", reference="1"))
    assert (found.outcome, found.verifier, found.version) == ("error", name, offered.version)
    assert found.code.endswith("_missing")
    with pytest.raises(ValidationError):
        offered.options.model_validate({"unknown": 1})
