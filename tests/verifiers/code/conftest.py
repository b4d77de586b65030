"""A sandbox with small limits, and a short way to judge a program. Where there is no sandbox the tests say so and skip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformed.model.answer import AnswerCheck
from conformed_plugins.verifiers.code.canary import why_unavailable
from conformed_plugins.verifiers.code.limits import CodeOptions
from conformed_plugins.verifiers.code.verifier import CodeVerifier, Judgement

SMALL = CodeOptions(cpu_s=1, wall_s=20, memory_mib=128, scratch_mib=1, output_kib=64)
"""The clock is generous: the machine that runs the tests may be busy, and what must end ends by processor time."""

Judge = Callable[..., Judgement]


@pytest.fixture(scope="session")
def small() -> CodeOptions:
    """Small limits, under which this machine can hold a program."""
    lacking = why_unavailable(SMALL)
    if lacking in ("no_bubblewrap", "no_filter", "cannot_start"):
        pytest.skip(f"no sandbox on this machine: {lacking}")
    assert lacking == ""
    return SMALL


@pytest.fixture(scope="session")
def judge(small: CodeOptions) -> Judge:
    """Judges a program on a call of its ``f`` or, with ``stdin``, on an input."""
    made: dict[CodeOptions, CodeVerifier] = {}

    def judged(
        program: str, *arguments: Any, gives: Any, stdin: str | None = None, hidden: bool = False, **options: Any
    ) -> Judgement:
        test = (
            {"kind": "call", "function": "f", "arguments": list(arguments), "result": gives}
            if stdin is None
            else {"kind": "stdin", "input": stdin, "output": gives}
        )
        facts = {"tests": {"hidden" if hidden else "public": [test]}}
        asked = small.model_copy(update=options)
        verifier = made.setdefault(asked, CodeVerifier(asked))
        return verifier.judge(AnswerCheck(candidate=program, reference="", facts=facts))

    return judged
