"""The program in docs that works a record's trace again without the product: on the sample packs, on every shape, and on forgeries."""

from __future__ import annotations

import ast
import copy
import datetime as dt
import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.app.rule_cases.loading import load_cases
from conformed.app.rule_cases.shapes import CalculationFile
from conformed.language.agreement import CureTerms
from conformed.language.rounding import RoundingTerms
from conformed.model.base import Missing
from conformed.model.calculation import Certificate, Figure
from conformed.model.covenant import Comparator, Covenant, Definition, Limit, Unit
from conformed.rules.calculation.agreement_terms import AgreementTerms
from conformed.rules.calculation.calculate import CaseFacts, calculate
from conformed.rules.calculation.formula import evaluate

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "docs" / "recompute.py"
DAY = dt.date(2024, 12, 31)


def program() -> ModuleType:
    """The program as a module, so that a test needs no process."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("recompute_program", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RECOMPUTE: Callable[[dict[str, Any]], list[str]] = program().recompute
WORK = program().work


def record(debt: str = "283", rounding: RoundingTerms | None = None, **more: Any) -> dict[str, Any]:
    """A record with a capped add-back, netted cash, a level of 3.50 and, where it fails, a cure."""
    definitions = (
        Definition(
            term="Total Debt", text="means all Indebtedness less unrestricted cash not exceeding $30,000,000", instrument="a"
        ),
        Definition(
            term="EBITDA",
            text="means Net Income plus (a) synergies not to exceed 10% of EBITDA after giving effect thereto",
            instrument="a",
        ),
    )
    limit = Limit(unit=Unit.RATIO, value=Fraction("3.50"), raw="3.50 to 1.00", places=2)
    covenant = Covenant(
        name="Leverage",
        metric="net_leverage",
        section="7.1",
        comparator=Comparator.LE,
        limit=limit,
        document="a",
        definitions=definitions,
    )
    lines = {"total_debt": debt, "unrestricted_cash": "41", "net_income": "66.6", "addback_synergies": "9.1"}
    figures = tuple(
        Figure(name=name, label=name.replace("addback_", ""), value=Fraction(value) * 10**6, currency="USD", raw=value)
        for name, value in lines.items()
    )
    paper = Certificate(document="c", test_date=DAY, signed=True, figures=figures)
    agreement = AgreementTerms(rounding=rounding, cure=CureTerms(kind="ebitda"))
    done = calculate(covenant, (paper,), CaseFacts(test_date=DAY, home="USD", agreement=agreement))
    assert not isinstance(done.calculation, Missing)
    return {
        "result": done.result,
        "covenant": json.loads(covenant.model_dump_json()),
        "calculation": json.loads(done.calculation.model_dump_json()),
    }


PASSES, BREACHES = record("280"), record("300")
ROUNDED = record("289", RoundingTerms(carry="truncate"))


def test_it_is_short_and_stands_alone() -> None:
    """At most 60 lines, and nothing but the standard library."""
    text = PROGRAM.read_text()
    assert len(text.splitlines()) <= 60
    names = {alias.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert names <= {"ast", "json", "operator", "sys", "fractions", "pathlib"}


def test_true_records_hold() -> None:
    """Passes, breaches with a cure, and rounded ratios are worked again to the same fractions."""
    assert [r["result"] for r in (PASSES, BREACHES, ROUNDED)] == ["pass", "breach", "pass"]
    assert BREACHES["calculation"]["cure"]["steps"]
    assert [RECOMPUTE(r) for r in (PASSES, BREACHES, ROUNDED)] == [[], [], []]


def _numbers(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Places of every exact number that a trace rests on."""
    found = []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _numbers(inner, (*path, key)) if key not in ("raw", "label", "spans", "name", "expression", "lines") else []
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += _numbers(inner, (*path, index))
    elif isinstance(value, str) and path[-1] in ("value", "ratio", "left", "right", "headroom_debt", "headroom_ebitda"):
        found.append(path)
    return found


