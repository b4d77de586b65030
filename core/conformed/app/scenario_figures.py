"""Figures of a scenario: what a person types in place of a certificate's figures, and what that does to totals and parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from conformed.errors import UsageError
from conformed.language.labels import STATUTORY
from conformed.model.base import Exact, Frozen
from conformed.model.calculation import Certificate, Figure
from conformed.rules.calculation.worksheet import base_name

__all__ = ["Changed", "change_figures", "move_income", "read_changes"]

_WHOLE = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")
_SHARE = re.compile(r"[+\-]\d+(?:\.\d+)?%")


class Changed(Frozen):
    """A figure of a scenario, beside the certificate's."""

    name: str
    """Name inside the calculation."""
    label: str
    """Label of the certificate."""
    was: Exact
    """The certificate's figure, in whole units of the currency."""
    now: Exact
    """The scenario's."""
    currency: str | None = None
    """Currency."""
    note: str = ""
    """What else had to change so that parts and totals tie."""


def read_changes(given: Sequence[str]) -> dict[str, str]:
    """Changes as typed, each ``NAME=VALUE``; a value is whole units of the currency, or a share such as ``-10%``.

    Raises:
        UsageError: when one cannot be read, or a name comes twice.
    """
    found: dict[str, str] = {}
    for one in given:
        name, _, value = (part.strip() for part in one.partition("="))
        if not name or not (_WHOLE.fullmatch(value) or _SHARE.fullmatch(value)):
            mend = "Type it such as --figure total_debt=520000000 or --figure ebitda=-10%"
            raise UsageError(f"--figure {one!r} is not NAME=VALUE with a plain number or a signed percentage.", mend)
        if name in found:
            raise UsageError(f"--figure {name} is given twice.", "Give it once.")
        found[name] = value
    return found


def change_figures(certificate: Certificate, changes: Mapping[str, str]) -> tuple[Certificate, tuple[Changed, ...]]:
    """A certificate with other figures. It no longer states a ratio, since that was worked from the figures before.

    A total that is given stands for its parts, and a part that is given unseats the total: a scenario must tie as a real
    certificate must.

    Args:
        certificate: the certificate.
        changes: name or label of a figure, and its value as typed.

    Raises:
        UsageError: when the certificate has no such figure, or more than one.
    """
    figures = list(certificate.figures)
    said = []
    for name, value in sorted(changes.items()):
        place = _place(figures, name, certificate.document)
        old = figures[place]
        now = _value(old.value, value)
        figures[place] = old.model_copy(update={"value": now, "raw": value, "spans": ()})
        said.append(Changed(name=old.name, label=old.label, was=old.value, now=now, currency=old.currency))
    touched = {one.name for one in said}
    notes = [_tie(figures, one, touched) for one in said]
    said = [one.model_copy(update={"note": note}) for one, note in zip(said, notes, strict=True)]
    return certificate.model_copy(update={"figures": tuple(figures), "states_ratio": None}), tuple(said)


def move_income(certificate: Certificate, by: Fraction) -> Certificate:
    """A certificate whose net income is another, so that earnings worked from its lines meet a figure that is supposed.

    Args:
        certificate: the certificate.
        by: what is added, in whole units of the currency.
    """
    return certificate.model_copy(update={"figures": tuple(_moved(certificate.figures, by))})


def _moved(figures: Sequence[Figure], by: Fraction) -> list[Figure]:
    return [
        one.model_copy(update={"value": one.value + by, "raw": str(one.value + by), "spans": ()})
        if one.name == "net_income"
        else one
        for one in figures
    ]


def _place(figures: list[Figure], name: str, document: str) -> int:
    wanted = name.casefold()
    fits = [n for n, one in enumerate(figures) if wanted in {one.name.casefold(), one.label.casefold()}]
    if len(fits) == 1:
        return fits[0]
    there = ", ".join(sorted({one.name for one in figures})) or "none"
    what = "has no figure" if not fits else "has more than one figure"
    raise UsageError(f"{document} {what} {name!r}.", f"Its figures: {there}.")


def _value(old: Fraction, typed: str) -> Fraction:
    if typed.endswith("%"):
        return old * (1 + Fraction(typed[:-1]) / 100)
    return Fraction(typed.replace(",", ""))


def _tie(figures: list[Figure], one: Changed, touched: set[str]) -> str:
    """Mends the other side of a sum; says how."""
    kind = base_name(one.name)
    if kind == "total_debt" and _drop(figures, lambda name: name.startswith("debt_") and name not in touched):
        return "It stands for the parts of debt that the certificate lists."
    if kind.startswith("debt_") and _drop(figures, lambda name: name == "total_debt" and name not in touched):
        return "Total debt is worked from its parts."
    if kind == "ebitda":
        if "net_income" in touched or not any(figure.name == "net_income" for figure in figures):
            return ""
        figures[:] = _moved(figures, one.now - one.was)
        return "Net income moves with it, so that the lines of the definition still add to it."
    if kind in {"net_income", *STATUTORY} or kind.startswith(("gain_", "addback_")):
        gone = _drop(figures, lambda name: name == "ebitda" and name not in touched)
        return "EBITDA is worked from its lines." if gone else ""
    return ""


def _drop(figures: list[Figure], fits: Callable[[str], bool]) -> bool:
    kept = [figure for figure in figures if not fits(base_name(figure.name))]
    gone = len(kept) != len(figures)
    figures[:] = kept
    return gone
