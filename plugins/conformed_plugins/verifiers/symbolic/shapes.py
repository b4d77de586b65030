"""Compares answers of every shape. Sets have no order, tuples have one, brackets say which ends belong, units must agree.

What has two readings is left open: a bare list in another order, a value against an equation in other letters, repeated
members of a set, a unit or a degree sign on one side only, an equation that is not solved against one that is.
"""

from __future__ import annotations

from fractions import Fraction

from conformed_plugins.verifiers.symbolic.realsets import FLIPPED, infinite, real_set
from conformed_plugins.verifiers.symbolic.relations import compare_relations, solved
from conformed_plugins.verifiers.symbolic.tree import EXPRESSIONS, Node, RefusedError, mul, number
from conformed_plugins.verifiers.symbolic.values import DIFFERENT, EQUAL, UNKNOWN, Finding, Values, all_of

__all__ = ["Shapes", "unfolded"]

_MOST_MEMBERS = 20
_SETTISH = frozenset({"pair", "set", "union", "relation", "either", "all", "empty"})


def unfolded(node: Node) -> Node:
    """The answer with every ``±`` as the two values that it stands for; all signs of one value turn together.

    Raises:
        RefusedError: for the sign where two values have no place, as in an interval or a matrix.
    """
    if not node.has("pm"):
        return node
    if node.kind in EXPRESSIONS:
        return Node("set", (_chosen(node, 1), _chosen(node, -1)))
    if node.kind == "relation" and node.text == "=":
        return Node("either", (_chosen(node, 1), _chosen(node, -1)))
    if node.kind == "quantity":
        return Node("set", (_chosen(node, 1), _chosen(node, -1)))
    if node.kind in ("set", "list", "either"):
        parts = [unfolded(part) for part in node.parts]
        spread = [inner for part in parts for inner in (part.parts if part.kind in ("set", "either") else (part,))]
        return Node("set" if node.kind == "list" else node.kind, tuple(spread))
    raise RefusedError("plus_minus")


def _chosen(node: Node, sign: int) -> Node:
    if node.kind == "pm":
        part = _chosen(node.parts[0], sign)
        return part if (node.text == "pm") == (sign == 1) else mul(number(-1), part)
    return Node(node.kind, tuple(_chosen(part, sign) for part in node.parts), node.text, node.value)


class Shapes:
    """Compares answers, with the values in them compared by ``values``."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def compare(self, one: Node, other: Node) -> Finding:
        """Whether two answers are one.

        Args:
            one: the candidate.
            other: the reference.

        Raises:
            RefusedError: where either turns out to be malformed.
        """
        if one.kind in EXPRESSIONS and other.kind in EXPRESSIONS:
            return self._values.compare(one, other)
        if "quantity" in (one.kind, other.kind):
            return self._quantities(one, other)
        if one.kind == other.kind == "relation" and one.text == other.text == "=" and _curved(one) and _curved(other):
            return compare_relations(one, other, self._values)
        solutions = _solutions(one), _solutions(other)
        if solutions[0] is not None and solutions[1] is not None:
            return self._solutions(solutions[0], solutions[1])
        if one.kind == other.kind and one.kind in ("pair", "tuple", "matrix", "row"):
            return self._in_order(one, other)
        if {one.kind, other.kind} == {"pair", "tuple"}:
            return Finding(DIFFERENT, "length_differs") if one.text[0] == other.text[0] else Finding(UNKNOWN, "brackets_differ")
        if one.kind in _SETTISH and other.kind in _SETTISH:
            return self._sets(one, other)
        return Finding(UNKNOWN, f"forms_differ:{_form(one)}:{_form(other)}")

    def _quantities(self, one: Node, other: Node) -> Finding:
        if one.kind != other.kind:
            known = one.kind in EXPRESSIONS or other.kind in EXPRESSIONS
            return Finding(UNKNOWN, "unit_on_one_side" if known else f"forms_differ:{_form(one)}:{_form(other)}")
        if one.text != other.text:
            zero = all(self._values.compare(side.parts[0], number(0)).status == DIFFERENT for side in (one, other))
            return Finding(DIFFERENT, "dimension_differs") if zero else Finding(UNKNOWN, "dimension_differs")
        return self._values.compare(mul(number(one.value), one.parts[0]), mul(number(other.value), other.parts[0]))

    def _in_order(self, one: Node, other: Node) -> Finding:
        if len(one.parts) != len(other.parts):
            return Finding(DIFFERENT, "length_differs")
        if one.kind == "pair":
            for side in (one, other):
                if side.text in ("(]", "[)") or any(infinite(part) for part in side.parts):
                    real_set(side)  # refuses an interval that ends before it begins
        if one.text != other.text:
            same_ends = "interval_ends_differ" if one.kind == "pair" else "brackets_differ"
            return Finding(DIFFERENT if one.kind == "pair" else UNKNOWN, same_ends)
        return all_of((self.compare(a, b) for a, b in zip(one.parts, other.parts, strict=True)), "equal_in_order")

    def _solutions(self, one: tuple[str, str, tuple[Node, ...]], other: tuple[str, str, tuple[Node, ...]]) -> Finding:
        (name, form, members), (name2, form2, members2) = one, other
        if name and name2 and name != name2:
            return Finding(UNKNOWN, "letters_differ")
        if max(len(members), len(members2)) > _MOST_MEMBERS:
            raise RefusedError("too_long")
        if form == form2 == "value":
            return self.compare(members[0], members2[0])
        if form == form2 == "list":
            return self._lists(members, members2)
        if "value" in (form, form2) and len(members) == len(members2):
            return Finding(UNKNOWN, "forms_differ:value:set")
        return self._members(members, members2)

    def _lists(self, one: tuple[Node, ...], other: tuple[Node, ...]) -> Finding:
        if len(one) == len(other):
            ordered = all_of((self.compare(a, b) for a, b in zip(one, other, strict=True)), "equal_in_order")
            if ordered.status != DIFFERENT:
                return ordered
        found = self._members(one, other)
        return Finding(UNKNOWN, "order_not_stated") if found.status == EQUAL else found

    def _members(self, one: tuple[Node, ...], other: tuple[Node, ...]) -> Finding:
        """Members without order. A member that is surely none of the others' decides; repeated members leave it open."""
        table = [[self.compare(a, b).status for b in other] for a in one]
        rows = table + [list(column) for column in zip(*table, strict=True)]
        if any(all(status == DIFFERENT for status in row) for row in rows):
            return Finding(DIFFERENT, "members_differ")
        if any(EQUAL not in row for row in rows):
            return Finding(UNKNOWN, "not_proved")
        if any(row.count(DIFFERENT) != len(row) - 1 for row in rows):
            return Finding(UNKNOWN, "repeated_members")
        return Finding(EQUAL, "equal_members")

    def _sets(self, one: Node, other: Node) -> Finding:
        found = real_set(one), real_set(other)
        if found[0] is not None and found[1] is not None:
            (name, pieces), (name2, pieces2) = found[0], found[1]
            if name and name2 and name != name2:
                return Finding(UNKNOWN, "letters_differ")
            if _unsolved(one) and not _unsolved(other):
                return Finding(UNKNOWN, "not_solved")
            if pieces == pieces2:
                return Finding(EQUAL, "equal_sets")
            for side, others in ((one, pieces2), (other, pieces)):
                if side.kind == "pair" and others and all(low == high for low, _, high, _ in others):
                    return Finding(UNKNOWN, "forms_differ:pair:set")  # [1,2] may list the members of {1,2}
            return Finding(DIFFERENT, "sets_differ")
        if one.kind == other.kind == "relation" and not (one.text == "in" or other.text == "in"):
            return compare_relations(one, other, self._values)
        return self._as_intervals(_interval(one), _interval(other))

    def _as_intervals(self, one: Node, other: Node) -> Finding:
        """Intervals whose ends are no rational numbers: equal where they are written alike, else left open."""
        if one.kind == other.kind == "union" and len(one.parts) == len(other.parts):
            pairs = zip(one.parts, other.parts, strict=True)
            return self._only_equal(all_of((self._as_intervals(a, b) for a, b in pairs), "equal_sets"))
        letters = [side.parts[0] for side in (one, other) if side.kind == "relation" and side.text == "in"]
        if letters and letters[0] == letters[-1]:
            return self._only_equal(self._as_intervals(*(side.parts[1] if side.text == "in" else side for side in (one, other))))
        if one.kind == other.kind == "pair" and one.text == other.text:
            return self._only_equal(self._in_order(one, other))
        if one.kind == other.kind == "set":
            return self._members(one.parts, other.parts)
        return Finding(UNKNOWN, f"forms_differ:{_form(one)}:{_form(other)}")

    @staticmethod
    def _only_equal(found: Finding) -> Finding:
        return found if found.status != DIFFERENT else Finding(UNKNOWN, "ends_not_ordered")


