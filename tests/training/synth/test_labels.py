"""Every label is right by a reading that shares nothing with the code that made it."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from conformed.language.clauses import read_clauses
from conformed.language.dates import find_dates, parse_date
from conformed.language.ratios import find_ratios
from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.clause import governing
from conformed_plugins.training.synth.dataset import DataSet
from conformed_plugins.training.synth.wording import BANK_OF


def of(data: DataSet, task: Task) -> list[TrainingItem]:
    """Items of a task, all splits, without the other extraction."""
    return [
        item
        for items in data.by_split.values()
        for item in items
        if item.task is task and not item.template.startswith("retention/")
    ]


def test_the_grammar_of_the_rules_reads_most_levels_alike(data: DataSet) -> None:
    """Where the rules' grammar reads a covenant at all, the labelled level is among what it reads, and the comparator agrees."""
    seen: Counter[tuple[str, str]] = Counter()
    for split in (Split.SFT, Split.GRPO, Split.UNSEEN, Split.FINAL):
        for item in data.items(split):
            if item.task is not Task.FIELDS or item.template.startswith("retention/"):
                continue
            clause = item.prompt.partition("\n")[2]
            readings = read_clauses(clause, 0, len(clause))
            group = BANK_OF[split]
            if not item.facts["fields"]["level"]:
                assert readings == [], clause
                continue
            [level] = find_ratios(item.facts["fields"]["level"])
            levels = {step.limit.value for one in readings for step in one.steps}
            signs = {one.comparator.value for one in readings if one.comparator is not None}
            seen[group, "all"] += 1
            seen[group, "level"] += level.value in levels
            seen[group, "both"] += level.value in levels and item.facts["comparator"] in signs
    share = {group: Fraction(seen[group, "level"], seen[group, "all"]) for group in ("sft", "grpo", "unseen", "final")}
    assert share["sft"] >= Fraction(9, 10)
    assert min(share.values()) >= Fraction(2, 3)
    assert Fraction(sum(seen[group, "both"] for group in share), sum(seen[group, "level"] for group in share)) >= Fraction(
        95, 100
    )


def test_levels_and_dates_are_whole_tokens_of_the_rules_grammar(data: DataSet) -> None:
    """A labelled level is one ratio and a labelled date is one date, and the clause has the very same token."""
    for item in of(data, Task.FIELDS):
        clause = item.prompt.partition("\n")[2]
        fields = item.facts["fields"]
        if fields["level"]:
            assert fields["level"].strip() in {one.raw for one in find_ratios(clause)}, clause
        if fields["date"]:
            assert parse_date(fields["date"].strip()) in {one.date for one in find_dates(clause)}, clause


def test_the_governing_clause_is_found_day_by_day(data: DataSet) -> None:
    """Laying the clauses over the calendar, from the first start on, leaves on the asked date the label of the answer."""
    items = of(data, Task.CLAUSE)
    assert len(items) > 300
    empty = 0
    for item in items:
        on_the_day = ""
        for clause in sorted((one for one in item.facts["clauses"] if one["kind"] != "trap"), key=lambda one: one["from"]):
            days = (clause["from"], clause["to"] or "9999-12-31")
            if days[0] <= item.facts["asked"] <= days[1]:
                on_the_day = "" if clause["kind"] == "ended" else clause["label"]
        assert json.loads(item.answer) == {"clause": f" {on_the_day}" if on_the_day else ""}
        empty += not on_the_day
    assert 0 < empty < len(items) / 2


@pytest.mark.parametrize(
    ("asked", "label"),
    [
        ("2024-12-31", ""),
        ("2025-01-01", "(a)"),
        ("2025-06-29", "(a)"),
        ("2025-06-30", "(b)"),
        ("2025-09-30", "(b)"),
        ("2025-10-01", "(a)"),
        ("2026-02-28", "(a)"),
        ("2026-03-01", ""),
    ],
)
def test_first_and_last_day_count(asked: str, label: str) -> None:
    """A clause counts from its first day, a window up to its last; a draft never; after the deletion nothing does."""
    clauses = [
        {"label": "(b)", "kind": "window", "from": "2025-06-30", "to": "2025-09-30"},
        {"label": "(c)", "kind": "ended", "from": "2026-03-01", "to": ""},
        {"label": "(d)", "kind": "trap", "from": "2025-07-01", "to": ""},
        {"label": "(a)", "kind": "from", "from": "2025-01-01", "to": ""},
    ]
    assert governing(dt.date.fromisoformat(asked), clauses) == label


def test_the_facts_of_clauses_are_those_of_the_text(data: DataSet) -> None:
    """The asked date and the dates of every clause, read from the prompt alone, are those that the label was worked out from."""
    for item in of(data, Task.CLAUSE):
        lead, _, text = item.prompt.partition("\n")
        assert [one.date for one in find_dates(lead)] == [dt.date.fromisoformat(item.facts["asked"])]
        for clause, after in zip(item.facts["clauses"], [*item.facts["clauses"][1:], None], strict=True):
            start = text.index(f" {clause['label']} ")
            end = text.index(f" {after['label']} ") if after else len(text)
            dates = [one.date.isoformat() for one in find_dates(text[start:end])]
            assert dates == [clause["from"], clause["to"]][: 1 + bool(clause["to"])], text


def test_a_trace_is_recomputed_with_decimals(data: DataSet) -> None:
    """Each step of each trace holds in decimal arithmetic, uses figures of the text, and the result follows from the last step."""
    results: Counter[str] = Counter()
    equal = 0
    for item in of(data, Task.TRACE):
        answer = json.loads(item.answer)
        text = item.prompt.partition("\n")[2]
        known = {Decimal(number.rstrip(".")) for number in re.findall(r"[0-9][0-9.]*", text)}
        with localcontext() as context:
            context.prec = 40
            for step in answer["steps"][:-1]:
                first, sign, second, _, result = step.split()
                a, b = Decimal(first), Decimal(second)
                assert {a, b} <= known, (step, text)
                worked = a + b if sign == "+" else a - b if sign == "-" else a / b
                assert worked == Decimal(result), step
                known.add(worked)
            ratio, sign, level = answer["steps"][-1].split()
            good = Decimal(ratio) < Decimal(level) or (Decimal(ratio) == Decimal(level) and item.facts["comparator"] == "le")
            assert {Decimal(ratio), Decimal(level)} <= known
            assert answer["result"] == (" pass" if good else " breach")
            assert (
                sign
                == {("le", True): "<=", ("le", False): ">", ("lt", True): "<", ("lt", False): ">="}[
                    item.facts["comparator"], good
                ]
            )
            equal += Decimal(ratio) == Decimal(level)
        results[answer["result"]] += 1
    assert min(results.values()) > sum(results.values()) / 5
    assert equal >= 5


def test_a_source_shows_its_claim(data: DataSet) -> None:
    """The value of a claim is in the paragraph that is named, and in no paragraph where none is named."""
    unshown = 0
    for item in of(data, Task.SOURCES):
        shown, _, claims = item.prompt.partition(" Claims:")
        labels = [row["label"] for row in item.facts["paragraphs"]]
        places = [shown.index(f" {label} ") for label in labels] + [len(shown)]
        paragraphs = {f" {label}": shown[places[at] : places[at + 1]] for at, label in enumerate(labels)}
        for claim in item.facts["claims"]:
            source = json.loads(item.answer)[claim["name"]]
            assert claim["value"] in claims
            assert [label for label, text in paragraphs.items() if claim["value"] in text] == ([source] if source else [])
            unshown += not source
    assert unshown > 50
