"""Whether two values are equal: exactly here where they are rational, by the worker's algebra where they are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from conformed_plugins.verifiers.symbolic.bounds import checked, must_not_vanish
from conformed_plugins.verifiers.symbolic.rational import factor_between, same
from conformed_plugins.verifiers.symbolic.realsets import infinite
from conformed_plugins.verifiers.symbolic.tree import Node, wire

__all__ = ["DIFFERENT", "EQUAL", "UNKNOWN", "Finding", "Values", "all_of"]

EQUAL, DIFFERENT, UNKNOWN = "equal", "different", "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a comparison found: equal, different (proved, either way) or unknown, and the code that says how or why."""

    status: str
    code: str


def all_of(findings: Iterable[Finding], code: str) -> Finding:
    """Parts in order: different where one is, equal where all are, else unknown."""
    open_ = None
    for finding in findings:
        if finding.status == DIFFERENT:
            return finding
        if finding.status == UNKNOWN and open_ is None:
            open_ = finding
    return open_ or Finding(EQUAL, code)


class Values:
    """Compares values under assumptions.

    Args:
        ask: sends one request to the worker.
        look: ends a check whose time is up.
        assumed: assumption by letter; real where none is stated.
    """

    def __init__(
        self, ask: Callable[[dict[str, Any]], dict[str, Any]], look: Callable[[], None], assumed: Mapping[str, str]
    ) -> None:
        self._ask, self._look, self._assumed = ask, look, dict(assumed)

    def compare(self, one: Node, other: Node) -> Finding:
        """Whether two values are equal wherever they have one, and have one at the same places.

        Raises:
            RefusedError: where either is too large or undefined on its face.
        """
        self._look()
        sides = infinite(one), infinite(other)
        if any(sides):
            if all(sides):
                return Finding(EQUAL, "equal_values") if sides[0] == sides[1] else Finding(DIFFERENT, "values_differ")
            checked(other if sides[0] else one)
            return Finding(UNKNOWN, "infinity_against_value")
        first, second = checked(one), checked(other)
        found = self._values(first, second)
        if found.status == DIFFERENT and one.has("degree") != other.has("degree"):
            return Finding(UNKNOWN, "degrees_on_one_side")
        return found

    def _values(self, one: Node, other: Node) -> Finding:
        if one.kind == "num" == other.kind:
            return Finding(EQUAL, "equal_values") if one.value == other.value else Finding(DIFFERENT, "values_differ")
        poles = must_not_vanish(one), must_not_vanish(other)
        if one == other and not _divides(one):
            return Finding(EQUAL, "same_expression")
        decided = same(one, other)
        if decided is None:
            return self._by_algebra(one, other, poles)
        if not decided:
            return Finding(DIFFERENT, "exact_counterexample")
        return self._domains(poles, "proved_equal")

    def _by_algebra(self, one: Node, other: Node, poles: tuple[tuple[Node, ...], tuple[Node, ...]]) -> Finding:
        said = self._ask({"do": "same", "a": wire(one), "b": wire(other), "assume": self._assumed})
        found = Finding(str(said["status"]), str(said["code"]))
        baseless = any(
            part.kind == "call" and part.text == "log" and len(part.parts) == 1 for node in (one, other) for part in node.walk()
        )
        if found.status == UNKNOWN and baseless and found.code == "not_proved":
            return Finding(UNKNOWN, "log_base_not_stated")
        return self._domains(poles, found.code) if found.status == EQUAL else found

    def _domains(self, poles: tuple[tuple[Node, ...], tuple[Node, ...]], code: str) -> Finding:
        """Equal wherever both have a value; here, whether they have one at the same places."""
        one, other = poles
        if set(one) == set(other) or (_covered(one, other) and _covered(other, one)):
            return Finding(EQUAL, code)
        said = self._ask(
            {"do": "domains", "a": [wire(part) for part in one], "b": [wire(part) for part in other], "assume": self._assumed}
        )
        return Finding(EQUAL, code) if said["status"] == EQUAL else Finding(UNKNOWN, str(said["code"]))


def _divides(node: Node) -> bool:
    """Whether some part might turn out to be undefined, so that being written alike does not yet make two values one."""
    return any(
        part.kind == "div"
        or (part.kind == "pow" and (part.parts[1].kind != "num" or part.parts[1].value <= 0))
        or (part.kind == "call" and part.text in ("ln", "log", "tan", "cot", "sec", "csc"))
        for part in node.walk()
    )


def _covered(one: tuple[Node, ...], other: tuple[Node, ...]) -> bool:
    return all(any(factor_between(part, partner) for partner in other) for part in one)