@pytest.mark.parametrize("whole", [PASSES, BREACHES, ROUNDED], ids=["pass", "breach", "rounded"])
def test_any_changed_number_is_noticed(whole: dict[str, Any]) -> None:
    """One unit added to any figure, step, side of the comparison, level or headroom is told."""
    places = [path for path in _numbers(whole["calculation"]) if path != ("cure", "ratio")]
    assert len(places) > 15
    for path in places:
        forged = copy.deepcopy(whole)
        at: Any = forged["calculation"]
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = str(Fraction(at[path[-1]]) + 1)
        assert RECOMPUTE(forged), path


@pytest.mark.parametrize(
    "forge",
    [
        lambda r: r.update(result="breach" if r["result"] == "pass" else "pass"),
        lambda r: r["calculation"]["comparison"].update(met=not r["calculation"]["comparison"]["met"]),
        lambda r: r["calculation"]["comparison"].update(comparator="gt"),
        lambda r: r["covenant"]["limit"].update(value="9"),
        lambda r: r["calculation"]["steps"][-1].update(expression="level * 2"),
        lambda r: r["calculation"]["steps"].append(dict(r["calculation"]["steps"][0])),
    ],
)
@pytest.mark.parametrize("whole", [PASSES, BREACHES])
def test_a_changed_conclusion_is_noticed(whole: dict[str, Any], forge: Callable[[dict[str, Any]], None]) -> None:
    """Another result, comparator, level or expression is told."""
    forged = copy.deepcopy(whole)
    forge(forged)
    assert RECOMPUTE(forged)


def test_a_pass_without_a_comparison_is_noticed() -> None:
    """A record cannot pass by leaving its comparison out."""
    forged = copy.deepcopy(PASSES)
    forged["calculation"]["comparison"] = {"reason": "x", "code": "review_input_missing"}
    assert RECOMPUTE(forged) == ["result"]


@given(st.fractions(max_denominator=10**6), st.integers(0, 6), st.sampled_from(["trunc", "round_up_half", "ceil_to"]))
def test_it_rounds_as_the_product_does(value: Fraction, places: int, how: str) -> None:
    """Two programs, one answer, for negative numbers too."""
    text = f"{how}(a, {places})"
    assert WORK(ast.parse(text, mode="eval").body, text, {"a": value}) == evaluate(text, {"a": value})


@pytest.mark.parametrize("text", ["__import__('os')", "a.b", "a ** 2", "[a]", "a if a else a", "open(a)"])
def test_it_runs_nothing(text: str) -> None:
    """An expression outside the closed language raises; nothing of it is run."""
    with pytest.raises((ValueError, KeyError, TypeError)):
        WORK(ast.parse(text, mode="eval").body, text, {"a": Fraction(1)})


def test_it_reads_the_record_that_the_command_prints(tmp_path: Path) -> None:
    """By its command line, on a file: nothing to say of a true record, exit 1 of a forged one."""
    for name, whole, code in (("true", PASSES, 0), ("forged", {**PASSES, "result": "breach"}, 1)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(whole))
        done = subprocess.run([sys.executable, str(PROGRAM), str(path)], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code
        assert ("Every line holds." in done.stdout) is (code == 0)


def test_it_works_the_calculation_cases_of_the_project() -> None:
    """Every step of every case that the project ships comes out as its answers say, in the product and in the program alike."""
    file = load_cases(ROOT / "casefiles" / "rules" / "calculations.yaml")
    assert isinstance(file, CalculationFile)
    assert len(file.cases) >= 10
    for case in file.cases:
        values = {name: Fraction(value) for name, value in case.inputs.items()}
        for name, expression in case.steps:
            values[name] = WORK(ast.parse(expression, mode="eval").body, expression, values)
            assert values[name] == evaluate(expression, {k: v for k, v in values.items() if k != name}), (case.id, name)
        assert {name: values[name] for name in case.answers} == {name: Fraction(value) for name, value in case.answers.items()}, (
            case.id
        )