def _form(node: Node) -> str:
    return "value" if node.kind in EXPRESSIONS else node.kind


def _solutions(node: Node) -> tuple[str, str, tuple[Node, ...]] | None:
    """Letter, form and members of an answer that lists values; None where it describes them otherwise."""
    if node.kind in EXPRESSIONS or node.kind in ("tuple", "pair", "matrix", "quantity"):
        return ("", "value", (node,)) if node.kind in EXPRESSIONS else None
    if node.kind in ("set", "list"):
        return "", node.kind, node.parts
    found = solved(node)
    if found is not None and found[1] == "=":
        return found[0], "value", (found[2],)
    if node.kind == "either":
        each = [_solutions(part) for part in node.parts]
        if all(one is not None and one[1] == "value" and one[0] for one in each):
            names = {one[0] for one in each if one is not None}
            members = tuple(one[2][0] for one in each if one is not None)
            return (names.pop(), "set", members) if len(names) == 1 else None
    return None


def _curved(node: Node) -> bool:
    """Whether an equation says something of several letters, or is not solved: not a value with its name."""
    found = solved(node)
    return found is None or bool(found[2].names())


def _unsolved(node: Node) -> bool:
    """Whether an inequality still has to be solved for its letter."""
    if node.kind in ("either", "union"):
        return any(_unsolved(part) for part in node.parts)
    if node.kind != "relation" or node.text == "in":
        return False
    if len(node.parts) == 3:
        return node.parts[1].kind != "name"
    return solved(node) is None


def _interval(node: Node) -> Node:
    """A solved inequality as the interval that it describes."""
    far = Node("const", text="infty")
    if node.kind == "relation" and len(node.parts) == 3 and node.parts[1].kind == "name" and node.text[0] == "<":
        signs = node.text.split()
        marks = ("[" if signs[0] == "<=" else "(") + ("]" if signs[1] == "<=" else ")")
        return Node("relation", (node.parts[1], Node("pair", (node.parts[0], node.parts[2]), marks)), "in")
    found = solved(node)
    if found is None or found[1] not in FLIPPED or found[1] in ("=", "!="):
        return node
    name, sign, value = found
    low, high = (mul(Node("num", value=Fraction(-1)), far), value) if sign[0] == "<" else (value, far)
    marks = ("[" if sign == ">=" else "(") + ("]" if sign == "<=" else ")")
    return Node("relation", (Node("name", text=name), Node("pair", (low, high), marks)), "in")
