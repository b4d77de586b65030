"""Recomputes the trace of a decision record without the product. Use: conformed run PACK --json | python docs/recompute.py."""

import ast
import json
import operator
import sys
from fractions import Fraction
from pathlib import Path

SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
COMPARE = {"le": operator.le, "lt": operator.lt, "ge": operator.ge, "gt": operator.gt}


CALLS = {
    "min": min, "max": max,
    "trunc": lambda x, n: Fraction(int(x * 10**n), 10**n),
    "round_up_half": lambda x, n: Fraction(int(x * 10**n + (Fraction(1, 2) if x >= 0 else Fraction(-1, 2))), 10**n),
    "ceil_to": lambda x, n: -Fraction((-x * 10**n).__floor__(), 10**n),
}  # fmt: skip


def work(node: ast.expr, text: str, values: dict[str, Fraction]) -> Fraction:
    """The exact value of a part of an expression. Nothing outside the closed language is worked out."""
    if isinstance(node, ast.Constant):
        return Fraction(ast.get_source_segment(text, node) or "")  # the digits as written: no binary number is made
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -work(node.operand, text, values)
    if isinstance(node, ast.BinOp):
        return SIGNS[type(node.op)](work(node.left, text, values), work(node.right, text, values))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return CALLS[node.func.id](*(work(one, text, values) for one in node.args))
    raise ValueError(f"not in the language: {text}")


def recompute(record: dict) -> list[str]:
    """Names of what is not as the record says; empty where every line holds."""
    found, said, wrong = record["calculation"], record["result"], []
    values = {figure["name"]: Fraction(figure["value"]) for figure in found.get("figures", [])}
    for step in [*found.get("steps", []), *(found.get("cure") or {}).get("steps", [])]:
        result = work(ast.parse(step["expression"], mode="eval").body, step["expression"], values)
        wrong += [step["name"]] if step["name"] in values or result != Fraction(step["value"]) else []
        values[step["name"]] = result
    told = {name: found[name] for name in ("ratio", "headroom_debt", "headroom_ebitda") if isinstance(found.get(name), str)}
    wrong += [name for name, value in told.items() if Fraction(value) != values.get(name)]
    if not isinstance(found.get("comparison"), dict) or "left" not in found["comparison"]:
        return wrong + (["result"] if said == "pass" else [])
    compared, level, tested = found["comparison"], record["covenant"]["limit"]["value"], values.get("tested", values["ratio"])
    pair = (Fraction(compared["left"]), compared["comparator"], Fraction(compared["right"]))
    met = COMPARE[pair[1]](pair[0], pair[2])
    wrong += (
        ["comparison"] if pair != (tested, record["covenant"]["comparator"], Fraction(level)) or met != compared["met"] else []
    )
    return wrong + ([] if said in ("review", "not_tested", "pass" if met else "breach") else ["result"])


if __name__ == "__main__":
    bad = recompute(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8") if sys.argv[1:] else sys.stdin.read()))
    sys.exit(f"Not as recorded: {', '.join(bad)}" if bad else sys.stdout.write("Every line holds.\n") and 0)
