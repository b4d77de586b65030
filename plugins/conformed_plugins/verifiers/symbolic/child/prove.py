"""Whether two trees are equal under the assumptions: proved, disproved by a certified difference, or not known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy

from .build import UnclearError, built
from .enclose import apart

__all__ = ["answer"]

_VALUES = {
    "real": ("2/3", "-5/7", "9/4", "-7/3", "1/5"), "complex": ("2/3", "-5/7", "9/4", "-7/3", "1/5"), "positive": ("2/3", "9/4", "1/5", "17/3"),
    "nonnegative": ("2/3", "9/4", "1/5", "17/3"), "negative": ("-2/3", "-9/4", "-1/5"), "nonzero": ("2/3", "-5/7", "9/4", "-7/3"),
    "integer": ("1", "-1", "2", "5", "-4"), "rational": ("2/3", "-5/7", "9/4", "-7/3"),
}  # fmt: skip
_BAD = (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo)


def answer(request: Mapping[str, Any]) -> dict[str, str]:
    """Carries out one request: ``same`` (trees a and b) or ``domains`` (the parts of each that may not be zero)."""
    assumed = request["assume"]
    try:
        if request["do"] == "domains":
            return {
                "status": "equal" if _same_zeros(request["a"], request["b"], assumed) else "unknown",
                "code": "domains_differ",
            }
        return _same(request["a"], request["b"], assumed)
    except UnclearError:
        return {"status": "unknown", "code": "root_of_unknown_sign"}


def _same(one: list[Any], other: list[Any], assumed: Mapping[str, str]) -> dict[str, str]:
    for point in _points(one, other, assumed):
        if apart(one, other, point):
            return {"status": "different", "code": "certified_difference"}
    first, second = built(one, assumed), built(other, assumed)
    if any(part.has(*_BAD) for part in (first, second)):
        return {"status": "unknown", "code": "undefined"}
    gap = first - second
    for step in _STEPS:
        gap = step(gap)
        if gap == 0:
            return {"status": "equal", "code": "proved_equal"}
    if not gap.free_symbols:
        real, imaginary = gap.as_real_imag()
        if any(part.is_Rational and part != 0 for part in (real, imaginary)):
            return {"status": "different", "code": "exact_difference"}
        if gap.is_algebraic and sympy.minimal_polynomial(gap, sympy.Symbol("t")) == sympy.Symbol("t"):
            return {"status": "equal", "code": "proved_equal"}
    return {"status": "unknown", "code": "not_proved"}


def _points(one: list[Any], other: list[Any], assumed: Mapping[str, str]) -> Iterator[dict[str, Fraction]]:
    names = sorted(set(_names(one)) | set(_names(other)))
    for turn in range(4 if names else 1):
        point = {}
        for at, name in enumerate(names):
            values = _VALUES[assumed.get(name, "real")]
            point[name] = Fraction(values[(turn + 2 * at) % len(values)])
        yield point


def _names(node: list[Any]) -> Iterator[str]:
    if node[0] == "name":
        yield node[1]
    for part in node[3]:
        yield from _names(part)


def _rational(gap: Any) -> Any:
    return sympy.cancel(sympy.together(gap)) if gap.count_ops() < 200 else gap


_WAVES = (sympy.sin, sympy.cos, sympy.tan, sympy.cot, sympy.sec, sympy.csc, sympy.sinh, sympy.cosh, sympy.tanh)


def _waves(gap: Any) -> Any:
    """Zero where the functions of an angle, written as exponentials, cancel: quick, and enough for most identities."""
    if not gap.has(*_WAVES) or gap.count_ops() > 200:
        return gap
    return 0 if sympy.expand(sympy.numer(sympy.together(gap.rewrite(sympy.exp)))) == 0 else gap


def _trigonometric(gap: Any) -> Any:
    return sympy.trigsimp(gap) if gap.has(*_WAVES) else gap


def _logarithmic(gap: Any) -> Any:
    return sympy.expand_log(gap) if gap.has(sympy.log) else gap


def _rooted(gap: Any) -> Any:
    return sympy.sqrtdenest(sympy.radsimp(gap)) if gap.has(sympy.Pow) and not gap.free_symbols else gap


_STEPS: tuple[Callable[[Any], Any], ...] = (
    lambda gap: gap, sympy.expand, _logarithmic, _rooted, _waves, _rational, _trigonometric, lambda gap: sympy.simplify(gap)
)  # fmt: skip
"""From quick to slow; each leaves the difference equal to what it was."""


def _same_zeros(one: list[Any], other: list[Any], assumed: Mapping[str, str]) -> bool:
    """Whether the parts that may not be zero, taken together, vanish at the same places."""
    return _factors(one, assumed) == _factors(other, assumed)


def _factors(nodes: list[Any], assumed: Mapping[str, str]) -> frozenset[str]:
    """Irreducible factors of all that may not be zero, without those that never are."""
    found = set()
    for node in nodes:
        value = built(node, assumed)
        if value.is_nonzero:
            continue
        above = sympy.numer(sympy.together(value))
        for factor, _power in sympy.factor_list(above)[1]:
            if not _never_zero(factor, assumed):
                lead = sympy.Poly(factor, *sorted(factor.free_symbols, key=str)).LC() if factor.is_polynomial() else 1
                found.add(sympy.srepr(sympy.expand(factor / lead)))
    return frozenset(found)


def _never_zero(factor: Any, assumed: Mapping[str, str]) -> bool:
    if factor.is_nonzero:
        return True
    letters = factor.free_symbols
    if len(letters) != 1 or not factor.is_polynomial() or assumed.get(str(next(iter(letters)))) == "complex":
        return False
    return bool(sympy.Poly(factor, *letters).count_roots() == 0)
