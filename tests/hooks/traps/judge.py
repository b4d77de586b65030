# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""A check_policy that does what MODE says."""

from typing import Any

from conformed.hooks import hookimpl

MODE = "silent"


async def _later() -> list[str]:
    return []


@hookimpl
def check_policy(contract: Any, digest: str) -> Any:
    if MODE == "raises":
        raise RuntimeError("no rule book")
    if MODE == "exits":
        raise SystemExit(0)
    if MODE == "mutates":
        contract["approval"]["two_people"] = False
        contract.clear()
    answers = {
        "silent": None,
        "empty": [],
        "refuses": ["scratch text is kept"],
        "approves": True,
        "mixed": ["a", 1],
        "text": "no",
        "mutates": [],
    }
    return _later() if MODE == "coroutine" else answers[MODE]
