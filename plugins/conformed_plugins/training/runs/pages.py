"""The diary as a page for people, in Markdown. Whatever stands in it is data: one line, and no mark that a renderer obeys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformed_plugins.training.runs.judgement import State, shown

__all__ = ["diary_page", "plain_line"]

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")
_MARK = re.compile(r"([\\`*{}\[\]<>#|~]|(?<!\w)_|_(?!\w))")


def diary_page(whole: Mapping[str, Any]) -> str:
    """The page of a diary as ``diary.json`` has it."""
    plan, filled, attached = whole["planned"], whole["filled"], whole["attached"]
    parts = [f"# Run {_text(whole['run'])}", "", "## Planned", ""]
    parts += _list(
        ("Objective", plan["objective"]),
        ("Hypothesis", plan["hypothesis"]),
        ("Method", plan["method"]),
        ("Cap", f"{plan['cap_updates']} updates, {plan['cap_seconds']} s"),
        *(("Stop rule", rule) for rule in plan["stop_rules"]),
        ("Checkpoint rule", plan["checkpoint_rule"]),
        ("Seed", plan["seed"]),
        ("Data", plan["data_digest"]),
    )
    parts += _table(("Setting", "Value"), sorted(plan["settings"].items()))
    parts += ["", "## What came of it", ""]
    parts += _list(
        ("Begun", filled["begun"]),
        ("Finished", f"{filled['finished']}, after {filled['seconds']} s" if filled["finished"] else "not yet"),
        ("Last update", filled["last_update"]),
        *(("Resumed", f"after update {one['update']}, {one['at']}") for one in filled["resumed"]),
        *(("Deviation", said) for said in filled["deviations"] or ("none",)),
    )
    parts += _table(("Result", "Value"), sorted(filled["result"].items()))
    parts += ["", f"Failure analysis: {_text(filled['failure_analysis'])}", "", "## Diagnosis", ""]
    order = {State.SEEN: "seen", State.ABSENT: "not seen", State.NOT_JUDGED: "not judged"}
    for state, words in order.items():
        parts += [
            f"- {words}: {_text(one['code'])}. {_text(one['sentence'])}" for one in filled["diagnosis"] if one["state"] == state
        ]
    parts += ["", "## Series, first and last", ""]
    figures = [(name, shown(one["first"]), shown(one["last"])) for name, one in sorted(filled["figures"].items())]
    parts += _table(("Series", "First", "Last"), figures)
    if filled["unknown_series"]:
        parts += ["", f"Series that the table does not know: {_text(', '.join(filled['unknown_series']))}."]
    parts += ["", "## Where and with what", ""]
    for kind, facts in sorted(filled["facts"].items()):
        parts += _table((kind, ""), sorted(facts.items()))
    parts += _table(("File", "SHA-256"), sorted(filled["files"].items()))
    parts += ["", "## Attached", ""]
    parts += [f"![{_text(name)}]({name})" for name in attached["plots"]]
    if not attached["plots"]:
        parts.append(_text(attached.get("no_plots", "No series was long enough to draw.")))
    parts += ["", *(f"- Per-item outputs: {_text(name)}" for name in attached["items"])]
    return "\n".join(parts).rstrip() + "\n"


def plain_line(value: Any) -> str:
    """A value on one line, without a character that a terminal obeys; what is no text as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return _CONTROL.sub(" ", text).strip()


def _text(value: Any) -> str:
    return _MARK.sub(r"\\\1", plain_line(value))


def _list(*pairs: tuple[str, Any]) -> list[str]:
    return [f"- {name}: {_text(value)}" for name, value in pairs]


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    body = [f"| {' | '.join(_text(cell) for cell in row)} |" for row in rows]
    return ["", f"| {' | '.join(map(_text, head))} |", f"|{' --- |' * len(head)}", *body] if body else []
